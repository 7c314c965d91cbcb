"""Classes of scikit-activeml with a fault put right, as subclasses: nothing of the library itself is changed."""

from __future__ import annotations

from typing import Any

import numpy as np
from skactiveml.pool import Quire, RandomSampling, TypiClust  # type: ignore[import-untyped]
from skactiveml.utils import simple_batch  # type: ignore[import-untyped]


class CoveredTypiClust(TypiClust):  # type: ignore[misc]
    """TypiClust that answers when every cluster holds a labelled row.

    The library means to pick any candidate then, and stumbles over the cluster that it did not choose.
    """

    def query(self, X: Any, y: Any, candidates: Any = None, batch_size: int = 1, return_utilities: bool = False) -> Any:
        """Return indices of X, and utilities if asked."""
        try:
            return super().query(X, y, candidates, batch_size, return_utilities)
        except UnboundLocalError:
            anything = RandomSampling(missing_label=self.missing_label, random_state=self.random_state)
            return anything.query(X, y, candidates, batch_size, return_utilities)


class SubsetQuire(Quire):  # type: ignore[misc]
    """Quire that scores a part of the unlabelled rows as it scores them among all.

    The library counts candidates by their number in the part, but takes the numbers for those among all.
    """

    def query(self, X: Any, y: Any, candidates: Any = None, batch_size: int = 1, return_utilities: bool = False) -> Any:
        """Return indices of X, and utilities if asked."""
        scored = super().query(X, y, None, 1, True)[1][0]
        if candidates is not None:
            others = np.setdiff1d(np.arange(len(scored)), candidates)
            scored[others] = np.nan
        return simple_batch(scored, self.random_state_, batch_size=batch_size, return_utilities=return_utilities)
