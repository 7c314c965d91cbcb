"""What the records of a store do not say: properties of its data sets, sizes of pools, directions of metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alcore.dataset import Dataset
from alcore.errors import AlcoreError, InputError
from alcore.registry import Registry
from alcore.splits import split
from alcore.stats import Properties, Question
from alcore.store import Store

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Facts:
    """Of the data sets of a store, by label: properties, rows of the pool, and why some are not known."""

    properties: Mapping[str, Properties] = field(default_factory=dict)
    pools: Mapping[str, int] = field(default_factory=dict)
    unknown: Mapping[str, str] = field(default_factory=dict)


def facts(store: Store, registry: Registry, records: pd.DataFrame) -> Facts:
    """Load each data set of a store once, and say what it is; one that cannot be loaded here is told with its reason.

    Parameters
    ----------
    store, registry
    records : as ``store.records`` returns them
    """
    properties, pools, unknown = {}, {}, {}
    for dataset, run in records.drop_duplicates("dataset")[["dataset", "run"]].itertuples(index=False):
        config = store.about(run)["config"]
        told = config["dataset"]
        try:
            data: Dataset = registry.build("dataset", told["name"], **told["params"], **told.get("where", {}))
            if data.fingerprint() != told["fingerprint"]:
                unknown[str(dataset)] = "its data have changed since it was run"
                continue
            pool, _ = split(data, config["split"]["method"], config["split"]["test_size"], config["seed"])
        except (AlcoreError, KeyError, OSError) as error:
            unknown[str(dataset)] = str(error) or type(error).__name__
            continue
        properties[str(dataset)], pools[str(dataset)] = Properties.of(data), len(pool)
    return Facts(properties, pools, unknown)


def read_properties(path: Path) -> dict[str, Properties]:
    """Read properties of data sets from a CSV file with the columns dataset, n, d and imbalance (which may be empty).

    Raises
    ------
    InputError
        If the file cannot be read or lacks a column, or a number is none.
    """
    import csv

    try:
        with path.open(encoding="utf8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the properties {path}: {getattr(error, 'strerror', error)}.") from error
    found = {}
    for line, row in enumerate(rows, start=2):
        try:
            imbalance = float(row["imbalance"]) if row["imbalance"] else float("nan")
            found[row["dataset"]] = Properties(int(row["n"]), int(row["d"]), imbalance)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"{path}, line {line}: {row!r} lacks one of dataset, n, d, imbalance, as numbers: {error}."
            ) from error
    return found


def directed(asked: Question, store: Store, registry: Registry, records: pd.DataFrame) -> Question:
    """Return the question with the direction of a round metric that was recorded under a label of the experiment's.

    ``question`` knows metrics by name; which metric a label stands for is in the runs' configurations.
    """
    if registry.get("metric", asked.of) is not None or not asked.spec.greater_is_better:
        return asked
    for run in records["run"].drop_duplicates():
        metrics: list[dict[str, Any]] = store.about(run)["config"].get("metrics", [])
        for metric in metrics:
            if metric["label"] == asked.of:
                entry = registry.get("metric", metric["name"])
                return replace(asked, greater_is_better=entry.spec.greater_is_better) if entry else asked
    return asked
