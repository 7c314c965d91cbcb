"""HintSVM as published results have it: libact's, which asks for the farthest row and forgets its parameters."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

import alcore
from alcore import Floats, Labels, Pool, Rows, View
from alcore_strategies.checks import seeds
from alcore_strategies.hybrid.hint_svm import LI, check_parameters
from alcore_strategies.hybrid.hinted import Problem, by_smo
from alcore_strategies.hybrid.kernels import Kernel

FORGOTTEN = Kernel("linear", 0.1, 3, 0.0)
HARD = 1e6
EPSILON = 0.1


@alcore.strategy(
    "hint-svm-published",
    summary="HintSVM with libact's solver and query, farthest from the boundary, as in published comparisons",
    learner=False,
    max_classes=2,
    batch="top",
    stochastic=True,
    growth="quadratic",
    source=f"{LI}, in the code of libact",
    group="hybrid",
)
class HintSvmPublished:
    """argmax |f(x)|: the row farthest from the boundary.

    Four things differ from ``hint-svm``:

    - libact asks for the largest |f|;
    - its solver empties the parameters it is given, so that from the second query on they are the defaults: linear
      kernel, C_l = 0.1;
    - hints are drawn with replacement;
    - the solver reads the kernel's degree as the kind of loss, and for 3 makes |f| <= 0.1 a constraint of every hint,
      whatever C_h is. With a linear kernel that holds nearly all rows within 0.1, many of them on it.

    Parameters
    ----------
    Cl, kernel, gamma, coef0
        Of the first query.
    p : float
        Size of the draw, as a share of the unlabelled rows.
    tol : float
        Of the solver.
    seed : int or None
        Of the draws; 1126 in the published runs, whatever the run's own seed. None takes them from the run's.
    """

    def __init__(
        self,
        Cl: float = 1.0,
        p: float = 0.5,
        kernel: str = "linear",
        gamma: float = 0.1,
        coef0: float = 0.0,
        tol: float = 1e-3,
        seed: int | None = None,
    ) -> None:
        self.kernel = check_parameters(Cl, 1.0, p, None, kernel, gamma, 3, coef0, tol)
        if seed is not None:
            seeds("hint-svm-published", seed)
        self.Cl, self.p, self.tol, self.seed = Cl, p, tol, seed

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Begin the stream of draws."""
        self.free = np.ones(len(pool), dtype=np.bool_)
        seed = int(rng.integers(2**31)) if self.seed is None else self.seed
        self.random = np.random.RandomState(seed)  # the published draws come from NumPy's legacy generator
        self.updates, self.hints = 0, np.empty(0, dtype=np.intp)

    def update(self, rows: Rows, labels: Labels) -> None:
        """Draw the hints of the next round among the rows that are left."""
        self.free[rows] = False
        self.updates += 1
        left = np.flatnonzero(self.free)
        size = int(len(left) * self.p)
        self.hints = left[self.random.choice(len(left), size)] if size else left[:0]

    def scores(self, view: View) -> Floats:
        """Return |f(x)|."""
        first, X = self.updates <= 1, view.pool.features
        Cl, kernel = (self.Cl, self.kernel) if first else (0.1, FORGOTTEN)
        problem = Problem(X[view.labeled], np.where(view.y > 0, 1.0, -1.0), X[self.hints], Cl, HARD * Cl)
        return np.abs(by_smo(problem, X[view.unlabeled], kernel, eps=EPSILON, tol=self.tol))

    def query(self, view: View, n: int) -> Rows:
        """Return the n rows farthest from the boundary."""
        return view.top(self.scores(view), n, rounding=0) if n else view.unlabeled[:0]
