"""What is there, by kind and name, and who provides it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, get_args

from alcore.errors import InputError, UnknownNameError, did_you_mean
from alcore.estimators import PerLabel
from alcore.learners import Recipe, Refit
from alcore.positive import bound
from alcore.spec import Kind, LearnerSpec, MetricSpec, Spec
from alcore.types import Task

KINDS: tuple[Kind, ...] = get_args(Kind)
PLURAL = {"strategy": "strategies", "stop-rule": "stop-rules"}


def plural(kind: Kind) -> str:
    """Return the kind's plural, as commands and JSON use it."""
    return PLURAL.get(kind, f"{kind}s")


@dataclass(frozen=True)
class Code:
    """What is known of the code behind an entry, besides the revision that its spec states.

    Parameters
    ----------
    hash : str
        Of the source, where that can change under an unchanged version: a loose file, an editable distribution.
    unknown : str
        Why it has none, though it can change so.
    """

    hash: str = ""
    unknown: str = ""


STATED = Code()
"""Code that is as its spec's revision says."""


@dataclass(frozen=True)
class Entry:
    """A spec and the distribution that provides it."""

    spec: Any
    distribution: str
    version: str
    code: Code = STATED

    @property
    def revision(self) -> int | str:
        """What stands for this part in the id of a run: the hash of its source, or the revision its spec states."""
        stated: int = self.spec.revision
        return self.code.hash or stated

    def to_json(self) -> dict[str, Any]:
        """Return the entry as the ``list`` command prints it."""
        try:
            reason = self.spec.missing()
        except Exception as error:  # noqa: BLE001 - one plugin's own question must not stop the list
            reason = f"cannot tell whether it can be used here: {type(error).__name__}: {error}"
        state = "unavailable" if reason else "available"
        head = {"name": self.spec.name, "summary": self.spec.summary}
        origin = {"distribution": self.distribution, "version": self.version, "state": state, "reason": reason}
        fields: dict[str, Any] = self.spec.to_json()
        return head | origin | fields


@dataclass(frozen=True)
class Absence:
    """Names that a plugin would have provided, had it loaded: those known, and all with its prefix.

    ``plain`` tells that its names need no prefix, so that any name without one may be among them.
    """

    prefix: str
    names: frozenset[str]
    why: str
    plain: bool = False


_ASKED: ContextVar[dict[tuple[Kind, str], Entry] | None] = ContextVar("_ASKED", default=None)


@contextmanager
def asked() -> Iterator[dict[tuple[Kind, str], Entry]]:
    """Collect the entries that any registry is asked for in this context, by kind and name.

    What a part makes by name is known by this, whether or not its spec declares it.
    """
    found: dict[tuple[Kind, str], Entry] = {}
    outer = _ASKED.get()
    token = _ASKED.set(found)
    try:
        yield found
    finally:
        _ASKED.reset(token)
        if outer is not None:
            outer.update(found)


class Registry:
    """All entries, by kind and name. Names are unique within a kind."""

    def __init__(self) -> None:
        self._entries: dict[Kind, dict[str, Entry]] = {kind: {} for kind in KINDS}
        self.absences: list[Absence] = []

    def copy(self) -> Registry:
        """Return a registry of the same entries that can be added to."""
        other = Registry()
        other._entries = {kind: dict(entries) for kind, entries in self._entries.items()}
        other.absences = list(self.absences)
        return other

    def add(self, specs: Iterable[Spec], distribution: str, version: str, code: Code = STATED) -> None:
        """Add all of these specs, or none.

        Raises
        ------
        InputError
            If a name is taken, within them or by another distribution (the message names both).
        """
        new: dict[tuple[Kind, str], Entry] = {}
        for spec in specs:
            key = (spec.kind, spec.name)
            taken = new.get(key) or self._entries[spec.kind].get(spec.name)
            if taken:
                raise InputError(
                    f"{spec.kind} {spec.name!r} is provided by {taken.distribution} and by {distribution}; "
                    "names are unique: rename one, or block a plugin with ALCORE_PLUGINS=-NAME."
                )
            new[key] = Entry(spec, distribution, version, code)
        for (kind, name), entry in new.items():
            self._entries[kind][name] = entry

    def entries(self, kind: Kind) -> list[Entry]:
        """Return the entries of a kind, by name."""
        return [entry for _, entry in sorted(self._entries[kind].items())]

    def get(self, kind: Kind, name: str) -> Entry | None:
        """Return one entry, or None if there is none of that name."""
        return self._entries[kind].get(name)

    def entry(self, kind: Kind, name: str) -> Entry:
        """Return one entry.

        Raises
        ------
        UnknownNameError
            With close matches, and with the reason if a plugin that failed to load would have provided it.
        """
        found = self.get(kind, name)
        if found:
            collected = _ASKED.get()
            if collected is not None:
                collected[kind, name] = found
            return found
        for absence in self.absences:
            if name in absence.names or name.partition(".")[0] == absence.prefix:
                raise UnknownNameError(f"{kind} {name!r} is missing because {absence.why}")
        others = [other for other in KINDS if other != kind and name in self._entries[other]]
        hint = f" There is a {others[0]} of that name." if others else did_you_mean(name, self._entries[kind])
        plain = [absence for absence in self.absences if absence.plain and "." not in name]
        perhaps = "".join(f" It may be missing because {absence.why}" for absence in plain)
        raise UnknownNameError(f"no {kind} is called {name!r}.{hint}{perhaps} See: alcore list {plural(kind)}")

    def build(self, kind: Kind, name: str, /, **params: Any) -> Any:
        """Make the thing of that name; see ``Spec.build``."""
        return self.entry(kind, name).spec.build(**params)

    def round_metric(self, name: str, /, classes: Sequence[Any], **params: Any) -> Any:
        """Return a round metric by name, for data of these classes.

        Raises
        ------
        InputError
            If a parameter is wrong, or names a class that is none of these.
        """
        spec: MetricSpec = self.entry("metric", name).spec
        return spec.build(**bound(spec, params, classes))

    def learner(self, name: str, /, task: Task, *, refit: Refit = "scratch", **params: Any) -> Recipe:
        """Return the recipe of a learner by name; a classifier serves a multi-label task as ``per_label`` says.

        Raises
        ------
        InputError
            If the learner does not serve the task.
        """
        spec: LearnerSpec = self.entry("learner", name).spec
        if task not in spec.tasks:
            fitting = ", ".join(e.spec.name for e in self.entries("learner") if task in e.spec.tasks)
            raise InputError(
                f"learner {name!r} serves {', '.join(sorted(spec.tasks))}, not {task}. Use one of {fitting}."
            )
        copies = task is Task.MULTILABEL and spec.per_label
        source: Any
        if "n_classes" in spec.parameters() and "n_classes" not in params and not copies:

            def source(n_classes: int) -> Any:
                return spec.build(n_classes=n_classes, **params)

        else:
            source = PerLabel(spec.build(**params)) if copies else spec.build(**params)
        return Recipe(source, refit=refit, name=name, classes=spec.classes)
