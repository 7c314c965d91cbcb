"""Every task and every container of rows, against a bare loop that fits the same estimator to the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import BayesianRidge, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from alcore.dataset import encode
from alcore.engine import ArrayOracle, Test, simulate
from alcore.estimators import PerLabel, copy_unfitted
from alcore.learners import Recipe
from alcore.pool import Pool, take
from alcore.protocols import Record, Scored
from alcore.types import Labels, Rows, Task
from alcore.view import View

RNG = np.random.default_rng(0)
CODES = np.tile([0, 1, 2], 16)
X = np.column_stack([3.0 * np.cos(CODES), 3.0 * np.sin(CODES)]) + RNG.normal(size=(48, 2))
POOLED, HELD = np.arange(30), np.arange(30, 48)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Fit such small data on one thread: on a busy machine more of them wait for each other."""
    with threadpool_limits(1):
        yield


class Chance:
    def query(self, view: View, n: int) -> Rows:
        return view.rng.choice(view.unlabeled, n, replace=False)


class Unsure:
    """Asks for the rows whose likeliest class is least likely."""

    def query(self, view: View, n: int) -> Rows:
        return view.top(-view.proba.max(axis=1), n)


def share_right(scored: Scored) -> float:
    return float(np.mean(scored.y == scored.pred))


def mse(scored: Scored) -> float:
    return float(np.mean((scored.y - scored.pred) ** 2))


def records_of(
    X: Any, y: Labels, classes: Any, learner: Any, metric: Any, strategy: Any, task: Task = Task.CLASSIFICATION
) -> list[Record]:
    return list(
        simulate(
            Pool(take(X, POOLED), task, classes),
            ArrayOracle(y[POOLED]),
            strategy,
            Recipe(learner),
            start=np.arange(6),
            budget=12,
            batch=4,
            test=Test(take(X, HELD), y[HELD]),
            metrics={"score": metric},
        )
    )


def bare_loop(X: Any, y: Labels, learner: Any, metric: Any, records: list[Record]) -> list[float]:
    """Fit, in the order of the rows, and score along the recorded rows without alcore."""
    scores = []
    for end in range(1, len(records) + 1):
        rows = np.sort(np.concatenate([record.rows for record in records[:end]]))
        pred = copy_unfitted(learner).fit(take(X, rows), y[rows]).predict(take(X, HELD))
        scores.append(metric(Scored(Task.CLASSIFICATION, 3, y[HELD], pred)))
    return scores


def with_gaps(X: Any) -> Any:
    gaps = X.copy()
    gaps[RNG.random(X.shape) < 0.2] = np.nan
    return gaps


FRAME = pd.DataFrame(
    {"x": X[:, 0], "y": X[:, 1], "colour": np.array(["red", "blue", "grey"])[RNG.integers(3, size=48)]},
    index=[f"row {i}" for i in range(48)],
)
FRAME_LEARNER = make_pipeline(
    make_column_transformer(
        (StandardScaler(), ["x", "y"]), (OneHotEncoder(handle_unknown="ignore"), ["colour"])
    ),
    LogisticRegression(),
)  # fmt: skip
CONTAINERS = {
    "array": (X, LogisticRegression()),
    "float32": (X.astype(np.float32), LogisticRegression()),
    "CSR matrix": (sparse.csr_matrix(X), LogisticRegression()),
    "CSR array": (sparse.csr_array(X), LogisticRegression()),
    "DataFrame": (FRAME, FRAME_LEARNER),
    "gaps": (with_gaps(X), HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2, random_state=0)),
}


@pytest.mark.parametrize("strategy", [Chance(), Unsure()], ids=["chance", "unsure"])
@pytest.mark.parametrize("container", CONTAINERS)
def test_containers_of_rows(container: str, strategy: Any) -> None:
    rows, learner = CONTAINERS[container]
    records = records_of(rows, CODES, (0, 1, 2), learner, share_right, strategy)
    assert [record.n_labeled for record in records] == [6, 10, 14, 18]
    assert [record.metrics["score"] for record in records] == bare_loop(rows, CODES, learner, share_right, records)


def test_the_container_does_not_change_what_is_asked() -> None:
    asked = [
        [
            record.rows.tolist()
            for record in records_of(rows, CODES, (0, 1, 2), LogisticRegression(), share_right, Unsure())
        ]
        for rows in (X, sparse.csr_matrix(X), pd.DataFrame(X, columns=["a", "b"]))
    ]
    assert asked[0] == asked[1] == asked[2]


def test_string_labels_go_through_codes() -> None:
    names = np.array(["owl", "ant", "fox"])[CODES]
    encoded = encode(names)
    assert encoded.classes == ("ant", "fox", "owl")
    records = records_of(X, encoded.codes, encoded.classes, LogisticRegression(), share_right, Unsure())
    rows = np.concatenate([record.rows for record in records])
    direct = LogisticRegression().fit(X[rows], names[rows])
    assert records[-1].metrics["score"] == direct.score(X[HELD], names[HELD])
    labels = np.concatenate([record.labels for record in records])
    assert [encoded.classes[code] for code in labels] == names[rows].tolist()


