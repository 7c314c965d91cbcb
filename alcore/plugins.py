"""Loads plugins one at a time, so that a broken one stops nobody and says why it is missing."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy

from alcore import hooks
from alcore.decorators import ATTRIBUTE, spec_of
from alcore.editable import code_of, hashed
from alcore.errors import AlcoreError, InputError, described, did_you_mean
from alcore.registry import KINDS, STATED, Absence, Code, Registry, plural
from alcore.spec import Kind, Spec

GROUP = "alcore"
PLAIN_NAMES = frozenset({"alcore", "alcore-strategies", "alcore-benchmark", "alcore-speedup", "alcore-modelselection"})
"""Distributions whose names need no prefix."""

OURS = PLAIN_NAMES | {"alcore-alipy", "alcore-libact", "alcore-modal", "alcore-playground", "alcore-skactiveml"}
"""Distributions that are tested to raise the revisions of their parts, and to declare what these are made of.

Editable ones are not hashed, so that an edit anywhere in a checkout does not orphan the results of all.
"""


class PluginState(StrEnum):
    """What became of a plugin."""

    LOADED = "loaded"
    FAILED = "failed"
    BLOCKED = "blocked"


@dataclass(frozen=True)
class PluginReport:
    """One plugin: where it comes from, what became of it and why, and the names it provides by kind."""

    entry: str
    dist: str
    version: str
    state: PluginState
    reason: str = ""
    provides: dict[str, list[str]] = field(default_factory=dict)


class PluginError(AlcoreError, RuntimeError):
    """A plugin failed to load and ALCORE_STRICT asks for no mercy."""


@dataclass(frozen=True)
class Plugins:
    """All plugins: the registry they filled, a report on each, and pluggy's manager for the hooks that act."""

    registry: Registry
    reports: list[PluginReport]
    manager: pluggy.PluginManager


@functools.cache
def loaded() -> Plugins:
    """Return the plugins of this environment, loaded once per process."""
    return load()


def load(
    found: Iterable[EntryPoint] | None = None, *, blocked: Iterable[str] | None = None, strict: bool | None = None
) -> Plugins:
    """Load plugins.

    Parameters
    ----------
    found : entry points
        Those of the group ``alcore`` by default.
    blocked : entry names to leave out
        From ``ALCORE_PLUGINS=-name,-name`` by default.
    strict : bool
        Raise at the first plugin that fails; from ``ALCORE_STRICT=1`` by default.

    Raises
    ------
    PluginError
        If strict and a plugin fails.
    InputError
        If ``ALCORE_PLUGINS`` cannot be read.
    """
    found = list(entry_points(group=GROUP) if found is None else found)
    blocked = frozenset(_blocked() if blocked is None else blocked)
    strict = asks_strict() if strict is None else strict
    manager = pluggy.PluginManager(hooks.PROJECT)
    manager.add_hookspecs(hooks)
    plugins = Plugins(Registry(), [], manager)
    # Alphabetical, ours first: which of two plugins loses a name does not depend on the order of installation.
    for entry in sorted(found, key=lambda e: (_distribution(e)[0] != "alcore", _distribution(e)[0], e.name)):
        plugins.reports.append(_load_one(entry, plugins, entry.name in blocked, strict))
    return plugins


def asks_strict() -> bool:
    """Tell whether ``ALCORE_STRICT=1`` asks to raise at the first plugin that fails."""
    return os.environ.get("ALCORE_STRICT", "") == "1"


def with_files(plugins: Plugins, files: Iterable[Path]) -> Registry:
    """Return a registry with, besides the plugins, what these Python files decorate: strategies not yet packaged.

    Names in a file need no prefix. The file's hash stands for its version and for the revision of its parts, so that
    results of an earlier text are not reused.

    Raises
    ------
    InputError
        If a file cannot be read, raises when it is run, provides nothing, or takes a name that is taken.
    """
    registry = plugins.registry.copy()
    for file in files:
        module, text = _run_file(file)
        # Not what an instance or a subclass inherits, nor a thing's second name: one spec is one entry.
        things = [v for v in vars(module).values() if isinstance(v, Spec) or ATTRIBUTE in getattr(v, "__dict__", ())]
        # What the file imports is somebody else's; a Spec has no module to tell by.
        own = dict.fromkeys(spec_of(v) for v in things if isinstance(v, Spec) or v.__module__ == module.__name__)
        if not own:
            raise InputError(f"{file} provides nothing: decorate a function with alcore.scores, for one.")
        registry.add(own, file.name, hashed(text), Code(hashed(text)))
    return registry


def _run_file(file: Path) -> tuple[ModuleType, bytes]:
    try:
        text = file.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read the plugin file {file}: {error.strerror or error}.") from error
    # Named by content, and found by pickle: what it defines can be sent to a worker that has run it too.
    name = f"alcore_file_{hashlib.sha256(text).hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name], text
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError(f"{file} is no Python file; its name must end in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        # The text that was hashed; the import system might run older bytecode of a file edited within the same second.
        exec(compile(text, file, "exec", dont_inherit=True), vars(module))  # noqa: S102 - running it is what was asked
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):  # the user's
            raise
        raise InputError(f"{file} failed to run: {described(error)}") from error
    return module, text


def _blocked() -> list[str]:
    words = [word.strip() for word in os.environ.get("ALCORE_PLUGINS", "").split(",") if word.strip()]
    for word in words:
        if not re.fullmatch(r"-[^\s-]\S*", word):
            example = ",".join(f"-{part}" for part in re.findall(r"[^\s-]\S*", word)) or "-NAME"
            raise InputError(f"ALCORE_PLUGINS has {word!r}; it blocks plugins by name: ALCORE_PLUGINS={example}")
    return [word[1:] for word in words]


