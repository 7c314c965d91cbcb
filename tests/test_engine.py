"""The loop: what is asked in which round, what is recorded, what it costs and how it ends."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from alcore.engine import ArrayOracle, Outcome, Simulation, Test, simulate
from alcore.errors import AlcoreError, InputError
from alcore.learners import Recipe, SingleClassWarning
from alcore.pool import Pool
from alcore.protocols import Record, Scored
from alcore.types import Floats, Labels, Rows, Status
from alcore.view import View

# One feature, and a border between the classes at 5.
X = np.array([0.0, 2.0, 3.0, 5.0, 6.0, 9.0, 10.0])[:, None]
Y = np.array([0, 0, 0, 1, 1, 1, 1])
POOL = Pool(X, classes=("low", "high"))
TEST = Test(np.array([1.0, 4.0, 4.4, 4.9, 8.0])[:, None], np.array([0, 0, 0, 0, 1]))


class Midpoint:
    """Two classes apart by the middle between their means: a learner to compute by hand."""

    fits = 0

    def fit(self, X: Any, y: Any) -> Self:
        type(self).fits += 1
        self.border = (X[y == 0].mean() + X[y == 1].mean()) / 2
        return self

    def decision_function(self, X: Any) -> Floats:
        values: Floats = X[:, 0] - self.border
        return values

    def predict(self, X: Any) -> Labels:
        return (self.decision_function(X) > 0).astype(int)


class Nearest:
    """Asks for the rows nearest to the border."""

    def query(self, view: View, n: int) -> Rows:
        return view.top(-np.abs(view.decision), n)


class First:
    """Asks for the first unlabelled rows, without a learner."""

    def query(self, view: View, n: int) -> Rows:
        return view.unlabeled[:n]


class Chance:
    def query(self, view: View, n: int) -> Rows:
        return view.rng.choice(view.unlabeled, n, replace=False)


class Answering:
    """Behaves in the first round and then answers what it is told to."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def query(self, view: View, n: int) -> Rows:
        rows: Rows = view.unlabeled[:n] if view.t == 1 else self.answer
        return rows


def accuracy(scored: Scored) -> float:
    return float(np.mean(scored.y == scored.pred))


METRICS = {"accuracy": accuracy}


def run(strategy: Any = None, learner: Any = None, start: Any = (0, 6), **more: Any) -> Simulation:
    oracle = more.pop("oracle", ArrayOracle(Y))
    pool = more.pop("pool", POOL)
    setup: dict[str, Any] = {"test": TEST, "metrics": METRICS} | more
    recipe = Recipe.of(Midpoint if learner is None else learner)
    return simulate(pool, oracle, strategy or Nearest(), recipe, start=np.array(start, dtype=int), **setup)


def rows(records: list[Record]) -> list[list[int]]:
    return [record.rows.tolist() for record in records]


def plain(record: Record) -> tuple[Any, ...]:
    """Return all of a record that is not a time."""
    return record.t, record.rows.tolist(), record.labels.tolist(), record.n_labeled, dict(record.metrics)


# Rounds ------------------------------------------------------------------------------------------------------------


def test_a_run_computed_by_hand() -> None:
    """The border goes from 5 to 3.75, 4.5, 4.25, 4 1/3 and 4.583; the test rows left of 5 and right of it are wrong."""
    simulation = run()
    records = list(simulation)
    assert rows(records) == [[0, 6], [3], [2], [4], [1], [5]]
    assert [record.labels.tolist() for record in records] == [[0, 1], [1], [0], [1], [0], [1]]
    assert [record.metrics["accuracy"] for record in records] == [1.0, 0.4, 0.8, 0.6, 0.6, 0.8]
    assert [record.n_labeled for record in records] == [2, 3, 4, 5, 6, 7]
    assert [record.t for record in records] == [0, 1, 2, 3, 4, 5]
    assert simulation.outcome == Outcome(Status.COMPLETED, "pool_exhausted")


def test_a_batch_by_hand_and_the_short_last_one() -> None:
    """Border 5: rows 3 (at 0), 4 (at 1), 2 (at 2); then what is left."""
    records = list(run(batch=3))
    assert rows(records) == [[0, 6], [3, 4, 2], records[2].rows.tolist()]
    assert sorted(records[2].rows) == [1, 5]


def test_the_last_batch_of_a_budget_is_short_too() -> None:
    simulation = run(First(), batch=2, budget=3)
    assert rows(list(simulation)) == [[0, 6], [1, 2], [3]]
    assert simulation.outcome == Outcome(Status.COMPLETED, "budget_reached")


def test_the_outcome_is_none_while_it_runs() -> None:
    simulation = run(First(), budget=1)
    assert [simulation.outcome for _ in simulation] == [None, None]
    assert simulation.outcome is not None


def test_a_budget_of_0_scores_the_start_set() -> None:
    simulation = run(budget=0)
    assert rows(list(simulation)) == [[0, 6]]
    assert simulation.outcome == Outcome(Status.COMPLETED, "budget_reached")


