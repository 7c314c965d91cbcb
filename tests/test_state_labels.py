"""The one check of what an oracle answers, and what becomes of its labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from alcore.errors import InputError
from alcore.learners import Recipe
from alcore.pool import Pool
from alcore.state import State
from alcore.types import Rows, Task
from alcore.view import View


class Idle:
    def query(self, view: View, n: int) -> Rows:
        return view.unlabeled[:n]


def state(task: Task) -> State:
    classes = () if task is Task.REGRESSION else ("low", "middle", "high")
    return State(Pool(np.arange(12.0)[:, None], task, classes), Idle(), Recipe(Ridge()), seed=0)


BAD_LABELS = [
    (Task.CLASSIFICATION, [0], r"labels of shape \(1,\) for 2 rows"),
    (Task.CLASSIFICATION, [[0], [1]], r"labels of shape \(2, 1\) for 2 rows"),
    (Task.CLASSIFICATION, [0, 3], "the oracle gave 3 .*codes are integers from 0 to 2"),
    (Task.CLASSIFICATION, [-1, 0], "the oracle gave -1 .*codes are integers from 0 to 2"),
    (Task.CLASSIFICATION, [0.0, 1.0], r"the oracle gave 0.0 \(float64\); codes are integers"),
    (Task.CLASSIFICATION, ["low", "high"], "the oracle gave 'low' .*encode"),
    (Task.CLASSIFICATION, [None, 1], "the oracle gave None .*codes are integers"),
    (Task.MULTILABEL, [0, 1], r"labels of shape \(2,\) for 2 rows"),
    (Task.MULTILABEL, [[0, 1, 1], [0, 2, 1]], "the oracle gave 2 .*labels are 0 or 1"),
    (Task.REGRESSION, [0.5, np.nan], "the oracle gave nan .*targets are finite numbers"),
    (Task.REGRESSION, ["a", "b"], "the oracle gave 'a' .*targets are finite numbers"),
    (Task.REGRESSION, [[0.5], [1.0]], r"labels of shape \(2, 1\) for 2 rows"),
]


@pytest.mark.parametrize(("task", "labels", "message"), BAD_LABELS)
def test_labels_of_another_shape_or_task_are_refused(task: Task, labels: Any, message: str) -> None:
    s = state(task)
    with pytest.raises(InputError, match=message):
        s.add(np.array([1, 2]), labels, start=True)
    assert (s.n_labeled, s.left) == (0, 12)


@pytest.mark.parametrize(
    ("task", "labels", "dtype"),
    [
        (Task.CLASSIFICATION, np.array([0, 2], dtype=np.uint8), np.intp),
        (Task.CLASSIFICATION, [0, 2], np.intp),
        (Task.MULTILABEL, np.array([[True, False, True], [False, False, True]]), np.intp),
        (Task.REGRESSION, [1, 2], np.float64),
        (Task.REGRESSION, np.array([1.5, 2.5], dtype=np.float32), np.float64),
    ],
)
def test_labels_are_kept_in_the_tasks_type(task: Task, labels: Any, dtype: Any) -> None:
    s = state(task)
    s.add(np.array([1, 2]), labels, start=True)
    assert s.y.dtype == dtype
    assert np.array_equal(s.y, np.asarray(labels, dtype=dtype))


@pytest.mark.parametrize("task", list(Task))
def test_no_rows_need_no_labels(task: Task) -> None:
    s = state(task)
    s.add(np.empty(0, dtype=np.intp), np.array([]), start=True)
    assert (s.n_labeled, s.left, s.t) == (0, 12, 0)
