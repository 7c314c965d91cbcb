"""One small core, one interface, and every pool-based active-learning strategy behind it.

``alcore.simulate`` runs one strategy on labelled data; ``alcore.Session`` asks a person; ``alcore run FILE`` compares
strategies. Strategies, learners, metrics, data sets and stop rules come from plugins.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from alcore.api import Finished, simulate
    from alcore.dataset import Dataset
    from alcore.decorators import comparison_metric, curve_metric, round_metric, scores, selects, strategy
    from alcore.errors import (
        AlcoreError,
        DamagedError,
        DamagedWarning,
        EvaluationError,
        InputError,
        LearnerError,
        PairingError,
        StorageError,
        StrategyError,
        UnavailableError,
        UnknownNameError,
    )
    from alcore.hooks import hookimpl
    from alcore.learners import Model, Recipe
    from alcore.pool import Pool
    from alcore.protocols import Curve, History, Record, Scored
    from alcore.selection import selected
    from alcore.session import Session
    from alcore.spec import DatasetSpec, LearnerSpec, MetricSpec, PresetSpec, SelectorSpec, StopRuleSpec, StrategySpec
    from alcore.store import Store
    from alcore.types import Floats, Labels, Rows, Status, Task
    from alcore.view import View

_HOME = {
    "api": ("Finished", "simulate"),
    "dataset": ("Dataset",),
    "decorators": ("comparison_metric", "curve_metric", "round_metric", "scores", "selects", "strategy"),
    "errors": (
        "AlcoreError", "DamagedError", "DamagedWarning", "EvaluationError", "InputError", "LearnerError",
        "PairingError", "StorageError", "StrategyError", "UnavailableError", "UnknownNameError",
    ),
    "hooks": ("hookimpl",),
    "learners": ("Model", "Recipe"),
    "pool": ("Pool",),
    "protocols": ("Curve", "History", "Record", "Scored"),
    "selection": ("selected",),
    "session": ("Session",),
    "spec": ("DatasetSpec", "LearnerSpec", "MetricSpec", "PresetSpec", "SelectorSpec", "StopRuleSpec", "StrategySpec"),
    "store": ("Store",),
    "types": ("Floats", "Labels", "Rows", "Status", "Task"),
    "view": ("View",),
}  # fmt: skip
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "AlcoreError", "Curve", "DamagedError", "DamagedWarning", "Dataset", "DatasetSpec", "EvaluationError", "Finished",
    "Floats", "History", "InputError", "Labels", "LearnerError", "LearnerSpec", "MetricSpec", "Model", "PairingError",
    "Pool", "PresetSpec", "Recipe", "Record", "Rows", "Scored", "SelectorSpec", "Session", "Status", "StopRuleSpec",
    "StorageError", "Store", "StrategyError", "StrategySpec", "Task", "UnavailableError", "UnknownNameError", "View",
    "comparison_metric", "curve_metric", "hookimpl", "round_metric", "scores", "selected", "selects", "simulate",
    "strategy",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a public name's module when the name is first used: importing alcore costs next to nothing."""
    if name == "testing":
        return import_module("alcore.testing")
    if name not in _MODULE:
        raise AttributeError(f"module 'alcore' has no attribute {name!r}")
    value = getattr(import_module(f"alcore.{_MODULE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
