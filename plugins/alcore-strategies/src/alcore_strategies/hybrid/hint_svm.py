"""HintSVM: uncertainty of a machine that is told, by hints, not to be sure about rows nobody labelled."""

from __future__ import annotations

import numpy as np

import alcore
from alcore import Floats, InputError, View
from alcore_strategies.checks import before, positive
from alcore_strategies.hybrid.hinted import Problem, by_interior_point, by_smo
from alcore_strategies.hybrid.kernels import Kernel

LI = (
    "Li, Ferng and Lin, Active Learning with Hinted Support Vector Machine (ACML 2012); "
    "Active Learning Using Hint Information (Neural Computation 27(8), 2015)"
)

EXACT = 1e-7
"""What the interior-point method cannot tell from 0, with a margin."""


def check_parameters(
    Cl: float,
    Ch: float,
    p: float,
    half_life: float | None,
    kernel: str,
    gamma: float,
    degree: int,
    coef0: float,
    tol: float,
) -> Kernel:
    """Return the kernel; raise InputError where a parameter is out of range."""
    positive("hint-svm", Cl=Cl, Ch=Ch, tol=tol, half_life=half_life)
    if not 0 <= p <= 1:
        raise InputError(f"hint-svm: p is {p!r}; give a share from 0 to 1.")
    try:
        return Kernel(kernel, gamma, degree, coef0)
    except InputError as error:
        raise InputError(f"hint-svm: {error}") from error


@alcore.scores(
    "hint-svm",
    summary="The row nearest to the boundary of an SVM that unlabelled rows hold near zero",
    learner=False,
    max_classes=2,
    stochastic=True,
    growth="quadratic",
    source=LI,
    group="hybrid",
    adapt=before(check_parameters),
)
def hint_svm(
    view: View,
    *,
    Cl: float = 0.1,
    Ch: float = 0.1,
    p: float = 0.5,
    half_life: float | None = None,
    kernel: str = "linear",
    gamma: float = 0.1,
    degree: int = 3,
    coef0: float = 0.0,
    tol: float = 1e-3,
) -> Floats:
    """-|f(x)| of the hinted machine (``hinted``, eps = 0), with hints drawn anew in each round.

    Hints that hold the boundary have f(x) = 0: |f| that the solver cannot tell from 0 are equal. Where one class only
    is labelled, and there is no hint, all rows are.

    Parameters
    ----------
    Cl, Ch : float
        Weight of errors on labelled rows and on hints; the defaults are those of the authors' own library.
    p : float
        The share of the unlabelled rows that are hints, drawn without replacement: there are fewer of them as fewer
        rows are left.
    half_life : float or None
        Let the share fall faster than the pool is used up: by half with every so many labels. The paper leaves the
        schedule to the user; None keeps the share.
    kernel : "linear", "rbf" or "poly"
        Of ``pool.features``.
    gamma, degree, coef0
        Of the kernel.
    tol : float
        Of the solver for the other kernels; the linear one is solved to 1e-7 and better.
    """
    k = check_parameters(Cl, Ch, p, half_life, kernel, gamma, degree, coef0, tol)
    share = p if half_life is None else p * 0.5 ** (len(view.labeled) / half_life)
    hints = view.rng.choice(view.unlabeled, size=int(share * len(view.unlabeled)), replace=False, shuffle=False)
    X = view.pool.features
    problem = Problem(X[view.labeled], np.where(view.y > 0, 1.0, -1.0), X[hints], Cl, Ch)
    at = X[view.unlabeled]
    if kernel == "linear":
        return -np.maximum(np.abs(by_interior_point(problem, at)), EXACT)
    return -np.maximum(np.abs(by_smo(problem, at, k, eps=0.0, tol=tol)), tol)
