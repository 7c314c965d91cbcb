"""Any scikit-learn-compatible estimator, or a factory of them, as a learner without a wrapper of the user's.

The core speaks codes 0..K-1 of all classes. Estimators know only the classes they were fitted on, and some of them
only codes without gaps. ``Model`` stands between: it re-encodes at each fit and aligns columns at each prediction.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.random import Generator

from alcore import rng
from alcore.errors import InputError, LearnerError, PairingError
from alcore.estimators import (
    Foreign,
    can_continue,
    cannot_continue,
    continues_warm,
    copy_plain,
    copy_unfitted,
    detect_levels,
    is_plain,
    label_probabilities,
    one_versus_one,
    params_of,
)
from alcore.layers import last_inputs
from alcore.pool import take
from alcore.types import Floats, Labels, Level, Task

Refit: TypeAlias = Literal["scratch", "continue"]
NO_CLASSES = np.empty(0, dtype=np.intp)


class SingleClassWarning(UserWarning):
    """All labelled rows have one class: the learner is a constant until another class is labelled."""


class Model:
    """A learner that speaks codes 0..K-1 of the pool's classes, fitted or not.

    Attributes
    ----------
    estimator
        The scikit-learn-compatible estimator inside.
    task : Task
    n_classes : int
        K, the number of labels L of a multi-label task, 0 for regression.
    levels : frozenset of Level
        What the estimator can say besides its prediction.
    constant : int or None
        The class that is predicted for every row while only one class is labelled.
    """

    def __init__(self, estimator: Any, task: Task, n_classes: int, levels: frozenset[Level] | None = None) -> None:
        self.estimator = estimator
        self.task = task
        self.n_classes = n_classes
        self.levels = detect_levels(estimator) if levels is None else levels
        self.constant: int | None = None
        self._present: Labels | None = None
        self._always: Labels = NO_CLASSES
        self._rows = 0

    def __repr__(self) -> str:
        return f"Model({self.estimator!r})"

    @property
    def name(self) -> str:
        """The estimator's class name."""
        estimator = self.estimator.fitted if isinstance(self.estimator, Foreign) else self.estimator
        return type(estimator).__name__

    def fit(self, X: Any, y: Labels) -> Self:
        """Fit to rows and their codes.

        Raises
        ------
        LearnerError
            If there is no row, or the estimator raises (its error is the cause).
        """
        self._begin(y)
        if self.constant is None:
            self._call("fit", X, self._encode(y))
        return self

    def fit_further(self, X: Any, y: Labels) -> Self:
        """Fit to all labelled rows without forgetting, by ``warm_start`` or else ``partial_fit``.

        X begins with the rows of the last fit. ``partial_fit`` is given those that are new, because what it counts must
        not be counted twice. Starts from scratch when the set of classes seen has changed.

        Raises
        ------
        PairingError
            If the estimator offers neither, or its ``warm_start`` only adds members to an ensemble.
        LearnerError
            As ``fit``.
        """
        before, rows = self._present, self._rows
        self._begin(y)
        if self.constant is not None:
            return self
        same = before is not None and np.array_equal(before, self._seen)
        if continues_warm(self.estimator):
            self.estimator.set_params(warm_start=same)
            self._call("fit", X, self._encode(y))
        elif hasattr(self.estimator, "partial_fit"):
            self.estimator = self.estimator if same else copy_unfitted(self.estimator)
            known = {"classes": np.arange(len(self._seen))} if self.task is Task.CLASSIFICATION else {}
            new = np.arange(rows if same else 0, len(y))
            if len(new):
                self._call("partial_fit", take(X, new), self._encode(y[new]), **known)
        else:
            raise PairingError(cannot_continue(self.name))
        return self

    def predict(self, X: Any) -> Labels:
        """Return codes (n,), a 0/1 matrix (n, L) or floats (n,)."""
        if self.constant is not None:
            return np.full(X.shape[0], self.constant, dtype=np.intp)
        pred = self._call("predict", X)
        if self.task is Task.CLASSIFICATION:
            return self._seen[np.asarray(pred).reshape(-1).astype(np.intp, copy=False)]
        pred = np.asarray(pred.toarray() if hasattr(pred, "toarray") else pred)
        return pred if self.task is Task.MULTILABEL else pred.reshape(-1)

    def predict_proba(self, X: Any) -> Floats:
        """Return probabilities (n, K), a column per class and 0 for one never seen, or (n, L) of each label being 1.

        Raises
        ------
        PairingError
            If the estimator has no ``predict_proba``.
        LearnerError
            If it raises or its answer has another shape.
        """
        if self.constant is not None:
            return self._one_hot(X.shape[0])
        self._require("predict_proba")
        given = self._call("predict_proba", X)
        if self.task is Task.MULTILABEL:
            return label_probabilities(given, self._always)
        return self._aligned(np.asarray(given), 0.0, "predict_proba")

    def decision_function(self, X: Any) -> Floats:
        """Return decision values: (n,) in a two-class pool, positive for class 1, else (n, K), -inf for a class unseen.

        While one class only is labelled, it has 1 and the others 0 (+1 or -1 in a two-class pool).

        Raises
        ------
        PairingError
            If the estimator has no ``decision_function``.
        LearnerError
            If it raises or its answer has another shape (one-vs-one values cannot be aligned to classes).
        """
        binary = self.task is Task.CLASSIFICATION and self.n_classes == 2
        if self.constant is not None:
            one_hot = self._one_hot(X.shape[0])
            return one_hot[:, 1] - one_hot[:, 0] if binary else one_hot
        self._require("decision_function")
        given = np.asarray(self._call("decision_function", X))
        if self.task is not Task.CLASSIFICATION:
            return np.array(given, dtype=np.float64)
        given = given[:, 0] if given.ndim == 2 and given.shape[1] == 1 else given
        if binary:
            given = np.array(given if given.ndim == 1 else given[:, 1] - given[:, 0], dtype=np.float64)
            return given if self._seen[-1] == 1 else -given  # a prefit estimator may order its classes otherwise
        if one_versus_one(self.estimator) and len(self._seen) > 2:
            raise LearnerError(
                f"{self.name}.decision_function gives one value per pair of classes; one column per class is needed. "
                'Use decision_function_shape="ovr".'
            )
        if given.ndim == 1:  # two of more than two classes have been seen
            given = np.column_stack([-given, given])
        return self._aligned(given, -np.inf, "decision_function")

    def predict_std(self, X: Any) -> tuple[Floats, Floats]:
        """Return the mean and the standard deviation of a regressor's prediction, each (n,).

        Raises
        ------
        PairingError
            If the estimator's ``predict`` takes no ``return_std``.
        """
        if Level.STD not in self.levels:
            raise PairingError(
                f"{self.name} gives no standard deviation: its predict takes no return_std. Use 'gp-regressor'."
            )
        mean, std = self._call("predict", X, return_std=True)
        return np.asarray(mean, dtype=np.float64).reshape(-1), np.asarray(std, dtype=np.float64).reshape(-1)

    def embed(self, X: Any) -> Floats:
        """Return the estimator's embedding of rows, (n, e).

        Raises
        ------
        PairingError
            If the estimator has no ``embed``.
        LearnerError
            While one class only is labelled: the estimator is not fitted then.
        """
        return self._rows_by("embed", X)

    def hidden(self, X: Any) -> Any:
        """Return what the estimator's last layer is given, (n, h): CSR for a linear model on sparse X, else an array.

        Its own ``hidden``, or what it is for scikit-learn's linear models (the features that they weigh, after the
        steps of a pipeline) and multi-layer perceptrons (the last hidden activations). Raises as ``embed``.
        """
        if Level.HIDDEN in self.levels and self.constant is None and not hasattr(self.estimator, "hidden"):
            found = last_inputs(self.estimator, X)
            if found is not None:
                return found
        return self._rows_by("hidden", X)

    def sample_proba(self, X: Any, draws: int, rng: Generator) -> Floats:
        """Return posterior draws of ``predict_proba``, (draws, n, K). Raises PairingError as ``embed``."""
        if self.constant is not None:
            return np.tile(self._one_hot(X.shape[0]), (draws, 1, 1))
        self._require("sample_proba")
        given = np.asarray(self._call("sample_proba", X, draws, rng))
        if self.task is Task.MULTILABEL:
            return given.astype(np.float64)
        return np.stack([self._aligned(draw, 0.0, "sample_proba") for draw in given])

    def _rows_by(self, method: str, X: Any) -> Floats:
        self._require(method)
        if self.constant is not None:
            raise LearnerError(f"{self.name} has no {method} while all labelled rows have one class.")
        return np.asarray(self._call(method, X), dtype=np.float64)

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
        classes = self.task is Task.CLASSIFICATION
        self._present = np.flatnonzero(np.bincount(y, minlength=self.n_classes)) if classes else NO_CLASSES
        self._always = (y == 1).all(axis=0) if self.task is Task.MULTILABEL else NO_CLASSES
        one = self.task is Task.CLASSIFICATION and len(self._present) == 1
        self.constant = int(self._present[0]) if one else None

    def _encode(self, y: Labels) -> Labels:
        """Codes without gaps, because some estimators (XGBoost) take no others."""
        if self.task is not Task.CLASSIFICATION or self._seen[-1] == len(self._seen) - 1:
            return y
        return np.searchsorted(self._seen, y)

    def _call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        try:
            return getattr(self.estimator, method)(*args, **kwargs)
        except Exception as error:
            raise LearnerError(f"{self.name} failed in {method}: {type(error).__name__}: {error}") from error

    def _one_hot(self, n: int) -> Floats:
        return np.tile(np.eye(self.n_classes)[self.constant], (n, 1))

    def _aligned(self, given: Labels, unseen: float, method: str) -> Floats:
        seen = self._seen
        if given.ndim != 2 or given.shape[1] != len(seen):
            raise LearnerError(
                f"{self.name}.{method} gave shape {given.shape} for {len(seen)} classes seen; "
                "one column per class is needed."
            )
        if np.array_equal(seen, np.arange(self.n_classes)):
            return np.array(given, dtype=np.float64)
        full = np.full((len(given), self.n_classes), unseen)
        full[:, seen] = given
        return full

    def _require(self, method: str) -> None:
        if not hasattr(self.estimator, method):
            raise PairingError(
                f"{self.name} has no {method}; use a learner that has it, such as 'logistic-regression'."
            )


