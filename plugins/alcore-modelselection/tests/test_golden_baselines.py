"""The baselines against the published code: their formulas, and each of their choices along the recorded rows."""

from __future__ import annotations

import numpy as np
import pytest

from alcore_modelselection import Selection, make_loss
from alcore_modelselection.metrics import cumulative_regret, regret
from alcore_modelselection.selectors import acquisition
from alcore_modelselection.selectors.model_selector import ModelSelector
from alcore_modelselection.selectors.risk import ActiveTesting, Random, lure_weights

SYNTH = "synth_h20_n500_c5"


@pytest.fixture(scope="module")
def formulas(golden):
    return golden(f"formulas_{SYNTH}")


def scaled(values):
    return values / values.sum()


def test_acquisition_scores(task, formulas):
    predictions, zero_one = task(SYNTH), make_loss("accuracy", 5).costs
    close = {"rtol": 2e-5, "atol": 1e-7}
    np.testing.assert_allclose(acquisition.ensemble_entropy(predictions), formulas["acq_uncertainty"], **close)
    np.testing.assert_allclose(
        scaled(acquisition.expected_loss(predictions, zero_one)), scaled(formulas["acq_activetesting"]), **close
    )
    np.testing.assert_allclose(
        scaled(acquisition.surrogate_gap(predictions, zero_one)), scaled(formulas["acq_vma_codarepo"]), **close
    )
    np.testing.assert_allclose(
        0.01 + acquisition.expected_gap(predictions, zero_one), formulas["acq_vma_original_unnormalised"], rtol=1e-6
    )


def test_risks_along_a_fixed_sequence(task, formulas):
    predictions = task(SYNTH)
    random = Random()
    loss = make_loss("accuracy", 5)
    random.setup(predictions.without_labels(), loss, np.random.default_rng(0))
    costs, labels, unlabeled = [], [], np.ones(predictions.n_rows, dtype=bool)
    for t, row in enumerate(formulas["seq"].tolist()):
        y = int(predictions.labels[row])
        random.update(row, y, unlabeled)
        np.testing.assert_allclose(random.risk(), formulas["empirical_risk"][t], rtol=0, atol=1e-6)
        costs.append(loss.costs[y, predictions.hard[:, row]])
        labels.append(y)
        v = lure_weights(formulas["q"][: t + 1], predictions.n_rows)
        ours = loss.risk(np.array(costs), np.array(labels), v)
        np.testing.assert_allclose(ours, formulas["lure_risk"][t], rtol=2e-5, atol=1e-5)


def test_the_sampling_probability_is_that_of_the_draw(task, formulas):
    predictions = task(SYNTH)
    one = ActiveTesting(variant="code")
    one.setup(predictions.without_labels(), make_loss("accuracy", 5), np.random.default_rng(0))
    unlabeled = np.ones(predictions.n_rows, dtype=bool)
    for t, row in enumerate(formulas["seq"].tolist()):
        assert one.probabilities(unlabeled)[row] == pytest.approx(formulas["q"][t], rel=2e-5)
        unlabeled[row] = False


def test_model_selector_along_a_fixed_sequence(task, formulas):
    predictions = task(SYNTH)
    one = ModelSelector(0.46)
    one.setup(predictions.without_labels(), make_loss("accuracy", 5), np.random.default_rng(0))
    unlabeled, every = np.ones(predictions.n_rows, dtype=bool), np.arange(predictions.n_rows)
    recorded = dict(zip((1, 10, 50), formulas["ms_expected_entropy_all_points_t0_t9_t49"], strict=True))
    for t, row in enumerate(formulas["seq"].tolist(), start=1):
        one.update(row, int(predictions.labels[row]), unlabeled)
        np.testing.assert_allclose(one.posterior(), formulas["ms_posterior_eps046"][t - 1], rtol=0, atol=1e-6)
        if t in recorded:
            np.testing.assert_allclose(one.expected_entropy(every), recorded[t], rtol=0, atol=2e-6)


BASELINES = [
    ("iid", "random", {}),
    ("uncertainty", "uncertainty", {}),
    ("activetesting", "active-testing", {"variant": "code"}),
    ("vma", "vma", {"variant": "code"}),
]
TRACES = [
    (f"{short}_{name}", name, method, params)
    for short, method, params in BASELINES
    for name in (SYNTH, "glue_mrpc", "glue_cola", "pacs")
]
TRACES += [
    (f"mp{eps}_{name}", name, "model-selector", {"epsilon": eps})
    for name, values in {
        SYNTH: [0.46],
        "glue_mrpc": [0.35, 0.37, 0.42, 0.46],
        "glue_cola": [0.41, 0.46],
        "pacs": [0.45],
    }.items()
    for eps in values
]


@pytest.mark.parametrize(("file", "name", "method", "params"), TRACES, ids=[t[0] for t in TRACES])
def test_the_published_choices_are_ours_up_to_ties(task, golden, file, name, method, params):
    predictions, trace = task(name), golden(f"baseline_{file}")
    labels = predictions.labels
    risks = make_loss("accuracy", predictions.n_classes).true_risks(predictions.hard, labels)
    for seed in range(2 if method == "model-selector" else 5):  # whose check of each choice takes long
        one = Selection(predictions, method, params=params)
        for t, row in enumerate(trace["chosen"][seed].tolist()):
            assert trace["best"][seed, t] in one.best().positions, f"model after {t} labels"
            if method == "model-selector":
                open_rows = np.flatnonzero(one._unlabeled & predictions.split)
                entropies = one.selector.expected_entropy(open_rows)
                at = np.flatnonzero(open_rows == row)
                assert entropies[at] - entropies.min() < 2e-6
            one.tell(row, predictions.classes[labels[row]])
        ours = 100 * cumulative_regret(regret(trace["best"][seed], risks))[-1]
        assert ours == pytest.approx(trace["cum"][seed], rel=1e-4)


def test_uncertainty_asks_what_the_published_code_asked(task, golden):
    predictions, trace = task("pacs"), golden("baseline_uncertainty_pacs")
    entropy = acquisition.ensemble_entropy(predictions)
    for chosen in trace["chosen"]:
        np.testing.assert_allclose(entropy[chosen], np.sort(entropy)[::-1][:100], rtol=0, atol=2e-6)
