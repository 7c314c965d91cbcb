"""Where the members of a committee come from: bags of the labelled rows, other models, trees, posterior draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.random import Generator

from alcore import Floats, InputError, Labels, Model, PairingError, Rows, Task, View
from alcore.committees import warn_if_equal
from alcore.estimators import PerLabel, last_step
from alcore.pool import is_frame
from alcore.types import Level


def checked_members(name: str, members: object, *, least: int = 2) -> int:
    """Return the number of members; InputError if there are fewer than ``least``, or it is no whole number."""
    if not isinstance(members, int | np.integer) or isinstance(members, bool) or members < least:
        raise InputError(f"{name}: members is {members!r}; give a whole number, {least} or more.")
    return int(members)


def bag(y: Labels, rng: Generator, *, stratified: bool) -> Rows:
    """Return positions in ``y`` drawn with replacement, as many as there are.

    ``stratified`` draws as many of each class as there are, so that no class is lost, in one draw; y is codes (n,).
    """
    if not stratified:
        return rng.integers(len(y), size=len(y))
    drawn = np.empty(len(y), dtype=np.intp)
    for code in np.unique(y):
        of_class = np.flatnonzero(y == code)
        drawn[of_class] = rng.choice(of_class, size=len(of_class))
    return drawn


def bagged(view: View, members: int, *, stratified: bool = True) -> list[Model]:
    """Return twins of the query learner, each fitted to a bootstrap sample of the labelled rows.

    Parameters
    ----------
    view : View
        Bags are drawn from ``view.rng``; the twins' own seeds differ too.
    members : int
        How many, each at the cost of a fit.
    stratified : bool
        Keep every class's count (classification only; other tasks draw rows freely). A class of one row is then in
        every bag, and with one row per class all bags are the labelled rows themselves: members that are all the same
        are warned of, once per run (``EqualMembersWarning``).

    Raises
    ------
    InputError
        If ``members`` is below 1.
    LearnerError
        If a twin cannot be fitted to its bag.

    Notes
    -----
    Breiman, Bagging predictors (1996); Abe and Mamitsuka, Query learning strategies using boosting and bagging (1998).
    """
    checked_members("bagged", members, least=1)
    by_class = stratified and view.pool.task is Task.CLASSIFICATION
    fitted, bags = [], []
    for _ in range(members):
        drawn = bag(view.y, view.rng, stratified=by_class)
        fitted.append(view.new_learner().fit(view.pool.take(view.labeled[drawn]), view.y[drawn]))
        bags.append(view.labeled[drawn])
    warn_if_equal(view, fitted, bags)
    return fitted


def heterogeneous(view: View) -> list[Model]:
    """Return the committee of the benchmark's Table 2: LR (C = 0.1), RBF-SVM, random forest and LDA, fitted.

    They are fitted on, and predict, rows of ``pool.features``, not of ``pool.X``. The SVM's probabilities are Platt's.
    """
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression

    from alcore.builtin.estimators import Discriminant
    from alcore_strategies.committee.platt import PlattSVC

    X, k = view.pool.features[view.labeled], view.pool.n_classes
    seed = int(view.rng.integers(2**31))
    made = [
        LogisticRegression(C=0.1, max_iter=1000),
        PlattSVC(random_state=seed),
        RandomForestClassifier(n_estimators=100, random_state=seed),
        Discriminant(),
    ]
    return [Model(estimator, Task.CLASSIFICATION, k).fit(X, view.y) for estimator in made]


class Grown:
    """A member of an ensemble that is fitted already: ``fit`` leaves it as it is."""

    def __init__(self, proba: Callable[[Any], Floats], *, multilabel: bool) -> None:
        self.proba = proba
        self.multilabel = multilabel

    def fit(self, X: Any, y: Labels) -> Self:
        """Leave it as it is."""
        return self

    def predict(self, X: Any) -> Labels:
        """Return the likeliest class (n,), or the labels that are likelier than not (n, L)."""
        p = self.proba(X)
        return (p > 0.5).astype(np.intp) if self.multilabel else p.argmax(axis=1)

    def predict_proba(self, X: Any) -> Floats:
        """Return probabilities (n, classes seen), or (n, L) of each label being 1."""
        return self.proba(X)


def trees(view: View) -> list[Model]:
    """Return the members of the query learner, where that is a fitted forest, bagging or voting ensemble.

    A forest at the end of a pipeline counts, and so does one forest per label. While one class only is labelled there
    is no forest, and the constant model is the only member.

    Raises
    ------
    PairingError
        If the query learner has no members with probabilities.
    """
    model = view.model
    if model.constant is not None:
        return [model]
    multilabel = view.pool.task is Task.MULTILABEL
    grown = _per_label(model) if isinstance(model.estimator, PerLabel) else _members(model.estimator, model.name)
    X, y, levels = view.X_labeled, view.y, frozenset({Level.PROBA})
    return [
        Model(Grown(one, multilabel=multilabel), view.pool.task, view.pool.n_classes, levels).fit(X, y) for one in grown
    ]


def _members(estimator: Any, name: str) -> list[Callable[[Any], Floats]]:
    """Return one function of X per member, with the columns of the ensemble's own predict_proba."""
    forest = last_step(estimator)
    members = getattr(forest, "estimators_", None)
    if not isinstance(members, list) or not all(hasattr(member, "predict_proba") for member in members):
        raise PairingError(
            f"{name} has no members with predict_proba. Use learner 'random-forest', or members of another kind: "
            'ensemble="bagged".'
        )
    before = estimator[:-1].transform if forest is not estimator else lambda X: X
    subsets = getattr(forest, "estimators_features_", [slice(None)] * len(members))

    def proba(member: Any, subset: Any) -> Callable[[Any], Floats]:
        def of_rows(X: Any) -> Floats:
            X = before(X)
            X = X.to_numpy() if is_frame(X) else X  # members never saw the names of columns
            return _columns(member, member.predict_proba(X[:, subset]), forest)

        return of_rows

    return [proba(member, subset) for member, subset in zip(members, subsets, strict=True)]


