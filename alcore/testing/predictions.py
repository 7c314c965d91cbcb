"""What metrics are tried on: predictions of test sets, learning curves, and the curves of a few strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from alcore.protocols import Curve, Scored
from alcore.testing.guards import copied
from alcore.types import Floats, Labels, Level, Task

Hold: TypeAlias = Callable[[Any], Any]
"""How arrays are handed out: ``frozen`` or ``copied``."""

BOTH = frozenset({Level.PROBA, Level.DECISION})
ROWS = 30


def predictions(
    tasks: frozenset[Task], *, most: int | None = None, hold: Hold = copied
) -> Iterator[tuple[str, Scored]]:
    """Yield predictions of random rows for each task, some with classes that do not occur among them.

    ``most`` is the largest number of classes, None for any.
    """
    if Task.CLASSIFICATION in tasks:
        for k in _counts((2, 3, 5), most):
            yield f"{k} classes", classified(k, hold=hold)
        for k in _counts((3,), most):
            yield f"{k} classes, one missing in y", classified(k, true=[0, 2], hold=hold)
            yield f"{k} classes, one missing in the prediction", classified(k, predicted=[0, 1], hold=hold)
        yield "2 classes, one class in y", classified(2, true=[1], hold=hold)
        yield "2 classes, one row", classified(2, true=[1], predicted=[1], n=1, hold=hold)
    rng = np.random.default_rng(1)
    if Task.REGRESSION in tasks:
        y, pred = rng.normal(size=(2, ROWS))
        yield "regression", regressed(y, y + pred, hold)
        yield "regression, constant target", regressed(np.ones(ROWS), pred, hold)
    if Task.MULTILABEL in tasks:
        y, pred = rng.integers(0, 2, size=(2, ROWS, 3))
        yield "multi-label", multilabeled(y, pred, hold=hold)
        yield "multi-label, one label never there", multilabeled(y * [1, 1, 0], pred, hold=hold)
        yield "multi-label, nothing predicted", multilabeled(y, 0 * pred, hold=hold)


def _counts(counts: tuple[int, ...], most: int | None) -> list[int]:
    return [k for k in counts if most is None or k <= most]


def classified(
    k: int,
    *,
    true: list[int] | None = None,
    predicted: list[int] | None = None,
    n: int = ROWS,
    levels: frozenset[Level] = BOTH,
    hold: Hold = copied,
) -> Scored:
    """Return random classes from ``true``, and predictions from ``predicted`` that agree with their probabilities."""
    rng = np.random.default_rng([k, n])
    predicted = list(range(k)) if predicted is None else predicted
    proba = np.zeros((n, k))
    proba[:, predicted] = rng.dirichlet(np.ones(len(predicted)), size=n)
    return scored_classes(k, rng.choice(range(k) if true is None else true, size=n), proba, levels, hold)


def scored_classes(k: int, y: Labels, proba: Floats, levels: frozenset[Level] = BOTH, hold: Hold = copied) -> Scored:
    """Return the prediction that these probabilities make of these classes."""
    decision = proba[:, 1] - proba[:, 0] if k == 2 else proba - 0.5
    return _scored(Task.CLASSIFICATION, k, y, proba.argmax(axis=1), proba, decision, levels, hold)


def multilabeled(y: Labels, pred: Labels, levels: frozenset[Level] = BOTH, hold: Hold = copied) -> Scored:
    """Return a prediction of a 0/1 matrix, with probabilities that agree with it."""
    proba = 0.25 + 0.5 * pred
    return _scored(Task.MULTILABEL, y.shape[1], y, pred, proba, proba - 0.5, levels, hold)


def regressed(y: Floats, pred: Floats, hold: Hold = copied) -> Scored:
    """Return a prediction of targets."""
    return Scored(Task.REGRESSION, 0, hold(y), hold(pred))


def _scored(
    task: Task, k: int, y: Labels, pred: Labels, proba: Floats, decision: Floats, levels: frozenset[Level], hold: Hold
) -> Scored:
    return Scored(
        task,
        k,
        hold(y.astype(np.intp)),
        hold(pred.astype(np.intp)),
        (lambda: hold(proba)) if Level.PROBA in levels else None,
        (lambda: hold(decision)) if Level.DECISION in levels else None,
    )


def extremes(
    tasks: frozenset[Task], *, most: int | None = None, levels: frozenset[Level] = BOTH
) -> Iterator[tuple[str, Scored, Scored]]:
    """Yield a right and a wrong prediction of the same rows for each task."""
    rng = np.random.default_rng(3)
    if Task.CLASSIFICATION in tasks:
        for k in _counts((2, 3), most):
            y = rng.permutation(np.arange(ROWS) % k)
            sure = 0.1 / k + 0.9 * np.eye(k)
            wrong = scored_classes(k, y, sure[(y + 1) % k], levels)
            yield f"{k} classes", scored_classes(k, y, sure[y], levels), wrong
    if Task.REGRESSION in tasks:
        targets = rng.normal(size=ROWS)
        yield "regression", regressed(targets, targets), regressed(targets, 3.0 - targets)
    if Task.MULTILABEL in tasks:
        y = rng.integers(0, 2, size=(ROWS, 3))
        yield "multi-label", multilabeled(y, y, levels), multilabeled(y, 1 - y, levels)


def reordered(scored: Scored) -> Scored:
    """Return the same prediction with its rows in another order."""
    order = np.random.default_rng(4).permutation(len(scored.y))
    proba, decision = scored.proba, scored.decision
    return Scored(
        scored.task,
        scored.n_classes,
        scored.y[order],
        scored.pred[order],
        None if proba is None else lambda: proba[order],
        None if decision is None else lambda: decision[order],
    )


def recoded(scored: Scored) -> Scored:
    """Return the same prediction of classes with each class's code one higher, and that of the last one 0."""
    k, proba, decision = scored.n_classes, scored.proba, scored.decision
    return Scored(
        scored.task,
        k,
        (scored.y + 1) % k,
        (scored.pred + 1) % k,
        None if proba is None else lambda: np.roll(proba, 1, axis=1),
        None if decision is None else lambda: np.roll(decision, 1, axis=1),
    )


