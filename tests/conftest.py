"""What tests share: where the optional reference data are, and small experiments."""

from __future__ import annotations

import os

# Before NumPy is imported: small fits on many threads are slow, the more so beside other test processes.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alcore import plugins
from alcore.experiment import Experiment, parse

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of the optional reference data, from ALCORE_SHARED; its absence skips, except in CI."""
    path = Path(os.environ.get("ALCORE_SHARED", ROOT.parent / "shared"))
    if not path.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"the reference data are not at {path}; set ALCORE_SHARED")
        pytest.skip(f"the reference data are not at {path}; set ALCORE_SHARED")
    return path


@pytest.fixture
def make_experiment() -> Callable[..., Experiment]:
    """A small experiment on synthetic data that takes a fraction of a second; keywords replace its keys."""

    def make(**keys: Any) -> Experiment:
        base = {
            "name": "small",
            "datasets": [{"name": "synthetic.clouds", "n": 60}],
            "strategies": ["random", "margin"],
            "learners": ["gaussian-nb"],
            "seeds": 2,
            "budget": 5,
            "start": {"size": 6},
        }
        raw = base | keys
        registry = plugins.with_files(plugins.loaded(), [Path(file) for file in raw.get("plugins", ())])
        return parse(raw, registry)

    return make


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write a file of a text or of bytes, and return its path."""

    def put(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put
