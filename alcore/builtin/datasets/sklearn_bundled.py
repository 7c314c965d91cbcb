"""The data sets that scikit-learn carries with it."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from alcore.dataset import Dataset
from alcore.spec import DatasetSpec
from alcore.types import Task


class _Entry(NamedTuple):
    name: str
    summary: str
    rows: int
    features: int
    classes: int | None = None

    @property
    def task(self) -> Task:
        return Task.CLASSIFICATION if self.classes else Task.REGRESSION

    @property
    def source(self) -> str:
        return f"scikit-learn, load_{self.name.replace('-', '_')}"


# linnerud is left out: it has three targets.
_ENTRIES = (
    _Entry("iris", "Three species of iris by the measures of their flowers", 150, 4, 3),
    _Entry("wine", "Three growers of wine by chemical analysis", 178, 13, 3),
    _Entry("breast-cancer", "Malignant and benign tumours by measures of cell nuclei (WDBC)", 569, 30, 2),
    _Entry("digits", "Handwritten digits, 8 x 8 pixels", 1797, 64, 10),
    _Entry("diabetes", "Progression of diabetes after a year, ten standardised measures", 442, 10),
)


def load(name: str) -> Dataset:
    """Return a bundled data set: ``iris``, ``wine``, ``breast-cancer``, ``digits`` or ``diabetes``.

    Classes are scikit-learn's names for them in its order (the digits 0 to 9 as numbers), and a regression has its
    targets as they are.
    """
    from sklearn import datasets

    entry = next(entry for entry in _ENTRIES if entry.name == name)
    bunch = getattr(datasets, f"load_{name.replace('-', '_')}")()
    names = np.asarray(bunch.target_names) if entry.classes else None
    return Dataset(
        name=f"sklearn.{name}",
        X=bunch.data,
        y=bunch.target if names is None else names[bunch.target],
        task=entry.task,
        classes=None if names is None else names.tolist(),
        source=entry.source,
    )


def specs() -> list[DatasetSpec]:
    """Return one spec per data set."""
    return [
        DatasetSpec(
            name=f"sklearn.{entry.name}",
            summary=entry.summary,
            make=partial(load, entry.name),
            source=entry.source,
            task=entry.task,
            rows=entry.rows,
            features=entry.features,
            classes=entry.classes,
        )
        for entry in _ENTRIES
    ]
