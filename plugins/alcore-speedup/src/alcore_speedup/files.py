"""Setups out of tables of curves, stores and experiments."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from alcore.errors import InputError, did_you_mean
from alcore.results import canonical
from alcore_speedup.setup import Setup

if TYPE_CHECKING:
    import pandas as pd

    from alcore.selection import Selected
    from alcore.store import Store

COLUMNS = ("strategy", "labels", "value")
SETUP = ("dataset", "learner")
"""Columns that tell setups apart, where a table has them."""
SAME = ("dataset", "learner", "split", "features")
"""What the runs of a setup have in common in their configuration: data set, model and training."""


def of_frame(frame: pd.DataFrame, *, where: str = "the table") -> list[Setup]:
    """Return the setups of a table with a row per point of a curve.

    Parameters
    ----------
    frame : DataFrame
        Columns strategy, seed (one seed without it), labels (labelled rows, the start set included) and value, in any
        order; ``dataset`` and ``learner`` tell setups apart; ``exhausted``, true in all rows of a curve whose pool is
        labelled at its end. Other columns are left alone.
    where : str
        What errors call it.

    Raises
    ------
    InputError
        If a column is missing, has gaps or no numbers, or as ``Setup.of_points``.
    """
    lacking = [name for name in COLUMNS if name not in frame.columns]
    if lacking:
        hint = did_you_mean(lacking[0], map(str, frame.columns))
        raise InputError(
            f"{where} has no column {lacking[0]!r}; a table of curves has strategy, seed, labels and value.{hint}"
        )
    keys = [name for name in SETUP if name in frame.columns]
    for name in ("strategy", "labels", *keys, *(("seed",) if "seed" in frame.columns else ())):
        if frame[name].isna().any():
            row = int(np.flatnonzero(frame[name].isna())[0])
            raise InputError(f"{where}: {name} is empty in row {row} below the header; every row needs one.")
    groups: Iterable[tuple[Any, pd.DataFrame]] = frame.groupby(keys, sort=False) if keys else [((), frame)]
    return [_setup(part, dict(zip(keys, map(str, key), strict=True)), where) for key, part in groups]


def _setup(part: pd.DataFrame, names: dict[str, Any], where: str) -> Setup:
    numbers = {}
    for name in ("labels", "value"):
        try:
            numbers[name] = part[name].to_numpy(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"{where}: column {name!r} holds something that is no number: {error}.") from error
    seeds = part["seed"].to_numpy() if "seed" in part else np.zeros(len(part), dtype=np.intp)
    exhausted = part["exhausted"].to_numpy(dtype=bool) if "exhausted" in part else None
    try:
        return Setup.of_points(
            part["strategy"].to_numpy(object), seeds, numbers["labels"], numbers["value"],
            exhausted=exhausted, names=names,
        )  # fmt: skip
    except InputError as error:
        called = ", ".join([where, *names.values()])
        raise InputError(f"{called}: {error}") from error


def of_store(store: Store, of: str | None = None) -> list[Setup]:
    """Return the setups of a store's completed runs: those with equal data set, learners, split and features.

    Runs of another protocol than the latest, or than that of ``alcore.selected(store, protocol)``, are left out.

    Parameters
    ----------
    of : str or None
        The round metric; None takes the first that was recorded.

    Raises
    ------
    InputError
        If the metric was not recorded, or no run has completed.
    """
    from alcore import selected

    store = selected(store)
    return of_records(store.records(), store, of)


def of_records(records: pd.DataFrame, store: Store, of: str | None = None) -> list[Setup]:
    """Return the setups of completed runs among these records of a store.

    Raises
    ------
    InputError
        As ``of_store``.
    """
    from alcore.stats import curves, recorded

    known = recorded(records)
    if not known:
        raise InputError(
            f"{store.path}: no metric was recorded; set metrics.round in the experiment, and run it again."
        )
    records = records[records["status"] == "completed"]
    if not len(records):
        raise InputError(f"{store.path}: no run has completed; see: alcore status {store.path}")
    metric = of or known[0]
    found = curves(records, metric)
    setups: dict[str, dict[str, list[Any]]] = {}
    names: dict[str, dict[str, Any]] = {}
    for run, label, dataset, learner in _heads(records):
        key = setup_key(store.about(run)["config"])
        names.setdefault(key, {"dataset": dataset, "learner": learner, "metric": metric, "setup": key})
        several = setups.setdefault(key, {}).setdefault(label, [])
        if run in found:
            several.append(found[run])
    return [Setup.of(curves_, names[key]) for key, curves_ in setups.items()]


def _heads(records: pd.DataFrame) -> Iterable[tuple[str, str, str, str]]:
    columns = ["run", "strategy", "dataset", "learner"]
    heads: list[tuple[str, str, str, str]] = records.drop_duplicates("run")[columns].to_records(index=False).tolist()
    return heads


def setup_key(config: dict[str, Any]) -> str:
    """Return a hash of what is equal for the runs of one setup; where the data lie does not count, nor the strategy."""
    data = {name: value for name, value in config["dataset"].items() if name != "where"}
    return sha256(canonical({name: config[name] for name in SAME} | {"dataset": data}).encode()).hexdigest()[:8]


def read(path: str | Path, of: str | None = None) -> list[Setup]:
    """Return the setups in a CSV or Parquet table, a store, or the default store of an experiment.

    Raises
    ------
    InputError
        If there is no such file or folder, or as ``of_frame`` and ``of_store``.
    """
    place = Path(path)
    if is_store(place):
        return of_store(open_store(place), of)
    if not place.is_file():
        raise InputError(f"there is no file or store {place}.")
    if of is not None:
        raise InputError(f"{place} is a table of curves of one metric; --of is for stores.")
    import pandas as pd

    try:
        frame = pd.read_parquet(place) if place.suffix == ".parquet" else pd.read_csv(place)
    except (OSError, ValueError) as error:
        raise InputError(f"{place} cannot be read as {place.suffix.lstrip('.') or 'CSV'}: {error}.") from error
    return of_frame(frame, where=str(place))


def is_store(place: Path) -> bool:
    """Return whether this names a store: a folder, or an experiment, whose store is known."""
    return place.is_dir() or place.suffix == ".toml"


def open_store(place: Path, protocol: str | None = None) -> Selected:
    """Return the store in a folder, or the one in which ``alcore run`` keeps an experiment's results.

    It has the runs of one protocol: the latest, or the one of this number or id.

    Raises
    ------
    InputError
        If there is none.
    """
    from alcore import Store, experiment, plugins, selected

    if place.suffix == ".toml":
        place = Path("results") / experiment.load(place, plugins.loaded()).name
    return selected(Store(place), protocol)


def trained_ceilings(store: Store, of: str) -> dict[str, dict[Any, float]]:
    """Return the performance of each setup's task learner fitted to the whole pool, by ``setup_key`` and seed.

    It is a run whose start set is the pool, with the split, the learner's chance and the metric of the runs there.

    Raises
    ------
    InputError
        If the metric was not recorded, or a data set is not what it was.
    """
    from alcore import plugins, selected
    from alcore.execute import assemble, prepare

    store = selected(store)
    registry = plugins.loaded().registry
    found: dict[str, dict[Any, float]] = {}
    for run in sorted(store.ids()):
        config = store.about(run)["config"]
        by_seed = found.setdefault(setup_key(config), {})
        if config["seed"] in by_seed:
            continue
        metrics = [one for one in config["metrics"] if one["label"] == of]
        if not metrics:
            raise InputError(f"{of!r} was not recorded in run {run}, so that its ceiling cannot be computed.")
        pool = prepare(config, registry).pool
        whole = config["start"] | {"method": "random", "size": len(pool), "classes": "any", "cold_start": None}
        strategy = {"label": "random", "name": "random", "params": {}}
        changes = {"start": whole, "budget": 0, "metrics": metrics, "stop": [], "strategy": strategy}
        (record,) = assemble(config | changes, registry)
        by_seed[config["seed"]] = record.metrics[of]
    return found
