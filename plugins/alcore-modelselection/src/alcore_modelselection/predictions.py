"""What many models say about the same rows: the only input of model selection, checked once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alcore.errors import InputError, did_you_mean
from alcore.types import Floats, Mask
from alcore_modelselection.checks import as_probabilities, class_names, codes_of, model_names

T = TypeVar("T", bound=np.generic)


class Predictions:
    """The predictions of H models on N rows with C classes.

    Parameters
    ----------
    values : array of shape (H, N, C), float16, float32 or float64; or of shape (H, N)
        Probabilities, or one hard label per model and row (of any type that can be compared).
    classes : sequence of length C, optional
        The names of the classes, in the order of the last axis. By default 0..C-1 for probabilities, and every value
        that occurs in ``values`` or ``labels``, sorted, for hard labels.
    labels : array of shape (N,), optional
        The true labels, where they are known (simulation only; no selector ever sees them). NaN or None is unknown.
    models : sequence of length H, optional
        The names of the models; ``model-0`` and so on by default.
    normalise : bool
        Divide each row of probabilities by its sum. Without it a row that does not sum to 1 is refused.

    Raises
    ------
    InputError
        If the shape is neither of the two, nothing is there, a value is NaN or no probability, a row does not sum to
        1, fewer than two classes exist, or names and labels do not fit.
    """

    def __init__(
        self,
        values: ArrayLike,
        *,
        classes: Sequence[Any] | NDArray[Any] | None = None,
        labels: ArrayLike | None = None,
        models: Sequence[str] | None = None,
        normalise: bool = False,
    ) -> None:
        array = np.asarray(values)
        if array.ndim not in (2, 3):
            raise InputError(
                f"the predictions have shape {array.shape}; give (models, rows, classes) probabilities "
                "or (models, rows) hard labels."
            )
        if 0 in array.shape:
            raise InputError(f"the predictions have shape {array.shape}: at least one model, row and class is needed.")
        truth = None if labels is None else np.asarray(labels)
        _check_length(array.shape, truth)
        self.soft: NDArray[Any] | None = None
        self.classes = class_names(array, truth, classes)
        if array.ndim == 3:
            self.soft = _read_only(as_probabilities(array, normalise))
            hard = _argmax(self.soft)
        else:
            hard = _small(codes_of(array, self.classes, "the predictions"), len(self.classes))
        if len(self.classes) < 2:
            raise InputError(
                f"there is only one class, {str(self.classes[0])!r}, so all models agree everywhere: nothing can be "
                "selected. If other labels are possible, name them: classes=[...]."
            )
        self.hard: NDArray[Any] = _read_only(hard)
        self.labels: NDArray[np.intp] | None = None
        if truth is not None:
            codes = codes_of(truth, self.classes, "the labels", missing_allowed=True)
            self.labels = _read_only(codes.astype(np.intp))
        self.models = model_names(models, len(array))

    @property
    def n_models(self) -> int:
        """H."""
        return len(self.hard)

    @property
    def n_rows(self) -> int:
        """N."""
        return int(self.hard.shape[1])

    @property
    def n_classes(self) -> int:
        """C."""
        return len(self.classes)

    @cached_property
    def mean(self) -> Floats:
        """The mean prediction of all models, shape (N, C): vote shares where the labels are hard."""
        total = np.zeros((self.n_rows, self.n_classes))
        if self.soft is not None:
            for one in self.soft:
                total += one
        else:
            flat, start = total.reshape(-1), np.arange(self.n_rows) * self.n_classes
            for one in self.hard:
                flat[start + one] += 1.0
        total /= self.n_models
        return _read_only(total)

    @cached_property
    def consensus(self) -> NDArray[np.intp]:
        """The class with the largest mean prediction, shape (N,); the first one on a tie."""
        return _read_only(self.mean.argmax(axis=1))

    @cached_property
    def split(self) -> Mask:
        """True where not all models predict the same class, shape (N,)."""
        return _read_only((self.hard != self.hard[0]).any(axis=0))

    def encode(self, labels: ArrayLike) -> NDArray[np.intp]:
        """Return the codes 0..C-1 of labels given by name.

        Raises
        ------
        InputError
            If one is none of the classes.
        """
        array = np.atleast_1d(np.asarray(labels))
        try:
            return codes_of(array, self.classes, "the labels").astype(np.intp)
        except InputError as error:
            names = [str(name) for name in self.classes]
            raise InputError(f"{error}{did_you_mean(str(array.ravel()[0]), names)}") from None

    def without_labels(self) -> Predictions:
        """Return the same predictions with the true labels left out: what a selector may see."""
        if self.labels is None:
            return self
        twin = object.__new__(Predictions)
        # Whatever is computed already (mean, consensus, split) depends on the predictions alone and is shared.
        twin.__dict__.update(self.__dict__)
        twin.labels = None
        return twin

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the predictions and the class names; labels do not enter."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(repr((self.hard.shape, [str(name) for name in self.classes])).encode())
        digest.update(self.hard.data)
        if self.soft is not None:
            digest.update(str(self.soft.dtype).encode())
            for one in self.soft:
                digest.update(np.ascontiguousarray(one).data)
        return digest.hexdigest()

    @classmethod
    def from_estimators(
        cls,
        estimators: Iterable[Any],
        X: Any,
        *,
        labels: ArrayLike | None = None,
        models: Sequence[str] | None = None,
        hard: bool = False,
    ) -> Predictions:
        """Return the predictions of fitted scikit-learn classifiers on ``X``.

        Probabilities are used if all of them have ``predict_proba`` (columns are aligned by ``classes_``; a class
        that an estimator does not know has probability 0), hard labels otherwise or if ``hard``.

        Raises
        ------
        InputError
            If there is no estimator, or one is no fitted classifier.
        """
        fitted = list(estimators)
        if not fitted:
            raise InputError("there are no estimators; give at least one fitted classifier.")
        for one in fitted:
            if not hasattr(one, "classes_"):
                raise InputError(f"{type(one).__name__} has no classes_: give classifiers that are fitted already.")
        names = list(models) if models is not None else [f"{i}-{type(one).__name__}" for i, one in enumerate(fitted)]
        truth = None if labels is None else np.asarray(labels)
        known = [np.asarray(one.classes_) for one in fitted]
        classes = np.unique(np.concatenate(known if truth is None else [*known, truth]))
        if hard or not all(hasattr(one, "predict_proba") for one in fitted):
            votes = np.stack([np.asarray(one.predict(X)) for one in fitted])
            return cls(votes, classes=classes, labels=truth, models=names)
        first = np.asarray(fitted[0].predict_proba(X))
        values = np.zeros((len(fitted), len(first), len(classes)), dtype=np.float64)
        for k, one in enumerate(fitted):
            values[k][:, np.searchsorted(classes, known[k])] = first if k == 0 else one.predict_proba(X)
        return cls(values, classes=classes, labels=truth, models=names)


def _argmax(soft: NDArray[Any]) -> NDArray[Any]:
    return np.stack([_small(one.argmax(axis=1), soft.shape[2]) for one in soft])


def _small(codes: NDArray[Any], n_classes: int) -> NDArray[Any]:
    """Return a contiguous copy of the codes in the smallest type that holds them."""
    return np.array(codes, dtype=np.min_scalar_type(n_classes - 1), order="C")


def _check_length(shape: tuple[int, ...], labels: NDArray[Any] | None) -> None:
    if labels is None or labels.shape == (shape[1],):
        return
    hint = ""
    if labels.ndim == 1 and len(labels) == shape[0]:
        hint = " The first axis is models and the second is rows: swap them."
    raise InputError(f"the labels have shape {labels.shape}, but there are {shape[1]} rows.{hint}")


def _read_only(array: NDArray[T]) -> NDArray[T]:
    view = array.view()
    view.flags.writeable = False
    return view
