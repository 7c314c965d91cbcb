"""Files for the tests: made up, and real ones where they are at hand."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data: $ALCORE_SHARED, else ``shared`` beside the project."""
    folder = Path(os.environ.get("ALCORE_SHARED") or Path(__file__).parents[4] / "shared", "data")
    if not folder.is_dir():
        reason = f"the reference data are not at {folder}; say where with ALCORE_SHARED"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder
