"""The only place where a learner's answer enters: what it may look like, and what is said where it does not.

What comes out are plain arrays of the right shape whose values mean what their name says. ``docs/learners.md`` has the
table of what is accepted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from alcore.errors import LearnerError
from alcore.memory import is_frame, is_sparse
from alcore.types import Floats, Labels

TOLERANCE, TOLERANCE_HALF = 1e-3, 1e-2
"""How far a row of probabilities may be from summing to 1, and one of them from [0, 1]; and in half precision."""


@dataclass(slots=True)
class Asked:
    """What a learner was asked: its name, the method, and the rows it was given."""

    who: str
    method: str
    X: Any

    @property
    def n(self) -> int:
        """How many rows there are."""
        return int(self.X.shape[0])

    def wrong(self, what: str, rule: str) -> LearnerError:
        """Return the error: what the answer is, and what it has to be."""
        return LearnerError(f"{self.who}.{self.method} {what}; {rule}.")

    def array(self, given: Any, rule: str) -> Labels:
        """Return the answer as a plain array of real numbers."""
        if type(given) is np.ndarray and given.dtype.kind in "fiub":
            return given
        kind = type(given).__name__
        if given is None or is_sparse(given) or hasattr(given, "__next__"):
            hint = "; return a dense array: .toarray()" if is_sparse(given) else ""
            raise self.wrong(f"answered a {kind}" if given is not None else "answered None", rule + hint)
        if is_frame(given):
            given = self._of_frame(given, rule)
        if np.ma.is_masked(given):
            raise self.wrong("answered a masked array with masked values", rule + "; fill them")
        try:
            values = np.asarray(given)
            values = values.astype(np.float64) if values.dtype.kind == "O" else values
        except (TypeError, ValueError):
            raise self.wrong(f"answered a {kind} that is no array of numbers", rule) from None
        if values.dtype.kind not in "fiub":
            example = f", such as {values.flat[0].item()!r}" if values.size else ""
            raise self.wrong(f"answered values of dtype {values.dtype}{example}", rule)
        return values

    def _of_frame(self, given: Any, rule: str) -> Labels:
        """Return the values of a Series or DataFrame whose index is that of the rows, or counts them."""
        index = list(given.index)
        if index != list(range(self.n)) and not (is_frame(self.X) and index == list(self.X.index)):
            fix = "rows are taken in their order: return .to_numpy()"
            raise self.wrong(f"answered a {type(given).__name__} with an index of its own", f"{rule}; {fix}")
        return np.asarray(given.to_numpy())


def class_codes(asked: Asked, given: Any, known: int) -> Labels:
    """Return what ``predict`` answered as codes (n,), each of 0..known - 1."""
    rule = f"it must be one of the codes it was fitted to, 0 to {known - 1}, per row: shape ({asked.n},)"
    values = asked.array(given, rule)
    if values.shape != (asked.n,):
        if values.shape != (asked.n, 1):
            hint = "; of one column per class, argmax(axis=1)" if values.shape == (asked.n, known) else ""
            raise asked.wrong(f"gave shape {values.shape} for {asked.n} rows", rule + hint)
        values = values[:, 0]
    if not asked.n:
        return np.empty(0, dtype=np.intp)
    if values.dtype.kind == "i" and values.view(f"u{values.dtype.itemsize}").max() < known:
        return values.astype(np.intp)
    codes = values.astype(np.intp) if values.dtype.kind != "f" or np.isfinite(values).all() else None
    if (
        codes is None
        or codes.min() < 0
        or codes.max() >= known
        or (values.dtype.kind == "f" and (codes != values).any())
    ):
        strange = ~np.isin(values, np.arange(known))
        row = int(np.flatnonzero(strange)[0])
        raise asked.wrong(f"answered {values[row].item()!r} for row {row}", rule)
    return codes


def label_matrix(asked: Asked, given: Any, labels: int) -> Labels:
    """Return what ``predict`` answered for a multi-label task, as a 0/1 matrix (n, L)."""
    rule = f"it must be a matrix of 0 and 1, shape {(asked.n, labels)}"
    values = asked.array(given.toarray() if is_sparse(given) else given, rule)
    values = _shaped(asked, values, (asked.n, labels), rule)
    if not ((values == 0) | (values == 1)).all():
        row, column = np.argwhere((values != 0) & (values != 1))[0]
        raise asked.wrong(f"answered {values[row, column].item()!r} for row {row}, label {column}", rule)
    return values.astype(np.intp)


def targets(asked: Asked, given: Any, *, least: float | None = None, of: str = "the prediction") -> Floats:
    """Return what a regressor answered, as finite floats (n,), none below ``least``."""
    rule = f"{of} must be one finite number per row{'' if least is None else ', 0 or more'}: shape ({asked.n},)"
    values = _shaped(asked, asked.array(given, rule), (asked.n,), rule).astype(np.float64)
    bad = ~np.isfinite(values) if least is None else ~(np.isfinite(values) & (values >= least))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise asked.wrong(f"answered {values[row]:g} for row {row}", rule)
    return values


def mean_and_std(asked: Asked, given: Any) -> tuple[Floats, Floats]:
    """Return what ``predict(X, return_std=True)`` answered, each (n,)."""
    if not isinstance(given, tuple | list) or len(given) != 2:
        rule = "with return_std=True it must be a pair, the means and the standard deviations"
        raise asked.wrong(f"answered a {type(given).__name__}", rule)
    return targets(asked, given[0], of="the mean"), targets(asked, given[1], least=0.0, of="the standard deviation")


def probabilities(asked: Asked, given: Any, columns: int, *, draws: int | None = None) -> Floats:
    """Return what ``predict_proba`` answered, (n, columns), or ``sample_proba``, (draws, n, columns).

    Each row is a distribution, but for rounding; it is left as it is.
    """
    shape = (asked.n, columns) if draws is None else (draws, asked.n, columns)
    rule = f"one column per class is needed, of probabilities: shape {shape}"
    values = _columns(asked, asked.array(_single(given), rule), shape, columns, rule)
    tolerance = _tolerance(values)
    values = values.astype(np.float64)
    if not values.size:
        return values
    total = values @ np.ones(columns)
    if values.min() >= 0 and total.max() <= 1 + tolerance and total.min() >= 1 - tolerance:
        return values  # none can be above 1, then, and none is NaN
    _within(asked, values, tolerance)
    if max(total.max() - 1, 1 - total.min()) > tolerance:
        at = tuple(int(i) for i in np.argwhere(abs(total - 1) > tolerance)[0])
        rule = "the probabilities of a row must sum to 1: divide each row by its sum"
        raise asked.wrong(f"gave probabilities that sum to {total[at]:g} for row {at[-1]}", rule)
    return values


def label_probabilities(asked: Asked, given: Any, labels: int, always: Labels, classes: Any = None) -> Floats:
    """Return P(label = 1), (n, L), from such a matrix or scikit-learn's list of L arrays (n, classes seen).

    ``always`` tells which labels were 1 in all rows of the fit, ``classes`` the list of what each label's columns are.
    """
    shape = (asked.n, labels)
    rule = f"it must be the probability of each label, shape {shape}, or a list of {labels} arrays of shape (n, 2)"
    if isinstance(given, list) and len(given) == labels and np.ndim(given[0]) == 2:
        known = classes if isinstance(classes, list) and len(classes) == labels else [None] * labels
        columns = [_positive(asked, one, rule, always, j, known[j]) for j, one in enumerate(given)]
        values = np.column_stack(columns)
    else:
        values = _shaped(asked, asked.array(given, rule), shape, rule)
    tolerance = _tolerance(values)
    values = values.astype(np.float64)
    _within(asked, values, tolerance)
    return values


def label_draws(asked: Asked, given: Any, draws: int, labels: int) -> Floats:
    """Return what ``sample_proba`` answered for a multi-label task, (draws, n, L)."""
    shape = (draws, asked.n, labels)
    rule = f"it must be draws of the probability of each label, shape {shape}"
    values = _shaped(asked, asked.array(given, rule), shape, rule)
    tolerance = _tolerance(values)
    values = values.astype(np.float64)
    _within(asked, values, tolerance)
    return values


def _positive(asked: Asked, given: Any, rule: str, always: Labels, j: int, known: Any) -> Labels:
    """Return the column of a label's being 1; one that was constant has one column, the probability of that."""
    values = asked.array(given, rule)
    if values.ndim != 2 or values.shape[0] != asked.n or values.shape[1] not in (1, 2):
        raise asked.wrong(f"gave shape {values.shape} for label {j}", rule)
    if values.shape[1] == 2:
        tolerance = _tolerance(values)
        if abs(values.sum(axis=1) - 1).max(initial=0.0) > tolerance:
            raise asked.wrong(f"gave two columns for label {j} that do not sum to 1", rule)
        return np.asarray(values[:, 0 if known is not None and list(known) == [1, 0] else 1])
    constant = always[j] if j < len(always) else False
    return np.asarray(values[:, 0] if constant else 1.0 - values[:, 0])


