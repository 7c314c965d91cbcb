"""Hinted support vector machine."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from alcore import Floats, InputError, View
from alcore.interop import seed_of, signs
from alcore_libact.asking import Scored
from alcore_libact.library import quiet, replaced
from alcore_libact.sheet import sheet

with quiet():
    from libact.query_strategies import hintsvm as home  # type: ignore[import-untyped]

KERNELS = ("linear", "poly", "rbf", "sigmoid")


def hint_svm(
    Cl: float = 0.1,
    Ch: float = 0.1,
    p: float = 0.5,
    kernel: str = "linear",
    gamma: float = 0.1,
    degree: int = 3,
    coef0: float = 0.0,
) -> Scored:
    """Return ``HintSVM``; parameters are libact's.

    Parameters
    ----------
    Cl, Ch : float
        Weight of errors on labelled rows, and of hints: unlabelled rows drawn to lie on the boundary.
    p : float
        Size of the draw, as a share of the unlabelled rows.
    kernel : "linear", "poly", "rbf" or "sigmoid"
    gamma, degree, coef0
        Of the kernel.
    """
    if kernel not in KERNELS:
        raise InputError(f"kernel is {kernel!r}; use one of {', '.join(KERNELS)}.")
    params = {"Cl": Cl, "Ch": Ch, "p": p, "kernel": kernel, "gamma": gamma, "degree": degree, "coef0": coef0}
    return Scored("libact.hint-svm", distances, **params)


def distances(view: View, **params: Any) -> Floats:
    """Return |f(x)| of the hinted SVM (Li, Ferng and Lin 2012): libact asks the row farthest from the boundary.

    While one class only is labelled, libact's solver refuses, and every row scores alike.
    """
    if len(np.unique(view.y)) < 2:
        return np.zeros(len(view.unlabeled))
    told: list[Any] = []
    data = sheet(view, labels=signs(view.y), features=view.pool.features)
    with quiet(), replaced(home, "hintsvm_query", partial(_recorded, home.hintsvm_query, told)):
        home.HintSVM(data.dataset, random_state=int(seed_of(view)), **params).make_query()
    return np.abs(np.asarray(told[0], dtype=np.float64)[:, 0])


def _recorded(query: Any, told: list[Any], X: Any, y: Any, weight: Any, pool: Any, params: dict[str, Any]) -> Any:
    """Call libact's solver, which empties the parameters it is given, with a copy of them; keep what it says."""
    told.append(query(X, y, weight, pool, dict(params)))
    return told[0]
