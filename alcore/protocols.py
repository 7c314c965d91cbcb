"""What alcore asks of a strategy, a learner, a metric, an oracle and a stop rule. There is no base class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.random import Generator

from alcore.types import Floats, Labels, Rows, Task

if TYPE_CHECKING:
    from alcore.pool import Pool
    from alcore.view import View


@runtime_checkable
class Strategy(Protocol):
    """Chooses the rows whose labels are asked next."""

    def query(self, view: View, n: int) -> Rows:
        """Return ``n`` distinct rows of ``view.unlabeled`` (the engine never asks for more than there are)."""
        ...


@runtime_checkable
class NeedsSetup(Protocol):
    """A strategy that prepares something once per run."""

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Get ready for a run on ``pool``; ``rng`` is the strategy's own stream. Forget any earlier run."""
        ...


@runtime_checkable
class NeedsUpdate(Protocol):
    """A strategy that keeps state between rounds."""

    def update(self, rows: Rows, labels: Labels) -> None:
        """Take in newly labelled rows and their labels; called for the start set first, then once per round."""
        ...


@dataclass(frozen=True)
class Truth:
    """What only an upper bound may see: the labels of the whole pool, and the test set."""

    y: Labels
    X_test: Any
    y_test: Labels


@runtime_checkable
class NeedsTruth(Protocol):
    """An upper bound that is shown the hidden labels. Marked as such in every table."""

    def reveal(self, truth: Truth) -> None:
        """Receive the hidden labels, after ``setup``."""
        ...


@runtime_checkable
class Learner(Protocol):
    """Anything with ``fit`` and ``predict``: every scikit-learn-compatible estimator is one.

    Levels beyond ``predict`` are detected: ``predict_proba``, ``decision_function``, ``predict(X, return_std=True)``,
    and the optional ``embed(X)`` of shape (n, e), ``hidden(X)`` (the last hidden activations) and
    ``sample_proba(X, draws, rng)`` of shape (draws, n, K).
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to the labelled rows."""
        ...

    def predict(self, X: Any) -> Any:
        """Return one label per row."""
        ...


@dataclass(frozen=True)
class Scored:
    """One prediction of the test set, shared by all round metrics.

    ``y`` holds the true labels and ``pred`` the predicted ones, as class codes ``(n,)``, a 0/1 matrix ``(n, L)`` or
    float targets ``(n,)``. ``n_classes`` is K for classification, L for multi-label, 0 for regression.
    """

    task: Task
    n_classes: int
    y: Labels
    pred: Labels
    _proba: Callable[[], Floats] | None = None
    _decision: Callable[[], Floats] | None = None

    @cached_property
    def proba(self) -> Floats | None:
        """Probabilities of shape (n, K), columns = all classes; None if the learner has none."""
        return None if self._proba is None else self._proba()

    @cached_property
    def decision(self) -> Floats | None:
        """Decision values, (n,) for two classes (positive = class 1), else (n, K); None if the learner has none."""
        return None if self._decision is None else self._decision()

    @cached_property
    def confusion(self) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        """Counts of shape (K, K): rows = true class, columns = predicted class (classification only)."""
        k = self.n_classes
        return np.bincount(self.y * k + self.pred, minlength=k * k).reshape(k, k)


class RoundMetric(Protocol):
    """Scores one round from the prediction of the test set."""

    def __call__(self, scored: Scored) -> float:
        """Return the score; NaN where it is undefined (ROC-AUC with one class in the test set)."""
        ...


@dataclass(frozen=True)
class Curve:
    """One learning curve: the value of a round metric against the number of labelled rows.

    ``seed`` pairs the curves of different strategies, where it is known. ``exhausted`` tells that the last point has
    the whole pool labelled, so that its value is that of all data.
    """

    labeled: Floats
    values: Floats
    seed: int | None = None
    exhausted: bool = False

    def __post_init__(self) -> None:
        if len(self.labeled) != len(self.values):
            raise ValueError(f"a curve of {len(self.labeled)} label counts and {len(self.values)} values")


Curves = Sequence[Curve]
"""The curves of one strategy, one per seed."""


class Told(dict[str, float]):
    """Numbers by strategy, as a comparison metric returns them, with words about some of them.

    ``reasons`` says, by strategy, why a number is missing (NaN) or not to be trusted; tables print it below.
    """

    def __init__(self, numbers: Mapping[str, float], reasons: Mapping[str, str]) -> None:
        super().__init__(numbers)
        self.reasons = dict(reasons)


class CurveMetric(Protocol):
    """Scores one learning curve."""

    def __call__(self, curve: Curve) -> float:
        """Return one number for the curve."""
        ...


class ComparisonMetric(Protocol):
    """Scores strategies against a baseline, from all their curves."""

    def __call__(self, curves: Mapping[str, Curves], baseline: str) -> Mapping[str, float]:
        """Return one number per strategy; ``Told`` adds the reasons of those that are missing or doubtful."""
        ...


class Oracle(Protocol):
    """Gives labels."""

    def __call__(self, rows: Rows) -> Labels:
        """Return the labels of these rows, in their order, encoded as the pool's task asks."""
        ...


@dataclass(frozen=True)
class Record:
    """One round: what was asked, what it gave, and what it cost.

    Round 0 is the start set (``rows`` may be empty there). Times are in seconds.
    """

    t: int
    rows: Rows
    labels: Labels
    n_labeled: int
    metrics: Mapping[str, float] = field(default_factory=dict)
    fit_time: float = 0.0
    query_time: float = 0.0
    update_time: float = 0.0
    score_time: float = 0.0


@dataclass(frozen=True)
class History:
    """What a stop rule may see: the rounds so far, and the pool's size."""

    records: Sequence[Record]
    pool_size: int


class StopRule(Protocol):
    """Decides whether a run is over."""

    def __call__(self, history: History) -> str | None:
        """Return the reason to stop, or None to go on."""
        ...
