"""``alcore.simulate``: one run on data in hand, whatever they are in and however its parts are given."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.random import Generator
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, r2_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import alcore
from alcore.api import Finished, simulate
from alcore.builtin.stop_rules import Plateau, Share, Target
from alcore.doubts import WholePoolWarning
from alcore.errors import InputError
from alcore.learners import Recipe
from alcore.pool import Pool
from alcore.protocols import History, Scored, Truth
from alcore.types import Labels, Rows, Status
from alcore.view import View

X = np.random.default_rng(2).normal(size=(60, 3))
Y = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int)
WORDS = np.where(Y == 1, "yes", "no")


class First:
    """Asks for the first rows of the pool."""

    def query(self, view: View, n: int) -> Rows:
        return view.unlabeled[:n]


class Spread:
    """Keeps how far each row is from the labelled ones, and the rows that it was told of."""

    def __init__(self) -> None:
        self.told: list[int] = []

    def setup(self, pool: Pool, rng: Generator) -> None:
        self.X, self.distance = pool.features, np.full(len(pool), np.inf)

    def update(self, rows: Rows, labels: Labels) -> None:
        self.told += rows.tolist()
        for row in rows:
            self.distance = np.minimum(self.distance, np.linalg.norm(self.X - self.X[row], axis=1))

    def query(self, view: View, n: int) -> Rows:
        return view.top(self.distance[view.unlabeled] - len(self.told), n)


def run(**more: Any) -> Finished:
    settings: dict[str, Any] = {"strategy": "margin", "learner": GaussianNB(), "budget": 6, "start": 10} | more
    return simulate(settings.pop("X", X), settings.pop("y", Y), **settings)


def rows_of(finished: Finished) -> list[list[int]]:
    return [finished.pool_rows[record.rows].tolist() for record in finished.records]


def test_the_example_of_the_docstring() -> None:
    X, y = load_wine(return_X_y=True)
    done = alcore.simulate(X / X.max(axis=0), y, strategy="margin", learner=LogisticRegression(), budget=20)
    assert len(done.records) == 21
    assert (done.outcome.status, done.outcome.reason) == (Status.COMPLETED, "budget_reached")
    assert (len(done.pool_rows), len(done.queried)) == (round(0.6 * 178), 40)


def test_each_round_is_scored_on_the_rows_that_are_held_out() -> None:
    done = run(metrics=["accuracy", "balanced-accuracy"])
    held = np.setdiff1d(np.arange(60), done.pool_rows)
    assert len(held) == 24
    for t, record in enumerate(done.records):
        labeled = done.queried[: record.n_labeled]
        pred = GaussianNB().fit(X[labeled], Y[labeled]).predict(X[held])
        assert record.t == t
        assert record.metrics["accuracy"] == accuracy_score(Y[held], pred)
        assert record.metrics["balanced-accuracy"] == pytest.approx(balanced_accuracy_score(Y[held], pred))
    assert done.curve.values.tolist() == [record.metrics["accuracy"] for record in done.records]
    assert done.curve.labeled.tolist() == [*range(10, 17)]
    assert done.curve_of("balanced-accuracy").values[3] == done.records[3].metrics["balanced-accuracy"]


def test_a_strategy_is_asked_about_the_pool_alone() -> None:
    done = run(strategy=First(), batch=4)
    left = [row for row in done.pool_rows if row not in done.queried[:10]]
    assert [len(rows) for rows in rows_of(done)] == [10, 4, 2]
    assert done.queried[10:].tolist() == left[:6]


def test_margin_asks_what_margin_is() -> None:
    done = run(budget=1)
    labeled = done.queried[:10]
    rest = np.setdiff1d(done.pool_rows, labeled)
    proba = GaussianNB().fit(X[labeled], Y[labeled]).predict_proba(X[rest])
    assert done.queried[10] == rest[np.argmin(np.abs(proba[:, 0] - proba[:, 1]))]


@pytest.mark.parametrize(
    "learner",
    [LogisticRegression(), LogisticRegression, partial(LogisticRegression, C=1.0), Recipe(LogisticRegression())],
)
def test_ways_to_give_a_learner(learner: Any) -> None:
    assert rows_of(run(learner=learner)) == rows_of(run(learner=LogisticRegression()))


def test_a_learner_by_name() -> None:
    assert rows_of(run(learner="gaussian-nb")) == rows_of(run(learner=GaussianNB()))


@pytest.mark.parametrize(
    ("rows", "y", "learner"),
    [
        (X.tolist(), Y.tolist(), GaussianNB()),
        (X, WORDS, GaussianNB()),
        (X, WORDS.tolist(), GaussianNB()),
        (X, Y == 1, GaussianNB()),
        (X, pd.Series(WORDS, index=range(60)[::-1], dtype="string"), GaussianNB()),
        (X, pd.Series(WORDS, dtype="category"), GaussianNB()),
        (pd.DataFrame(X, columns=list("abc"), index=range(60)[::-1]), WORDS, GaussianNB()),
    ],
    ids=["lists", "words", "list of words", "bool", "string Series", "categorical", "DataFrame"],
)
def test_one_content_one_run(rows: Any, y: Any, learner: Any) -> None:
    done = run(X=rows, y=y, learner=learner)
    assert rows_of(done) == rows_of(run())
    assert done.curve.values.tolist() == run().curve.values.tolist()


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array, sparse.coo_matrix])
def test_sparse_rows(form: Any) -> None:
    done, dense = run(X=form(X), learner=LogisticRegression()), run(learner=LogisticRegression())
    assert rows_of(done) == rows_of(dense)


def test_a_table_with_words_and_a_pipeline() -> None:
    table = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "u", "v")})
    encode = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["b"]), remainder="passthrough")
    done = run(X=table, y=WORDS, learner=make_pipeline(encode, LogisticRegression()), metrics="f1-macro")
    labeled, held = done.queried, np.setdiff1d(np.arange(60), done.pool_rows)
    fitted = make_pipeline(encode, LogisticRegression()).fit(table.iloc[labeled], WORDS[labeled])
    expected = f1_score(WORDS[held], fitted.predict(table.iloc[held]), average="macro")
    assert done.records[-1].metrics["f1-macro"] == pytest.approx(expected)


def test_start_rows_are_rows_of_X() -> None:
    pool = run().pool_rows
    chosen = np.array([pool[Y[pool] == 1][2], pool[Y[pool] == 0][3], pool[Y[pool] == 1][0]])
    done = run(start=chosen)
    assert done.queried[:3].tolist() == chosen.tolist()
    assert rows_of(run(start=chosen.tolist())) == rows_of(done)


def test_a_test_set_of_its_own() -> None:
    done = run(X=X[:40], y=WORDS[:40], test=(X[40:], WORDS[40:]), start=[39, 0, 20, 1], budget=3)
    assert done.pool_rows.tolist() == [*range(40)]
    assert done.queried[:4].tolist() == [39, 0, 20, 1]
    pred = GaussianNB().fit(X[done.queried], Y[done.queried]).predict(X[40:])
    assert done.curve.values[-1] == accuracy_score(Y[40:], pred)


@pytest.mark.parametrize("test_size", [0.1, 0.5])
def test_the_share_that_is_held_out(test_size: float) -> None:
    assert len(run(test_size=test_size).pool_rows) == round(60 * (1 - test_size))


def test_without_a_budget_the_whole_pool_is_labelled() -> None:
    done = run(budget=None, batch=20)
    assert done.outcome.reason == "pool_exhausted"
    assert sorted(done.queried) == done.pool_rows.tolist()
    assert [record.n_labeled for record in done.records] == [10, 30, 36]


@pytest.mark.parametrize("start", [36, 1000])
def test_a_start_of_the_whole_pool(start: int) -> None:
    with pytest.warns(WholePoolWarning, match="takes all 36 rows of the pool"):
        done = run(start=start)
    assert (len(done.records), done.outcome.reason) == (1, "pool_exhausted")
    assert sorted(done.queried) == done.pool_rows.tolist()


@pytest.mark.parametrize("start", [0, []])
def test_a_start_without_labels(start: Any) -> None:
    done = run(start=start, strategy="random", learner=LogisticRegression(), cold_start="random", budget=12, batch=6)
    assert [record.n_labeled for record in done.records] == [0, 6, 12]
    assert np.isnan(done.curve.values[0])
    with pytest.raises(InputError, match=r'margin uses the learner, and no row is labelled.*cold_start="random"'):
        run(start=start)


def test_the_default_metric_is_that_of_the_task() -> None:
    assert [*run().records[0].metrics] == ["accuracy"]


def test_metrics_of_the_callers_own() -> None:
    def errors(scored: Scored) -> float:
        return float((scored.y != scored.pred).sum())

    done = run(metrics={"errors": errors})
    assert done.curve.values == pytest.approx(24 * (1 - run().curve.values))


def test_no_metrics_no_curve() -> None:
    done = run(metrics={})
    assert done.records[-1].metrics == {}
    with pytest.raises(InputError, match="'a metric' was not recorded; there is no metric"):
        _ = done.curve


def test_a_metric_that_was_not_recorded() -> None:
    with pytest.raises(InputError, match="'f1' was not recorded; there is accuracy"):
        run().curve_of("f1")


def test_the_task_learner_is_scored_and_the_other_one_asks() -> None:
    done = run(task_learner=KNeighborsClassifier(3))
    assert rows_of(done) == rows_of(run())
    held = np.setdiff1d(np.arange(60), done.pool_rows)
    pred = KNeighborsClassifier(3).fit(X[done.queried], Y[done.queried]).predict(X[held])
    assert done.curve.values[-1] == accuracy_score(Y[held], pred)


def test_regression() -> None:
    y = X @ [1.0, -2.0, 0.5]
    done = run(y=y, strategy="random", learner="ridge", batch=3)
    held = np.setdiff1d(np.arange(60), done.pool_rows)
    Z = X[done.queried]
    mean, scale = Z.mean(axis=0), Z.std(axis=0)
    pred = Ridge().fit((Z - mean) / scale, y[done.queried]).predict((X[held] - mean) / scale)
    assert done.curve.values[-1] == pytest.approx(r2_score(y[held], pred))
    assert [*done.records[0].metrics] == ["r2"]


def test_whole_targets_are_a_regression_on_request() -> None:
    y = np.round(10 * X[:, 0])
    assert [*run(y=y, strategy="random", learner=Ridge(), task="regression").records[0].metrics] == ["r2"]


def test_several_labels() -> None:
    y = (X > 0).astype(int)
    done = run(y=y, strategy="random", learner="logistic-regression", start=20)
    held = np.setdiff1d(np.arange(60), done.pool_rows)
    Z = X[done.queried]
    mean, scale = Z.mean(axis=0), Z.std(axis=0)
    fits = [LogisticRegression().fit((Z - mean) / scale, y[done.queried, j]) for j in range(3)]
    pred = np.column_stack([one.predict((X[held] - mean) / scale) for one in fits])
    assert done.curve.values[-1] == pytest.approx(f1_score(y[held], pred, average="macro"))


def test_classes_that_do_not_occur() -> None:
    done = run(y=WORDS, classes=["no", "perhaps", "yes"], metrics="f1-macro")
    two = run(y=WORDS, metrics="f1-macro")
    assert done.curve.values == pytest.approx(two.curve.values * 2 / 3)


def test_a_table_of_rounds() -> None:
    done = run(metrics=["accuracy", "f1"])
    table = done.to_frame()
    times = ["fit_time", "query_time", "update_time", "score_time"]
    assert table.columns.tolist() == ["t", "n_labeled", "rows", "accuracy", "f1", *times]
    assert [rows.tolist() for rows in table["rows"]] == rows_of(done)
    assert table["accuracy"].tolist() == done.curve.values.tolist()
    assert (table[times] >= 0).all(axis=None)


def test_one_seed_one_run() -> None:
    one, two, other = run(seed=5), run(seed=np.int64(5)), run(seed=6)
    assert rows_of(one) == rows_of(two)
    assert one.curve.values.tolist() == two.curve.values.tolist()
    assert one.pool_rows.tolist() != other.pool_rows.tolist()


def test_strategies_share_split_and_start() -> None:
    runs = [run(strategy=strategy) for strategy in ("margin", "random", "entropy", Spread())]
    assert len({tuple(one.pool_rows) for one in runs}) == 1
    assert len({tuple(one.queried[:10]) for one in runs}) == 1
    assert len({tuple(one.queried) for one in runs}) > 1


def test_what_the_caller_gave_is_left_alone() -> None:
    strategy, learner = Spread(), GaussianNB()
    rows, y = X.copy(), Y.copy()
    first = run(X=rows, y=y, strategy=strategy, learner=learner)
    assert strategy.told == []
    assert not hasattr(learner, "classes_")
    assert rows_of(run(strategy=strategy)) == rows_of(first)
    assert np.array_equal(rows, X)
    assert np.array_equal(y, Y)


def test_an_upper_bound_is_shown_the_labels() -> None:
    class Cheat(First):
        def reveal(self, truth: Truth) -> None:
            self.truth = truth

        def query(self, view: View, n: int) -> Rows:
            return view.unlabeled[np.argsort(-self.truth.y[view.unlabeled], kind="stable")[:n]]

    done = run(strategy=Cheat())
    assert Y[done.queried[10:]].tolist() == [1] * 6


@pytest.mark.parametrize(
    ("stop", "labeled"),
    [
        (Share(0.4), 15),
        ([Share(0.5), Share(0.4)], 15),
        ([lambda history: "enough" if len(history.records) == 3 else None], 12),
        ((Target("accuracy", 0.0),), 10),
        ([Plateau("accuracy", rounds=2, tolerance=1.0)], 12),
    ],
)
def test_stop_rules(stop: Any, labeled: int) -> None:
    done = run(stop=stop, budget=None)
    assert (done.records[-1].n_labeled, done.outcome.status) == (labeled, Status.COMPLETED)
    assert done.outcome.reason not in ("budget_reached", "pool_exhausted")


def test_a_stop_rule_sees_the_pool() -> None:
    seen: list[History] = []
    run(stop=[seen.append])
    assert {history.pool_size for history in seen} == {36}


def test_ties() -> None:
    @alcore.scores("toy.flat", summary="All rows are equal", learner=False)
    def flat(view: View) -> Any:
        return np.zeros(len(view.unlabeled))

    first, random = run(strategy=flat, ties="first"), run(strategy=flat)
    assert first.queried[10:].tolist() == run(strategy=First()).queried[10:].tolist()
    assert random.queried[10:].tolist() != first.queried[10:].tolist()


def test_the_view_of_geometry() -> None:
    raw = run(X=X * [1, 100, 1], strategy=Spread(), features="raw")
    own = run(X=X, strategy=Spread(), features=lambda rows: rows * [1, 100, 1])
    assert rows_of(raw) == rows_of(own)
    assert rows_of(raw) != rows_of(run(X=X * [1, 100, 1], strategy=Spread()))
