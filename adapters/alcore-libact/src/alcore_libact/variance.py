"""Variance reduction, where libact was built with its C extension."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from alcore import Floats, View
from alcore_libact.asking import Scored
from alcore_libact.library import quiet, replaced
from alcore_libact.sheet import sheet

with quiet():
    from libact.models import LogisticRegression  # type: ignore[import-untyped]
    from libact.query_strategies import variance_reduction as home  # type: ignore[import-untyped]


SIGMA = float(np.nextafter(1.0, 2.0))
"""What libact's C code is given as sigma. It reads the low half of the number as an integer: of 1 or 100 that is 0, and
every score becomes 0. Of this it is 1; any other would do the same, because 1/sigma*sigma is what is computed."""


def variance_reduction(C: float = 1.0) -> Scored:
    """Return ``VarianceReduction``.

    Parameters
    ----------
    C : float
        Of the logistic regression on ``pool.features``, the only model that libact's C code knows.
    """
    return Scored("libact.variance-reduction", variances, C=C)


def variances(view: View, *, C: float) -> Floats:
    """Return minus the expected variance of a logistic regression's outputs (Schein and Ungar 2007).

    While one class only is labelled, there is no regression, and every row scores alike.
    """
    classes, labels = np.unique(view.y, return_inverse=True)
    if len(classes) < 2:
        return np.zeros(len(view.unlabeled))
    # libact tries the labels 0, 1, ...: here they are positions among the classes that are labelled.
    data = sheet(view, labels=labels, features=view.pool.features)
    told: list[float] = []
    model = LogisticRegression(C=C)
    with quiet(), replaced(home, "Pool", partial(_Here, told)):
        home.VarianceReduction(data.dataset, model=model, sigma=SIGMA).make_query()
    return -np.array(told, dtype=np.float64)


class _Here:
    """A pool of no processes, in place of the one that libact starts per query; keeps what is computed."""

    def __init__(self, told: list[float], jobs: int) -> None:
        self.told = told

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> list[float]:
        """Compute here."""
        self.told += [float(np.asarray(function(item)).reshape(-1)[0]) for item in items]
        return self.told

    def terminate(self) -> None:
        """End nothing."""
