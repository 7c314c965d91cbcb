"""What the tests of strategies share."""

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
