"""Draw what each strategy picks on a toy pool: ``uv run python docs/strategies/pictures.py [NAME ...]``.

The pool has two classes in two crescents, a dense cloud, and a few rows far from all others: rows that are uncertain,
rows that stand for many, and rows that do neither. All strategies start from the same four labelled rows and ask for
twelve more, one at a time, with an RBF-kernel logistic regression as the query learner.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("agg")
import matplotlib.pyplot as plt
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

import alcore
from alcore import plugins

HERE = Path(__file__).parent
ROUNDS = 12
BATCHES = {"batch-bald", "badge", "clue", "info-diverse", "mcm", "k-means", "diverse", "typiclust"}
"""Strategies whose point is the batch: they ask for all twelve at once."""


def pool() -> tuple[Any, Any]:
    """Two crescents, a dense cloud of one class, and outliers."""
    chance = np.random.default_rng(3)
    angle = chance.uniform(0, np.pi, size=(2, 70))
    upper = np.column_stack([np.cos(angle[0]), np.sin(angle[0])])
    lower = np.column_stack([1 - np.cos(angle[1]), 0.45 - np.sin(angle[1])])
    X = np.vstack([upper, lower]) + chance.normal(scale=0.17, size=(140, 2))
    y = np.repeat([0, 1], 70)
    cloud = chance.normal([2.3, 1.1], 0.12, size=(35, 2))
    far = np.array([[-1.6, -1.2], [3.0, -1.0], [-1.7, 1.5], [0.6, 2.0]])
    return np.vstack([X, cloud, far]), np.concatenate([y, np.zeros(35, dtype=int), [0, 1, 0, 0]])


def learner(multilabel: bool) -> Any:
    """Logistic regression on an approximate RBF kernel: a curved boundary, and probabilities."""
    model = LogisticRegression(C=10.0, max_iter=1000)
    kernel = Nystroem(gamma=0.8, n_components=4, random_state=0)
    return make_pipeline(kernel, OneVsRestClassifier(model) if multilabel else model)


def draw(name: str, path: Path) -> None:
    """Run one strategy and draw its picks, numbered in order."""
    spec = plugins.loaded().registry.entry("strategy", name).spec
    X, y = pool()
    multilabel = "classification" not in spec.tasks
    labels = np.column_stack([y, X[:, 0] > 0.9]).astype(int) if multilabel else y
    start = [4, 40, 90, 120]
    picks = alcore.simulate(
        X, labels, strategy=name, learner=learner(multilabel), start=start, budget=ROUNDS, seed=1,
        batch=ROUNDS if name in BATCHES else 1, test=(X, labels),
    ).queried[len(start) :]  # fmt: skip
    figure, axes = plt.subplots(figsize=(4.6, 3.4), dpi=110, layout="constrained")
    for code, colour, marker in ((0, "#4477aa", "o"), (1, "#cc6677", "s")):
        axes.scatter(*X[y == code].T, s=14, c=colour, marker=marker, alpha=0.45, linewidths=0)
        chosen = [row for row in start if y[row] == code]
        axes.scatter(*X[chosen].T, s=46, c=colour, marker=marker, edgecolors="black", linewidths=1.2)
    for order, row in enumerate(picks, 1):
        axes.annotate(
            str(order), X[row], ha="center", va="center", fontsize=8, fontweight="bold",
            bbox={"boxstyle": "circle,pad=0.22", "fc": "white", "ec": "black", "lw": 0.9},
        )  # fmt: skip
    axes.set(xticks=[], yticks=[], title=name)
    axes.set_aspect("equal")
    figure.savefig(path)
    plt.close(figure)


def main(names: list[str]) -> None:
    """Draw the named strategies, or all that have a page."""
    (HERE / "images").mkdir(exist_ok=True)
    known = [entry.spec.name for entry in plugins.loaded().registry.entries("strategy")]
    for name in names or [name for name in known if "." not in name and not name.endswith("-published")]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            draw(name, HERE / "images" / f"{name}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
