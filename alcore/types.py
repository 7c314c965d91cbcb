"""The words that arrays speak: what an axis means, and what a task is."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Rows: TypeAlias = NDArray[np.intp]
"""Positions in ``Pool.X``. No other index space exists."""

Labels: TypeAlias = NDArray[Any]
"""Class codes 0..K-1 ``(n,)``, a 0/1 matrix ``(n, L)``, or float targets ``(n,)``. The leading axis is rows."""

Floats: TypeAlias = NDArray[np.float64]

Mask: TypeAlias = NDArray[np.bool_]


class Task(StrEnum):
    """What is predicted. Binary classification is classification with two classes."""

    CLASSIFICATION = "classification"
    REGRESSION = "regression"
    MULTILABEL = "multilabel"


class Level(StrEnum):
    """What a learner can say about a row besides its prediction, or what a strategy needs of it."""

    PROBA = "proba"
    DECISION = "decision"
    STD = "std"
    EMBEDDING = "embedding"
    HIDDEN = "hidden"
    DRAWS = "draws"


class Status(StrEnum):
    """How a run ended."""

    COMPLETED = "completed"
    TIMEOUT = "timeout"
    SKIPPED = "skipped"
    FAILED = "failed"


class Growth(StrEnum):
    """How the cost of one query, or the memory it needs, grows with the number of rows in the pool."""

    LINEAR = "linear"
    QUADRATIC = "quadratic"
    CUBIC = "cubic"


TOLERANCE = 1e-12
"""Scores that differ by no more than this share of their magnitude are equal: some thousand units in the last place.

Far more than what summing in another order changes, far less than one test row more or less that is right.
"""
