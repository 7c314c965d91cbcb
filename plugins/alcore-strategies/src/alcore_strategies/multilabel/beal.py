"""BEAL: the row whose labels the posterior predicts with the least expected confidence."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

import alcore
from alcore import Floats, InputError, Task, View
from alcore_strategies.checks import before, counts
from alcore_strategies.committee.members import sampler
from alcore_strategies.geometry import blocks

Confidence: TypeAlias = Literal["expected", "largest"]


def check_parameters(draws: int, confidence: str) -> None:
    """Raise InputError where a parameter is out of range."""
    counts("beal", draws=draws)
    if confidence not in ("expected", "largest"):
        raise InputError(f'beal: confidence is {confidence!r}; use "expected" or "largest".')


@alcore.scores(
    "beal",
    summary="Smallest expected confidence under posterior draws",
    tasks={Task.MULTILABEL},
    needs=("proba|draws",),
    stochastic=True,
    source="Wang et al., Deep Active Learning for Multi-Label Text Classification (BEAL, 2024); a reconstruction",
    group="multi-label",
    adapt=before(check_parameters),
)
def beal(view: View, *, draws: int = 20, confidence: Confidence = "expected") -> Floats:
    """-mean_c [p_c^2 + (1 - p_c)^2], with p = mean_t P_t over T draws of the posterior.

    The expectation, under p, of the probability that is given to the label that comes true.

    Parameters
    ----------
    draws : int
        T: draws of the learner's ``sample_proba``, or bagged twins, each a fit.
    confidence : "expected" or "largest"
        "largest" is mean_c max(p_c, 1 - p_c).
    """
    check_parameters(draws, confidence)
    sample, X = sampler(view, draws), view.X_unlabeled
    score = np.empty(len(view.unlabeled))
    for part in blocks(len(score), width=2 * draws * view.pool.n_classes):
        p = sample(X.iloc[part] if hasattr(X, "iloc") else X[part]).mean(axis=0)
        sure = p**2 + (1.0 - p) ** 2 if confidence == "expected" else np.maximum(p, 1.0 - p)
        score[part] = -sure.mean(axis=1)
    return score
