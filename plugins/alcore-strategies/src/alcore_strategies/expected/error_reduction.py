"""Expected error reduction: the row after whose label the least error is left on the others."""

from __future__ import annotations

import copy
from typing import Literal, TypeAlias, get_args

import numpy as np

from alcore import Floats, InputError, Rows, View, strategy
from alcore.types import Growth
from alcore_strategies.committee.information import entropy
from alcore_strategies.expected.logistic import Logistic, logistic_of
from alcore_strategies.expected.refits import BLOCK, Refits, mean

Loss: TypeAlias = Literal["zero-one", "log"]
ROUNDING = 1e-10
"""Of the largest error: a sum over all rows, of fits that are solved to about that."""
CACHED = 1 << 15
"""Numbers that stay in a core's cache."""


@strategy(
    "eer",
    summary="The row after whose label the least error is expected on the others",
    revision=2,
    needs=("proba",),
    batch="top",
    stochastic=True,  # candidates are drawn where they are asked for
    growth=Growth.QUADRATIC,
    group="expected change",
    source="Roy and McCallum, Toward Optimal Active Learning through Sampling Estimation of Error Reduction (2001)",
)
class ExpectedErrorReduction:
    """Expected error reduction.

    Parameters
    ----------
    loss : "zero-one" or "log"
        1 - max_k p_k or -sum_k p_k log p_k of each other unlabelled row, after the refit.
    candidates : int or None
        How many unlabelled rows, drawn anew in each round, are tried; the others come last. None tries all.

    Raises
    ------
    InputError
        If ``loss`` is neither, or ``candidates`` below 1.
    """

    def __init__(self, loss: Loss = "zero-one", candidates: int | None = None) -> None:
        if loss not in get_args(Loss):
            raise InputError(f"eer: loss is {loss!r}; use one of {', '.join(get_args(Loss))}.")
        if candidates is not None and candidates < 1:
            raise InputError(f"eer: candidates is {candidates!r}; give 1 or more, or None for all rows.")
        self.loss: Loss = loss
        self.candidates = candidates

    def scores(self, view: View) -> Floats:
        """Return minus the expected error, summed over the other unlabelled rows; -inf where it was not tried."""
        u = len(view.unlabeled)
        tried = np.arange(u)
        if self.candidates is not None and self.candidates < u:
            tried = np.sort(view.rng.choice(u, size=self.candidates, replace=False))
        problem = logistic_of(view)
        proba = view.proba[tried]
        scores = np.full(u, -np.inf)
        if problem is not None:
            scores[tried] = -together(problem, tried, proba[:, problem.seen], self.loss)
        else:
            scores[tried] = -one_by_one(view, tried, proba, self.loss)
        return scores

    def query(self, view: View, n: int) -> Rows:
        """Return the n rows of the least expected error."""
        return view.top(self.scores(view), n, rounding=ROUNDING) if n else view.unlabeled[:0]


def together(problem: Logistic, tried: Rows, proba: Floats, loss: Loss) -> Floats:
    """Return the expected error of each tried row, for a logistic regression: all refits at once, to the optimum.

    Parameters
    ----------
    problem : Logistic
    tried : array of shape (B,)
        Positions among the unlabelled rows.
    proba : array of shape (B, classes seen)
        How likely each hypothetical label is.
    loss : "zero-one" or "log"
    """
    refits, error = Refits(problem), np.zeros(len(tried))
    step = max(1, BLOCK // problem.labeled.size)
    for k in range(proba.shape[1]):
        likely = np.flatnonzero(proba[:, k])
        for first in range(0, len(likely), step):
            some = likely[first : first + step]
            theta = refits.solve(tried[some], np.tile(problem.targets(k), (len(some), 1)))
            error[some] += proba[some, k] * _left(problem, theta, tried[some], loss)
    return error


def _left(problem: Logistic, theta: Floats, own: Rows, loss: Loss) -> Floats:
    """Return the loss of each regression (B, C, D), summed over the unlabelled rows but its own; shape (B,)."""
    (_, c, d), u = theta.shape, len(problem.unlabeled)
    left = np.empty(len(theta))
    step = max(1, CACHED // (c * u))
    for first in range(0, len(theta), step):
        some = slice(first, first + step)
        logits = (theta[some].reshape(-1, d) @ problem.unlabeled.T).reshape(-1, c, u)
        each = certainty_loss(logits, loss)
        left[some] = each.sum(axis=1) - each[np.arange(len(each)), own[some]]
    return left


def certainty_loss(logits: Floats, loss: Loss) -> Floats:
    """Return 1 - max_k p_k, or the entropy, of logits (B, C, n), which are overwritten; shape (B, n)."""
    if logits.shape[1] > 1:
        p = mean(logits)
        return 1.0 - p.max(axis=1) if loss == "zero-one" else entropy(p.transpose(0, 2, 1))
    f = logits[:, 0]
    np.abs(f, out=f)
    e = np.exp(-f)
    q: Floats = e / (1.0 + e)
    return q if loss == "zero-one" else q * f + np.log1p(e)


def one_by_one(view: View, tried: Rows, proba: Floats, loss: Loss) -> Floats:
    """Return the expected error of each tried row, by a fit of the query learner for every label that it may have.

    All fits are of copies of one unfitted twin, so that rows are told apart by themselves and not by a seed.
    """
    twin, others = view.new_learner(), np.ones(len(view.unlabeled), dtype=np.bool_)
    error = np.zeros(len(tried))
    if len(others) == 1:  # nothing is left to be wrong about
        return error
    for i, position in enumerate(tried):
        X = view.pool.take(np.append(view.labeled, view.unlabeled[position]))
        others[position] = False
        left = view.pool.take(view.unlabeled[others])
        for k in np.flatnonzero(proba[i]):
            p = copy.deepcopy(twin).fit(X, np.append(view.y, k)).predict_proba(left)
            each = 1.0 - p.max(axis=1) if loss == "zero-one" else entropy(p)
            error[i] += proba[i, k] * each.sum()
        others[position] = True
    return error