def curve(labeled: Any, values: Any, hold: Hold = copied) -> Curve:
    """Return a curve of floats."""
    return Curve(hold(np.asarray(labeled, dtype=np.float64)), hold(np.asarray(values, dtype=np.float64)))


def curves(hold: Hold = copied) -> dict[str, Curve]:
    """Return learning curves of different shapes."""
    noise = 0.05 * np.random.default_rng(2).normal(size=10)
    labeled = np.arange(10.0, 60.0, 5.0)
    rising = 0.9 - 0.4 * np.exp(-np.arange(10) / 3)
    return {
        "a rising curve": curve(labeled, rising, hold),
        "a noisy curve": curve(labeled, rising + noise, hold),
        "a curve whose last batch is smaller": curve([4, 9, 14, 16], rising[:4], hold),
        "a falling curve": curve(labeled, rising[::-1], hold),
    }


def compared(seeds: int = 4, hold: Hold = copied) -> dict[str, list[Curve]]:
    """Return the curves of strategies a, b and c, each quicker than the one before."""
    labeled = np.arange(10.0, 80.0, 5.0)
    found = {}
    for position, name in enumerate("abc"):
        rng = np.random.default_rng(position)
        rising = 0.9 - 0.4 * np.exp(-(labeled - 10) * (2 + position) / 50)
        found[name] = [curve(labeled, rising + 0.01 * rng.normal(size=len(labeled)), hold) for _ in range(seeds)]
    return found


def contents(thing: Any) -> Any:
    """Return what a sample holds, as something that can be compared."""
    if isinstance(thing, Scored):
        return [contents(part) for part in (thing.y, thing.pred, thing.proba, thing.decision)]
    if isinstance(thing, Curve):
        return [contents(thing.labeled), contents(thing.values)]
    if isinstance(thing, Mapping):
        return [(key, contents(value)) for key, value in thing.items()]
    if isinstance(thing, list | tuple):
        return [contents(part) for part in thing]
    return (thing.dtype.str, thing.shape, thing.tobytes()) if isinstance(thing, np.ndarray) else thing