def test_a_class_that_is_never_seen() -> None:
    """Four classes can occur, three do; every prediction has a column for the fourth, with probability 0."""
    seen: list[Any] = []

    def columns(scored: Scored) -> float:
        assert scored.proba is not None
        assert scored.decision is not None
        seen.append((scored.n_classes, scored.proba.shape, set(scored.proba[:, 1]), set(scored.decision[:, 1])))
        return share_right(scored)

    y = np.array([0, 2, 3])[CODES]
    learner = LogisticRegression()
    records = records_of(X, y, ("a", "b", "c", "d"), learner, columns, Unsure())
    assert seen == [(4, (18, 4), {0.0}, {-np.inf})] * 4
    assert [record.metrics["score"] for record in records] == bare_loop(
        X, y, LogisticRegression(), share_right, records
    )


def test_regression() -> None:
    y = X @ np.array([1.0, -2.0]) + 0.1 * RNG.normal(size=48)
    records = records_of(X, y, (), Ridge(), mse, Chance(), Task.REGRESSION)
    assert [record.metrics["score"] for record in records] == bare_loop(X, y, Ridge(), mse, records)
    assert all(np.array_equal(record.labels, y[record.rows]) for record in records)


def test_regression_by_standard_deviation() -> None:
    class Widest:
        def query(self, view: View, n: int) -> Rows:
            return view.top(view.model.predict_std(view.X_unlabeled)[1], n)

    y = X @ np.array([1.0, -2.0]) + 0.1 * RNG.normal(size=48)
    records = records_of(X, y, (), BayesianRidge(), mse, Widest(), Task.REGRESSION)
    std = BayesianRidge().fit(X[:6], y[:6]).predict(X[6:30], return_std=True)[1]
    assert records[1].rows.tolist() == (6 + np.argsort(std)[::-1][:4]).tolist()


LABELS = np.column_stack([CODES == 0, CODES == 1, CODES < 2, np.ones(48)]).astype(int)


@pytest.mark.parametrize(
    "learner",
    [PerLabel(LogisticRegression()), RandomForestClassifier(5, random_state=0), KNeighborsClassifier(3)],
    ids=["per label", "forest", "k-NN"],
)
def test_multi_label(learner: Any) -> None:
    records = records_of(X, LABELS, ("p", "q", "r", "always"), learner, share_right, Chance(), Task.MULTILABEL)
    assert [record.metrics["score"] for record in records] == bare_loop(X, LABELS, learner, share_right, records)
    assert records[1].labels.shape == (4, 4)


def test_a_multi_label_strategy_and_metric_see_a_probability_per_label() -> None:
    shapes: list[Any] = []

    class Nearest:
        def query(self, view: View, n: int) -> Rows:
            shapes.append((view.proba.shape, view.y.shape))
            return view.top(-np.abs(view.proba - 0.5).min(axis=1), n)

    def brier(scored: Scored) -> float:
        assert scored.proba is not None
        return float(np.mean((scored.proba - scored.y) ** 2))

    learner = PerLabel(LogisticRegression())
    records = records_of(X, LABELS, ("p", "q", "r", "always"), learner, brier, Nearest(), Task.MULTILABEL)
    assert shapes == [((24, 4), (6, 4)), ((20, 4), (10, 4)), ((16, 4), (14, 4))]
    rows = np.concatenate([record.rows for record in records])
    direct = [clone(learner.estimator).fit(X[rows], LABELS[rows, j]).predict_proba(X[HELD])[:, 1] for j in range(3)]
    expected = np.mean((np.column_stack([*direct, np.ones(18)]) - LABELS[HELD]) ** 2)
    assert records[-1].metrics["score"] == pytest.approx(expected)


@pytest.mark.parametrize("task", list(Task))
def test_an_empty_start_set_of_every_task(task: Task) -> None:
    """An oracle that is asked for no rows may answer an empty list."""
    y, classes, learner = {
        Task.CLASSIFICATION: (CODES, (0, 1, 2), LogisticRegression()),
        Task.REGRESSION: (X[:, 0], (), Ridge()),
        Task.MULTILABEL: (LABELS, ("p", "q", "r", "s"), PerLabel(LogisticRegression())),
    }[task]
    records = list(
        simulate(
            Pool(X, task, classes),
            lambda rows: np.asarray(y)[rows] if len(rows) else np.array([]),
            Chance(),
            Recipe(learner),
            start=np.array([], dtype=int),
            budget=3,
            batch=3,
        )
    )
    assert [record.n_labeled for record in records] == [0, 3]
