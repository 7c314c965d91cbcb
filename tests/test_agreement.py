"""Strategies in lock step: who asks the same rows, and whose scores order them alike."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.naive_bayes import GaussianNB

from alcore import agreement, plugins
from alcore.cli import main
from alcore.engine import ArrayOracle, simulate
from alcore.errors import InputError, StrategyError
from alcore.learners import Recipe
from alcore.pool import Pool
from alcore.types import Task

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = (X[:, 0] + 0.3 * RNG.normal(size=60) > 0).astype(int)
START = np.arange(8)
REGISTRY = plugins.loaded().registry


class Row:
    """Asks the row with the smallest (or largest) first feature, and scores by it."""

    def __init__(self, sign):
        self.sign = sign

    def scores(self, view):
        return self.sign * view.pool.X[view.unlabeled, 0]

    def query(self, view, n):
        return view.top(self.scores(view), n)


class Fails:
    def query(self, view, n):
        if view.t == 3:
            raise ZeroDivisionError("on purpose")
        return view.unlabeled[:n]


def compare(strategies, **how):
    pool = Pool(X, Task.CLASSIFICATION, (0, 1))
    settings = {"start": START, "rounds": 5} | how
    return agreement.compare(pool, ArrayOracle(Y), strategies, Recipe(GaussianNB()), **settings)


def named(*names):
    return {name: REGISTRY.build("strategy", name) for name in names}


def test_opposites_never_agree_and_equals_always_do():
    found = compare({"up": Row(1), "down": Row(-1), "again": Row(1)})
    by_pair = {(pair.a, pair.b): pair for pair in found.pairs}
    assert (by_pair["up", "down"].same, by_pair["up", "down"].rank_correlation) == (0.0, pytest.approx(-1.0))
    assert (by_pair["up", "again"].same, by_pair["up", "again"].rank_correlation) == (1.0, pytest.approx(1.0))
    assert by_pair["up", "again"].rounds == 5


def test_the_first_leads():
    found = compare({"up": Row(1), "down": Row(-1)})
    pool = Pool(X, Task.CLASSIFICATION, (0, 1))
    alone = simulate(pool, ArrayOracle(Y), Row(1), Recipe(GaussianNB()), start=START, budget=5)
    assert [rows.tolist() for rows in found.asked["up"]] == [record.rows.tolist() for record in alone][1:]
    lowest = int(START[-1] + 1 + np.argmin(X[8:, 0]))
    assert [rows.tolist() for rows in found.asked["down"]] == [[lowest]] * 5  # never labelled, as it does not lead


def test_overlap_of_batches():
    found = compare({"up": Row(1), "margin": named("margin")["margin"]}, batch=4, rounds=3)
    pair = found.pairs[0]
    shared = [len(set(a) & set(b)) / 4 for a, b in zip(found.asked["up"], found.asked["margin"], strict=True)]
    assert pair.overlap == pytest.approx(np.mean(shared))
    assert pair.same == np.mean([share == 1 for share in shared])


def test_binary_measures_of_uncertainty_agree():
    found = compare(named("margin", "entropy", "least-confident"))
    assert [pair.same for pair in found.pairs] == [1.0, 1.0, 1.0]
    assert all(pair.rank_correlation > 0.999 for pair in found.pairs)


def test_a_strategy_without_scores_has_no_rank_correlation():
    assert math.isnan(compare(named("margin", "random")).pairs[0].rank_correlation)


def test_one_that_fails_is_left_out_with_its_reason():
    found = compare({"up": Row(1), "fails": Fails()})
    assert found.pairs[0].rounds == 2
    assert found.failed == {"fails": "Fails failed in round 3: ZeroDivisionError: on purpose"}
    with pytest.raises(StrategyError, match="on purpose"):
        compare({"fails": Fails(), "up": Row(1)})


def test_rounds_end_with_the_pool():
    assert compare({"up": Row(1), "down": Row(-1)}, rounds=100, batch=10).pairs[0].rounds == 6


def test_one_strategy_is_none_to_compare():
    with pytest.raises(InputError, match="compare two or more"):
        compare({"up": Row(1)})


def test_command():
    names = "margin,entropy,random"
    base = ["compare", "synthetic.two-moons", "--strategies", names, "--learner", "gaussian-nb", "--rounds", "4"]
    text = CliRunner().invoke(main, base)
    assert text.exit_code == 0, text.output
    assert "rank correlation" in text.output
    told = json.loads(CliRunner().invoke(main, [*base, "--json"]).output)
    assert [(pair["a"], pair["b"]) for pair in told["pairs"]] == [
        ("margin", "entropy"),
        ("margin", "random"),
        ("entropy", "random"),
    ]
    assert told["pairs"][0]["same"] == 1.0
    assert told["pairs"][1]["rank_correlation"] is None
    assert [len(batches) for batches in told["asked"].values()] == [4, 4, 4]


def test_command_refuses_what_cannot_work():
    base = ["compare", "synthetic.two-moons", "--learner", "rbf-svm", "--strategies"]
    refused = CliRunner().invoke(main, [*base, "margin,entropy"])
    assert refused.exit_code == 2
    assert "entropy needs proba" in refused.output
    unknown = CliRunner().invoke(main, [*base, "margin,entrop"])
    assert unknown.exit_code == 2
    assert "Did you mean 'entropy'" in unknown.output