def _distribution(entry: EntryPoint) -> tuple[str, str]:
    # An interrupted installation may leave a distribution without the file that holds its name.
    about: Any = {}
    with suppress(FileNotFoundError):  # what newer versions of importlib.metadata raise, and older ones return None for
        about = (entry.dist.metadata if entry.dist else None) or {}
    return about.get("Name", "unknown"), about.get("Version", "unknown")


def _load_one(entry: EntryPoint, plugins: Plugins, blocked: bool, strict: bool) -> PluginReport:
    name, version = _distribution(entry)
    plain = name in PLAIN_NAMES
    if blocked:
        why = f"plugin {entry.name!r} ({name} {version}) is blocked by ALCORE_PLUGINS; unblock it there."
        plugins.registry.absences.append(Absence(entry.name, frozenset(), why, plain))
        return PluginReport(entry.name, name, version, PluginState.BLOCKED, "blocked by ALCORE_PLUGINS")
    specs: list[Spec] = []
    try:
        module = entry.load()
        _check_module(module)
        with _registered(plugins.manager, module):
            for kind in KINDS:
                specs += _collect(plugins.manager, module, kind)
            _check_names(specs, name)
            code = STATED if name in OURS else code_of(entry.dist, module.__name__, specs)
            plugins.registry.add(specs, name, version, code)
    except BaseException as error:
        # Whatever a plugin raises must not stop the others; it is reported, and raised on request.
        if isinstance(error, KeyboardInterrupt):  # the user's
            raise
        reason = described(error)
        if strict:
            raise PluginError(f"plugin {entry.name!r} ({name} {version}) failed to load: {reason}") from error
        end = "" if reason.endswith((".", "?")) else "."
        why = f"plugin {entry.name!r} ({name} {version}) failed to load: {reason}{end} See: alcore plugins"
        plugins.registry.absences.append(Absence(entry.name, frozenset(spec.name for spec in specs), why, plain))
        return PluginReport(entry.name, name, version, PluginState.FAILED, reason)
    provides: dict[str, list[str]] = {}
    for spec in specs:
        provides.setdefault(plural(spec.kind), []).append(spec.name)
    note = _idle(plugins.manager, module, provides)
    if code.unknown:
        note = f"changes of its code are not noticed: {code.unknown}"
    return PluginReport(entry.name, name, version, PluginState.LOADED, note, provides)


def _idle(manager: pluggy.PluginManager, module: ModuleType, provides: dict[str, list[str]]) -> str:
    hooks_of = [caller.name for caller in manager.get_hookcallers(module) or ()]
    acting = any(hook in hooks_of for hook in ("alcore_commands", "alcore_report_sections"))
    return "" if provides or acting else "provides nothing: no hook returned anything"


def _check_module(module: Any) -> None:
    if not isinstance(module, ModuleType):
        raise InputError(f"the entry point names {module!r}; it must name a module.")
    api = getattr(module, "alcore_api", None)
    if api != hooks.API:
        stated = "states no alcore_api" if api is None else f"was written for alcore_api = {api!r}"
        raise InputError(f"{module.__name__} {stated}; this alcore speaks {hooks.API}. Install matching versions.")
    known = [name for name in vars(hooks) if name.startswith("alcore_")]
    for name, value in vars(module).items():
        if not inspect.isfunction(value):
            continue
        marker = getattr(value, f"{hooks.PROJECT}_impl", None)
        if marker is None and not name.startswith("alcore_"):
            continue
        hook = (marker and marker["specname"]) or name
        if hook not in known:
            raise InputError(f"{module.__name__}.{name} is no hook of alcore.{did_you_mean(hook, known, limit=1)}")
        if marker is None:
            raise InputError(
                f"{module.__name__}.{name} is not marked with @alcore.hookimpl, so it would never be called."
            )


@contextmanager
def _registered(manager: pluggy.PluginManager, module: ModuleType) -> Iterator[None]:
    """Register, and take it back if the body fails: pluggy leaves a plugin it rejects half registered."""
    if manager.is_registered(module):
        raise InputError(f"the module {module.__name__} is that of another plugin too; name it in one entry point.")
    try:
        manager.register(module)
        yield
    except BaseException:
        if manager.is_registered(module):
            manager.unregister(module)
        raise


def _hook(kind: Kind) -> str:
    return f"alcore_{plural(kind).replace('-', '_')}"


def _collect(manager: pluggy.PluginManager, module: ModuleType, kind: Kind) -> list[Spec]:
    hook = _hook(kind)
    others = [plugin for plugin in manager.get_plugins() if plugin is not module]
    specs = []
    for things in manager.subset_hook_caller(hook, others)():
        if not isinstance(things, Iterable) or isinstance(things, str | type):
            raise InputError(f"{hook} returned {things!r}; it must return a list.")
        for thing in things:
            spec = spec_of(thing)
            if spec.kind != kind:
                raise InputError(
                    f"{hook} returned {spec.name!r}, which is a {spec.kind}: return it from {_hook(spec.kind)}."
                )
            specs.append(spec)
    return specs


def _check_names(specs: list[Spec], distribution: str) -> None:
    if distribution in PLAIN_NAMES:
        return
    for spec in specs:
        if "." not in spec.name:
            raise InputError(f"{spec.kind} {spec.name!r} has no prefix; a plugin's names are 'prefix.name'.")
