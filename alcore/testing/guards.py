"""What a check watches while it runs something: output, global random state, and the caller's data."""

from __future__ import annotations

import ctypes
import functools
import io
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from alcore.pool import is_frame, is_sparse


@dataclass
class Output:
    """What was written, once the body of ``captured`` is over."""

    text: str = ""


@contextmanager
def captured() -> Iterator[Output]:
    """Take what the body writes to stdout and stderr, by ``print`` or by file descriptor, as C libraries do.

    Changes the whole process while it lasts: not for threads.
    """
    output = Output()
    with tempfile.TemporaryFile() as file:
        streams, saved = (sys.stdout, sys.stderr), (os.dup(1), os.dup(2))
        _flush(*streams)
        for descriptor in (1, 2):
            os.dup2(file.fileno(), descriptor)
        text = io.TextIOWrapper(
            os.fdopen(os.dup(file.fileno()), "wb", buffering=0), encoding="utf-8", write_through=True
        )
        sys.stdout = sys.stderr = text
        try:
            yield output
        finally:
            _flush(*streams, text)  # what still waits in a buffer was written by the body
            sys.stdout, sys.stderr = streams
            for descriptor, original in zip((1, 2), saved, strict=True):
                os.dup2(original, descriptor)
                os.close(original)
            text.close()
            file.seek(0)
            output.text = file.read().decode("utf-8", errors="replace")


def _flush(*streams: Any) -> None:
    for stream in streams:
        if stream is not None:  # a program without a console has none
            stream.flush()
    if os.name == "posix":
        ctypes.CDLL(None).fflush(None)


def one_thread() -> AbstractContextManager[Any]:
    """Let BLAS and OpenMP use one thread, as in a worker that runs experiments: many are slower on small arrays."""
    limited: AbstractContextManager[Any] = _thread_pools().limit(limits=1)
    return limited


@functools.cache
def _thread_pools() -> Any:
    import sklearn.utils  # noqa: F401 - loads the libraries that are found by the next line, once
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def random_state() -> tuple[Any, ...]:
    """Return NumPy's and Python's global random state as something that can be compared."""
    kind, keys, *rest = np.random.get_state(legacy=True)  # noqa: NPY002 - the legacy state is what is watched
    return kind, bytes(np.asarray(keys).data), tuple(rest), random.getstate()


def copied(X: Any) -> Any:
    """Return a copy in the same container."""
    return np.array(X) if isinstance(X, np.ndarray) else X.copy()


def frozen(X: Any) -> Any:
    """Return a copy that cannot be written to, where its container can say so (a DataFrame cannot)."""
    X = copied(X)
    for array in (X.data, X.indices, X.indptr) if is_sparse(X) else () if is_frame(X) else (X,):
        array.setflags(write=False)
    return X


def equal(a: Any, b: Any) -> bool:
    """Tell whether two containers of one kind hold the same, labels of rows and columns included."""
    if is_sparse(a):
        return bool(a.shape == b.shape and a.dtype == b.dtype and (a != b).nnz == 0)
    if is_frame(a):
        return bool(a.equals(b) and a.index.equals(b.index) and a.columns.equals(b.columns))
    return bool(a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
