"""The only loop: fit, view, query, check, oracle, update, score, record.

The engine works with a strategy object in hand and knows no plugins. Data flow one way: it hands out a read-only view
and gets rows back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from alcore.errors import AlcoreError, EvaluationError, InputError, StrategyError, described
from alcore.learners import Model, Recipe
from alcore.memory import face, locked
from alcore.pool import Pool
from alcore.protocols import History, NeedsTruth, Oracle, Record, RoundMetric, Scored, StopRule, Strategy, Truth
from alcore.select import Ties
from alcore.state import State, blame
from alcore.types import Labels, Level, Rows, Status


@dataclass(frozen=True)
class Test:
    """The rows that a run is scored on, with their labels as codes."""

    __test__ = False  # pytest collects what is called Test

    X: Any
    y: Labels


@dataclass(frozen=True)
class Outcome:
    """How a run ended, and why."""

    status: Status
    reason: str


class ArrayOracle:
    """Answers from labels that are known: ``oracle(rows)`` is ``y[rows]``."""

    def __init__(self, y: Labels) -> None:
        self.y = y

    def __call__(self, rows: Rows) -> Labels:
        """Return the labels of these rows."""
        return self.y[rows]


@dataclass
class _Step:
    """How far a round is: the rows that were asked for, their labels, and the times so far."""

    rows: Rows | None = None
    labels: Labels | None = None
    fitted: float = 0.0
    query_time: float = 0.0
    update_time: float = 0.0

    @property
    def begun(self) -> bool:
        """Whether the rows are known."""
        return self.rows is not None


class Simulation:
    """One run, round by round: iterate to run it, then read ``outcome``. Made by ``simulate``."""

    def __init__(
        self,
        state: State,
        oracle: Oracle,
        start: Rows,
        *,
        budget: int | None,
        batch: int,
        task_learner: Recipe | None,
        test: Test | None,
        metrics: Mapping[str, RoundMetric],
        stop: Sequence[StopRule],
        time_limit: float | None,
        replay: Sequence[Record],
    ) -> None:
        if batch < 1:
            raise InputError(f"batch is {batch}; ask for 1 row per round or more.")
        if budget is not None and budget < 0:
            raise InputError(f"budget is {budget}; give the number of labels to ask for, or None for all.")
        self.state, self.oracle = state, oracle
        self.start = _start(state, start)
        self.budget = state.left - len(self.start) if budget is None else budget
        self.batch = batch
        self.task_learner = task_learner or state.learner
        # What metrics are given, round after round, none of them may change.
        self.test = None if test is None else Test(test.X, locked(test.y))
        self.metrics, self.stop = metrics, stop
        self.time_limit, self.replay = time_limit, replay
        self.outcome: Outcome | None = None
        self.records: list[Record] = []
        self._began: float | None = None
        self._step = _Step()
        self._broken: BaseException | None = None

    def __iter__(self) -> Iterator[Record]:
        return self

    def __next__(self) -> Record:
        """Run the next round; one that failed is taken up where it failed.

        An oracle that did not answer is asked for the same rows again. Only where a strategy failed while it took in
        labels is there no going on.
        """
        if self.outcome:
            raise StopIteration
        if self._broken:
            raise self._broken
        try:
            return self._next()
        except AlcoreError as error:
            error.records = list(self.records)
            raise

    def _next(self) -> Record:
        if self._began is None:
            self._began = perf_counter()
            with self._once():
                self._replay()
            self.records = list(self.replay)
        if self.records and not self._step.begun:
            self.outcome = self._over(History(self.records, len(self.state.pool)), perf_counter() - self._began)
            if self.outcome:
                raise StopIteration
        record = self._round(start=not self.records)
        self.records.append(record)
        self._step = _Step()
        return record

    @contextmanager
    def _once(self) -> Iterator[None]:
        """Remember what goes wrong inside after a label was taken in: that cannot be done again."""
        count = self.state.n_labeled
        try:
            yield
        except BaseException as error:
            if self.state.n_labeled != count:
                self._broken = error
            raise

    @property
    def left(self) -> int:
        """How many labels may still be asked for."""
        return max(0, min(self.budget - (self.state.n_labeled - len(self.start)), self.state.left))

    def _over(self, history: History, seconds: float) -> Outcome | None:
        for rule in self.stop:
            with _named(f"the stop rule {_name(rule)}", self.state.t):
                reason = rule(history)
            if reason:
                return Outcome(Status.COMPLETED, reason)
        if self.left == 0:
            return Outcome(Status.COMPLETED, "budget_reached" if self.state.left else "pool_exhausted")
        if self.time_limit is not None and seconds > self.time_limit:
            return Outcome(Status.TIMEOUT, f"limit of {self.time_limit:g} s passed after round {self.state.t}")
        return None

    def _replay(self) -> None:
        for position, record in enumerate(self.replay):
            if position == 0 and not np.array_equal(record.rows, self.start):
                raise InputError(
                    "replay begins with another start set than this run's; it is the record of another run."
                )
            rows = self.state.check(record.rows, len(record.rows), who=f"round {position} of the replay")
            self.state.add(rows, record.labels, start=position == 0)
            for recipe in (self.state.learner, self.task_learner):
                if recipe.refit == "continue" and self.state.can_fit(recipe):
                    self.state.model(recipe)

    def _round(self, *, start: bool) -> Record:
        """Ask, label and score, each once: what a failed attempt has done stays done."""
        state, step = self.state, self._step
        if step.rows is None:
            began, step.fitted = perf_counter(), 0.0 if start else state.fit_time
            fitted = state.fit_time
            step.rows = self.start if start else state.query(min(self.batch, self.left))
            step.query_time = 0.0 if start else perf_counter() - began - (state.fit_time - fitted)
        if step.labels is None:
            labels = self.oracle(step.rows)
            began = perf_counter()
            with self._once():
                state.add(step.rows, labels, start=start)
            step.labels, step.update_time = labels, perf_counter() - began
        return self._record(step.rows, step.labels, step.fitted, step.query_time, step.update_time)

    def _record(self, rows: Rows, labels: Labels, fitted: float, query_time: float, update_time: float) -> Record:
        """Score the state that the new labels made; ``fitted`` is the state's time of fits before the round."""
        scores, score_time = self._score()
        return Record(
            t=self.state.t,
            rows=rows,
            labels=np.asarray(labels),
            n_labeled=self.state.n_labeled,
            metrics=scores,
            fit_time=self.state.fit_time - fitted,
            query_time=query_time,
            update_time=update_time,
            score_time=score_time,
        )

    def _score(self) -> tuple[dict[str, float], float]:
        if self.test is None or not self.metrics:
            return {}, 0.0
        if not self.state.can_fit(self.task_learner):
            return dict.fromkeys(self.metrics, float("nan")), 0.0
        model = self.state.model(self.task_learner)
        began = perf_counter()
        scored = scored_by(model, self.test)
        values = {}
        for name, metric in self.metrics.items():
            with _named(f"the metric {name}", self.state.t):
                values[name] = float(metric(scored))
        return values, perf_counter() - began


