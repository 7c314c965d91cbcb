"""A learner that speaks the codes of all classes, whatever it was fitted on.

The core speaks codes 0..K-1 of all classes. Estimators know only the classes they were fitted on, and some of them
only codes without gaps. ``Model`` stands between: it re-encodes at each fit and aligns columns at each prediction.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.random import Generator

from alcore import outputs, weights
from alcore.errors import LearnerError, PairingError, StrategyError, described
from alcore.estimators import (
    Foreign,
    cannot_continue,
    continues_warm,
    copy_unfitted,
    detect_levels,
    one_versus_one,
    params_of,
    settled,
)
from alcore.layers import last_inputs
from alcore.memory import own
from alcore.outputs import Asked
from alcore.pool import take
from alcore.types import Floats, Labels, Level, Task

NO_CLASSES = np.empty(0, dtype=np.intp)
ENOUGH = 256
"""Rows on which decision values are compared with predictions."""


class SingleClassWarning(UserWarning):
    """All labelled rows have one class: the learner is a constant until another class is labelled."""


class Model:
    """A learner that speaks codes 0..K-1 of the pool's classes, fitted or not.

    The estimator is given rows of its own, which it may write to, unless ``owned`` says that they are nobody else's.

    Attributes
    ----------
    task : Task
    n_classes : int
        K, the number of labels L of a multi-label task, 0 for regression.
    levels : frozenset of Level
        What the estimator can say besides its prediction.
    constant : int or None
        The class that is predicted for every row while only one class is labelled.
    """

    def __init__(
        self,
        estimator: Any,
        task: Task,
        n_classes: int,
        levels: frozenset[Level] | None = None,
        *,
        name: str | None = None,
        every: bool = False,
        said: Mapping[str, Any] | None = None,
    ) -> None:
        """Wrap an estimator.

        ``name`` is what errors call it; ``every`` tells that it has a column for every class from the start; ``said``
        is what its parameters say of classes, by pool code (``weights.by_code``; None reads the parameters).
        """
        self._estimator = estimator
        self.task = task
        self.n_classes = n_classes
        self.levels = detect_levels(estimator) if levels is None else levels
        self.constant: int | None = None
        self._name = name
        self._every = every
        self._said = said
        self._present: Labels | None = None
        self._always: Labels = NO_CLASSES
        self._codes: Labels = NO_CLASSES
        self._rows = 0
        self._compared = False
        self._open = not settled(estimator)

    def __repr__(self) -> str:
        return f"Model({self._estimator!r})"

    @property
    def estimator(self) -> Any:
        """The scikit-learn-compatible estimator inside."""
        return self._estimator

    @property
    def name(self) -> str:
        """What errors call it: the name given, or the estimator's class name."""
        inside = self._estimator.fitted if isinstance(self._estimator, Foreign) else self._estimator
        return self._name or type(inside).__name__

    def fit(self, X: Any, y: Labels, *, owned: bool = False) -> Self:
        """Fit to rows and their codes.

        Raises
        ------
        LearnerError
            If there is no row, or the estimator raises (its error is the cause).
        InputError
            If its class weights or priors are for classes that the task does not have.
        """
        self._begin(y)
        if self.constant is None:
            self._fit("fit", X, y, owned)
        return self

    def fit_further(self, X: Any, y: Labels, *, owned: bool = False) -> Self:
        """Fit to all labelled rows without forgetting, by ``warm_start`` or else ``partial_fit``.

        X begins with the rows of the last fit. ``partial_fit`` is given those that are new, because what it counts must
        not be counted twice. Starts from scratch when the set of classes seen has changed.

        Raises
        ------
        PairingError
            If the estimator offers neither, or its ``warm_start`` only adds members to an ensemble.
        LearnerError, InputError
            As ``fit``.
        """
        before, rows = self._present, self._rows
        self._begin(y)
        if self.constant is not None:
            return self
        same = before is not None and np.array_equal(before, self._seen)
        if continues_warm(self._estimator):
            self._estimator.set_params(warm_start=same)
            self._fit("fit", X, y, owned)
        elif hasattr(self._estimator, "partial_fit"):
            self._estimator = self._estimator if same else copy_unfitted(self._estimator)
            known = {"classes": np.arange(len(self._seen))} if self.task is Task.CLASSIFICATION else {}
            new = np.arange(rows if same else 0, len(y))
            if len(new):
                self._fit("partial_fit", take(X, new), y[new], True, **known)
        else:
            raise PairingError(cannot_continue(self.name))
        return self

    def _fit(self, method: str, X: Any, y: Labels, owned: bool, **known: Any) -> None:
        """Call a method that fits, with class weights and priors as they are for the classes seen."""
        y = self._encode(y)
        if self.task is Task.CLASSIFICATION:
            if self._said is None:
                said = weights.said_of_classes(params_of(self._estimator))
                self._said = weights.by_code(said, self.name, (), self.n_classes)
            if self._said:
                self._estimator.set_params(**weights.restricted(self._said, self._seen, self.n_classes))
        self._call(method, X if owned else own(X), y if owned else own(y), **known)
        self._compared = False
        if self._open:  # some methods are there after the fit only
            self.levels, self._open = detect_levels(self._estimator), False

    def predict(self, X: Any, *, owned: bool = False) -> Labels:
        """Return codes (n,), a 0/1 matrix (n, L) or floats (n,).

        Raises
        ------
        LearnerError
            If it raises or its answer is none of these.
        """
        if self.constant is not None:
            return np.full(X.shape[0], self.constant, dtype=np.intp)
        asked, given = self._ask("predict", X, owned)
        if self.task is Task.CLASSIFICATION:
            return self._seen[outputs.class_codes(asked, given, len(self._seen))]
        if self.task is Task.MULTILABEL:
            return outputs.label_matrix(asked, given, self.n_classes)
        return outputs.targets(asked, given)

    def predict_proba(self, X: Any, *, owned: bool = False) -> Floats:
        """Return probabilities (n, K), a column per class and 0 for one never seen, or (n, L) of each label being 1.

        Raises
        ------
        PairingError
            If the estimator has no ``predict_proba``.
        LearnerError
            If it raises or its answer is no such thing.
        """
        if self.constant is not None:
            return self._one_hot(X.shape[0])
        self._require("predict_proba")
        asked, given = self._ask("predict_proba", X, owned)
        if self.task is Task.MULTILABEL:
            classes = getattr(self._estimator, "classes_", None)
            return outputs.label_probabilities(asked, given, self.n_classes, self._always, classes)
        order = self._columns(asked, given)
        return self._aligned(outputs.probabilities(asked, given, len(order)), 0.0, order)

    def decision_function(self, X: Any, *, owned: bool = False) -> Floats:
        """Return decision values: (n,) in a two-class pool, positive for class 1, else (n, K), -inf for a class unseen.

        While one class only is labelled, it has 1 and the others 0 (+1 or -1 in a two-class pool).

        Raises
        ------
        PairingError
            If the estimator has no ``decision_function``.
        LearnerError
            If it raises or its answer is no such thing (one-vs-one values cannot be aligned to classes).
        """
        binary = self.task is Task.CLASSIFICATION and self.n_classes == 2
        if self.constant is not None:
            one_hot = self._one_hot(X.shape[0])
            return one_hot[:, 1] - one_hot[:, 0] if binary else one_hot
        self._require("decision_function")
        pairs = one_versus_one(self._estimator) if self.task is Task.CLASSIFICATION and len(self._seen) > 2 else False
        if pairs:
            raise self._of_pairs()
        few = (
            None
            if pairs is False or self._compared or len(self._seen) != 3
            else own(take(X, np.arange(min(ENOUGH, X.shape[0]))))
        )
        asked, given = self._ask("decision_function", X, owned)
        if self.task is not Task.CLASSIFICATION:
            return outputs.label_decisions(asked, given, self.n_classes)
        order = self._columns(asked, given)
        values = outputs.decisions(asked, given, len(order))
        if few is not None and len(order) == 3:
            self._compare_pairs(values[: few.shape[0]], few, order)
        if binary:
            values = values if values.ndim == 1 else values[:, 1] - values[:, 0]
            return values if self._seen[order[-1]] == 1 else -values
        if values.ndim == 1:  # two of more than two classes have been seen
            values = np.column_stack([-values, values])
        return self._aligned(values, -np.inf, order)

    def _compare_pairs(self, values: Floats, few: Any, order: Labels) -> None:
        """Raise if the largest column is not what is predicted, and the winner of pairs of classes is."""
        predicted = outputs.class_codes(*self._ask("predict", few, True), len(self._seen))
        position = np.argsort(order)  # of the column of each code
        if outputs.are_pairs(values, position[predicted]):
            raise self._of_pairs()
        self._compared = len(predicted) >= ENOUGH

    def _of_pairs(self) -> LearnerError:
        return LearnerError(
            f"{self.name}.decision_function gives one value per pair of classes; one column per class is needed. "
            'Use decision_function_shape="ovr".'
        )

    def predict_std(self, X: Any, *, owned: bool = False) -> tuple[Floats, Floats]:
        """Return the mean and the standard deviation of a regressor's prediction, each (n,).

        Raises
        ------
        PairingError
            If the estimator's ``predict`` takes no ``return_std``.
        LearnerError
            If it raises or its answer is no such pair.
        """
        if Level.STD not in self.levels:
            raise PairingError(
                f"{self.name} gives no standard deviation: its predict takes no return_std. Use 'gp-regressor'."
            )
        return outputs.mean_and_std(*self._ask("predict", X, owned, return_std=True))

    def embed(self, X: Any, *, owned: bool = False) -> Floats:
        """Return the estimator's embedding of rows, (n, e).

        Raises
        ------
        PairingError
            If the estimator has no ``embed``.
        LearnerError
            If its answer is no such thing, or one class only is labelled: the estimator is not fitted then.
        """
        return self._rows_by("embed", X, owned)

    def hidden(self, X: Any, *, owned: bool = False) -> Any:
        """Return what the estimator's last layer is given, (n, h): CSR for a linear model on sparse X, else an array.

        Its own ``hidden``, or what it is for scikit-learn's linear models (the features that they weigh, after the
        steps of a pipeline) and multi-layer perceptrons (the last hidden activations). Raises as ``embed``.
        """
        if (
            Level.HIDDEN in self.levels
            and self.constant is None
            and not callable(getattr(self._estimator, "hidden", None))
        ):
            found = last_inputs(self._estimator, X if owned else own(X))
            if found is not None:
                return found
        return self._rows_by("hidden", X, owned)

    def sample_proba(self, X: Any, draws: int, rng: Generator, *, owned: bool = False) -> Floats:
        """Return posterior draws of ``predict_proba``, (draws, n, K). Raises as ``predict_proba``."""
        if self.constant is not None:
            return np.tile(self._one_hot(X.shape[0]), (draws, 1, 1))
        self._require("sample_proba")
        asked, given = self._ask("sample_proba", X, owned, draws, rng)
        if self.task is Task.MULTILABEL:
            return outputs.label_draws(asked, given, draws, self.n_classes)
        order = self._columns(asked, given)
        return self._aligned(outputs.probabilities(asked, given, len(order), draws=draws), 0.0, order)

    def _rows_by(self, method: str, X: Any, owned: bool) -> Floats:
        self._require(method)
        if self.constant is not None:
            raise LearnerError(f"{self.name} has no {method} while all labelled rows have one class.")
        return outputs.activations(*self._ask(method, X, owned))

    @property
    def _seen(self) -> Labels:
        """The codes of the classes the estimator was fitted on, ascending: its own code i means _seen[i]."""
        if self._present is None:
            raise LearnerError(f"{self.name} is not fitted.")
        return self._present

    def _begin(self, y: Labels) -> None:
        if len(y) == 0:
            raise LearnerError(f"{self.name} cannot be fitted without a labelled row: give a start set.")
        self._rows = len(y)
        self._always = (y == 1).all(axis=0) if self.task is Task.MULTILABEL else NO_CLASSES
        self._present, self.constant = NO_CLASSES, None
        if self.task is Task.CLASSIFICATION:
            self._present = np.flatnonzero(np.bincount(y, minlength=self.n_classes))
            if len(self._present) == 1:
                self.constant = int(self._present[0])
            elif self._every:
                self._present = np.arange(self.n_classes)

    def _encode(self, y: Labels) -> Labels:
        """Codes without gaps, because some estimators (XGBoost) take no others."""
        if self.task is not Task.CLASSIFICATION or self._seen[-1] == len(self._seen) - 1:
            return y
        return np.searchsorted(self._seen, y)

    def _ask(self, method: str, X: Any, owned: bool, *args: Any, **kwargs: Any) -> tuple[Asked, Any]:
        """Return what was asked, and the answer as it came."""
        return Asked(self.name, method, X), self._call(method, X if owned else own(X), *args, **kwargs)

    def _call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        try:
            return getattr(self._estimator, method)(*args, **kwargs)
        except (Exception, SystemExit) as error:
            raise LearnerError(f"{self.name} failed in {method}: {described(error)}") from error

    def _one_hot(self, n: int) -> Floats:
        return np.tile(np.eye(self.n_classes)[self.constant], (n, 1))

    def _columns(self, asked: Asked, given: Any) -> Labels:
        """Return, for each column of an answer, the position of its class in ``_seen``."""
        if isinstance(self._estimator, Foreign):
            return np.arange(len(self._seen))
        if len(self._codes) != len(self._seen):
            self._codes = np.arange(len(self._seen))
        shape: tuple[int, ...] = getattr(given, "shape", ())
        columns = shape[-1] if len(shape) > 1 else len(self._seen)
        if columns == 1 and len(self._seen) == 2:
            columns = 2  # decision values in one column
        classes = getattr(self._estimator, "classes_", None)
        return outputs.order_of(asked, classes, self._codes, columns)

    def _aligned(self, given: Floats, unseen: float, order: Labels) -> Floats:
        """Return the columns (the last axis) in the order of all classes."""
        if order is self._codes and len(order) == self.n_classes:
            return given
        seen = self._seen[order]
        full = np.full((*given.shape[:-1], self.n_classes), unseen)
        full[..., seen] = given
        return full

    def _require(self, method: str) -> None:
        if not callable(getattr(self._estimator, method, None)):
            raise PairingError(
                f"{self.name} has no {method}; use a learner that has it, such as 'logistic-regression'."
            )


class Lent(Model):
    """A fitted model as others may use it: it predicts, it is not fitted again, and its estimator is a copy."""

    def __init__(self, model: Model) -> None:
        self.__dict__.update(model.__dict__)

    @cached_property
    def _copy(self) -> Any:
        try:
            return copy.deepcopy(self._estimator)
        except Exception as error:
            raise LearnerError(
                f"{self.name} cannot be copied ({type(error).__name__}: {error}), and what is inside a fitted learner "
                "is shown as a copy. Give it __deepcopy__, or hidden(X) or embed(X) for a strategy that needs these."
            ) from error

    @property
    def estimator(self) -> Any:
        """A copy of the estimator inside: what is done to it changes nothing."""
        return self._copy

    def fit(self, X: Any, y: Labels, *, owned: bool = False) -> Self:
        """Raise StrategyError: the run's own learner is fitted to what is labelled, once."""
        raise StrategyError(
            f"{self.name} is the run's own learner, whose scores are recorded, and was to be fitted again; fit a twin "
            "of it: view.new_learner().fit(X, y)."
        )

    fit_further = fit