class Recipe:
    """How a run makes its learners: an estimator to copy, or a factory to call.

    Parameters
    ----------
    source : estimator, or callable without arguments that returns one
        Anything with ``fit`` and ``predict``. It is copied, never fitted or changed.
    refit : "scratch" or "continue"
        Each fit starts from an unfitted copy, or goes on from the last (``Model.fit_further``).
    prefit : bool
        The source is fitted already and serves the first query as it is.
    name : str or None
        What errors call it; None takes the estimator's class name.

    Raises
    ------
    InputError
        If the source is neither.
    PairingError
        If it cannot continue and is to.

    Notes
    -----
    Every ``random_state`` that is None, nested ones included, is set from the run's seed. One that the caller set is
    kept, except in the twins of a committee, where it is mixed with the twin's number: members of one seed are one
    member.
    """

    def __init__(self, source: Any, *, refit: Refit = "scratch", prefit: bool = False, name: str | None = None) -> None:
        estimator = not isinstance(source, type) and hasattr(source, "fit") and hasattr(source, "predict")
        if not estimator and not callable(source):
            raise InputError(
                f"{source!r} is no learner: give an object with fit and predict, or a function without arguments "
                "that returns one."
            )
        if prefit and not estimator:
            raise InputError("prefit=True needs the fitted estimator itself, not a factory.")
        if refit not in ("scratch", "continue"):
            raise InputError(f'refit is {refit!r}; use "scratch" or "continue".')
        if prefit and refit == "continue":
            raise InputError(
                'prefit=True serves the first query and is never changed, so refit="continue" cannot go on from it. '
                'Use refit="scratch", or refit="continue" with a start set.'
            )
        self.source = source
        self.is_factory = not estimator
        self.refit: Refit = refit
        self.prefit = prefit
        self._name = name
        if refit == "continue" and not can_continue(self._prototype):
            raise PairingError(cannot_continue(self.name))

    def __repr__(self) -> str:
        return f"Recipe({self.source!r}, refit={self.refit!r}, prefit={self.prefit})"

    @classmethod
    def of(cls, learner: Any) -> Recipe:
        """Return a recipe for an estimator, a factory or a recipe."""
        return learner if isinstance(learner, Recipe) else cls(learner)

    @cached_property
    def _prototype(self) -> Any:
        return self._build() if self.is_factory else copy_unfitted(self.source)

    @cached_property
    def _plain(self) -> bool:
        return is_plain(self._prototype)

    @cached_property
    def _seeds(self) -> dict[str, Any]:
        """The estimator's random_state parameters and what the caller set them to."""
        return {k: v for k, v in params_of(self._prototype).items() if k.rpartition("__")[2] == "random_state"}

    @property
    def name(self) -> str:
        """The name given, or the estimator's class name."""
        return self._name or type(self._prototype).__name__

    @cached_property
    def levels(self) -> frozenset[Level]:
        """What the estimator can say besides its prediction."""
        return detect_levels(self._prototype)

    @property
    def stochastic(self) -> bool:
        """Whether the estimator takes a seed."""
        return bool(self._seeds)

    def make(self, task: Task, n_classes: int, seed: int, *key: int, twin: int = 0) -> Model:
        """Return an unfitted model for the run with this seed.

        ``key`` tells one run's fits apart (the round), ``twin`` one round's copies.
        """
        estimator = self._build()
        for position, (name, given) in enumerate(self._seeds.items()):
            if given is not None and not twin:
                continue
            derived = rng.integer(seed, "learner", *key, twin, position)
            value = derived if not isinstance(given, int) else (given + derived) % 2**31
            if "__" in name:
                estimator.set_params(**{name: value})
            else:
                setattr(estimator, name, value)
        return Model(estimator, task, n_classes, self.levels)

    def adopt(self, task: Task, classes: Sequence[Any]) -> Model:
        """Return the source itself as a fitted model, for ``prefit=True``.

        Raises
        ------
        InputError
            If a classifier is not fitted, or was fitted on a label that is not in ``classes``.
        """
        model = Model(self.source, task, len(classes))
        model._present = NO_CLASSES
        if task is Task.CLASSIFICATION:
            model.estimator = Foreign(self.source)
            model._present = model.estimator.codes(classes)
        elif task is Task.MULTILABEL and isinstance(getattr(self.source, "classes_", None), list):
            model._always = np.array([list(known) == [1] for known in self.source.classes_])
        return model

    def _build(self) -> Any:
        if not self.is_factory:
            # A deep copy of an unfitted estimator is a clone, at a fifth of the cost; a shallow one is a deep one where
            # all parameters are numbers and text.
            return copy_plain(self._prototype) if self._plain else copy.deepcopy(self._prototype)
        made = self.source()
        if not (hasattr(made, "fit") and hasattr(made, "predict")):
            raise InputError(f"the factory {self.source!r} returned {made!r}, which has no fit and predict.")
        return made