@pytest.mark.parametrize("budget", [5, 99, None])
def test_a_budget_that_the_pool_cannot_fill(budget: int | None) -> None:
    simulation = run(First(), budget=budget)
    assert sum(len(record.rows) for record in simulation) == 7
    assert simulation.outcome == Outcome(Status.COMPLETED, "pool_exhausted")


def test_a_start_set_of_the_whole_pool() -> None:
    simulation = run(start=range(7))
    assert len(list(simulation)) == 1
    assert simulation.outcome == Outcome(Status.COMPLETED, "pool_exhausted")


@pytest.mark.parametrize(("setting", "message"), [({"batch": 0}, "batch is 0"), ({"budget": -1}, "budget is -1")])
def test_settings_out_of_range_are_refused_at_once(setting: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(**setting)


@pytest.mark.parametrize(
    ("start", "message"),
    [([0, 7], "row 7, outside the pool of 7 rows"), ([0, -1], "row -1, outside"), ([0, 0], "row 0 more than once")],
)
def test_a_bad_start_set_is_refused_at_once(start: list[int], message: str) -> None:
    with pytest.raises(AlcoreError, match=f"the start set .*{message}"):
        run(start=start)


@settings(deadline=None)  # a busy machine is no error
@given(
    size=st.integers(1, 25),
    share=st.floats(0, 1),
    batch=st.integers(1, 9),
    budget=st.none() | st.integers(0, 30),
    seed=st.integers(0, 2**32),
)
def test_every_row_is_asked_at_most_once_and_as_many_as_agreed(
    size: int, share: float, batch: int, budget: int | None, seed: int
) -> None:
    start = np.random.default_rng(seed).permutation(size)[: int(share * size)]
    y = np.arange(size) % 2
    simulation = simulate(
        Pool(np.zeros((size, 1)), classes=(0, 1)),
        ArrayOracle(y),
        Chance(),
        Recipe(Midpoint),
        start=start,
        batch=batch,
        budget=budget,
        seed=seed,
    )
    records = list(simulation)
    asked = np.concatenate([record.rows for record in records])
    allowed = size - len(start) if budget is None else min(budget, size - len(start))
    assert len(np.unique(asked)) == len(asked) == len(start) + allowed
    assert np.array_equal(records[0].rows, start)
    assert [len(record.rows) for record in records[1:]] == [
        min(batch, allowed - done) for done in range(0, allowed, batch)
    ]
    assert all(np.array_equal(record.labels, y[record.rows]) for record in records)
    assert records[-1].n_labeled == len(asked)


# An empty start set ------------------------------------------------------------------------------------------------


def test_an_empty_start_set_without_any_help() -> None:
    simulation = run(start=())
    first = next(iter(simulation))
    assert (first.t, first.n_labeled, first.rows.tolist()) == (0, 0, [])
    assert np.isnan(first.metrics["accuracy"])
    with pytest.raises(InputError, match=r"Nearest uses the learner.*prefit=True.*cold_start"):
        next(iter(simulation))


def test_an_empty_start_set_with_a_cold_start() -> None:
    with pytest.warns(SingleClassWarning, match="all 1 labelled rows are 'low'"):
        records = list(run(start=(), cold_start=First(), budget=3, ties="first"))
    assert rows(records) == [[], [0], [1], [2]]  # of one class no row is nearer to a border than another
    assert records[1].metrics["accuracy"] == 0.8


def test_an_empty_start_set_with_a_prefit_learner() -> None:
    fitted = LogisticRegression().fit(X, np.array(["low", "high"])[1 - Y])  # wrong on purpose: high and low swapped
    with pytest.warns(SingleClassWarning):  # once its own label is there, it is fitted to that
        records = list(run(start=(), learner=Recipe(fitted, prefit=True), budget=1))
    nearest = int(np.abs(fitted.decision_function(X)).argmin())
    assert rows(records) == [[], [nearest]]
    assert records[0].metrics["accuracy"] == np.mean(fitted.predict(TEST.X) == np.array(["low", "high"])[TEST.y])


# Fits and times ----------------------------------------------------------------------------------------------------


@pytest.fixture
def task_learner() -> Any:
    """Return a learner with a count of its own."""

    class Scored(Midpoint):
        fits = 0

    return Scored


def test_one_fit_per_round_serves_query_and_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Midpoint, "fits", 0)
    records = list(run(budget=3))
    assert Midpoint.fits == len(records) == 4


def test_the_same_recipe_as_task_learner_is_fitted_once_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Midpoint, "fits", 0)
    recipe = Recipe(Midpoint)
    assert len(list(run(learner=recipe, task_learner=recipe, budget=3))) == Midpoint.fits == 4


def test_two_learners_are_fitted_apart(monkeypatch: pytest.MonkeyPatch, task_learner: Any) -> None:
    monkeypatch.setattr(Midpoint, "fits", 0)
    list(run(task_learner=Recipe(task_learner), budget=3))
    assert (Midpoint.fits, task_learner.fits) == (3, 4)  # nobody queries after the last round


