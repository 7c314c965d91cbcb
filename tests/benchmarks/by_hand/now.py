"""What is known in a round."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Now:
    """A round: all rows and labels, which of them are labelled, and a fitted estimator of scikit-learn.

    ``kept`` holds what a library's user keeps between rounds, ``strategy`` is alcore's, ``fresh`` makes an
    estimator, and ``chance`` draws what the adapter draws: how long a fit takes depends on its bag.
    """

    X: Any
    y: Any
    labeled: list[int]
    model: Any
    fresh: Any
    strategy: Any
    chance: Any = None
    kept: dict[str, Any] = field(default_factory=dict)

    @property
    def unlabeled(self) -> Any:
        return np.delete(np.arange(len(self.X)), self.labeled)

    @property
    def signs(self) -> Any:
        return np.where(self.y > 0, 1, -1)

    def seeded(self, seed: int = 0) -> Any:
        """Return an unfitted estimator with a seed, as alcore's learners have: to seed a generator takes 0.1 ms."""
        made = self.fresh()
        if hasattr(made, "random_state"):
            made.random_state = seed
        return made

    def once(self, key: str, make: Any) -> Any:
        """Return what was made in the first round."""
        if key not in self.kept:
            self.kept[key] = make()
        return self.kept[key]
