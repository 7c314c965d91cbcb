"""Every round metric against scikit-learn on the same prediction, and by hand where scikit-learn has no say."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

from alcore import metrics
from alcore.builtin.metrics import specs
from alcore.errors import InputError, PairingError
from alcore.protocols import Scored
from alcore.types import Task


def classified(y: Any, pred: Any, k: int, proba: Any = None, decision: Any = None) -> Scored:
    return Scored(
        Task.CLASSIFICATION,
        k,
        np.asarray(y, dtype=np.intp),
        np.asarray(pred, dtype=np.intp),
        None if proba is None else lambda: np.asarray(proba, dtype=np.float64),
        None if decision is None else lambda: np.asarray(decision, dtype=np.float64),
    )


def random_case(k: int, n: int, seed: int, true: list[int], predicted: list[int]) -> Scored:
    """Return n rows whose true classes are drawn from ``true`` and predicted ones from ``predicted``."""
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(k), size=n)
    return classified(rng.choice(true, n), rng.choice(predicted, n), k, proba)


CASES = {
    "binary": (2, 60, [0, 1], [0, 1]),
    "binary, one class in the test set": (2, 30, [1], [0, 1]),
    "binary, one class predicted": (2, 30, [0, 1], [0]),
    "binary, neither has class 1": (2, 20, [0], [0]),
    "three classes": (3, 60, [0, 1, 2], [0, 1, 2]),
    "a class absent from y": (4, 60, [0, 1, 3], [0, 1, 2, 3]),
    "a class absent from the prediction": (4, 60, [0, 1, 2, 3], [0, 2, 3]),
    "a class absent from both": (5, 60, [0, 1, 3, 4], [0, 1, 3, 4]),
    "the last class absent from both": (5, 60, [0, 1, 2, 3], [0, 1, 2, 3]),
    "no class in common": (4, 30, [0, 1], [2, 3]),
    "many classes": (12, 80, list(range(12)), list(range(12))),
    "one row": (3, 1, [1], [0, 1, 2]),
    "one row, binary": (2, 1, [1], [0, 1]),
}


@pytest.fixture(params=[(name, seed) for name in CASES for seed in range(3)], ids=lambda p: f"{p[0]}-{p[1]}")
def scored(request: pytest.FixtureRequest) -> Scored:
    name, seed = request.param
    k, n, true, predicted = CASES[name]
    return random_case(k, n, seed, true, predicted)


def quiet(function: Callable[..., float], *args: Any, **kwargs: Any) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(function(*args, **kwargs))


def test_accuracy_equals_scikit_learn(scored: Scored) -> None:
    assert metrics.accuracy(scored) == pytest.approx(sk.accuracy_score(scored.y, scored.pred), abs=1e-14)


def test_balanced_accuracy_equals_scikit_learn(scored: Scored) -> None:
    want = quiet(sk.balanced_accuracy_score, scored.y, scored.pred)
    assert metrics.balanced_accuracy(scored) == pytest.approx(want, abs=1e-14)


def test_f1_macro_equals_scikit_learn_over_the_fixed_class_list(scored: Scored) -> None:
    labels = list(range(scored.n_classes))
    want = sk.f1_score(scored.y, scored.pred, labels=labels, average="macro", zero_division=0)
    assert metrics.f1_macro(scored) == pytest.approx(want, abs=1e-14)


def test_f1_weighted_equals_scikit_learn(scored: Scored) -> None:
    labels = list(range(scored.n_classes))
    want = sk.f1_score(scored.y, scored.pred, labels=labels, average="weighted", zero_division=0)
    assert metrics.f1_weighted(scored) == pytest.approx(want, abs=1e-14)


def test_log_loss_equals_scikit_learn(scored: Scored) -> None:
    want = sk.log_loss(scored.y, scored.proba, labels=list(range(scored.n_classes)))
    assert metrics.log_loss(scored) == pytest.approx(want, rel=1e-12)


def test_brier_equals_scikit_learn_one_class_at_a_time(scored: Scored) -> None:
    """The multi-class score is the sum of the binary scores of each class against the rest."""
    by_class = [
        sk.brier_score_loss((scored.y == k).astype(int), scored.proba[:, k], pos_label=1)
        for k in range(scored.n_classes)
    ]
    want = by_class[1] if scored.n_classes == 2 else sum(by_class)
    assert metrics.brier(scored) == pytest.approx(want, rel=1e-12)


def test_roc_auc_is_the_mean_of_scikit_learns_over_classes_with_both_kinds_of_rows(scored: Scored) -> None:
    classes = [1] if scored.n_classes == 2 else range(scored.n_classes)
    binary = [(scored.y == k, scored.proba[:, k]) for k in classes]
    areas = [sk.roc_auc_score(positive, column) for positive, column in binary if 0 < positive.sum() < len(positive)]
    want = np.mean(areas) if areas else math.nan
    assert metrics.roc_auc(scored) == pytest.approx(want, abs=1e-13, nan_ok=True)


# ---------------------------------------------------------------------------------------------------------- f1, binary


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", [name for name in CASES if "binary" in name])
def test_f1_equals_scikit_learn(name: str, seed: int) -> None:
    k, n, true, predicted = CASES[name]
    case = random_case(k, n, seed, true, predicted)
    want = sk.f1_score(case.y, case.pred, pos_label=1, average="binary", zero_division=0)
    assert metrics.f1(case) == pytest.approx(want, abs=1e-14)


@pytest.mark.parametrize("k", [1, 3])
def test_f1_refuses_another_number_of_classes_and_names_what_to_use(k: int) -> None:
    with pytest.raises(InputError, match=rf"f1 needs two classes.*has {k}.*'f1-macro'"):
        metrics.f1(classified([0], [0], k))


# --------------------------------------------------------------------------------------------------- the positive class


def test_one_class_of_each_equals_scikit_learn(scored: Scored) -> None:
    for code in range(scored.n_classes):
        own, found = (scored.y == code).astype(int), (scored.pred == code).astype(int)
        for ours, theirs in ((metrics.f1, sk.f1_score), (metrics.recall, sk.recall_score), (metrics.precision, sk.precision_score)):  # fmt: skip # noqa: E501
            assert ours(scored, positive=code) == pytest.approx(theirs(own, found, zero_division=0), abs=1e-14)
        want = sk.average_precision_score(own, scored.proba[:, code]) if own.any() else math.nan
        assert metrics.average_precision(scored, positive=code) == pytest.approx(want, abs=1e-13, nan_ok=True)


def test_macro_averages_equal_scikit_learn(scored: Scored) -> None:
    how = {"labels": list(range(scored.n_classes)), "average": "macro", "zero_division": 0}
    for ours, theirs in ((metrics.recall, sk.recall_score), (metrics.precision, sk.precision_score)):
        assert ours(scored, average="macro") == pytest.approx(theirs(scored.y, scored.pred, **how), abs=1e-14)
    present = np.unique(scored.y)
    want = np.mean([sk.average_precision_score((scored.y == k).astype(int), scored.proba[:, k]) for k in present])
    assert metrics.average_precision(scored, average="macro") == pytest.approx(want, abs=1e-13)


@pytest.mark.parametrize("name", ["f1", "recall", "precision", "average_precision"])
def test_of_two_classes_the_second_is_positive_unless_said(name: str) -> None:
    case = random_case(2, 60, 0, [0, 1], [0, 1])
    metric = getattr(metrics, name)
    assert metric(case) == metric(case, positive=1) != metric(case, positive=0)


@pytest.mark.parametrize("name", ["recall", "precision", "average_precision"])
def test_more_classes_need_one_that_is_positive(name: str) -> None:
    case = random_case(3, 60, 0, [0, 1, 2], [0, 1, 2])
    with pytest.raises(PairingError, match=r'this task has 3\. Say which with positive, or use .*average="macro"'):
        getattr(metrics, name)(case)


def test_average_precision_takes_decision_values_of_either_class() -> None:
    rng = np.random.default_rng(0)
    y, decision = rng.integers(2, size=40), rng.normal(size=40)
    case = classified(y, y, 2, decision=decision)
    assert metrics.average_precision(case) == pytest.approx(sk.average_precision_score(y, decision))
    assert metrics.average_precision(case, positive=0) == pytest.approx(sk.average_precision_score(1 - y, -decision))


@pytest.mark.parametrize("name", ["roc_auc", "brier"])
def test_what_does_not_depend_on_the_positive_class(name: str) -> None:
    """With the two classes swapped they give the same number, which is why they take no ``positive``."""
    case = random_case(2, 60, 0, [0, 1], [0, 1])
    assert case.proba is not None
    swapped = classified(1 - case.y, 1 - case.pred, 2, case.proba[:, ::-1])
    assert getattr(metrics, name)(case) == pytest.approx(getattr(metrics, name)(swapped))


# ------------------------------------------------------------------------------------------------------------- roc-auc


@pytest.mark.parametrize("seed", range(5))
def test_roc_auc_counts_ties_as_scikit_learn_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, score = rng.integers(2, size=50), rng.integers(5, size=50) / 4
    case = classified(y, y, 2, np.column_stack([1 - score, score]))
    assert metrics.roc_auc(case) == pytest.approx(sk.roc_auc_score(y, score), abs=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_roc_auc_of_many_classes_equals_scikit_learns_one_vs_rest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, proba = np.arange(60) % 4, rng.dirichlet(np.ones(4), size=60)
    want = sk.roc_auc_score(y, proba, multi_class="ovr", average="macro")
    assert metrics.roc_auc(classified(y, y, 4, proba)) == pytest.approx(want, abs=1e-14)


def test_roc_auc_by_hand() -> None:
    """Positives 0.8, 0.4 against negatives 0.4, 0.1: pairs won 1 + 1 + 1/2 + 1 of 4."""
    score = np.array([0.8, 0.4, 0.4, 0.1])
    assert metrics.roc_auc(classified([1, 1, 0, 0], [1, 0, 0, 0], 2, np.column_stack([1 - score, score]))) == 0.875


def test_roc_auc_takes_decision_values_of_a_learner_without_probabilities() -> None:
    rng = np.random.default_rng(0)
    y, decision = rng.integers(2, size=40), rng.normal(size=40)
    want = sk.roc_auc_score(y, decision)
    assert metrics.roc_auc(classified(y, y, 2, decision=decision)) == pytest.approx(want, abs=1e-14)


def test_roc_auc_takes_decision_columns_of_many_classes_with_one_unseen() -> None:
    """An unseen class has -inf everywhere, which is all ties: one half."""
    y = np.array([0, 0, 1, 1, 2])
    decision = np.column_stack([[2.0, 1.0, 0.0, 0.5, 0.1], [0.0, 0.2, 1.0, 2.0, 0.1], np.full(5, -np.inf)])
    assert metrics.roc_auc(classified(y, y, 3, decision=decision)) == pytest.approx((1 + 1 + 0.5) / 3)


def test_roc_auc_of_a_constant_learner_is_one_half() -> None:
    assert metrics.roc_auc(classified([0, 1, 1], [1, 1, 1], 2, np.tile([0.0, 1.0], (3, 1)))) == 0.5


@pytest.mark.parametrize("k", [2, 3])
def test_roc_auc_is_nan_without_a_warning_if_the_test_set_has_one_class(k: int) -> None:
    assert math.isnan(metrics.roc_auc(classified([1, 1], [1, 0], k, np.full((2, k), 1 / k))))


def test_roc_auc_is_nan_if_a_score_is() -> None:
    assert math.isnan(metrics.roc_auc(classified([0, 1], [0, 1], 2, decision=[0.1, math.nan])))


def test_roc_auc_without_scores_says_what_to_do() -> None:
    with pytest.raises(PairingError, match=r"predict_proba or decision_function.*'logistic-regression'"):
        metrics.roc_auc(classified([0, 1], [0, 1], 2))


# ----------------------------------------------------------------------------------------------------- log-loss, brier


@pytest.mark.parametrize("name", ["log-loss", "brier"])
def test_probability_metrics_without_probabilities_say_what_to_do(name: str) -> None:
    metric = {"log-loss": metrics.log_loss, "brier": metrics.brier}[name]
    with pytest.raises(PairingError, match=f"{name} needs predict_proba.*'logistic-regression'"):
        metric(classified([0, 1], [0, 1], 2, decision=[0.1, 0.2]))


def test_log_loss_of_a_certain_and_wrong_row_is_finite_as_in_scikit_learn() -> None:
    y, proba = np.array([0, 1, 2]), np.eye(3)[[0, 1, 1]]
    want = sk.log_loss(y, proba, labels=[0, 1, 2])
    assert metrics.log_loss(classified(y, [0, 1, 1], 3, proba)) == pytest.approx(want, rel=1e-12)


def test_log_loss_divides_a_row_by_its_sum() -> None:
    assert metrics.log_loss(classified([0], [0], 3, [[0.2, 0.1, 0.1]])) == pytest.approx(math.log(2), rel=1e-12)


def test_brier_of_two_classes_by_hand() -> None:
    """(0.3^2 + 0.6^2) / 2, with 0.3 and 0.6 the errors in the probability of class 1."""
    assert metrics.brier(classified([1, 0], [1, 1], 2, [[0.3, 0.7], [0.4, 0.6]])) == pytest.approx(0.225)


def test_brier_of_three_classes_is_not_halved() -> None:
    assert metrics.brier(classified([0], [2], 3, [[0.0, 0.0, 1.0]])) == 2.0


# ---------------------------------------------------------------------------------------------------------- regression


def predicted(y: Any, pred: Any) -> Scored:
    return Scored(Task.REGRESSION, 0, np.asarray(y, dtype=np.float64), np.asarray(pred, dtype=np.float64))


REGRESSION = {
    "mse": (metrics.mse, sk.mean_squared_error),
    "mae": (metrics.mae, sk.mean_absolute_error),
    "r2": (metrics.r2, sk.r2_score),
}


@pytest.mark.parametrize("name", REGRESSION)
@pytest.mark.parametrize("seed", range(5))
def test_regression_metrics_equal_scikit_learn(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = rng.normal(5, 3, size=50)
    pred = y + rng.normal(size=50)
    ours, theirs = REGRESSION[name]
    assert ours(predicted(y, pred)) == pytest.approx(theirs(y, pred), rel=1e-12)


@pytest.mark.parametrize("name", ["mse", "mae"])
def test_errors_of_one_row(name: str) -> None:
    ours, theirs = REGRESSION[name]
    assert ours(predicted([3.0], [1.0])) == theirs([3.0], [1.0])


@pytest.mark.parametrize(("pred", "want"), [([-2.0, -2.0, -2.0], 1.0), ([-2.0, -2.0, -1.0], 0.0)])
def test_r2_of_constant_targets_is_scikit_learns_finite_value(pred: list[float], want: float) -> None:
    y = [-2.0, -2.0, -2.0]
    assert metrics.r2(predicted(y, pred)) == want == sk.r2_score(y, pred)


def test_r2_of_constant_targets_whose_mean_is_rounded_is_finite_too() -> None:
    y = np.full(3, 0.1)
    assert y.mean() != 0.1
    assert metrics.r2(predicted(y, y + 1)) == 0.0


def test_r2_of_targets_too_close_to_square_is_that_of_constant_ones() -> None:
    assert metrics.r2(predicted([0.0, 1e-200], [1.0, 1.0])) == 0.0


def test_r2_of_one_row_is_nan_without_a_warning() -> None:
    assert math.isnan(metrics.r2(predicted([1.0], [1.0])))


# --------------------------------------------------------------------------------------------------------- multi-label


def labelled(y: Any, pred: Any, proba: Any = None, decision: Any = None) -> Scored:
    y, pred = np.asarray(y), np.asarray(pred)
    given = [None if values is None else (lambda values=values: np.asarray(values)) for values in (proba, decision)]
    return Scored(Task.MULTILABEL, y.shape[1], y, pred, *given)


def label_matrices(seed: int, n: int = 40) -> tuple[Any, Any]:
    """Return two 0/1 matrices of 5 labels: one absent from y, one from the prediction, one from both."""
    rng = np.random.default_rng(seed)
    y, pred = rng.integers(2, size=(n, 5)), rng.integers(2, size=(n, 5))
    y[:, [1, 3]], pred[:, [2, 3]] = 0, 0
    return y, pred


@pytest.mark.parametrize("n", [1, 40])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_multilabel_f1_equals_scikit_learn(average: str, seed: int, n: int) -> None:
    y, pred = label_matrices(seed, n)
    ours = {"macro": metrics.multilabel_f1_macro, "micro": metrics.multilabel_f1_micro}[average]
    want = sk.f1_score(y, pred, average=average, zero_division=0)
    assert ours(labelled(y, pred)) == pytest.approx(want, abs=1e-14)


@pytest.mark.parametrize("metric", [metrics.multilabel_f1_macro, metrics.multilabel_f1_micro])
def test_multilabel_f1_without_any_label_is_zero(metric: Any) -> None:
    assert metric(labelled(np.zeros((3, 2), int), np.zeros((3, 2), int))) == 0.0


@pytest.mark.parametrize("dtype", [bool, np.float64, np.uint8])
def test_multilabel_f1_takes_any_dtype_of_prediction(dtype: Any) -> None:
    y, pred = label_matrices(0)
    want = metrics.multilabel_f1_macro(labelled(y, pred))
    assert metrics.multilabel_f1_macro(labelled(y, pred.astype(dtype))) == want


@pytest.mark.parametrize("digits", [1, 6])  # with and without ties
@pytest.mark.parametrize("seed", range(4))
def test_average_precision_equals_scikit_learn_over_the_labels_there_are(seed: int, digits: int) -> None:
    y, pred = label_matrices(seed)
    scores = np.random.default_rng(seed).random(y.shape).round(digits)
    want = np.mean([sk.average_precision_score(y[:, c], scores[:, c]) for c in (0, 2, 4)])
    assert metrics.multilabel_average_precision(labelled(y, pred, scores)) == pytest.approx(want, abs=1e-14)
    by_decision = labelled(y, pred, decision=10 * scores - 3)
    assert metrics.multilabel_average_precision(by_decision) == pytest.approx(want, abs=1e-14)


def test_average_precision_by_hand() -> None:
    y, scores = [[1], [0], [1], [0]], [[0.9], [0.8], [0.7], [0.1]]
    assert metrics.multilabel_average_precision(labelled(y, y, scores)) == pytest.approx((1 + 2 / 3) / 2)


def test_average_precision_of_what_cannot_be_ranked() -> None:
    none = np.zeros((3, 2), int)
    assert math.isnan(metrics.multilabel_average_precision(labelled(none, none, none + 0.5)))
    with pytest.raises(PairingError, match="the task learner has neither"):
        metrics.multilabel_average_precision(labelled(none, none))


@pytest.mark.parametrize("seed", range(4))
def test_hamming_loss_equals_scikit_learn(seed: int) -> None:
    y, pred = label_matrices(seed)
    assert metrics.hamming_loss(labelled(y, pred)) == pytest.approx(sk.hamming_loss(y, pred), abs=1e-14)


# ---------------------------------------------------------------------------------------------------- all round metrics

ALL = {
    spec.name: (spec.build(), next(iter(spec.tasks)))
    for spec in specs()
    if spec.scope == "round"
}  # fmt: skip


def any_prediction(task: Task) -> Scored:
    if task is Task.CLASSIFICATION:
        return random_case(2, 40, 0, [0, 1], [0, 1])
    if task is Task.MULTILABEL:
        y, pred = label_matrices(0)
        return labelled(y, pred, np.random.default_rng(0).random(y.shape))
    return predicted([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])


@pytest.mark.parametrize("name", ALL)
def test_a_metric_is_a_python_float(name: str) -> None:
    metric, task = ALL[name]
    assert type(metric(any_prediction(task))) is float


@pytest.mark.parametrize("name", ALL)
def test_a_metric_does_not_write_to_the_prediction(name: str) -> None:
    metric, task = ALL[name]
    case = any_prediction(task)
    for array in (case.y, case.pred, case.proba):
        if array is not None:
            array.setflags(write=False)  # writing raises
    assert metric(case) == metric(any_prediction(task))


@pytest.mark.parametrize("name", ["accuracy", "balanced-accuracy", "f1-macro", "f1-weighted", "f1"])
def test_metrics_of_the_predicted_class_ask_for_no_probability(name: str) -> None:
    def never() -> Any:
        raise AssertionError("the probabilities were computed")

    metric, _ = ALL[name]
    codes = np.array([0, 1, 1])
    assert metric(Scored(Task.CLASSIFICATION, 2, codes, codes, never, never)) == 1.0


def test_many_metrics_share_one_prediction_of_probabilities() -> None:
    calls: list[int] = []

    def proba() -> Any:
        calls.append(1)
        return np.array([[0.3, 0.7], [0.6, 0.4]])

    case = Scored(Task.CLASSIFICATION, 2, np.array([1, 0]), np.array([1, 0]), proba)
    assert [metrics.roc_auc(case), metrics.log_loss(case), metrics.brier(case)] == pytest.approx(
        [1.0, -(math.log(0.7) + math.log(0.6)) / 2, (0.09 + 0.16) / 2]
    )
    assert len(calls) == 1
