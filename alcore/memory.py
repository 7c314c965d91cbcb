"""Who may write to what: memory that nobody can unlock, and copies for those who may write."""

from __future__ import annotations

import copy
from typing import Any, TypeVar, cast

import numpy as np

T = TypeVar("T")


def is_sparse(X: Any) -> bool:
    """Return whether X is a SciPy sparse matrix or array, without importing SciPy for those that are not."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def is_frame(X: Any) -> bool:
    """Return whether X is a pandas DataFrame or Series, without importing pandas."""
    return hasattr(X, "iloc")


def locked(X: T) -> T:
    """Return X over the same memory, which cannot be written to, nor made writable by ``setflags``.

    The flags of what is given stay as they are, and whoever holds that may write. A DataFrame is returned as it is:
    pandas has no such thing, and ``own`` is what to hand out.
    """
    if isinstance(X, np.ndarray):
        return cast("T", _locked(X))
    if is_sparse(X) and cast("Any", X).format == "csr":
        held: Any = copy.copy(X)
        held.data, held.indices, held.indptr = _locked(held.data), _locked(held.indices), _locked(held.indptr)
        return cast("T", held)
    return X


def _locked(array: Any) -> Any:
    if isinstance(array.base, memoryview) and array.base.readonly:
        return array  # it is already
    if array.dtype.kind in "mM":  # what the buffer protocol has no letter for
        return _locked(array.view(np.int64)).view(array.dtype)
    try:
        # The base is a buffer that is read-only for good, so that NumPy refuses to set the flag.
        return np.asarray(memoryview(array).toreadonly())
    except ValueError:  # NumPy's own strings, records of dates
        kept = array.copy(order="K")
        kept.setflags(write=False)
        return kept


def face(X: T) -> T:
    """Return an object of its own for what is ``locked``: attributes set on it, or columns, stay with who sets them."""
    if isinstance(X, np.ndarray):
        return cast("T", X.view())
    return copy.copy(X) if is_sparse(X) else own(X)


def own(X: T) -> T:
    """Return a copy in the same container and memory order, to be written to."""
    return cast("T", X.copy(order="K") if isinstance(X, np.ndarray) else cast("Any", X).copy())


def frozen(value: T) -> T:
    """Return a result that many share, with its arrays locked: an array, a CSR matrix, or a tuple of them."""
    if isinstance(value, tuple) and type(value) is tuple:
        return cast("T", tuple(locked(part) for part in value))
    return locked(value)
