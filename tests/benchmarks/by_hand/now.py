"""What is known in a round."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Now:
    """A round: all rows and labels, which of them are labelled, and a fitted estimator of scikit-learn.

    ``kept`` holds what a library's user keeps between rounds, ``strategy`` is alcore's, and ``fresh`` makes an
    estimator.
    """

    X: Any
    y: Any
    labeled: list[int]
    model: Any
    fresh: Any
    strategy: Any
    kept: dict[str, Any] = field(default_factory=dict)

    @property
    def unlabeled(self) -> Any:
        return np.delete(np.arange(len(self.X)), self.labeled)

    @property
    def signs(self) -> Any:
        return np.where(self.y > 0, 1, -1)

    def once(self, key: str, make: Any) -> Any:
        """Return what was made in the first round."""
        if key not in self.kept:
            self.kept[key] = make()
        return self.kept[key]
