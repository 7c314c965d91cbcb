"""Regret, its sum, success and the labels it takes, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from alcore.errors import InputError
from alcore_modelselection import Predictions, metrics, simulate, unsupervised


def test_regret_by_hand():
    risks = np.array([0.3, 0.1, 0.25])
    np.testing.assert_allclose(metrics.regret([0, 1, 2], risks), [0.2, 0.0, 0.15])


def test_cumulative_regret_leaves_out_the_one_before_any_label():
    np.testing.assert_allclose(metrics.cumulative_regret(np.array([9.0, 0.2, 0.1, 0.0])), [0.2, 0.3, 0.3])


def test_success_counts_models_that_tie_for_the_best():
    risks = np.array([0.1, 0.1, 0.3])
    assert metrics.success(metrics.regret([0, 1, 2], risks)).tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    ("regrets", "stay", "first"),
    [
        ([0.05, 0.01, 0.02, 0.005, 0.0], 3, 1),
        ([0.0, 0.0], 0, 0),
        ([0.05, 0.05], None, None),
        ([0.05, 0.0, 0.05], None, 1),
    ],
)
def test_labels_to_within_one_per_cent(regrets, stay, first):
    assert metrics.labels_to_within(np.array(regrets)) == stay
    assert metrics.labels_to_within(np.array(regrets), stay=False) == first


def test_labels_to_within_needs_one_run():
    with pytest.raises(InputError, match="one run's regrets"):
        metrics.labels_to_within(np.zeros((2, 3)))


def test_a_trace_agrees_with_its_own_choices(toy):
    predictions = toy(6, 40, 3)
    trace = simulate(predictions, "random", steps=10, seed=1)
    accuracy = (predictions.hard == predictions.labels).mean(axis=1)
    np.testing.assert_allclose(trace.regret, accuracy.max() - accuracy[trace.best])
    shown = trace.to_json()
    assert {key: len(shown[key]) for key in ("chosen", "regret", "cumulative_regret", "best")} == dict.fromkeys(
        ("chosen", "regret", "cumulative_regret", "best"), 10
    )
    np.testing.assert_allclose(shown["cumulative_regret"], np.cumsum(shown["regret"]))
    assert shown["before_labels"]["best"] == trace.best[0]


@pytest.mark.parametrize(
    ("name", "ensv", "coda"), [("pacs", 0.4, 0.4), ("glue_cola", 5.3, 5.0), ("glue_mrpc", 1.0, 1.0)]
)
def test_table_5(task, name, ensv, coda):
    ours = unsupervised.step0_regret(task(name))
    assert round(100 * ours["ensv"], 1) == ensv
    assert round(100 * ours["coda"], 1) == coda
    assert ours["entropy"] is ours["bnm"] is ours["source_val"] is None


SOFT = np.array([[[0.9, 0.1], [0.1, 0.9]], [[0.6, 0.4], [0.6, 0.4]], [[0.5, 0.5], [0.5, 0.5]]])


def test_scores_without_labels_by_hand():
    predictions = Predictions(SOFT, labels=[0, 1])
    np.testing.assert_allclose(unsupervised.ensv(predictions), [1.0, 0.5, 0.5])
    assert unsupervised.entropy(predictions)[2] == pytest.approx(-np.log(2))
    assert unsupervised.entropy(predictions).argmax() == 0
    singular = [np.linalg.svd(one, compute_uv=False).sum() for one in SOFT]
    np.testing.assert_allclose(unsupervised.bnm(predictions), [-s for s in singular], atol=1e-7)
    np.testing.assert_allclose(unsupervised.bnm(predictions, prefer="large"), singular, atol=1e-7)


def test_source_validation_selects_the_model_it_favours():
    predictions = Predictions(SOFT, labels=[0, 1])
    assert unsupervised.step0_regret(predictions, [0.1, 0.9, 0.2])["source_val"] == 0.5
    with pytest.raises(InputError, match="one accuracy for each of 3 models"):
        unsupervised.step0_regret(predictions, [0.1])


def test_what_needs_probabilities_says_so(toy):
    with pytest.raises(InputError, match="entropy needs probabilities"):
        unsupervised.entropy(toy())
    with pytest.raises(InputError, match="prefer='best'"):
        unsupervised.bnm(Predictions(SOFT), prefer="best")
    with pytest.raises(InputError, match="lack some"):
        unsupervised.step0_regret(Predictions(SOFT))
