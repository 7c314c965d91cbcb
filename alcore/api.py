"""``alcore.simulate``: one run on data in hand, by names or objects, and its curve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from alcore import plugins
from alcore.dataset import Dataset, encode
from alcore.doubts import doubts, warn
from alcore.engine import ArrayOracle, Outcome, Test
from alcore.engine import simulate as engine_simulate
from alcore.errors import InputError
from alcore.pairing import as_count, as_recipe, as_strategy, as_task, refuse
from alcore.plan import DEFAULT_METRIC
from alcore.pool import Pool, alike, take
from alcore.protocols import Curve, Record, RoundMetric, StopRule, Truth
from alcore.references import label_of, named
from alcore.select import Ties
from alcore.splits import split, start_set
from alcore.surroundings import undisturbed
from alcore.threads import checked, limited
from alcore.types import Rows, Task

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Finished:
    """A run that is over.

    Attributes
    ----------
    records : list of Record
        Round 0 is the start set.
    outcome : Outcome
        Status and reason.
    pool_rows : Rows
        The rows of the caller's X that make the pool, in order: ``pool_rows[record.rows]`` are rows of X.
    """

    records: list[Record]
    outcome: Outcome
    pool_rows: Rows

    @property
    def curve(self) -> Curve:
        """The learning curve of the first metric; InputError if none was recorded."""
        return self.curve_of(next(iter(self.records[0].metrics), "a metric"))

    def curve_of(self, metric: str) -> Curve:
        """Return the learning curve of a recorded metric.

        Raises
        ------
        InputError
            If it was not recorded.
        """
        recorded = self.records[0].metrics
        if metric not in recorded:
            raise InputError(f"{metric!r} was not recorded; there is {', '.join(recorded) or 'no metric'}.")
        labeled = np.array([record.n_labeled for record in self.records], dtype=np.float64)
        return Curve(labeled, np.array([record.metrics[metric] for record in self.records]))

    @property
    def queried(self) -> Rows:
        """The rows of the caller's X that were labelled, the start set first, in order."""
        rows: Rows = self.pool_rows[np.concatenate([record.rows for record in self.records])]
        return rows

    def to_frame(self) -> pd.DataFrame:
        """Return one row per round: t, n_labeled, rows (of the caller's X), the metrics, the times in seconds."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"t": record.t, "n_labeled": record.n_labeled, "rows": self.pool_rows[record.rows]}
                | dict(record.metrics)
                | {
                    "fit_time": record.fit_time,
                    "query_time": record.query_time,
                    "update_time": record.update_time,
                    "score_time": record.score_time,
                }
                for record in self.records
            ]
        )


def simulate(
    X: Any,
    y: Any,
    *,
    strategy: Any,
    learner: Any,
    strategy_params: Mapping[str, Any] | None = None,
    budget: int | None = None,
    seed: int = 0,
    batch: int = 1,
    start: int | Sequence[int] = 20,
    test_size: float = 0.4,
    test: tuple[Any, Any] | None = None,
    task_learner: Any = None,
    metrics: str | Sequence[str | Mapping[str, Any]] | Mapping[str, Any] = (),
    task: Task | str | None = None,
    classes: Sequence[Any] | None = None,
    ties: Ties = "random",
    stop: StopRule | Sequence[StopRule] = (),
    cold_start: Any = None,
    features: Any = "standard",
    threads: int | None = 1,
) -> Finished:
    """Simulate active learning on labelled data, and return its records and curve.

    Parameters
    ----------
    X : array (n, ...), sparse matrix or DataFrame of n rows
    y : labels (n,) of any type, a 0/1 matrix (n, L), or targets (n,)
    strategy : name, decorated function, or object with ``query``, which is copied
    strategy_params : mapping or None
        The strategy's parameters, where it is given by name or as a decorated function or class.
    learner : name, estimator, function that makes an estimator, or ``Recipe``
    budget : int or None
        Labels to ask for after the start set; None asks for all rows of the pool.
    seed : int
        Decides the split, the start set, and all chance in the strategy and the learners. Two strategies with one
        seed have the same split and start.
    start : int or sequence of rows of X
        How many rows are drawn for round 0 (the whole pool if it has no more), or which.
    test_size : float
        The share of rows that are drawn for testing, unless ``test`` gives them.
    test : (X, y) or None
        With it, all of X is the pool.
    task_learner : as ``learner``, or None
        The learner that is scored; None scores the one that guides the strategy, with the same fit.
    metrics : name or table, or several, or mapping of name to function of ``Scored``
        A table has a name and parameters, as in an experiment: ``{"name": "recall", "positive": "yes"}``, with the
        class as it is in y. By default accuracy, R2, or macro F1 of multi-label tasks.
    task, classes
        See ``Dataset``; both are inferred by default.
    stop : StopRule, or several
        Functions of the history, such as those in ``alcore.builtin.stop_rules``.
    ties, cold_start
        See ``alcore.engine.simulate``.
    features : "standard", "raw" or a function of X
        See ``Pool``.
    threads : int or None
        BLAS/OpenMP threads, set back afterwards; None leaves them as they are.

    Raises
    ------
    InputError, PairingError
        If an argument breaks a rule; before anything runs.
    StrategyError, LearnerError, EvaluationError
        If the strategy, a learner or a metric fails; ``records`` of the error are the rounds before.

    Warns
    -----
    alcore.doubts.SetupWarning
        Where the numbers will mean little: a start set that takes the pool, a target that is an id, classes of one row
        or without a row to learn from or to test on.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.linear_model import LogisticRegression
    >>> import alcore
    >>> X, y = load_wine(return_X_y=True)
    >>> run = alcore.simulate(X / X.max(axis=0), y, strategy="margin", learner=LogisticRegression(), budget=20)
    >>> len(run.records), run.outcome.reason
    (21, 'budget_reached')
    """
    limit = limited(checked(threads))
    registry = plugins.loaded().registry
    seed, batch = as_count("seed", seed), as_count("batch", batch)
    budget = None if budget is None else as_count("budget", budget)
    data = Dataset("data", X, y, task=as_task(task) if task else None, classes=classes, test=test)
    kind, names = Task(data.task or Task.CLASSIFICATION), tuple(data.classes or ())
    scored_on = None if test is None else _test(test, kind, names, data.X)
    train, held = split(data, "random" if test is None else "given", test_size, seed)
    scored_on = scored_on or Test(take(data.X, held), data.codes[held])
    pool, codes = Pool(take(data.X, train), kind, names, features=features), data.codes[train]
    recipe = as_recipe(registry, learner, kind)
    scored = None if task_learner is None else as_recipe(registry, task_learner, kind)
    spec, chooser = as_strategy(registry, strategy, strategy_params)
    cold_spec, cold = (None, None) if cold_start is None else as_strategy(registry, cold_start)
    functions = isinstance(metrics, Mapping) and not isinstance(metrics.get("name"), str)
    by_name = {} if functions else _named_metrics(metrics, kind)
    named = by_name.values()
    refuse(registry, spec, recipe, pool, batch=batch, cold_start=cold_spec, task_learner=scored, metrics=named)
    rows = _start(start, train, codes, pool, seed)
    warn(doubts(kind, pool.n_classes, codes, scored_on.y, len(rows), budget))
    with limit, undisturbed(f"{strategy if isinstance(strategy, str) else type(chooser).__name__}"):
        simulation = engine_simulate(
            pool,
            ArrayOracle(codes),
            chooser,
            recipe,
            start=rows,
            seed=seed,
            budget=budget,
            batch=batch,
            task_learner=scored,
            test=scored_on,
            metrics=_functions(metrics)  # type: ignore[arg-type]
            if functions
            else {label: registry.round_metric(name, names, **params) for label, (name, params) in by_name.items()},
            ties=ties,
            stop=_rules(stop),
            cold_start=cold,
            truth=Truth(codes, scored_on.X, scored_on.y),
        )
        for _ in simulation:
            limit.renew()
    assert simulation.outcome is not None  # noqa: S101 - the iteration is over
    return Finished(simulation.records, simulation.outcome, train)


def _test(test: Any, task: Task, classes: tuple[Any, ...], pool: Any) -> Test:
    if not isinstance(test, tuple | list) or len(test) != 2:
        raise InputError(f"test is a {type(test).__name__}; give a pair, test=(X, y).")
    X = alike(pool, test[0], "test")
    try:
        codes = encode(test[1], task, classes or None).codes
    except InputError as error:
        raise InputError(f"test: {error}") from error
    if X.shape[0] != len(codes) or len(codes) == 0:
        raise InputError(
            f"test has {X.shape[0]} rows and {len(codes)} labels; give one label per row, of one row or more."
        )
    return Test(X, codes)


def _start(start: int | Sequence[int], train: Rows, codes: Any, pool: Pool, seed: int) -> Rows:
    if np.ndim(start) == 0:
        size = as_count("start", start)
        return start_set(codes, pool.n_classes, pool.task, method="random", size=size, need_all=False, seed=seed)
    rows = np.asarray(start)
    if rows.size and (rows.ndim != 1 or rows.dtype.kind not in "iu" or len(np.unique(rows)) != len(rows)):
        raise InputError(f"start is {start!r}; give distinct rows of X, or how many to draw.")
    position = {int(row): i for i, row in enumerate(train)}
    outside = [int(row) for row in rows if row not in position]
    if outside:
        raise InputError(
            f"start has row {outside[0]}, which is in the test set or outside X; give test=(X, y) to choose start rows "
            "freely, or start as a number."
        )
    return np.array([position[int(row)] for row in rows], dtype=np.intp)


def _rules(stop: StopRule | Sequence[StopRule]) -> list[StopRule]:
    rules = list(stop) if isinstance(stop, Sequence) and not isinstance(stop, str) else [stop]
    strange = [rule for rule in rules if not callable(rule)]
    if strange:
        raise InputError(
            f"stop has {strange[0]!r}; a stop rule is a function of the history: see alcore list stop-rules"
        )
    return rules


def _functions(metrics: Mapping[str, RoundMetric]) -> dict[str, RoundMetric]:
    for name, metric in metrics.items():
        if not callable(metric):
            raise InputError(
                f"the metric {name!r} is {metric!r}; give a function of alcore.Scored, or metrics by name."
            )
    return dict(metrics)


def _named_metrics(metrics: Any, task: Task) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return names and parameters of round metrics by the label under which each is recorded."""
    if callable(metrics):
        raise InputError(f"metrics is {metrics!r}; give names, or a mapping of names to functions of alcore.Scored.")
    if not isinstance(metrics, str | Mapping | Iterable):
        raise InputError(f"metrics is {metrics!r}; give names, or a mapping of names to functions of alcore.Scored.")
    listed = [metrics] if isinstance(metrics, str | Mapping) else list(metrics) or [DEFAULT_METRIC[task]]
    registry, found = plugins.loaded().registry, dict[str, tuple[str, dict[str, Any]]]()
    for one in listed:
        try:
            table = named(one)
        except ValueError as error:
            raise InputError(f"metrics: {error}") from error
        name, label = str(table["name"]), label_of(table)
        spec = registry.entry("metric", name).spec
        if spec.scope != "round":
            raise InputError(f"{name!r} is no round metric; it scores whole curves. See: alcore list metrics")
        params = {key: value for key, value in table.items() if key not in ("name", "label")}
        spec.check_params(params)
        if label in found:
            raise InputError(f"metrics has {label!r} twice; give one of them another label.")
        found[label] = (name, params)
    return found