def _columns(member: Any, given: Any, forest: Any) -> Floats:
    if isinstance(given, list):  # several labels: one array (n, classes seen) each
        return np.column_stack([_positive(one, known) for one, known in zip(given, forest.classes_, strict=True)])
    full = np.zeros((len(given), len(forest.classes_)))
    full[:, np.asarray(member.classes_).astype(np.intp)] = given
    return full


def _positive(given: Floats, classes: Labels) -> Floats:
    return given[:, 1] if len(classes) == 2 else np.full(len(given), float(classes[0]))


def _per_label(model: Model) -> list[Callable[[Any], Floats]]:
    per_label = [
        member if isinstance(member, float) else _members(member, type(member).__name__)
        for member in model.estimator.members_
    ]
    count = max((len(one) for one in per_label if isinstance(one, list)), default=1)

    def proba(t: int) -> Callable[[Any], Floats]:
        return lambda X: np.column_stack(
            [np.full(X.shape[0], one) if isinstance(one, float) else one[t](X)[:, 1] for one in per_label]
        )

    return [proba(t) for t in range(count)]


def stacked(members: Sequence[Model], X: Any) -> Floats:
    """Return the members' probabilities, shape (members, n, K), or (members, n, L) for several labels."""
    return np.stack([member.predict_proba(X) for member in members])


def sampler(view: View, draws: int) -> Callable[[Any], Floats]:
    """Return a function of rows X that gives posterior draws of their probabilities, shape (draws, n, K).

    Every call gives ``sample_proba`` the same generator, so that blocks of rows see the same posterior where the
    learner draws weights; bagged members are the same in every call.
    """
    checked_members("draws", draws, least=1)
    if Level.DRAWS in view.model.levels:
        seed = int(view.rng.integers(2**63))
        return lambda X: view.model.sample_proba(X, draws, np.random.default_rng(seed))
    members = bagged(view, draws)
    return lambda X: stacked(members, X)


def draws(view: View, X: Any, draws: int) -> Floats:
    """Return posterior draws of the query learner's probabilities for rows X, all at once.

    By ``sample_proba`` where the learner has that level, else by as many bagged twins (``bagged``).

    Parameters
    ----------
    view : View
    X : rows in the container of ``pool.X``, such as ``view.X_unlabeled``
    draws : int
        T.

    Returns
    -------
    array of shape (T, n, K), or (T, n, L): probabilities of each label being 1, for several labels

    Raises
    ------
    InputError
        If ``draws`` is below 1.
    PairingError
        If the learner has neither ``sample_proba`` nor ``predict_proba``.
    """
    return sampler(view, draws)(X)