def simulate(
    pool: Pool,
    oracle: Oracle,
    strategy: Strategy,
    learner: Recipe,
    *,
    start: Rows,
    seed: int = 0,
    budget: int | None = None,
    batch: int = 1,
    task_learner: Recipe | None = None,
    test: Test | None = None,
    metrics: Mapping[str, RoundMetric] | None = None,
    ties: Ties = "random",
    stop: Sequence[StopRule] = (),
    cold_start: Strategy | None = None,
    truth: Truth | None = None,
    time_limit: float | None = None,
    replay: Sequence[Record] = (),
) -> Simulation:
    """Set up one run; iterate over what is returned to run it.

    Parameters
    ----------
    pool, oracle, strategy
        What may be asked, who answers, and who chooses.
    learner : Recipe
        The query learner.
    start : Rows
        Labelled in round 0; may be empty.
    budget : int or None
        How many labels to ask for after the start set; None asks for all rows.
    batch : int
        Rows per round; the last round may have fewer.
    task_learner : Recipe or None
        The learner that is scored; None scores the query learner, with the same fit.
    test, metrics
        Where and by what each round is scored.
    stop : sequence of StopRule
        Asked after each round.
    cold_start : Strategy or None
        Asked while nothing is labelled.
    truth : Truth or None
        Shown to a strategy that has ``reveal`` (an upper bound).
    time_limit : float or None
        Seconds, checked between rounds.
    replay : sequence of Record
        The rounds of an earlier part of this very run, from round 0: taken over as they are, and continued.

    Raises
    ------
    StrategyError, LearnerError, InputError
        While iterating; what was yielded before stands.
    """
    state = State(pool, strategy, learner, seed=seed, ties=ties, cold_start=cold_start)
    if isinstance(strategy, NeedsTruth):
        if truth is None:
            raise InputError(f"{state.name} is an upper bound that needs the hidden labels; give truth.")
        with blame(strategy, "reveal"):
            strategy.reveal(Truth(locked(truth.y), face(locked(truth.X_test)), locked(truth.y_test)))
    return Simulation(
        state,
        oracle,
        start,
        budget=budget,
        batch=batch,
        task_learner=task_learner,
        test=test,
        metrics=metrics or {},
        stop=stop,
        time_limit=time_limit,
        replay=replay,
    )


@contextmanager
def _named(what: str, t: int) -> Iterator[None]:
    """Say what failed, in the error of whatever goes wrong inside."""
    try:
        yield
    except AlcoreError:
        raise
    except (Exception, SystemExit) as error:
        raise EvaluationError(f"{what} failed after round {t}: {described(error)}") from error


def _name(rule: object) -> str:
    return str(getattr(rule, "__qualname__", type(rule).__name__))


def _start(state: State, start: Rows) -> Rows:
    try:
        return state.check(start, len(np.atleast_1d(start)), who="start")
    except StrategyError as error:
        raise InputError(f"the start set must be distinct rows of the pool, as integers: {error}") from error


def scored_by(model: Model, test: Test) -> Scored:
    """Predict the test set once, for all metrics."""
    return Scored(
        task=model.task,
        n_classes=model.n_classes,
        y=test.y,
        pred=locked(model.predict(test.X)),
        _proba=(lambda: locked(model.predict_proba(test.X))) if _has(model, Level.PROBA) else None,
        _decision=(lambda: locked(model.decision_function(test.X))) if _has(model, Level.DECISION) else None,
    )


def _has(model: Model, level: Level) -> bool:
    return model.constant is not None or level in model.levels
