"""modAL as it is installed: which versions serve, and its import on current NumPy."""

from __future__ import annotations

import importlib
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

import numpy as np

from alcore.interop import patched, silenced

INSTALL = "pip install 'modAL-python>=0.4.2,<0.5'"
SHIMS = {(np, "float"): float}
"""Names that modAL asks for while it is imported."""


def other_version() -> str | None:
    """Return why the installed modAL does not serve, or None; imports nothing."""
    try:
        found = version("modAL-python")
    except PackageNotFoundError:  # a copy without metadata: its import will tell
        return None
    numbers = [int(part) for part in found.split(".")[:3] if part.isdigit()]
    if [0, 4, 2] <= numbers < [0, 5]:
        return None
    return f"needs modAL-python 0.4.2 or later, below 0.5, and finds {found}: {INSTALL}"


def load(module: str) -> ModuleType:
    """Import a module of modAL, with the names of NumPy that it asks for while it is imported.

    ``modAL.expected_error`` has ``np.float``, gone since NumPy 1.24, as the annotation of a parameter, and compares
    strings by ``is``, which warns.

    Raises
    ------
    ImportError
        If it does not import, with what to type.
    """
    try:
        with silenced(), patched(SHIMS):
            return importlib.import_module(module)
    except Exception as error:  # an old module may fail with anything
        raise ImportError(f"{module} does not import here ({type(error).__name__}: {error}); try {INSTALL}") from error
