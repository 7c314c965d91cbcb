"""The tables of the paper, and the settings under which its code made them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from alcore_modelselection.metrics import cumulative_regret
from alcore_modelselection.simulation import Trace

SEEDS = 5
"""Seeds behind each published mean."""

TABLES = {
    "1": "cumulative regret after 100 labels x 100",
    "3": "regret after 50 labels x 100",
    "4": "regret after 100 labels x 100",
    "5": "regret before any label x 100",
}

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "random": ("random", {}),
    "uncertainty": ("uncertainty", {}),
    "active-testing": ("active-testing", {"variant": "code"}),
    "vma": ("vma", {"variant": "code"}),
    "model-selector": ("model-selector", {}),
    "coda": ("coda", {}),
}
"""The column of a table: the selector, and its parameters in the published comparison."""

EPSILON = {
    "pacs": 0.45, "cifar10-high": 0.47, "cifar10-low": 0.47, "cola": 0.41, "mnli": 0.43, "qnli": 0.44, "qqp": 0.47,
    "rte": 0.39, "sst2": 0.36, "mrpc": 0.37,
}  # fmt: skip
"""ModelSelector's epsilon by task, as published by its authors."""

EPSILON_DEFAULT = 0.46
"""What the published comparison used where it found no entry, which seems to be all of GLUE."""


@dataclass(frozen=True)
class Value:
    """A published mean, and its standard deviation over five seeds where one is given."""

    mean: float
    sd: float | None


@cache
def published() -> dict[tuple[str, str, str], Value]:
    """Return the published values by (table, task, method); Table 2 is the standard deviations of Table 1."""
    text = files("alcore_modelselection").joinpath("published.csv").read_text(encoding="utf-8")
    return {
        (row["table"], row["task"], row["method"]): Value(float(row["mean"]), float(row["sd"]) if row["sd"] else None)
        for row in csv.DictReader(text.splitlines())
    }


def task_name(stem: str) -> str:
    """Return the paper's name of a task from that of its file: ``glue_cola`` is cola, ``real_sketch`` real->sketch."""
    for suite in ("glue_", "msv_", "wilds_", "domainnet126_"):
        stem = stem.removeprefix(suite)
    source, _, target = stem.partition("_")
    known = {task for _, task, _ in published()}
    return f"{source}->{target}" if f"{source}->{target}" in known else stem


def parameters(method: str, task: str) -> dict[str, Any]:
    """Return the parameters of a method on a task in the published comparison."""
    if method != "model-selector":
        return METHODS[method][1]
    suite_is_glue = task in ("cola", "mnli", "qnli", "qqp", "rte", "sst2", "mrpc")
    return {"epsilon": EPSILON_DEFAULT if suite_is_glue else EPSILON.get(task, EPSILON_DEFAULT)}


def cell(table: str, trace: Trace) -> float:
    """Return what a simulation of 100 labels contributes to a table, as printed there (x 100)."""
    if table == "1":
        return 100.0 * float(cumulative_regret(trace.regret)[-1])
    return 100.0 * float(trace.regret[{"3": 50, "4": 100, "5": 0}[table]])
