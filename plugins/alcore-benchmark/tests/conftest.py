"""The optional reference data, as the folder that ALCORE_DATA names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


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
def data(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the published data files, which ALCORE_DATA names."""
    monkeypatch.setenv("ALCORE_DATA", str(shared / "data" / "tabular"))
    return shared / "data" / "tabular"


@pytest.fixture
def nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in place of the data and of what was downloaded."""
    monkeypatch.setenv("ALCORE_DATA", str(tmp_path))
    monkeypatch.setenv("ALCORE_CACHE", str(tmp_path / "cache"))
    return tmp_path
