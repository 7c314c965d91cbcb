"""SPAL: BMDR with weights by which rows that are easy for the classifier come first."""

from __future__ import annotations

import numpy as np

import alcore
from alcore import Rows, View
from alcore_strategies import checks
from alcore_strategies.hybrid.bmdr import ALTERNATIONS, Alternating, Round, positive
from alcore_strategies.hybrid.qp import capped
from alcore_strategies.hybrid.quire import checked

TANG = "Tang and Huang, Self-Paced Active Learning: Query the Right Thing at the Right Time (AAAI 2019)"
LEAST = 1e-3
"""Rows whose weight alpha v is smaller leave w alone, as published."""


class SelfPaced(Alternating):
    """What SPAL and its published form share."""

    lambda_init: float
    lambda_pace: float

    def query(self, view: View, n: int) -> Rows:
        """Alternate between alpha, v and w until the n rows of the largest alpha v stay the same."""
        if n in (0, len(view.unlabeled)):
            return view.unlabeled[:n]
        pace = self.lambda_init + self.lambda_pace * (view.t - 1)
        round_ = Round(self, view, n)
        v, alpha, chosen = np.ones(len(round_.U)), None, set[int]()
        for _ in range(ALTERNATIONS + 1):
            b = float(n) if v.sum() >= n else None  # too few easy rows: no alpha meets the equation
            alpha = capped(round_.P, round_.k + v * round_.risk / self.beta, b, v, alpha if b == n else None)
            if not round_.exact:
                alpha = round_.shared(alpha)
            v = np.maximum(0.0, 1.0 - alpha * round_.risk / pace)
            Q = round_.largest(alpha * v)
            if chosen == set(Q.tolist()):
                break
            chosen = set(Q.tolist())
            heard = np.flatnonzero(alpha * v > LEAST)
            round_.fit(heard, (alpha * v)[heard])
        return round_.U[Q]


@alcore.strategy(
    "spal",
    summary="A batch as BMDR's, of rows that are easy at first and harder later",
    revision=2,
    learner=False,
    max_classes=2,
    growth="cubic",
    source=TANG,
    group="hybrid",
)
class Spal(SelfPaced):
    """min over w, alpha and v of BMDR's bound with alpha_j v_j for alpha_j.

    ::

        sum_l (y_i - f_i)^2 + gamma ||w||^2 + sum_u alpha_j v_j (f_j^2 + 2 |f_j|) + mu (alpha' K_1 alpha + k'alpha)
        + lambda (||v||^2 / 2 - sum_u v_j),    0 <= alpha <= 1,  alpha'v = b

    In turns: alpha by a quadratic program, v_j = max(0, 1 - alpha_j (f_j^2 + 2 |f_j|) / lambda), and w. lambda grows
    from round to round. Where the v_j sum to less than b the equation is left out.

    Parameters
    ----------
    mu : float
        Weight of the maximum mean discrepancy between labelled and other rows.
    lam : float
        The paper's gamma, the weight of the regularisation.
    lambda_init, lambda_pace : float
        lambda in the first round, and what each round adds: the larger, the harder are the rows that take part.
    kernel : "rbf", "linear" or "poly"
        Of ``pool.features``.
    gamma, degree, coef0
        Of the kernel.
    """

    def __init__(
        self,
        mu: float = 0.1,
        lam: float = 0.1,
        lambda_init: float = 0.1,
        lambda_pace: float = 0.01,
        kernel: str = "rbf",
        gamma: float = 1.0,
        degree: int = 3,
        coef0: float = 1.0,
    ) -> None:
        super().__init__(positive("mu", mu), lam, checked(lam, kernel, gamma, degree, coef0))
        self.lambda_init = positive("lambda_init", lambda_init)
        checks.positive("spal", zero=True, lambda_pace=lambda_pace)
        self.lambda_pace = lambda_pace


@alcore.strategy(
    "spal-published",
    summary="SPAL as the benchmark ran it: its pace never grows; otherwise as bmdr-published",
    learner=False,
    max_classes=2,
    growth="cubic",
    source=TANG,
    group="hybrid",
)
class SpalPublished(SelfPaced):
    """ALiPy's SPAL, which the benchmark's tables were made with: lambda stays what it was at first.

    And, as in ``BmdrPublished``, alpha'K_uu alpha / 4, a w of the labelled rows only, and a loose ADMM. Parameters as
    ``Spal``, without the pace and with ``rho``, ADMM's step.
    """

    lambda_pace = 0.0

    def __init__(
        self,
        mu: float = 0.1,
        lam: float = 0.1,
        rho: float = 1.0,
        lambda_init: float = 0.1,
        kernel: str = "rbf",
        gamma: float = 1.0,
        degree: int = 3,
        coef0: float = 1.0,
    ) -> None:
        kernels = checked(lam, kernel, gamma, degree, coef0)
        super().__init__(positive("mu", mu), lam, kernels, rho)
        self.lambda_init = positive("lambda_init", lambda_init)
