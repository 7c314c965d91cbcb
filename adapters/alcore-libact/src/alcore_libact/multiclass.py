"""Expected error reduction, and active learning with cost embedding."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from alcore import InputError, Pool, Rows, View
from alcore.interop import patched, seed_of, seeded_globals
from alcore_libact.asking import ask_again, chance
from alcore_libact.library import SHIMS, Dataset, quiet
from alcore_libact.models import Answers, WhatIf
from alcore_libact.sheet import sheet

with quiet(), patched(modules=SHIMS):
    from libact.query_strategies.multiclass import EER as LIBACT_EER  # type: ignore[import-untyped]
    from libact.query_strategies.multiclass import ActiveLearningWithCostEmbedding


class EER:
    """``EER``: fit the learner anew for every row and label, and take the least expected loss over the pool.

    Parameters
    ----------
    loss : "log" or "01"
    """

    name = "libact.eer"

    def __init__(self, loss: str = "log") -> None:
        if loss not in ("log", "01"):
            raise InputError(f'loss is {loss!r}; use "log" or "01".')
        self.loss = loss

    def query(self, view: View, n: int) -> Rows:
        """Return the row of the least expected loss, then that among the others, and so on."""
        if n == 0:
            return view.unlabeled[:0]
        # libact tries the labels 0, 1, ...: here they are positions among the classes that are labelled.
        classes, labels = np.unique(view.y, return_inverse=True)
        model, state = WhatIf(Answers(view), classes), chance(view)

        def once(left: Rows) -> int:
            data = sheet(view, left, labels=labels)
            return data.row(LIBACT_EER(data.dataset, model=model, loss=self.loss, random_state=state).make_query())

        with quiet():
            return ask_again(view, n, once, who=self.name)


class ALCE:
    """``ActiveLearningWithCostEmbedding``: the row whose predicted embedding is farthest from all classes'.

    The classes are embedded once per run, so that their distances are the costs of confusing them (Huang and Lin 2016).

    Parameters
    ----------
    costs : array (K, K) or None
        Cost of predicting column j where row i is true; None costs 1 for every error.
    regressor : estimator or None
        Predicts each coordinate of the embedding from ``pool.features``; None takes ``SVR()``.
    restarts : int
        Random starts of the embedding, of which the best is kept (``n_init`` of libact's ``mds_params``).
    """

    name = "libact.alce"

    def __init__(self, costs: ArrayLike | None = None, regressor: Any = None, restarts: int = 8) -> None:
        self.costs, self.regressor, self.restarts = costs, regressor, restarts

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Embed the classes.

        Raises
        ------
        InputError
            If the costs are not of shape (K, K).
        """
        from sklearn.svm import SVR

        k = pool.n_classes
        costs = 1.0 - np.eye(k) if self.costs is None else np.asarray(self.costs, dtype=np.float64)
        if costs.shape != (k, k):
            raise InputError(f"{self.name}: costs has shape {costs.shape}; for {k} classes it is ({k}, {k}).")
        regressor = SVR() if self.regressor is None else self.regressor
        with quiet():
            self.inner: Any = ActiveLearningWithCostEmbedding(
                Dataset(pool.features, np.full(len(pool), None, dtype=object)),
                costs,
                regressor,
                mds_params={"n_init": self.restarts},
                random_state=int(rng.integers(2**31)),
            )

    def query(self, view: View, n: int) -> Rows:
        """Return the farthest row, then the farthest of the others, and so on."""
        if n == 0:
            return view.unlabeled[:0]
        before = self.inner._dataset, self.inner.random_state_
        self.inner.random_state_ = chance(view)
        seed = seed_of(view)

        def once(left: Rows) -> int:
            data = sheet(view, left, features=view.pool.features)
            self.inner._dataset = data.dataset
            return data.row(self.inner.make_query())

        try:
            with quiet(), seeded_globals(seed):  # SVR draws from NumPy's global state
                return ask_again(view, n, once, who=self.name)
        finally:
            self.inner._dataset, self.inner.random_state_ = before
