"""QueryInstanceUncertainty, by its four measures, and QueryInstanceRandom."""

from __future__ import annotations

import numpy as np

from alcore import Floats, Rows, View
from alcore.interop import seed_of, seeded_globals
from alcore_alipy.library import Heard, Scored, calling, load, rebound

LABELS = load("query_strategy.query_labels")


class Uncertainty(Scored):
    """One measure of uncertainty, of the probabilities or decision values that the view holds.

    Parameters
    ----------
    measure : "least_confident", "margin", "entropy" or "distance_to_boundary"
    """

    def __init__(self, measure: str) -> None:
        self.measure = measure
        self.name = f"alipy.{measure.replace('_', '-')}"

    def scores(self, view: View) -> Floats:
        """Return the measure; larger = less certain."""
        boundary = self.measure == "distance_to_boundary"
        # A copy: the library's entropy writes 1e-6 over what it is given where that is 0.
        given = np.array(view.decision if boundary else view.proba)
        query, heard = LABELS.QueryInstanceUncertainty(measure=self.measure), Heard()
        select = rebound(
            LABELS.QueryInstanceUncertainty.select_by_prediction_mat,
            nlargestarg=heard.nlargestarg,
            nsmallestarg=heard.nsmallestarg,
        )
        with calling():
            select(query, view.unlabeled, given)
        return heard.scores(len(view.unlabeled), self.name)


def least_confident() -> Uncertainty:
    """1 - p_1, with p_1 the largest probability."""
    return Uncertainty("least_confident")


def margin() -> Uncertainty:
    """p_2 - p_1, with p_1 >= p_2 the two largest probabilities."""
    return Uncertainty("margin")


def entropy() -> Uncertainty:
    """Entropy of the probabilities, 0 taken for 1e-6."""
    return Uncertainty("entropy")


def distance_to_boundary() -> Uncertainty:
    """-|f(x)|, two classes."""
    return Uncertainty("distance_to_boundary")


class Random:
    """The library's shuffle of the unlabelled rows; it draws from NumPy's global state, seeded here and restored."""

    name = "alipy.random"

    def query(self, view: View, n: int) -> Rows:
        """Return n rows, each equally likely."""
        with seeded_globals(seed_of(view)), calling():
            picked = LABELS.QueryInstanceRandom().select(None, _Index(view.unlabeled.tolist()), batch_size=int(n))
        return np.asarray(picked, dtype=np.intp)


class _Index(list[int]):
    """What the library reads of its IndexCollection here: the length, and ``index``."""

    @property
    def index(self) -> list[int]:  # type: ignore[override]
        return self
