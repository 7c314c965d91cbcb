"""The data sets of the benchmark, registered by name."""

from __future__ import annotations

from functools import partial

from alcore import DatasetSpec
from alcore_benchmark.datasets.catalogue import TABLE, Entry
from alcore_benchmark.datasets.load import load, unavailable


def specs() -> list[DatasetSpec]:
    """Return the specs of all 40."""
    return [_spec(entry) for entry in TABLE]


def _spec(entry: Entry) -> DatasetSpec:
    more = f"; {entry.note}" if entry.note else ""
    return DatasetSpec(
        name=entry.name,
        summary=f"{entry.title}: {entry.domain}, imbalance {entry.imbalance:g}, {entry.preparation}{more}",
        make=partial(load, entry.name),
        unavailable=partial(unavailable, entry),
        source=entry.where,
        rows=entry.rows,
        features=entry.features,
        classes=entry.classes,
    )
