"""What of a store may stand in one table: runs of one protocol, and one configuration and revision of each part.

A protocol is all of a configuration but the data set, the strategy, the learners and the seed; which metrics are
recorded may differ by task. The latest one is that of the last ``alcore run`` into the store, or without such a note
that of the run that was written last. What stands under one label, and the revision of a part, are the latest too.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from alcore.errors import InputError
from alcore.results import Result, Run, canonical, versions_count
from alcore.store import Damaged, Store
from alcore.words import Differences, differences, flat

if TYPE_CHECKING:
    import pyarrow as pa

PLAN = "plan.json"
"""The note that says which runs the last ``alcore run`` was about."""

NOT_PROTOCOL = frozenset(
    {"dataset", "strategy", "learner", "seed", "metrics", "versions", "rows_from", "revisions"}
)  # fmt: skip
SHOWN = 3
"""Notes on runs that are left out, at most; the others are counted in one more."""


@dataclass(frozen=True)
class Protocol:
    """A protocol of a store.

    Parameters
    ----------
    number : 1 for the latest, then in the order in which they were used last
    id : 8 hexadecimal digits
    runs : ids of its runs
    keys : what it is, by dotted key, as texts
    differs : those keys in which it differs from the selected one
    """

    number: int
    id: str
    runs: tuple[str, ...]
    keys: Mapping[str, str] = field(repr=False)
    differs: Differences = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"number": self.number, "id": self.id, "runs": len(self.runs), "differs": dict(self.differs)}


@dataclass(frozen=True)
class LeftOut:
    """Runs that must not stand beside those selected, and why; ``protocol`` is the number of theirs, if another."""

    runs: tuple[str, ...]
    why: str
    protocol: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"runs": len(self.runs), "why": self.why, "protocol": self.protocol}


class Selected(Store):
    """A store as tables read it: what ``Store`` gives to read, of the runs of one protocol.

    Parameters
    ----------
    store : Store
    protocol : number or beginning of the id of a protocol, or None for the latest

    Attributes
    ----------
    protocol : Protocol
    protocols : list of Protocol
        All there are, the latest first.
    left_out : list of LeftOut
    superseded : frozenset of str
        Ids of the runs that are neither of the latest protocol, configurations and revisions, nor of the last plan.

    Raises
    ------
    InputError
        If the store holds no finished run, or there is no such protocol.
    """

    def __init__(self, store: Store, protocol: int | str | None = None) -> None:
        super().__init__(store.path)
        loaded, self._damaged = store.loaded()
        self._read_of = {str(table.column("run")[0]): (about, table) for about, table in loaded}
        self._abouts = {run: about for run, (about, _) in self._read_of.items()}
        planned = _planned(store)
        written = {run: about.get("written") or _mtime(store, run) for run, about in self._abouts.items()}
        found = _protocols(self._abouts, lambda runs: _rank(runs, planned, written))
        self.protocol = _chosen(found, protocol)
        self.protocols = [replace(one, differs=differences(one.keys, self.protocol.keys)) for one in found]
        reasons: dict[int, dict[str, str]] = {}
        for one in {1: found[0], self.protocol.number: self.protocol}.values():
            configs = {run: self._abouts[run]["config"] for run in one.runs}
            reasons[one.number] = _older(configs, lambda runs: _rank(runs, planned, written))
        older = reasons[self.protocol.number]
        kept = set(self.protocol.runs) - older.keys()
        self._kept = [run for run in self._abouts if run in kept]
        self.superseded = frozenset(self._abouts) - (set(found[0].runs) - reasons[1].keys()) - planned
        self.left_out = self._others() + [LeftOut(tuple(runs), why) for why, runs in _inverted(older).items()]

    def _others(self) -> list[LeftOut]:
        return [
            LeftOut(
                one.runs, f"another protocol ({', '.join(f'{k} = {v}' for k, v in one.differs.items())})", one.number
            )
            for one in self.protocols
            if one.number != self.protocol.number
        ]

    def ids(self) -> set[str]:
        """Return the ids of the selected runs."""
        return set(self._kept)

    def damaged(self) -> list[Damaged]:
        """Return the files that are left out, as ``Store.damaged`` does."""
        return self._damaged + self._damaged_journals()

    def about(self, run: str) -> dict[str, Any]:
        """Return what is known of a run besides its records, as ``Store.about`` does."""
        about: dict[str, Any] = self._abouts[run]
        return about

    def _read(self, ids: Collection[str] | None = None) -> list[tuple[dict[str, Any], pa.Table]]:
        return [self._read_of[run] for run in self._kept if ids is None or run in ids]

    def locked(self) -> NoReturn:
        """Refuse: a selection is for reading."""
        raise InputError(f"a selection of {self.path} is for reading; write to alcore.Store({str(self.path)!r}).")

    def write(self, run: Run, result: Result, metrics: Sequence[str] = ()) -> NoReturn:
        """Refuse: a selection is for reading."""
        self.locked()

    @cached_property
    def notes(self) -> list[str]:
        """What is left out, in words; empty if nothing is."""
        return told(self.left_out, self.superseded, f"alcore prune {self.path}", f"alcore status {self.path}")

    def listed(self, runs: Iterable[str]) -> list[dict[str, Any]]:
        """Return runs that are left out as JSON values: ids, names, and why."""
        why = {run: one.why for one in self.left_out for run in one.runs}
        return [{"run": run} | Run(self.about(run)["config"]).names | {"why": why[run]} for run in runs]

    def to_json(self) -> dict[str, Any]:
        """Return which protocol it is and what is left out, as JSON values."""
        chosen = {"number": self.protocol.number, "id": self.protocol.id}
        return {"protocol": chosen, "left_out": [one.to_json() for one in self.left_out]}


def selected(store: Store, protocol: int | str | None = None) -> Selected:
    """Return a store as tables read it: the runs of one protocol, and the latest revision of each part.

    All other runs stay in the store, and are told in ``notes``. A selection is returned as it is.

    Parameters
    ----------
    store : Store
    protocol : number or beginning of the id of a protocol
        None takes the latest; ``Selected.protocols`` and ``alcore status`` list them.

    Raises
    ------
    InputError
        If the store holds no finished run, or there is no such protocol.
    """
    return store if isinstance(store, Selected) else Selected(store, protocol)


def note_plan(store: Store, runs: Iterable[Run]) -> None:
    """Keep in the store which runs the experiment is about that is run now: its protocol is the latest."""
    store.save_note(PLAN, json.dumps({"format": 1, "runs": sorted({run.id for run in runs})}))


def prune(store: Store) -> list[str]:
    """Remove the superseded runs of a store, and return their ids; see ``Selected.superseded``.

    Raises
    ------
    InputError
        If the store holds no finished run, or another process writes to it.
    """
    with store.locked():
        gone = sorted(Selected(store).superseded)
        for run in gone:
            store.remove(run)
    return gone


def told(left_out: Sequence[LeftOut], superseded: Collection[str], prune: str, status: str) -> list[str]:
    """Return what is left out in words."""
    lines = []
    first = next((one for one in left_out[:SHOWN] if not set(superseded).isdisjoint(one.runs)), None)
    for one in left_out[:SHOWN]:
        shows = f"; --protocol {one.protocol} shows them" if one.protocol else ""
        hint = f"{', ' if shows else '; '}{prune} removes superseded runs" if one is first else ""
        lines.append(f"{_runs(len(one.runs))} of {one.why} left out{shows}{hint}.")
    more = left_out[SHOWN:]
    if more:
        lines.append(
            f"{_runs(sum(len(one.runs) for one in more))} more left out for {len(more)} other reasons: {status}"
        )
    return lines


def _runs(count: int) -> str:
    return f"{count} run{'s' if count != 1 else ''}"


def _planned(store: Store) -> frozenset[str]:
    """Return the ids of the last plan."""
    text = store.note(PLAN)
    if text is None:
        return frozenset()
    try:
        return frozenset(map(str, json.loads(text)["runs"]))
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(
            f"{store.path / f'_{PLAN}'} is damaged; delete it, and the latest protocol is that of the run written last."
        ) from error


def _mtime(store: Store, run: str) -> float:
    """Return when a file was changed: runs of earlier versions do not say when they were written."""
    return store.file(run).stat().st_mtime


def _rank(runs: Sequence[str], planned: Collection[str], written: Mapping[str, float]) -> tuple[int, float]:
    """Return how late runs are: those of the last plan above others, then by when the last of them was written."""
    return sum(run in planned for run in runs), max(written[run] for run in runs)


def _protocols(abouts: Mapping[str, Mapping[str, Any]], rank: Any) -> list[Protocol]:
    """Return the protocols, the latest first.

    Of runs that differ in metrics alone, each task has its latest list of them in the first of these protocols, the
    one before in the second, and so on.
    """
    by_base: dict[str, dict[str, dict[str, list[str]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for run, about in abouts.items():
        config = about["config"]
        base = canonical({key: value for key, value in config.items() if key not in NOT_PROTOCOL})
        by_base[base][str(config["dataset"].get("task"))][canonical({"metrics": config.get("metrics")})].append(run)
    groups: list[tuple[dict[str, Any], list[str]]] = []
    for base, by_task in by_base.items():
        lists = {
            task: sorted(some.items(), key=lambda one: rank(one[1]), reverse=True) for task, some in by_task.items()
        }
        for place in range(max(map(len, lists.values()))):
            here = {task: some[place] for task, some in lists.items() if place < len(some)}
            metrics = {task: json.loads(key)["metrics"] for task, (key, _) in sorted(here.items())}
            groups.append((json.loads(base) | {"metrics": metrics}, [run for _, runs in here.values() for run in runs]))
    groups.sort(key=lambda group: rank(group[1]), reverse=True)
    return [
        Protocol(number, hashlib.sha256(canonical(config).encode()).hexdigest()[:8], tuple(runs), flat(config))
        for number, (config, runs) in enumerate(groups, start=1)
    ]


def _chosen(found: Sequence[Protocol], protocol: int | str | None) -> Protocol:
    text = "1" if protocol is None else str(protocol).strip()
    fits = [one for one in found if str(one.number) == text] or [
        one for one in found if text and one.id.startswith(text)
    ]
    if len(fits) != 1:
        known = ", ".join(f"{one.number} ({one.id})" for one in found)
        why = "is the beginning of several ids" if fits else "is none of this store"
        raise InputError(f"protocol {text!r} {why}; give the number or the beginning of the id of one of {known}.")
    return fits[0]


def _older(configs: Mapping[str, Mapping[str, Any]], rank: Any) -> dict[str, str]:
    """Return the runs that do not have the latest revision of each part, and what each label stands for, with why."""
    stands: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for run, config in configs.items():
        for name, what in _identity(config):
            stands[name][what].append(run)
    found: dict[str, str] = {}
    for name, some in stands.items():
        if len(some) > 1:
            latest, *others = sorted(some, key=lambda what: rank(some[what]), reverse=True)
            for what in others:
                found |= dict.fromkeys(some[what], _why(name, what, latest)) | found
    return found


def _identity(config: Mapping[str, Any]) -> Iterable[tuple[tuple[str, str], str]]:
    """Yield what must be the same in all runs of a table: revisions, and what each label stands for."""
    if versions_count(config):
        for package, version in config.get("versions", {}).items():
            yield ("version", package), str(version)
    for role, parts in config.get("revisions", {}).items():
        for part, revision in parts.items():
            yield (f"revision {'strategy' if role == 'cold_start' else role}", part), str(revision)
    learner = config["learner"]
    data = {key: value for key, value in config["dataset"].items() if key != "where"}
    named = {
        "data set": data, "strategy": config["strategy"], "learner": learner,
        "query learner": learner["query"], "task learner": learner["task"],
    }  # fmt: skip
    for role, one in named.items():
        yield (f"label {role}", str(one["label"])), canonical(one)


def _why(name: tuple[str, str], what: str, latest: str) -> str:
    """Return in words why a run is left out."""
    kind, of = name
    if kind == "version":
        return f"{of} {what}, not {latest} as the latest,"
    if kind.startswith("revision"):
        return f"revision {what} of {of}, not {latest} as the latest,"
    mine, other = flat(json.loads(what)), flat(json.loads(latest))
    differs = ", ".join(f"{key.removeprefix('params.')} = {value}" for key, value in differences(mine, other).items())
    return f"another {kind.removeprefix('label ')} called {of!r} before ({differs})"


def _inverted(reasons: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for run, why in reasons.items():
        found[why].append(run)
    return found


def recorded_versions(store: Selected) -> dict[str, dict[str, int]]:
    """Return in how many of the selected runs each version of each package took part."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for run in store.ids():
        for package, version in store.about(run)["config"].get("versions", {}).items():
            found[package][str(version)] += 1
    return {package: dict(sorted(counts.items())) for package, counts in sorted(found.items())}


def recorded_revisions(store: Selected) -> dict[str, str]:
    """Return the revision of each part of the selected runs, by kind and name."""
    stated = (store.about(run)["config"].get("revisions", {}) for run in store.ids())
    return {part: str(rev) for roles in stated for parts in roles.values() for part, rev in parts.items()}
