"""The selector CODA: beliefs about every model's confusion matrix, and the label that would tell most."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.random import Generator

from alcore.errors import InputError
from alcore.select import top
from alcore.types import Floats, Mask, Rows
from alcore_modelselection.coda.beliefs import Beliefs
from alcore_modelselection.coda.gain import Candidates
from alcore_modelselection.coda.pbest import PBest
from alcore_modelselection.coda.prefilter import LEAST, REFRESH, choose
from alcore_modelselection.coda.prevalence import Prevalence
from alcore_modelselection.coda.prior import Confusion, Prior
from alcore_modelselection.coda.quadrature import Cdf, Grid
from alcore_modelselection.losses import Loss
from alcore_modelselection.predictions import Predictions
from alcore_modelselection.selectors.acquisition import ensemble_entropy

Variant: TypeAlias = Literal["code", "paper"]
Acquisition: TypeAlias = Literal["eig", "uncertainty", "random"]

PUBLISHED: dict[Variant, dict[str, Any]] = {
    "code": {"confusion": "normalised", "prevalence": "code", "pbest": None, "hypothetical_weight": 1.0},
    "paper": {"confusion": "counts", "prevalence": "paper", "pbest": "mixture", "hypothetical_weight": None},
}
TIE = 1e-8
"""Gains closer than this are equal, as in the published code."""


class Coda:
    """CODA (Kay et al., "Consensus-Driven Active Model Selection").

    Parameters
    ----------
    variant : "code" or "paper"
        The published code, which is what the paper's tables were made with (default), or the text as printed. They
        differ in the four parameters that follow; each can be set by itself.
    confusion : "normalised" (code) or "counts" (paper), optional
        Whether the consensus confusion matrix of Eq. 5 enters Eq. 6 with rows of sum 1, or as counts.
    prevalence : "code" or "paper", optional
        Which index of the confusion matrix is the true class in Eq. 10; see ``ClassBeliefs``.
    pbest : "rows" (code), "mixture" (paper) or "total" (ours), optional
        P(best) as the average over classes of the probability to be best on that class; as one integral of the
        mixtures of Eq. 14 and 15; or as the probability to have the largest accuracy in all, see ``coda.pbest``.
        Variant "code" takes "total" for losses other than accuracy, of which neither text nor code speaks.
    hypothetical_weight : float, optional
        What a hypothetical label adds in Eq. 16: 1 (code), or eta (paper).
    prior : "consensus+diagonal", "consensus", "diagonal" or "uniform"
        The ablation of Fig. 5.
    acquisition : "eig", "uncertainty" or "random"
        The ablation of Fig. 6.
    alpha, temperature, eta : float
        The weight of the consensus (Eq. 6), the temperature T (Eq. 6) and the learning rate (Eq. 18).
    grid : int
        Points of the integral.
    cdf : "trapezoid" or "betainc"
        See ``Grid``.
    candidates : "split" or "all"
        Ask only rows on which not all models agree while there are any, or any row. Rows that all agree on say
        nothing about who is best.
    max_candidates : int, optional
        Consider at most this many rows, those on which the likely best models are split most. By default as many as
        ``memory`` allows; ``notices`` says so where that is not all.
    memory : int
        Bytes that what is kept between labels may take.
    dtype : "float64" or "float32"
        Precision of the hypothetical P(best); float32 takes half the memory and time.

    Raises
    ------
    InputError
        If a parameter is none of the above or out of range.
    """

    tied_models = "first"

    def __init__(
        self,
        *,
        variant: Variant = "code",
        prior: Prior = "consensus+diagonal",
        acquisition: Acquisition = "eig",
        alpha: float = 0.1,
        temperature: float = 0.5,
        eta: float = 0.01,
        grid: int = 256,
        cdf: Cdf = "trapezoid",
        confusion: Confusion | None = None,
        prevalence: Prevalence | None = None,
        pbest: PBest | None = None,
        hypothetical_weight: float | None = None,
        candidates: Literal["split", "all"] = "split",
        max_candidates: int | None = None,
        memory: int = 1 << 30,
        dtype: Literal["float64", "float32"] = "float64",
    ) -> None:
        _one_of("variant", variant, Variant)
        published = PUBLISHED[variant]
        self.variant, self.acquisition = variant, acquisition
        self.confusion: Confusion = confusion or published["confusion"]
        self.prevalence: Prevalence = prevalence or published["prevalence"]
        self.pbest: PBest | None = pbest or published["pbest"]
        self.prior: Prior = prior
        self.alpha, self.temperature, self.eta = float(alpha), float(temperature), float(eta)
        weight = published["hypothetical_weight"] if hypothetical_weight is None else hypothetical_weight
        self.hypothetical_weight = self.eta if weight is None else float(weight)
        self.candidates, self.max_candidates, self.memory = candidates, max_candidates, memory
        self.dtype = np.dtype(dtype)
        self.notices: list[str] = []
        for name, value, allowed in (
            ("prior", prior, Prior),
            ("acquisition", acquisition, Acquisition),
            ("confusion", self.confusion, Confusion),
            ("prevalence", self.prevalence, Prevalence),
            ("pbest", self.pbest or "rows", PBest),
            ("cdf", cdf, Cdf),
            ("candidates", candidates, Literal["split", "all"]),
            ("dtype", dtype, Literal["float64", "float32"]),
        ):
            _one_of(name, value, allowed)
        if self.alpha < 0 or min(self.temperature, self.eta, self.hypothetical_weight) <= 0:
            raise InputError(
                f"alpha={alpha}, temperature={temperature}, eta={eta}, hypothetical_weight={hypothetical_weight}: "
                "alpha is 0 or more, the others are positive."
            )
        if grid < 16:
            raise InputError(f"grid={grid} points are too few for the integral; use 16 or more, 256 by default.")
        if max_candidates is not None and max_candidates < LEAST:
            raise InputError(f"max_candidates={max_candidates}; consider {LEAST} rows or more, or None for all.")
        self.grid = Grid(grid, cdf)

    def setup(self, predictions: Predictions, loss: Loss, rng: Generator) -> None:
        """Form the consensus priors (section 4.2)."""
        self._predictions = predictions
        self._beliefs = Beliefs(self, predictions, loss)
        self._open, self._weights, self._count = np.ones(predictions.n_rows, dtype=np.bool_), self.posterior(), 0
        self._first: Candidates | None = None  # the rows to ask, and those left when these are all labelled
        self._rest: Candidates | None = None
        self.notices.clear()
        self._entropy = ensemble_entropy(predictions) if self.acquisition == "uncertainty" else None

    def query(self, unlabeled: Mask, n: int, rng: Generator) -> Rows:
        """Return the rows with the largest expected information gain (section 4.4); equal ones in random order."""
        if self.acquisition == "random":
            return np.asarray(rng.permutation(np.flatnonzero(unlabeled))[:n])
        if self._entropy is not None:
            rows = np.flatnonzero(unlabeled)
            return rows[top(_level(self._entropy[rows]), n, rng, who="coda")]
        left, found = unlabeled.copy(), np.empty(0, dtype=np.intp)
        while len(found) < n and left.any():
            rows, gains = self.gains(left)
            best = rows[top(_level(gains), n - len(found), rng, who="coda")]
            found = np.concatenate([found, best])
            left[rows] = False  # what follows, in a batch larger than the candidates, are rows that tell less
        return found

    def gains(self, unlabeled: Mask) -> tuple[Rows, Floats]:
        """Return the candidate rows and the expected information gain of each in bits (Eq. 17)."""
        candidates = self._candidates(unlabeled)
        at = np.flatnonzero(unlabeled[candidates.rows])
        gains = self._beliefs.entropy() - self._beliefs.expected_entropy(candidates)
        return candidates.rows[at], gains[at]

    def _candidates(self, unlabeled: Mask) -> Candidates:
        """Return the rows to consider, with at least one unlabelled among them."""
        if self._first is None:
            wanted = self._open & self._predictions.split if self.candidates == "split" else self._open
            self._first = self._consider(wanted)
        if unlabeled[self._first.rows].any():
            return self._first
        if self._rest is None or not unlabeled[self._rest.rows].any():
            self._rest = self._consider(unlabeled)
        return self._rest

    def _consider(self, wanted: Mask) -> Candidates:
        rows, note = choose(self._predictions, self._weights, np.flatnonzero(wanted), self)
        if note:
            self.notices[:] = [note]
        return Candidates(rows, self._predictions.hard, self._beliefs.scores, self.dtype)

    def update(self, row: int, label: int, unlabeled: Mask) -> None:
        """Update row ``label`` of every model's confusion matrix by eta (Eq. 18)."""
        self._beliefs.update(row, label)
        self._count += 1
        for candidates in (self._first, self._rest):
            if candidates is not None:
                candidates.stale.add(label)
        if self._count % REFRESH == 0 and (self._first is None or self.notices):
            # Where not all rows are considered, which ones are depends on the labels so far, and on nothing else.
            self._open, self._weights = unlabeled.copy(), self.posterior()
            self._open[row] = False
            self._first = self._rest = None

    def quality(self) -> Floats:
        """Return P(best)."""
        return self.posterior()

    def posterior(self) -> Floats:
        """Return P(best), shape (H,) (section 4.3)."""
        return self._beliefs.p_best()

    @property
    def theta(self) -> Floats:
        """The Dirichlet parameters, shape (H, C, C): model, true class, predicted class."""
        return self._beliefs.theta.copy()

    @property
    def prevalences(self) -> Floats:
        """The estimated share of each class, shape (C,) (Eq. 10)."""
        return self._beliefs.prevalence()


def _level(gains: Floats) -> Floats:
    """Return the gains with those that equal the largest up to ``TIE`` set to it, so that chance decides among them."""
    largest = gains.max()
    return np.where(largest - gains <= TIE * (1.0 + abs(largest)), largest, gains)


def _one_of(name: str, value: object, allowed: Any) -> None:
    if value not in get_args(allowed):
        raise InputError(f"{name}={value!r}; use one of {', '.join(map(repr, get_args(allowed)))}.")
