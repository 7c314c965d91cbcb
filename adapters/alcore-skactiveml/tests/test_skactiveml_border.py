"""What the adapter leaves alone, what it refuses, and what it says when scikit-activeml is not there."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.linear_model import BayesianRidge, LogisticRegression

import alcore
from alcore.rng import seeded_globals
from alcore.testing.guards import random_state
from alcore_skactiveml.committee import VoteEntropy, draw
from alcore_skactiveml.specs import STRATEGIES
from alcore_skactiveml.wrappers import Parallel, SubSampling

SPECS = {spec.name: spec for spec in STRATEGIES}
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(30, 3)), np.arange(30) % 2


def simulate(strategy, *, y=Y, learner=None, **how):
    return alcore.simulate(
        X, y, strategy=strategy, learner=learner or LogisticRegression(), start=list(range(6)), test=(X, y), **how
    )


def test_listing_imports_nothing_of_the_library():
    code = (
        "import sys, alcore_skactiveml\n"
        "assert len(alcore_skactiveml.alcore_strategies()) > 30\n"
        "print([m for m in ('skactiveml', 'sklearn', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_a_missing_library_makes_every_strategy_unavailable_and_says_what_to_type(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "skactiveml" else found(name))

    for spec in STRATEGIES:
        assert "pip install 'scikit-activeml>=1.0,<2'" in (spec.missing() or "")
        with pytest.raises(alcore.UnavailableError, match="pip install"):
            spec.build()


def test_a_library_that_cannot_be_imported_makes_its_strategies_unavailable(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("alcore_skactiveml.")]:
        if not name.endswith(".specs"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "skactiveml.pool", None)

    for spec in STRATEGIES:
        with pytest.raises(alcore.UnavailableError, match=r"cannot be imported from alcore_skactiveml\."):
            spec.build()


def test_a_run_leaves_no_trace_in_the_process(capsys):
    with seeded_globals(5):
        before, filters = random_state(), list(warnings.filters)
        for name in ("badge", "typiclust", "drop-query", "core-set", "batch-bald"):
            simulate(f"skactiveml.{name}", budget=8, batch=4)
        assert random_state() == before
        assert warnings.filters == filters
    assert capsys.readouterr() == ("", "")


def test_the_learner_is_not_refitted():
    class Counted(LogisticRegression):
        fits = 0

        def fit(self, *args, **kwargs):
            Counted.fits += 1
            return super().fit(*args, **kwargs)

    for name in ("margin", "badge", "clue", "contrastive-al", "falcun", "probabilistic-al", "drop-query"):
        Counted.fits = 0
        simulate(f"skactiveml.{name}", learner=Counted(), budget=3, metrics={"none": lambda scored: 0.0})
        assert Counted.fits == 4, name  # one per state: before each query, and after the last

    Counted.fits = 0
    simulate("skactiveml.eer", learner=Counted(), budget=1)
    assert Counted.fits == 2 + 24 * 2  # a fit per candidate and label


def test_committees_are_drawn_with_every_class():
    y = np.array([0] * 20 + [1])
    draws = [draw(y, np.random.default_rng(seed), classes=True) for seed in range(200)]

    assert all(set(y[rows]) == {0, 1} and len(rows) == 21 for rows in draws)
    assert len({tuple(rows) for rows in draws}) == 200
    assert set(draw(y, RNG, classes=False)) <= set(range(21))


def test_a_committee_of_one_is_refused():
    with pytest.raises(alcore.InputError, match="use 2 or more"):
        VoteEntropy(members=1)


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("sub-sampling-wrapper", {"base": "skactiveml.marign"}, "Did you mean 'skactiveml.margin'"),
        ("sub-sampling-wrapper", {"base": "margin"}, "Did you mean 'skactiveml.margin'"),
        ("sub-sampling-wrapper", {"base": "skactiveml.sub-sampling-wrapper"}, "no wrapper"),
        ("sub-sampling-wrapper", {"base": "skactiveml.margin", "base_params": {"k": 1}}, "no parameter 'k'"),
        ("sub-sampling-wrapper", {"base": "skactiveml.prob-cover", "exclude_non_subsample": True}, "keeps"),
        ("parallel-utility-estimation-wrapper", {"base": "skactiveml.badge"}, "skactiveml.eer"),
        ("batch-bald", {"members": 10, "n_mc_samples": 5}, "10, one per member"),
        ("epistemic-uncertainty-sampling", {"model": "svm"}, "parzen-window"),
        ("regression-tree-based-al", {"method": "any"}, "diversity"),
    ],
)
def test_wrong_parameters_are_refused_with_the_fix(name, params, message):
    with pytest.raises(alcore.InputError, match=message):
        SPECS[f"skactiveml.{name}"].build(**params)


@pytest.mark.parametrize(
    ("strategy", "y", "learner", "message"),
    [
        (SubSampling("skactiveml.margin"), X[:, 0], BayesianRidge(), "serves classification"),
        (Parallel("skactiveml.qbc-std"), Y, LogisticRegression(), "serves regression"),
        (SubSampling("skactiveml.epistemic-uncertainty-sampling"), np.arange(30) % 3, LogisticRegression(), "2 class"),
    ],
)
def test_a_wrapper_refuses_what_its_base_does_not_serve(strategy, y, learner, message):
    with pytest.raises(alcore.PairingError, match=message):
        simulate(strategy, y=y, learner=learner, budget=1)


def test_a_draw_smaller_than_the_batch_is_followed_by_another():
    done = simulate(SubSampling("skactiveml.margin", max_candidates=2), budget=15, batch=5)

    assert [len(record.rows) for record in done.records[1:]] == [5, 5, 5]


def test_parallel_scores_are_those_of_the_base():
    for base in ("skactiveml.eer", "skactiveml.qbc-kl"):
        alone = simulate(SPECS[base].build(), budget=2).queried
        threads = simulate(Parallel(base, n_jobs=2), budget=2).queried
        assert alone.tolist() == threads.tolist(), base
