"""A study of our own: every selector on tasks made from real data sets, in four conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from alcore.plugins import loaded
from alcore_modelselection.published import EPSILON_DEFAULT
from alcore_modelselection.simulation import simulate
from alcore_modelselection.unsupervised import step0_regret
from alcore_modelselection.zoo import Condition, make_task

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "random": ("random", {}),
    "uncertainty": ("uncertainty", {}),
    "active-testing": ("active-testing", {}),
    "vma": ("vma", {}),
    "model-selector": ("model-selector", {"epsilon": EPSILON_DEFAULT}),
    "coda": ("coda", {}),
    "coda, paper": ("coda", {"variant": "paper"}),
    "coda, total": ("coda", {"pbest": "total"}),
}
ONCE = ("coda", "coda, paper", "coda, total")
"""Methods whose only chance is in ties: one seed tells all."""


def run(dataset: str, condition: Condition, seeds: int, *, labels: int = 100) -> list[dict[str, Any]]:
    """Return one row per method: mean and SD of the cumulative regret, the regrets at 0, 50 and 100 labels (x 100).

    Parameters
    ----------
    dataset : the name of a data set with numeric features and classes
    condition : see ``make_task``
    seeds : runs of the methods that draw at random
    labels : labels per run
    """
    data = loaded().registry.build("dataset", dataset)
    task = make_task(data.X, data.y, condition=condition)
    assert task.labels is not None  # noqa: S101 - made with labels
    accuracy = (task.hard == task.labels).mean(axis=1)
    facts = {
        "dataset": dataset,
        "condition": condition,
        "models": task.n_models,
        "rows": task.n_rows,
        "classes": task.n_classes,
        "majority": float(np.bincount(task.labels).max() / task.n_rows),
        "best_model": task.models[int(accuracy.argmax())],
        "best_accuracy": float(accuracy.max()),
        "median_accuracy": float(np.median(accuracy)),
    }
    rows = []
    for name, (method, params) in METHODS.items():
        traces = [
            simulate(task, method, steps=labels, seed=seed, params=params)
            for seed in range(1 if name in ONCE else seeds)
        ]
        total = [100 * float(trace.cumulative_regret[-1]) for trace in traces]
        at = {
            f"regret_{t}": 100 * float(np.mean([trace.regret[t] for trace in traces])) for t in (0, labels // 2, labels)
        }
        rows.append(facts | {"strategy": name, "mean": float(np.mean(total)), "sd": float(np.std(total))} | at)
    ensv = step0_regret(task)["ensv"]
    return [row | {"ensv": None if ensv is None else 100 * ensv} for row in rows]


def summary(rows: Sequence[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return the columns and rows of a table: one row per task, one column per method, the lowest marked with *."""
    tasks = list(dict.fromkeys((row["dataset"], row["condition"]) for row in rows))
    methods = list(dict.fromkeys(row["strategy"] for row in rows))
    table = []
    for task in tasks:
        mean = {row["strategy"]: row["mean"] for row in rows if (row["dataset"], row["condition"]) == task}
        lowest = min(mean.values())
        table.append([*task, *(f"{mean[m]:.0f}{'*' if mean[m] == lowest else ''}" for m in methods)])
    return ["dataset", "condition", *methods], table
