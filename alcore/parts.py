"""What takes part in a run: strategy, learners, rules, metrics and what these are made of, and in which revision."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import Any, TypeAlias

from alcore.plugins import OURS
from alcore.registry import Entry, Registry, asked
from alcore.spec import Kind, Spec

Parts: TypeAlias = Mapping[tuple[Kind, str], Entry]
"""Entries by kind and name."""


class UnseenCodeWarning(UserWarning):
    """Changes of a part's code would not be noticed."""


def made_of(registry: Registry, kind: Kind, name: str, params: Mapping[str, Any]) -> dict[tuple[Kind, str], Entry]:
    """Return a part of a run, what its spec says it is made of, and what it makes by name when it is made.

    It is made for this unless all of it is alcore's own, whose specs are tested to say what they are made of.

    Raises
    ------
    AlcoreError
        If it is not known, or something that its spec names is not.
    """
    found = declared(registry, kind, name, params)
    if any(entry.distribution not in OURS for entry in found.values()):
        found |= made(registry, kind, name, params)
    return found


def declared(registry: Registry, kind: Kind, name: str, params: Mapping[str, Any]) -> dict[tuple[Kind, str], Entry]:
    """Return a part, and the strategies that its spec says it is made of."""
    own = registry.entry(kind, name)
    inner = getattr(own.spec.given(params), "parts", ())
    return {(kind, name): own} | {("strategy", part): registry.entry("strategy", part) for part in inner}


def made(registry: Registry, kind: Kind, name: str, params: Mapping[str, Any]) -> dict[tuple[Kind, str], Entry]:
    """Return what a part asks registries for when it is made; one that cannot be made has asked for so much."""
    entry = registry.entry(kind, name)
    with asked() as found:
        try:
            entry.spec.build(**params)
        except (Exception, SystemExit):  # noqa: BLE001 - how a part fails is the result of its runs, not of planning them
            return dict(found)
    return dict(found)


def undeclared(registry: Registry, kind: Kind, name: str, params: Mapping[str, Any]) -> list[tuple[Kind, str]]:
    """Return kind and name of what a part makes by name, when it is made, without its spec saying so.

    What is made in ``setup``, ``query`` or ``fit`` is seen by calling these in ``alcore.registry.asked()``.
    """
    known = declared(registry, kind, name, params)
    return [part for part in made(registry, kind, name, params) if part not in known]


def revisions(parts: Parts) -> dict[str, int | str]:
    """Return the revisions of parts, by kind and name as one text."""
    return {f"{kind} {name}": entry.revision for (kind, name), entry in sorted(parts.items())}


def versions(entries: Iterable[Entry]) -> dict[str, str]:
    """Return versions of whatever takes part in a run: those who provide its parts, and what these compute with."""
    found = {name: installed(name) for name in ("numpy", "scikit-learn")}
    for entry in entries:
        spec: Spec = entry.spec
        found[entry.distribution] = entry.version
        found |= {module: installed(module) for module in spec.requires}
    return dict(sorted(found.items()))


def warn_of_unseen(entries: Iterable[Entry]) -> None:
    """Warn of each distribution whose code can change without a run's id changing."""
    for distribution, why in {
        entry.distribution: entry.code.unknown for entry in entries if entry.code.unknown
    }.items():
        text = f"changes of {distribution} are not noticed, and its runs not made anew: {why}."
        warnings.warn(text, UnseenCodeWarning, stacklevel=3)


@cache
def installed(module: str) -> str:
    """Return the version of a distribution, or of those that provide a module; "unknown" if there is none."""
    try:
        return version(module.replace("_", "-"))
    except PackageNotFoundError:
        # A module can have another name than its distribution, as skactiveml of scikit-activeml has.
        names = packages_distributions().get(module.partition(".")[0], ())
        return "+".join(version(name) for name in sorted(names)) or "unknown"
