"""alcore's picks equal modAL's, called by hand on the same rows, labels and learner, over several rounds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from alcore import Pool, Recipe, Task, rng
from alcore.engine import ArrayOracle, simulate
from alcore.plugins import loaded
from alcore_modal.library import load

ROUNDS, SEED = 4, 3


def take(X, y, rows, seed=0):
    chosen = np.random.default_rng(seed).permutation(len(X))[:rows]
    return StandardScaler().fit_transform(np.asarray(X, dtype=float)[chosen]), np.asarray(y)[chosen]


def classes(name, rows):
    X, y = {"wine": load_wine, "breast-cancer": load_breast_cancer}[name](return_X_y=True)
    return take(X, y, rows)


def labels(name, rows):
    if name == "digits":  # what a digit is: even, above four, prime
        X, digit = load_digits(return_X_y=True)
        return take(X, np.column_stack([digit % 2 == 0, digit > 4, np.isin(digit, (2, 3, 5, 7))]).astype(int), rows)
    X, y = load_wine(return_X_y=True)
    return take(X, np.column_stack([y == 0, y == 2, X[:, 0] > 13]).astype(int), rows)


def numbers(name, rows):
    if name == "diabetes":
        return take(*load_diabetes(return_X_y=True), rows)
    X, _ = load_breast_cancer(return_X_y=True)
    return take(np.delete(X, 3, axis=1), np.log(X[:, 3]), rows)


def alcore_picks(strategy, X, y, task, learner, *, batch, start, params=None):
    names = {Task.CLASSIFICATION: lambda: np.unique(y), Task.MULTILABEL: lambda: range(y.shape[1])}
    pool = Pool(X, task, tuple(names.get(task, tuple)()), features="raw")
    built = loaded().registry.build("strategy", strategy, **(params or {}))
    run = simulate(
        pool, ArrayOracle(y), built, Recipe(learner), start=np.arange(start), seed=SEED, batch=batch,
        budget=batch * ROUNDS, ties="exact",
    )  # fmt: skip
    return [set(record.rows.tolist()) for record in run][1:]


def modal_picks(choose, X, y, learner, *, batch, start):
    """Run the loop by hand: ``choose`` returns positions among the rows that are left."""
    labeled, picks = list(range(start)), []
    for t in range(1, ROUNDS + 1):
        left = np.setdiff1d(np.arange(len(X)), labeled)
        active = load("modAL.models").ActiveLearner(learner(), X_training=X[labeled], y_training=y[labeled])
        rows = left[np.atleast_1d(choose(active, X[left], batch, t))].tolist()
        picks.append(set(rows))
        labeled += rows
    return picks


def sampler(module, name, **given):
    function = getattr(load(f"modAL.{module}"), name)
    return lambda active, X, n, t: function(active, X, n_instances=n, **given)[0]


UNCERTAIN = {
    "modal.least-confident": sampler("uncertainty", "uncertainty_sampling"),
    "modal.margin": sampler("uncertainty", "margin_sampling"),
    "modal.entropy": sampler("uncertainty", "entropy_sampling"),
    "modal.ranked-batch": sampler("batch", "uncertainty_batch_sampling"),
}


@pytest.mark.parametrize("data", ["wine", "breast-cancer"])
@pytest.mark.parametrize("batch", [1, 5])
@pytest.mark.parametrize("strategy", UNCERTAIN)
def test_uncertainty(strategy, batch, data):
    (X, y), how = classes(data, 150), {"batch": batch, "start": 12}
    ours = alcore_picks(strategy, X, y, Task.CLASSIFICATION, LogisticRegression(), **how)
    assert ours == modal_picks(UNCERTAIN[strategy], X, y, LogisticRegression, **how)


@pytest.mark.parametrize("data", ["wine", "breast-cancer"])
@pytest.mark.parametrize("beta", [1.0, 2.5])
def test_information_density(beta, data):
    doubt, density = load("modAL.uncertainty").classifier_uncertainty, load("modAL.density").information_density

    def choose(active, X, n, t):
        return np.argsort(-doubt(active, X) * density(X, "euclidean") ** beta, kind="stable")[:n]

    (X, y), how = classes(data, 150), {"batch": 3, "start": 12}
    kind = Task.CLASSIFICATION
    ours = alcore_picks("modal.information-density", X, y, kind, LogisticRegression(), params={"beta": beta}, **how)
    assert ours == modal_picks(choose, X, y, LogisticRegression, **how)


@pytest.mark.parametrize("data", ["wine", "breast-cancer"])
@pytest.mark.parametrize(("strategy", "loss"), [("modal.eer", "binary"), ("modal.log-loss-reduction", "log")])
def test_expected_error(strategy, loss, data):
    (X, y), how = classes(data, 30), {"batch": 2, "start": 12}
    ours = alcore_picks(strategy, X, y, Task.CLASSIFICATION, GaussianNB(), **how)
    choose = sampler("expected_error", "expected_error_reduction", loss=loss)
    assert ours == modal_picks(choose, X, y, GaussianNB, **how)


def test_expected_error_of_a_share_of_candidates_draws_as_modal_does():
    from alcore.interop import seeded_globals

    def choose(active, X, n, t):
        with seeded_globals(int(rng.stream(SEED, "strategy", t).integers(2**31))):
            return load("modAL.expected_error").expected_error_reduction(active, X, p_subsample=0.5, n_instances=n)[0]

    (X, y), how = classes("wine", 36), {"batch": 2, "start": 12}
    ours = alcore_picks("modal.eer", X, y, Task.CLASSIFICATION, GaussianNB(), params={"p_subsample": 0.5}, **how)
    assert ours == modal_picks(choose, X, y, GaussianNB, **how)


def committee(kind, learner, X, y, t, by_class):
    """Build modAL's committee on the draws that the strategy makes: with replacement, within each class."""
    models, chance, members = load("modAL.models"), rng.stream(SEED, "strategy", t), []
    for _ in range(6):
        drawn = np.arange(len(y))
        for group in [np.flatnonzero(y == code) for code in np.unique(y)] if by_class else [drawn.copy()]:
            drawn[group] = chance.choice(group, size=len(group)) if by_class else chance.integers(len(y), size=len(y))
        members.append(models.ActiveLearner(learner(), X_training=X[drawn], y_training=y[drawn]))
    return getattr(models, kind)(members)


