"""The protocols of the benchmark as presets: keys of an experiment that hold where its file does not say otherwise."""

from __future__ import annotations

from typing import Any

from alcore import PresetSpec
from alcore.spec import Spec

PAPER = "Lu, Li and Lin, An Expanded Benchmark that Rediscovers and Affirms the Edge of Uncertainty Sampling, 2023"

RBF_SVM = {"name": "rbf-svm", "gamma": "auto", "scale": False, "label": "rbf-svm"}
"""C = 1 and gamma = 1/d, on columns that the split has standardised."""

LOGISTIC = {"name": "logistic-regression", "max_iter": 100, "scale": False, "label": "logistic-regression"}
"""C = 1, at most 100 steps of L-BFGS."""


def published(size: int = 20) -> dict[str, Any]:
    """Return the reference code's protocol, faults included; ``size`` is that of the start set."""
    return {
        "split": {"method": "published", "test_size": 0.4, "standardize": True},
        "start": {"method": "first", "size": size, "classes": "all"},
        "learners": [RBF_SVM],
        "ties": "first",
        "features": "raw",
        "budget": "all",
        "seeds": 100,
        "metrics": {"round": ["accuracy"], "curve": [{"name": "aubc", "kind": "ariapoy2023"}]},
    }


def standard(size: int = 20, one_shot: bool = False) -> dict[str, Any]:
    """Return the same idea done right.

    Learners scale on what is labelled, ties are broken by chance, AUBC is not biased, and the test set has every class.
    ``one_shot`` starts with one row of each class instead of ``size`` rows.
    """
    start = {"method": "per-class", "size": 1} if one_shot else {"method": "random", "size": size}
    return {
        "split": {"method": "stratified", "test_size": 0.4},
        "start": start | {"classes": "all"},
        "learners": ["rbf-svm"],
        "ties": "random",
        "budget": "all",
        "seeds": 100,
        "metrics": {"round": ["accuracy"], "curve": ["aubc"]},
    }


def specs() -> list[Spec]:
    """Return the presets."""
    return [
        PresetSpec(
            name="published", summary="The expanded benchmark exactly as its code ran it, RBF-SVM by default",
            make=published, source=PAPER,
        ),
        PresetSpec(
            name="standard", summary="The expanded benchmark's protocol done right", make=standard, source=PAPER
        ),
    ]  # fmt: skip
