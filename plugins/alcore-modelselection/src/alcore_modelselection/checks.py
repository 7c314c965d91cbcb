"""The rules that predictions and labels must keep, and what to do where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alcore.errors import InputError

TOLERANCE, TOLERANCE_HALF = 1e-3, 1e-2
"""How far a row of probabilities may be from summing to 1, and in half precision."""

UNKNOWN = -1


def as_probabilities(array: NDArray[Any], normalise: bool) -> NDArray[Any]:
    """Return the array, as it is or normalised, if each of its rows is a probability distribution.

    Raises
    ------
    InputError
        If a value is no number, NaN, infinite or negative, or a row does not sum to 1.
    """
    if array.dtype.kind in "iub":
        array = array.astype(np.float32)
    if array.dtype.kind != "f":
        raise InputError(f"three-dimensional predictions are probabilities, but their dtype is {array.dtype}.")
    out = np.empty_like(array) if normalise else array
    tolerance = TOLERANCE_HALF if array.dtype.itemsize == 2 else TOLERANCE
    for k, one in enumerate(array):  # one model at a time: the whole may be larger than what is free
        values = one.astype(np.float64, copy=False)
        if not np.isfinite(values).all():
            i, c = np.argwhere(~np.isfinite(values))[0]
            raise InputError(
                f"model {k} has the probability {values[i, c]} for row {i}, class {c}; probabilities are finite. "
                "Drop the model, or the row from all of them."
            )
        if values.min() < 0 or (not normalise and values.max() > 1 + tolerance):
            i, c = np.argwhere((values < 0) | (values > 1))[0]
            raise InputError(
                f"model {k} has the probability {values[i, c]:g} for row {i}, class {c}; probabilities lie between "
                "0 and 1. If these are logits, apply a softmax over the last axis first."
            )
        total = values.sum(axis=1)
        bad = total <= 0 if normalise else np.abs(total - 1) > tolerance
        if bad.any():
            i = int(np.flatnonzero(bad)[0])
            fix = "an all-zero row says nothing" if normalise else "divide by the sum with normalise=True"
            raise InputError(f"model {k}, row {i}: the probabilities sum to {total[i]:g}, not to 1; {fix}.")
        if normalise:
            out[k] = values / total[:, None]
    return out


def class_names(
    array: NDArray[Any], labels: NDArray[Any] | None, classes: Sequence[Any] | NDArray[Any] | None
) -> NDArray[Any]:
    """Return the names of the classes as a one-dimensional array without repeats.

    Raises
    ------
    InputError
        If names repeat, their number does not fit, or hard labels are missing or cannot be compared.
    """
    if classes is not None:
        names = np.asarray(classes)
        if names.ndim != 1 or len(_unique(names, "the class names")) != len(names):
            raise InputError(f"classes is {classes!r}; give each class name once, in one list.")
        if array.ndim == 3 and len(names) != array.shape[2]:
            raise InputError(f"there are {len(names)} class names for {array.shape[2]} columns of probabilities.")
        return names
    if array.ndim == 3:
        return np.arange(array.shape[2])
    _refuse_missing(array)
    if array.dtype.kind == "f" and (array != np.floor(array)).any():
        raise InputError(
            "two-dimensional predictions are hard labels, but these are fractions. Give (models, rows, classes): "
            "for two classes np.stack([1 - p, p], axis=-1)."
        )
    found = _unique(array, "the predictions")
    if labels is not None:
        known = labels[~missing(labels)]
        found = _unique(np.concatenate([found, np.unique(known)]), "predictions and labels together")
    return found


def missing(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where values are missing: NaN, None or NaT."""
    if array.dtype.kind in "fmM":
        return np.asarray(np.isnan(array))
    if array.dtype.kind == "O":
        flat = [value is None or value != value for value in array.ravel()]  # NaN differs from itself
        return np.array(flat, dtype=np.bool_).reshape(array.shape)
    return np.zeros(array.shape, dtype=np.bool_)


def codes_of(
    array: NDArray[Any], classes: NDArray[Any], what: str, *, missing_allowed: bool = False
) -> NDArray[np.integer]:
    """Return each value's position in ``classes``; missing values become -1 where they are allowed.

    Raises
    ------
    InputError
        If a value is none of the classes, or missing.
    """
    whole = array.dtype.kind in "iu" and array.size and array.min() >= 0 and array.max() < len(classes)
    if whole and np.array_equal(classes, np.arange(len(classes))):
        return array  # codes already, without sorting or copying what may be many millions
    gone = missing(array)
    if gone.any() and not missing_allowed:
        _refuse_missing(array)
    position = {_plain(name): code for code, name in enumerate(classes)}
    values, inverse = np.unique(array[~gone], return_inverse=True)
    codes = np.empty(len(values), dtype=np.intp)
    for i, value in enumerate(values):
        code = position.get(_plain(value))
        if code is None:
            shown = ", ".join(repr(_plain(name)) for name in classes[:10]) + (", ..." if len(classes) > 10 else "")
            raise InputError(f"{what} hold {_plain(value)!r}, which is none of the classes {shown}.")
        codes[i] = code
    out = np.full(array.shape, UNKNOWN, dtype=np.intp)
    out[~gone] = codes[inverse]
    return out


def model_names(models: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """Return one name per model.

    Raises
    ------
    InputError
        If their number does not fit or one repeats.
    """
    if models is None:
        return tuple(f"model-{k}" for k in range(count))
    names = tuple(str(name) for name in models)
    if len(names) != count:
        raise InputError(f"there are {len(names)} model names for {count} models.")
    if len(set(names)) != count:
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two models are called {twice!r}; names must differ.")
    return names


def _refuse_missing(array: NDArray[Any]) -> None:
    gone = missing(array)
    if gone.any():
        at = np.argwhere(gone)[0]
        where = f"model {at[0]} has no prediction for row {at[1]}" if len(at) == 2 else f"row {at[0]} has no label"
        raise InputError(f"{where} (NaN or None); every model predicts every row. Drop the model, or the row.")


def _unique(array: NDArray[Any], what: str) -> NDArray[Any]:
    if array.dtype.kind in "iu" and array.size and array.min() >= 0 and array.max() < 1 << 16:
        return np.flatnonzero(np.bincount(array.ravel())).astype(array.dtype)  # counting beats sorting millions
    try:
        return np.unique(array)
    except TypeError:
        kinds = sorted({type(value).__name__ for value in array.ravel()})
        raise InputError(f"{what} mix {' and '.join(kinds)}, which cannot be sorted; use one type.") from None


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
