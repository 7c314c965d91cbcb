"""The committees of the published benchmark as they were run: of one member, or of members that are all alike."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.random import Generator

from alcore import Floats, InputError, Labels, Model, Rows, Task, View, strategy
from alcore_strategies.committee.members import bag, checked_members
from alcore_strategies.committee.qbc import vote_entropy

Members: TypeAlias = Literal["one", "four"]
BENCHMARK = "Lu et al., An Expanded Benchmark that Rediscovers and Affirms the Edge of Uncertainty Sampling (2025)"
REDRAWS = 100
ROWS = 1 << 12
FLOOR = 1e-7
"""The least probability that scikit-activeml's BALD reckons with."""


@strategy(
    "qbc-published",
    summary="Query by committee as published: a committee of one, or four models' votes",
    learner=False,
    batch="top",
    stochastic=True,
    group="committee",
    source=BENCHMARK,
)
class QbcPublished:
    """Query by committee as the benchmark ran it.

    Parameters
    ----------
    committee : "one" or "four"
        With XGBoost and random forests, libact was given the query learner as the only member: the vote entropy is 0
        everywhere, and any row is asked. With the RBF-SVM it was given LR, a linear and an RBF SVM and LDA, each
        fitted to a bag of the labelled rows.

    Raises
    ------
    InputError
        If ``committee`` is neither.
    """

    def __init__(self, committee: Members = "one") -> None:
        if committee not in get_args(Members):
            raise InputError(f"qbc-published: committee is {committee!r}; use one of {', '.join(get_args(Members))}.")
        self.committee = committee

    def scores(self, view: View) -> Floats:
        """Return the vote entropy in nats."""
        if self.committee == "one":
            return np.zeros(len(view.unlabeled))
        return vote_entropy(four(view), view.pool.features[view.unlabeled], view.pool.n_classes)

    def query(self, view: View, n: int) -> Rows:
        """Return the n rows with the largest entropy."""
        return view.top(self.scores(view), n, rounding=0) if n else view.unlabeled[:0]


def four(view: View) -> list[Model]:
    """Return LR (C = 1), linear SVM, RBF-SVM and LDA, fitted to rows of ``pool.features`` in bags.

    A bag that lacks a class is drawn anew, as libact does, but no more than 100 times; then class by class.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC

    from alcore.builtin.estimators import Discriminant

    made: list[Any] = [LogisticRegression(max_iter=1000), SVC(kernel="linear"), SVC(kernel="rbf"), Discriminant()]
    X, k = view.pool.features[view.labeled], view.pool.n_classes
    fitted = []
    for estimator in made:
        drawn = whole_bag(view.y, view.rng)
        fitted.append(Model(estimator, Task.CLASSIFICATION, k).fit(X[drawn], view.y[drawn]))
    return fitted


def whole_bag(y: Labels, rng: Generator) -> Rows:
    """Return a bag, positions in ``y``, that has every class of ``y``."""
    classes = len(np.unique(y))
    for _ in range(REDRAWS):
        drawn = bag(y, rng, stratified=False)
        if len(np.unique(y[drawn])) == classes:
            return drawn
    return bag(y, rng, stratified=True)


@strategy(
    "bald-published",
    summary="BALD as published: members that are all alike, so that rounding decides",
    needs=("proba",),
    batch="top",
    sparse=False,  # a product with a sparse matrix is rounded otherwise, and rounding is all there is
    group="committee",
    source=BENCHMARK,
)
class BaldPublished:
    """BALD as the benchmark ran it with XGBoost: scikit-activeml takes one classifier for ``members`` equal ones.

    H(mean_t p_t) - mean_t H(p_t) is 0 then, but for the rounding of the two sums, which are taken in the order of
    scikit-activeml's BatchBALD. Rows of little entropy have little of it, so that more uncertain ones are asked, in an
    order that is the same on the same probabilities and means nothing.

    Parameters
    ----------
    members : int
        XGBoost's 100 rounds of boosting.

    Raises
    ------
    InputError
        If ``members`` is below 2.
    """

    def __init__(self, members: int = 100) -> None:
        self.members = checked_members("bald-published", members)

    def scores(self, view: View) -> Floats:
        """Return the rounding noise, 1e-14 nats or less in size, of either sign."""
        p = np.clip(view.proba, FLOOR, 1.0)
        return np.concatenate([self._noise(p[first : first + ROWS]) for first in range(0, len(p), ROWS)])

    def _noise(self, p: Floats) -> Floats:
        # Members are the first axis in memory and the second in the sums, which decides the order of additions.
        log_p = np.log(np.repeat(p[None], self.members, axis=0)).swapaxes(0, 1)
        each = np.exp(log_p)
        mean = np.stack([np.ones((1, self.members)) @ row for row in each])
        mean /= self.members
        total = np.sum(-np.log(mean) * mean, axis=(1, 2))
        noise: Floats = total - -np.sum(log_p * each, axis=(1, 2)) / self.members
        return noise

    def query(self, view: View, n: int) -> Rows:
        """Return the n rows with the largest noise."""
        return view.top(self.scores(view), n, rounding=0) if n else view.unlabeled[:0]
