"""The protocols of the benchmark as presets: keys of an experiment that hold where its file does not say otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from alcore import InputError, PresetSpec
from alcore.errors import did_you_mean
from alcore.spec import Spec

PAPER = "Lu, Li and Lin, An Expanded Benchmark that Rediscovers and Affirms the Edge of Uncertainty Sampling, 2023"

RBF_SVM = {"name": "rbf-svm", "gamma": "auto", "scale": False, "label": "rbf-svm"}
"""C = 1 and gamma = 1/d, on columns that the split has standardised."""

LOGISTIC = {"name": "logistic-regression", "max_iter": 100, "scale": False, "label": "logistic-regression"}
"""C = 1, at most 100 steps of L-BFGS."""

MODELS: dict[str, dict[str, Any]] = {
    "rbf-svm": RBF_SVM,
    "xgboost": {"name": "xgboost", "label": "xgboost"},
    "random-forest": {"name": "random-forest", "label": "random-forest"},
    "logistic-regression": LOGISTIC,
}
"""The published models by name; that of ``standard`` is the learner of this name, with the registry's defaults."""

PER_CLASS = 10
"""Rows of the start set for each class where there are several."""

Pair: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Settings:
    """The parameters that both presets have, checked; see ``published``.

    Raises
    ------
    InputError
        If a value is not one of its kind, or two of them contradict each other.
    """

    preset: str
    size: int | None
    classes: int | None
    one_shot: bool
    batch: int
    fixed_split: bool
    fixed_start: bool
    imbalanced: bool
    model: str
    tuned: bool

    def __post_init__(self) -> None:
        for name in ("one_shot", "fixed_split", "fixed_start", "imbalanced", "tuned"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{self.preset}: {name} is {getattr(self, name)!r}; give true or false.")
        for name, least in (("size", 0), ("classes", 2), ("batch", 1)):
            value = getattr(self, name)
            whole = isinstance(value, int) and not isinstance(value, bool) and value >= least
            if not whole and (value is not None or name == "batch"):
                raise InputError(f"{self.preset}: {name} is {value!r}; give a whole number of {least} or more.")
        if not isinstance(self.model, str) or self.model not in MODELS:
            close = did_you_mean(str(self.model), MODELS)
            raise InputError(f"{self.preset}: model is {self.model!r}; use one of {', '.join(MODELS)}.{close}")
        starts = [name for name in ("size", "classes") if getattr(self, name) is not None]
        starts += ["one_shot"] if self.one_shot else []
        if len(starts) > 1:
            raise InputError(
                f"{self.preset}: {' and '.join(starts)} each say how large the start set is; give one of them."
            )

    def start(self, method: str) -> dict[str, Any]:
        """Return the start set: drawn by this method, but for one of each class."""
        size = 20 if self.size is None else self.size
        drawn = {"method": method, "size": size if self.classes is None else PER_CLASS * self.classes}
        one_each = {"method": "per-class", "size": 1}
        return (one_each if self.one_shot else drawn) | {"classes": "all"} | _seed(self.fixed_start)

    def learners(self, model: Mapping[str, Any], tuned: Mapping[str, Any]) -> list[Pair]:
        """Return the model; or its default and its tuned form asking, each time the tuned one scored."""
        if not self.tuned:
            return [dict(model)]
        return [{"query": dict(asking), "task": dict(tuned)} for asking in (model, tuned)]

    def metrics(self, curve: Any, weighted_only: bool = False) -> dict[str, Any]:
        """Return the metrics; the first one is what tables show."""
        weighted = ["f1-weighted", "accuracy"] if self.imbalanced else ["f1-weighted"]
        return {"round": weighted if self.imbalanced or weighted_only else ["accuracy"], "curve": [curve]}


def _seed(fixed: bool) -> dict[str, int]:
    """Return the key that draws by seed 0 whatever the run's seed is, as the published code fixes things."""
    return {"seed": 0} if fixed else {}


def published(
    size: int | None = None,
    classes: int | None = None,
    one_shot: bool = False,
    batch: int = 1,
    fixed_split: bool = False,
    fixed_start: bool = False,
    imbalanced: bool = False,
    model: str = "rbf-svm",
    tuned: bool = False,
) -> dict[str, Any]:
    """Return the reference code's protocol, faults included.

    Parameters
    ----------
    size : int or None
        Rows of the start set, 20 by default.
    classes : int or None
        How many classes the data have: ten rows for each make the start set.
    one_shot : bool
        Start with one row of each class, and record the weighted F1, as for Table 10.
    batch : int
        Rows per round.
    fixed_split, fixed_start : bool
        Draw the test set, or the start set, by seed 0 in all runs. The published split shuffles the pool, too, so where
        one of the two is fixed and not the other, the start set is drawn at random instead of taken from its head.
    imbalanced : bool
        Record the weighted F1 beside the accuracy.
    model : str
        One of ``MODELS``. The columns are standardised for all but XGBoost, and for XGBoost if ``classes`` is given.
    tuned : bool
        The default and the tuned model ask; the tuned one is scored.

    Raises
    ------
    InputError
        As ``Settings``.
    """
    given = Settings(
        "published", size, classes, one_shot, batch, fixed_split, fixed_start, imbalanced, model, tuned
    )  # fmt: skip
    return {
        "split": {"method": "published", "test_size": 0.4, "standardize": model != "xgboost" or classes is not None}
        | _seed(fixed_split),
        "start": given.start("first" if fixed_split == fixed_start else "random"),
        "learners": given.learners(MODELS[model], _tuned_of(MODELS[model])),
        "batch": batch,
        "ties": "exact",
        "features": "raw",
        "budget": "all",
        "seeds": 100,
        "metrics": given.metrics({"name": "aubc", "kind": "ariapoy2023"}, weighted_only=one_shot),
    }


def _tuned_of(model: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tuned form of a published model, its grid around the published parameters."""
    name = f"tuned-{model['name']}"
    return dict(model) | {"name": name, "label": name}


def standard(
    size: int | None = None,
    classes: int | None = None,
    one_shot: bool = False,
    batch: int = 1,
    fixed_split: bool = False,
    fixed_start: bool = False,
    imbalanced: bool = False,
    model: str = "rbf-svm",
    tuned: bool = False,
) -> dict[str, Any]:
    """Return the same idea done right.

    Learners scale on what is labelled, ties are broken by chance, AUBC is not biased, and the test set has every class.
    Parameters and errors as ``published``, but that ``one_shot`` leaves the metrics alone.
    """
    given = Settings(
        "standard", size, classes, one_shot, batch, fixed_split, fixed_start, imbalanced, model, tuned
    )  # fmt: skip
    return {
        "split": {"method": "stratified", "test_size": 0.4} | _seed(fixed_split),
        "start": given.start("random"),
        "learners": given.learners({"name": model}, {"name": f"tuned-{model}"}),
        "batch": batch,
        "ties": "random",
        "budget": "all",
        "seeds": 100,
        "metrics": given.metrics("aubc"),
    }


def specs() -> list[Spec]:
    """Return the presets."""

    def one(make: Callable[..., dict[str, Any]], summary: str) -> PresetSpec:
        return PresetSpec(name=make.__name__, summary=summary, make=make, source=PAPER)

    return [
        one(published, "The expanded benchmark exactly as its code ran it, RBF-SVM by default"),
        one(standard, "The expanded benchmark's protocol done right"),
    ]
