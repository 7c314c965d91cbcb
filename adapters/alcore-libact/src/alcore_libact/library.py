"""libact, imported on first use with what it needs on a current Python, and called in silence.

Every other module takes libact's classes from here. libact is untyped; its names are ``Any``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import joblib

from alcore.interop import patched, silenced

SHIMS = {"sklearn.externals.joblib": joblib}
"""Modules that libact imports and scikit-learn no longer has; there while libact is imported."""


@contextmanager
def quiet() -> Iterator[None]:
    """Drop what libact prints, warns of and logs; its errors pass."""
    logger = logging.getLogger("libact")
    before = logger.propagate, logger.handlers[:]
    logger.propagate, logger.handlers = False, [logging.NullHandler()]
    try:
        with silenced():
            yield
    finally:
        logger.propagate, logger.handlers = before


@contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Let an attribute of one of libact's modules be another inside."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


with quiet(), patched(modules=SHIMS):
    from libact import query_strategies as pool_based  # type: ignore[import-untyped]
    from libact.base.dataset import Dataset  # type: ignore[import-untyped]
    from libact.base.interfaces import (  # type: ignore[import-untyped]
        ContinuousModel,
        ProbabilisticModel,
        QueryStrategy,
    )

__all__ = [
    "SHIMS", "ContinuousModel", "Dataset", "ProbabilisticModel", "QueryStrategy", "pool_based", "quiet", "replaced",
]  # fmt: skip