def test_without_use_the_query_learner_is_never_fitted(monkeypatch: pytest.MonkeyPatch, task_learner: Any) -> None:
    monkeypatch.setattr(Midpoint, "fits", 0)
    list(run(First(), task_learner=Recipe(task_learner), budget=3))
    assert (Midpoint.fits, task_learner.fits) == (0, 4)


def test_without_metrics_nothing_is_fitted_that_no_query_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Midpoint, "fits", 0)
    assert [dict(record.metrics) for record in run(First(), metrics={}, budget=2)] == [{}, {}, {}]
    assert Midpoint.fits == 0


def test_the_task_learner_is_scored(task_learner: Any) -> None:
    class Contrary(Midpoint):
        def predict(self, X: Any) -> Labels:
            return 1 - super().predict(X)

    straight, contrary = list(run(budget=2)), list(run(budget=2, task_learner=Recipe(Contrary)))
    assert rows(straight) == rows(contrary)
    for one, other in zip(straight, contrary, strict=True):
        assert one.metrics["accuracy"] == pytest.approx(1 - other.metrics["accuracy"])


class Clock:
    """A clock that only moves when told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr("alcore.engine.perf_counter", lambda: self.now)
        monkeypatch.setattr("alcore.state.perf_counter", lambda: self.now)

    def learner(self, seconds: float) -> Any:
        clock = self

        class Slow(Midpoint):
            def fit(self, X: Any, y: Any) -> Self:
                clock.now += seconds
                return super().fit(X, y)

        return Slow

    def query(self, view: View, n: int) -> Rows:
        """Take 1 s, besides the fit."""
        self.now += 1
        return view.top(-np.abs(view.decision), n)

    def update(self, rows: Rows, labels: Labels) -> None:
        """Take 0.5 s."""
        self.now += 0.5

    def metric(self, scored: Scored) -> float:
        """Take 0.25 s."""
        self.now += 0.25
        return 0.0


@pytest.mark.parametrize(("separate", "fits"), [(False, [10, 10, 10]), (True, [20, 30, 30])])
def test_times_are_told_apart(monkeypatch: pytest.MonkeyPatch, separate: bool, fits: list[int]) -> None:
    """With a task learner of its own, a round fits both: the query learner inside the query, whose time it is not."""
    clock = Clock(monkeypatch)
    task_learner = Recipe(clock.learner(20)) if separate else None
    metrics = {"slow": clock.metric}
    records = list(run(clock, clock.learner(10), task_learner=task_learner, metrics=metrics, budget=2))
    assert [record.fit_time for record in records] == fits
    assert [record.query_time for record in records] == [0, 1, 1]
    assert [record.update_time for record in records] == [0.5, 0.5, 0.5]
    assert [record.score_time for record in records] == [0.25, 0.25, 0.25]


def test_real_times_are_not_negative() -> None:
    for record in run(First()):
        assert min(record.fit_time, record.query_time, record.update_time, record.score_time) >= 0
        assert record.fit_time > 0


def test_a_time_limit_ends_the_run_and_what_was_recorded_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = run(Clock(monkeypatch), time_limit=2.0)
    assert [record.t for record in simulation] == [0, 1, 2]  # 0.5, 2 and 3.5 s
    assert simulation.outcome == Outcome(Status.TIMEOUT, "limit of 2 s passed after round 2")


def test_a_run_that_is_over_when_the_limit_passes_is_completed(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = run(Clock(monkeypatch), budget=2, time_limit=2.0)
    assert len(list(simulation)) == 3
    assert simulation.outcome == Outcome(Status.COMPLETED, "budget_reached")


# Chance ------------------------------------------------------------------------------------------------------------


def test_the_same_seed_makes_the_same_records() -> None:
    def records(seed: int) -> list[tuple[Any, ...]]:
        return [plain(record) for record in run(Chance(), seed=seed)]

    assert records(3) == records(3)
    assert records(3) != records(4)


def test_another_strategy_leaves_round_0_as_it_is() -> None:
    first = [plain(next(iter(run(strategy, GaussianNB(), seed=3)))) for strategy in (Chance(), First(), Answering(0))]
    assert first[0] == first[1] == first[2]


def test_the_views_generator_does_not_depend_on_the_strategy() -> None:
    class Noting(First):
        def __init__(self, waste: int) -> None:
            self.waste, self.drawn = waste, list[int]()

        def query(self, view: View, n: int) -> Rows:
            self.drawn.append(int(view.rng.integers(10**9)))
            view.rng.random(self.waste)
            return super().query(view, n)

    one, two = Noting(0), Noting(50)
    list(run(one, seed=3))
    list(run(two, seed=3, start=(6, 1), batch=1))
    assert one.drawn == two.drawn
    assert len(set(one.drawn)) == 5
