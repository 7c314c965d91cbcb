"""The baselines by hand and by brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from alcore.errors import InputError
from alcore_modelselection import Predictions, Selection, make_loss, simulate
from alcore_modelselection.selectors import acquisition
from alcore_modelselection.selectors.epsilon import choose_epsilon
from alcore_modelselection.selectors.model_selector import ModelSelector
from alcore_modelselection.selectors.risk import ActiveTesting, Vma, lure_weights

COSTS = np.array([[0.0, 1.0, 3.0], [2.0, 0.0, 1.0], [1.0, 4.0, 0.0]])


@pytest.mark.parametrize("costs", [1.0 - np.eye(3), COSTS], ids=["0/1", "costs"])
def test_scores_by_enumerating_models_and_pairs(toy, costs):
    predictions = toy(5, 20, 3, soft=True)
    pi, hard = predictions.mean, predictions.hard
    expected = np.array([[pi[i] @ costs[:, hard[k, i]] for i in range(20)] for k in range(5)])
    pairs = list(combinations(range(5), 2))
    gap = sum(np.abs(expected[k] - expected[j]) for k, j in pairs)
    each = [
        sum((pi[i] * np.abs(costs[:, hard[k, i]] - costs[:, hard[j, i]])).sum() for k, j in pairs) for i in range(20)
    ]
    np.testing.assert_allclose(acquisition.expected_loss(predictions, costs), expected.sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(acquisition.surrogate_gap(predictions, costs), gap, atol=1e-12)
    np.testing.assert_allclose(acquisition.expected_gap(predictions, costs), each, atol=1e-12)


def test_for_binary_hard_labels_the_original_vma_is_active_testing(toy):
    predictions, costs = toy(7, 30, 2), 1.0 - np.eye(2)
    one, other = acquisition.expected_loss(predictions, costs), acquisition.expected_gap(predictions, costs)
    np.testing.assert_allclose(one / one.sum(), other / other.sum(), atol=1e-12)


def test_the_two_forms_of_vma_are_told_apart_by_a_row_that_is_split_evenly():
    predictions = Predictions([[0, 0], [0, 0], [1, 0], [1, 1]], classes=[0, 1])
    costs = 1.0 - np.eye(2)
    np.testing.assert_allclose(acquisition.surrogate_gap(predictions, costs), [0.0, 1.5])
    np.testing.assert_allclose(acquisition.expected_gap(predictions, costs), [4.0, 3.0])


def test_lure_weights_by_hand():
    # N = 4, two draws of probability 1/2 and 1/4: v_1 = 1 + 2/3 (1/(4/2) - 1), v_2 = 1 + 2/2 (1/(3/4) - 1)
    np.testing.assert_allclose(lure_weights(np.array([0.5, 0.25]), 4), [2 / 3, 4 / 3])
    np.testing.assert_array_equal(lure_weights(np.array([0.5, 0.25, 0.7, 1.0]), 4), 1.0)


def test_lure_is_unbiased_over_all_orders_of_drawing():
    # The expectation over every sequence of two draws without replacement is the mean over all rows.
    scores, losses = np.array([5.0, 1.0, 2.0, 0.5]), np.array([1.0, 0.0, 0.0, 1.0])
    mean = 0.0
    for i in range(4):
        for j in set(range(4)) - {i}:
            q1 = scores[i] / scores.sum()
            q2 = scores[j] / (scores.sum() - scores[i])
            mean += q1 * q2 * (lure_weights(np.array([q1, q2]), 4) @ losses[[i, j]]) / 2
    assert mean == pytest.approx(losses.mean())


def test_active_testing_can_draw_every_row_only_with_its_floor(toy):
    predictions = toy(4, 40, 2, seed=2)
    assert not predictions.split.all()
    unlabeled = np.ones(40, dtype=bool)
    for variant, least in (("paper", 0.0), ("code", -1.0)):
        one = ActiveTesting(variant=variant)
        one.setup(predictions.without_labels(), make_loss("accuracy", 2), np.random.default_rng(0))
        q = one.probabilities(unlabeled)
        assert q.sum() == pytest.approx(1.0)
        assert q.min() > least
        assert (q[~predictions.split] == 0).all() == (variant == "code")


def test_rows_without_weight_are_drawn_uniformly_once_the_others_are_used_up(toy):
    predictions = toy(4, 40, 2, seed=2)
    trace = simulate(predictions, "active-testing", steps=40, params={"variant": "code"})
    split = predictions.split[trace.chosen]
    assert split[: split.sum()].all()
    assert trace.regret[-1] == 0


def test_a_row_that_could_not_be_drawn_has_no_weight_and_is_refused(toy):
    predictions = toy(4, 40, 2, seed=2)
    row = int(np.flatnonzero(~predictions.split)[0])
    with pytest.raises(InputError, match=f"row {row} would never have been drawn"):
        Selection(predictions, "active-testing", params={"variant": "code"}).tell(row, 0)
    Selection(predictions, "active-testing").tell(row, 0)


def test_draws_follow_the_scores(toy):
    predictions = toy(5, 12, 3, soft=True)
    one = Vma()
    one.setup(predictions.without_labels(), make_loss("accuracy", 3), np.random.default_rng(0))
    rng, unlabeled = np.random.default_rng(1), np.ones(12, dtype=bool)
    drawn = np.bincount([one.query(unlabeled, 1, rng)[0] for _ in range(20_000)], minlength=12) / 20_000
    np.testing.assert_allclose(drawn, one.probabilities(unlabeled), atol=0.012)


def test_uncertainty_asks_the_even_split_first():
    predictions = Predictions([[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 0, 0]], classes=[0, 1])
    assert simulate(
        Predictions(predictions.hard, labels=[0, 0, 0], classes=[0, 1]), "uncertainty", steps=3
    ).chosen.tolist() == [2, 1, 0]


def test_balanced_risk_weighs_classes_alike():
    loss = make_loss("balanced-accuracy", 2)
    costs = np.array([[0.0], [0.0], [0.0], [1.0]])
    assert loss.risk(costs, np.array([0, 0, 0, 1]))[0] == 0.5
    assert loss.risk(costs, np.array([0, 0, 0, 0]))[0] == 0.25
    assert loss.risk(costs, np.array([0, 0, 1, 1]), np.array([1.0, 1.0, 3.0, 1.0]))[0] == pytest.approx(0.125)


def test_true_risks_by_hand():
    hard, labels = np.array([[0, 1, 1, 2], [0, 0, 1, 1]]), np.array([0, 0, 1, 2])
    np.testing.assert_allclose(make_loss("accuracy", 3).true_risks(hard, labels), [0.25, 0.25])
    np.testing.assert_allclose(make_loss("balanced-accuracy", 3).true_risks(hard, labels), [1 / 6, 1 / 3])
    np.testing.assert_allclose(make_loss(COSTS, 3).true_risks(hard, labels), [0.25, 1.0])


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        (np.ones((2, 3)), r"needs \(3, 3\)"),
        (np.full((3, 3), np.nan), "NaN"),
        (np.ones((3, 3)) * [[1], [2], [3]], "all models tie"),
    ],
)
def test_cost_matrices_that_cannot_be_used(costs, words):
    with pytest.raises(InputError, match=words):
        make_loss(costs, 3)


def test_expected_entropy_by_brute_force(toy):
    predictions = toy(6, 25, 3)
    one = ModelSelector(0.4)
    one.setup(predictions, make_loss("accuracy", 3), np.random.default_rng(0))
    for row in (0, 5, 9):
        one.update(row, int(predictions.labels[row]), np.ones(25, dtype=bool))
    want = []
    for i in range(25):
        total = 0.0
        for c in range(3):
            p = one.posterior() * np.where(predictions.hard[:, i] == c, 1.5, 1.0)
            p /= p.sum()
            total += -(p * np.log2(p)).sum() / 3
        want.append(total)
    np.testing.assert_allclose(one.expected_entropy(np.arange(25)), want, atol=1e-12)


def test_model_selector_returns_the_model_that_was_right_most_often(toy):
    predictions = toy(6, 40, 3)
    one = Selection(predictions, "model-selector", params={"epsilon": 0.4})
    rows = one.ask(10)
    one.tell(rows, predictions.labels[rows])
    right = (predictions.hard[:, rows] == predictions.labels[rows]).sum(axis=1)
    assert one.best().positions == tuple(np.flatnonzero(right == right.max()).tolist())


def test_many_labels_do_not_overflow_the_posterior(toy):
    predictions = toy(3, 3000, 2)
    one = Selection(predictions, "model-selector", params={"epsilon": 0.01})
    one.tell(np.arange(3000), predictions.labels)
    assert one.best().posterior.sum() == pytest.approx(1.0)


def test_epsilon_is_chosen_without_labels_and_said(toy):
    predictions = toy(8, 60, 2, seed=3)
    one = Selection(predictions, "model-selector", params={"realisations": 5, "size": 40})
    assert "chose epsilon = 0." in one.notices[0]
    assert (
        one.selector.epsilon
        == Selection(predictions, "model-selector", params={"realisations": 5, "size": 40}).selector.epsilon
    )


def test_the_choice_of_epsilon_gives_way_where_no_success_is_fast(toy):
    # one row is labelled at most: 0.9 is never exceeded over five labels
    choice = choose_epsilon(toy(8, 60, 2), np.random.default_rng(0), realisations=3, size=2, grid=(0.36, 0.4))
    assert choice.metric == "success_avg"
    assert set(choice.values) == {0.36, 0.4}


@pytest.mark.slow
def test_epsilon_of_mrpc_is_near_the_published_one(task):
    choice = choose_epsilon(task("glue_mrpc"), np.random.default_rng(0), realisations=30, size=350)
    assert choice.metric == "fastest"
    assert abs(choice.epsilon - 0.37) <= 0.03


@pytest.mark.parametrize(
    "make",
    [
        lambda: ModelSelector(0.6),
        lambda: ModelSelector(0.0),
        lambda: Vma(epsilon=-1),
        lambda: Vma(variant="x"),
        lambda: ActiveTesting(floor=2.0),
    ],
)
def test_wrong_parameters_are_refused(make):
    with pytest.raises(InputError, match=r"epsilon=|variant=|floor="):
        make()
