"""Tasks that are made on the spot, and those of the shared reference data where it is present."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from alcore_modelselection import Predictions, read_predictions

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder of prediction files and golden traces."""
    folder = Path(os.environ.get("ALCORE_SHARED", ROOT.parent / "shared")) / "data" / "modelselection"
    if not folder.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"{folder} is missing, and CI is set: point ALCORE_SHARED to the reference data.")
        pytest.skip(f"{folder} is missing: point ALCORE_SHARED to the reference data.")
    return folder


@pytest.fixture(scope="session")
def task(reference: Path) -> Callable[[str], Predictions]:
    return lambda name: read_predictions(reference / f"{name}.npz")


@pytest.fixture(scope="session")
def golden(reference: Path) -> Callable[[str], Any]:
    return lambda name: np.load(reference / f"golden_{name}.npz", allow_pickle=False)


def make(models: int = 6, rows: int = 40, classes: int = 3, *, soft: bool = False, seed: int = 0) -> Predictions:
    """Models of rising accuracy, 0.4 to 0.9."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(classes, size=rows)
    accuracy = np.linspace(0.4, 0.9, models)[:, None]
    wrong = (labels + rng.integers(1, classes, size=(models, rows))) % classes
    hard = np.where(rng.random((models, rows)) < accuracy, labels, wrong)
    if not soft:
        return Predictions(hard, labels=labels, classes=range(classes))
    values = rng.dirichlet(np.ones(classes), size=(models, rows))
    values = 0.4 * values + 0.6 * np.eye(classes)[hard]
    return Predictions(values, labels=labels)


@pytest.fixture
def toy() -> Callable[..., Predictions]:
    return make