def decisions(asked: Asked, given: Any, columns: int) -> Floats:
    """Return decision values, (n,) or (n, columns) of a classifier; infinite ones are allowed, NaN is not."""
    rule = f"one column per class is needed: shape {(asked.n, columns)}"
    rule += f", or ({asked.n},), positive for the second class" if columns == 2 else ""
    values = asked.array(given, rule)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if not (values.shape == (asked.n,) and columns == 2):
        values = _columns(asked, values, (asked.n, columns), columns, rule)
    return _numbers(asked, values)


def label_decisions(asked: Asked, given: Any, labels: int) -> Floats:
    """Return decision values of a multi-label task, (n, L), or of a regression, as they are."""
    rule = f"one column per label is needed: shape {(asked.n, labels)}"
    values = asked.array(given, rule)
    return _numbers(asked, _shaped(asked, values, (asked.n, labels), rule) if labels else values)


def activations(asked: Asked, given: Any) -> Floats:
    """Return what ``embed`` or ``hidden`` answered: finite floats (n, e)."""
    rule = f"it must be one row of finite numbers per row: shape ({asked.n}, e)"
    values = asked.array(given, rule)
    if values.ndim != 2 or len(values) != asked.n:
        raise asked.wrong(f"gave shape {values.shape} for {asked.n} rows", rule)
    values = values.astype(np.float64)
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0][0])
        raise asked.wrong(f"gave a value for row {row} that is not finite", rule)
    return values


def order_of(asked: Asked, classes: Any, codes: Labels, columns: int) -> Labels:
    """Return the code of each column, by the estimator's own ``classes_`` where it has such; else ``codes`` themselves.

    ``codes`` are 0, 1, ... up to the last that it was fitted to; ``classes_`` may be some of them.

    Raises
    ------
    LearnerError
        If they are not distinct codes it was fitted to.
    """
    if type(classes) is not np.ndarray:
        if classes is None or isinstance(classes, str) or not hasattr(classes, "__len__"):
            return codes
        classes = np.asarray(classes)
    if len(classes) != columns or classes.ndim != 1:  # the shape is wrong then, and said to be so
        return codes
    if columns == len(codes) and classes.dtype.kind in "iu" and (classes == codes).all():
        return codes
    where = {code: i for i, code in enumerate(codes.tolist())}
    found = [where.get(label, -1) for label in classes.tolist()]
    if min(found) < 0 or len(set(found)) < len(found):
        rule = f"its columns follow classes_, which must be the codes it was fitted to, {codes.tolist()}, in any order"
        raise asked.wrong(f"has columns of the classes_ {classes.tolist()}", rule)
    return np.array(found, dtype=np.intp)


def are_pairs(values: Floats, predicted: Labels) -> bool:
    """Return whether three columns of decision values are pairs of classes (0, 1), (0, 2), (1, 2), and not classes.

    Their number does not tell. They are where the winner of the pairs is what is predicted for more rows than the
    largest column is.
    """
    by_column = int(np.count_nonzero(values.argmax(axis=1) == predicted))
    if by_column == len(predicted):
        return False
    pairs = np.array([[1, 1, 0], [-1, 0, 1], [0, -1, -1]])
    won = [(np.sign(sign * values) @ pairs.T).argmax(axis=1) for sign in (1, -1)]
    return max(int(np.count_nonzero(one == predicted)) for one in won) > by_column


def _single(given: Any) -> Any:
    """Return the one array of a list that has one, as scikit-learn answers for a matrix y of one column."""
    return given[0] if isinstance(given, list) and len(given) == 1 and np.ndim(given[0]) == 2 else given


def _shaped(asked: Asked, values: Labels, shape: tuple[int, ...], rule: str) -> Labels:
    """Return the values in this shape; one column more or less is forgiven."""
    if values.shape == shape:
        return values
    if values.size == np.prod(shape) and values.shape in ((*shape, 1), shape[:1]) and np.prod(shape[1:]) == 1:
        return values.reshape(shape)
    raise asked.wrong(f"gave shape {values.shape} for {asked.n} rows", rule)


def _columns(asked: Asked, values: Labels, shape: tuple[int, ...], columns: int, rule: str) -> Labels:
    if values.shape == shape:
        return values
    more = values.ndim == len(shape) and values.shape[:-1] == shape[:-1] and values.shape[-1] > columns
    hint = '; a network that has a column for every class from the start is Recipe(learner, classes="all")'
    what = f"gave shape {values.shape} for {columns} classes seen"
    raise asked.wrong(what + ("" if values.shape[:1] == shape[:1] else f" and {asked.n} rows"), rule + hint * more)


def _within(asked: Asked, values: Floats, tolerance: float) -> None:
    """Raise unless all are numbers from 0 to 1."""
    if not values.size or (values.min() >= -tolerance and values.max() <= 1 + tolerance):
        return
    bad = ~((values >= -tolerance) & (values <= 1 + tolerance))  # NaN too
    at = tuple(int(i) for i in np.argwhere(bad)[0])
    fix = "find the 0/0 that makes it"
    if np.isfinite(values).all():
        fix = "apply a softmax to logits"
        if values.max() <= tolerance:
            fix = "of logarithms, return np.exp"
        elif values.min() >= 0:
            fix = "of percents, divide by 100; of other sums, each row by its sum"
    raise asked.wrong(f"gave {values[at]:g} for row {at[-2]}, column {at[-1]}", f"probabilities are from 0 to 1: {fix}")


def _numbers(asked: Asked, values: Labels) -> Floats:
    values = values.astype(np.float64)
    if np.isnan(values).any():
        row = int(np.argwhere(np.isnan(values))[0][0])
        raise asked.wrong(f"gave NaN for row {row}", "decision values are numbers")
    return values


def _tolerance(values: Labels) -> float:
    return TOLERANCE_HALF if values.dtype == np.float16 else TOLERANCE
