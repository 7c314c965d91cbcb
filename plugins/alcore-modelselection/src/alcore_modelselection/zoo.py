"""Model-selection tasks made from real data sets: many scikit-learn classifiers on the same test rows."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from alcore.errors import InputError, UnavailableError
from alcore_modelselection.predictions import Predictions

Condition: TypeAlias = Literal["plain", "imbalanced", "biased", "imbalanced+biased"]
CONDITIONS: tuple[Condition, ...] = ("plain", "imbalanced", "biased", "imbalanced+biased")
MAJORITY = 0.9
"""The share of the most common class where test rows, or the rows a biased model is trained on, are imbalanced."""

SETTINGS: list[tuple[str, str, dict[str, Any]]] = [
    *[("sklearn.linear_model", "LogisticRegression", {"C": c, "max_iter": 300}) for c in (0.001, 0.01, 0.1, 1.0, 10.0)],
    *[("sklearn.neighbors", "KNeighborsClassifier", {"n_neighbors": k}) for k in (1, 3, 7, 15, 31)],
    *[("sklearn.tree", "DecisionTreeClassifier", {"max_depth": d}) for d in (1, 2, 4, 8, None)],
    *[("sklearn.ensemble", "RandomForestClassifier", {"n_estimators": 20, "max_depth": d}) for d in (2, 5, None)],
    *[("sklearn.ensemble", "ExtraTreesClassifier", {"n_estimators": 20, "max_depth": d}) for d in (3, None)],
    ("sklearn.naive_bayes", "GaussianNB", {}),
    *[
        ("sklearn.discriminant_analysis", "LinearDiscriminantAnalysis", {"solver": "lsqr", "shrinkage": s})
        for s in ("auto", 0.9)
    ],
    ("sklearn.svm", "SVC", {"C": 1.0}),
]
SIZES = (40, 120, 400)


def make_task(
    X: ArrayLike, y: ArrayLike, *, condition: Condition = "plain", seed: int = 0, test_rows: int = 2000
) -> Predictions:
    """Return the hard predictions of 72 classifiers on held-out rows, with their labels.

    24 settings of eight kinds of classifier are trained on 40, 120 and 400 rows each, drawn anew for every model.

    Parameters
    ----------
    X : array of shape (n, d)
        Numeric features; missing values become the feature's mean.
    y : array of shape (n,)
    condition : str
        ``imbalanced``: test rows of the other classes are thinned out until the most common class makes up 90 %.
        ``biased``: a third of the models is trained on rows of which 90 % are of the most common class, and one
        predicts that class always.
    seed : int
    test_rows : int
        At most this many.

    Raises
    ------
    InputError
        If there are fewer than 800 rows or two classes, or the condition is unknown.
    UnavailableError
        If scikit-learn is not installed.
    """
    features, labels = _checked(X, y, condition)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(labels))
    half = len(order) // 2
    train, test = order[:half], order[half:]
    common = np.bincount(labels).argmax()
    if "imbalanced" in condition:
        test = _thinned(test, labels, int(common), rng)
    test = test[:test_rows]
    mean, scale = features[train].mean(axis=0), features[train].std(axis=0)
    features = (features - mean) / np.where(scale > 0, scale, 1.0)
    hard, names = [], []
    for k, (name, model, size) in enumerate(_models(seed)):
        biased = "biased" in condition.split("+") and k % 3 == 0
        rows = _sample(train, labels, size, int(common) if biased else None, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a model that did not converge is a candidate like any other
            hard.append(model.fit(features[rows], labels[rows]).predict(features[test]))
        names.append(f"{name}-{size}{'-biased' if biased else ''}")
    if "biased" in condition.split("+"):
        hard[-1], names[-1] = np.full(len(test), common), "always-the-most-common"
    classes = np.arange(labels.max() + 1)
    return Predictions(np.stack(hard), labels=labels[test], classes=classes, models=names)


def _checked(X: ArrayLike, y: ArrayLike, condition: str) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    if condition not in CONDITIONS:
        raise InputError(f"condition={condition!r}; use one of {', '.join(CONDITIONS)}.")
    features, (names, labels) = np.array(X, dtype=np.float64), np.unique(np.asarray(y), return_inverse=True)
    if features.ndim != 2 or len(features) != len(labels) or len(labels) < 800 or len(names) < 2:
        raise InputError(
            f"X has shape {features.shape} and y {labels.shape} with {len(names)} classes; a task needs 800 rows of "
            "numeric features or more, and two classes."
        )
    gone = np.isnan(features)
    features[gone] = np.broadcast_to(np.nanmean(features, axis=0), features.shape)[gone]
    return features, labels.astype(np.intp)


def _models(seed: int) -> Iterator[tuple[str, Any, int]]:
    for size in SIZES:
        for i, (module, name, params) in enumerate(SETTINGS):
            try:
                make = getattr(importlib.import_module(module), name)
            except ImportError as error:
                raise UnavailableError("making tasks needs scikit-learn: pip install scikit-learn") from error
            more = {"random_state": seed} if "Tree" in name or "Forest" in name else {}
            label = "-".join(
                str(value) for key, value in params.items() if key not in ("max_iter", "n_estimators", "solver")
            )
            yield f"{i}-{name}{'-' if label else ''}{label}", make(**params, **more), size


def _thinned(rows: NDArray[np.intp], labels: NDArray[np.intp], common: int, rng: Generator) -> NDArray[np.intp]:
    """Return all rows of the common class, and as many others as leave it its share, in the order given."""
    is_common = labels[rows] == common
    others = np.flatnonzero(~is_common)
    keep = min(len(others), round(int(is_common.sum()) * (1 - MAJORITY) / MAJORITY))
    mask = is_common.copy()
    mask[rng.choice(others, size=keep, replace=False)] = True
    return np.asarray(rows[mask])


def _sample(
    rows: NDArray[np.intp], labels: NDArray[np.intp], size: int, common: int | None, rng: Generator
) -> NDArray[np.intp]:
    """Return rows to train on, with two of each class at least; mostly of the common class if that is given."""
    start = np.concatenate([rng.permutation(rows[labels[rows] == c])[:2] for c in np.unique(labels[rows])])
    rest = rng.permutation(rows)
    if common is not None:
        rest = rest[(labels[rest] == common) | (rng.random(len(rest)) < 1 - MAJORITY)]
    return np.concatenate([start, rest[: max(0, size - len(start))]])