COMMITTEES = {
    "modal.qbc-vote": "vote_entropy",
    "modal.consensus-entropy": "consensus_entropy",
    "modal.max-disagreement": "KL_max_disagreement",
}


@pytest.mark.parametrize("data", ["wine", "breast-cancer"])
@pytest.mark.parametrize("strategy", COMMITTEES)
def test_committees(strategy, data):
    measure = getattr(load("modAL.disagreement"), COMMITTEES[strategy])

    def choose(active, X, n, t):
        scores = measure(committee("Committee", GaussianNB, active.X_training, active.y_training, t, True), X)
        return np.argsort(-scores, kind="stable")[:n]  # ties go to the first, as asked of alcore

    (X, y), how = classes(data, 150), {"batch": 3, "start": 15}
    ours = alcore_picks(strategy, X, y, Task.CLASSIFICATION, GaussianNB(), params={"members": 6}, **how)
    assert ours == modal_picks(choose, X, y, GaussianNB, **how)


@pytest.mark.parametrize("data", ["diabetes", "breast-cancer"])
def test_committee_of_regressors(data):
    def choose(active, X, n, t):
        made = committee("CommitteeRegressor", Ridge, active.X_training, active.y_training, t, False)
        return load("modAL.disagreement").max_std_sampling(made, X, n_instances=n)[0]

    (X, y), how = numbers(data, 150), {"batch": 3, "start": 15}
    ours = alcore_picks("modal.committee-std", X, y, Task.REGRESSION, Ridge(), params={"members": 6}, **how)
    assert ours == modal_picks(choose, X, y, Ridge, **how)


@pytest.mark.parametrize("data", ["diabetes", "breast-cancer"])
def test_standard_deviation(data):
    def learner():
        return GaussianProcessRegressor(RBF(3.0) + WhiteKernel(0.5), optimizer=None, normalize_y=True)

    (X, y), how = numbers(data, 150), {"batch": 3, "start": 15}
    ours = alcore_picks("modal.gp-std", X, y, Task.REGRESSION, learner, **how)
    assert ours == modal_picks(sampler("disagreement", "max_std_sampling"), X, y, learner, **how)


MULTILABEL = ["max_loss", "mean_max_loss", "min_confidence", "avg_confidence", "max_score", "avg_score"]
SETS = ["digits", "wine"]


def choose_first(name):
    """Return the sampler with ties to the first row, as asked of alcore: hard predictions tie in droves."""
    function = getattr(load("modAL.multilabel"), name)

    def choose(active, X, n, t):
        # The losses read classes_, which modAL's own ActiveLearner lacks: they are given the classifier itself.
        asked = active.estimator if "loss" in name else active
        positions, values = function(asked, X, n_instances=len(X), random_tie_break=False)
        aligned = np.empty(len(X))
        aligned[positions] = values
        return np.argsort(aligned if name == "min_confidence" else -aligned, kind="stable")[:n]

    return choose


def one_vs_rest():
    return OneVsRestClassifier(LogisticRegression())


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("name", MULTILABEL)
def test_multilabel(name, data):
    (X, y), how = labels(data, 150), {"batch": 3, "start": 20}
    ours = alcore_picks(f"modal.{name.replace('_', '-')}", X, y, Task.MULTILABEL, one_vs_rest(), **how)
    assert ours == modal_picks(choose_first(name), X, y, one_vs_rest, **how)


def nearest(active, X, n, t):
    """Ask modAL, which answers one row at a time, again without the rows it has answered."""
    left, chosen = np.arange(len(X)), []
    for _ in range(n):
        at = load("modAL.multilabel").SVM_binary_minimum(active, X[left])
        chosen.append(left[at])
        left = np.delete(left, at)
    return chosen


@pytest.mark.parametrize("data", SETS)
def test_binary_minimum(data):
    (X, y), how = labels(data, 150), {"batch": 3, "start": 20}
    ours = alcore_picks("modal.binary-minimum", X, y, Task.MULTILABEL, one_vs_rest(), **how)
    assert ours == modal_picks(nearest, X, y, one_vs_rest, **how)
