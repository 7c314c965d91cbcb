"""Round metrics: one prediction of the test set -> one number.

They run once per round inside the benchmark loop, so they are arithmetic on ``Scored`` and nothing else: class codes,
shapes and columns were checked where the prediction was made, and checking them again would cost more than the fit of
a small learner. Each equals its scikit-learn namesake; where a definition differs, its docstring says how.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from alcore.decorators import round_metric
from alcore.errors import PairingError
from alcore.protocols import Scored
from alcore.types import Floats, Mask, Task

Average: TypeAlias = Literal["macro"] | None
Counts: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
EPS = float(np.finfo(np.float64).eps)


@round_metric("accuracy", summary="Share of rows with the right class", tasks=Task.CLASSIFICATION)
def accuracy(scored: Scored) -> float:
    """Return the share of rows whose predicted class is the true one."""
    return int(np.count_nonzero(scored.y == scored.pred)) / len(scored.y)


@round_metric("balanced-accuracy", summary="Mean recall over the classes of the test set", tasks=Task.CLASSIFICATION)
def balanced_accuracy(scored: Scored) -> float:
    """Return the mean recall over the classes that occur in the test set."""
    support = scored.confusion.sum(axis=1)
    recall = scored.confusion.diagonal() / np.maximum(support, 1)  # 0 for a class without a row
    return float(recall.sum() / np.count_nonzero(support))


@round_metric("f1-macro", summary="Mean F1 over all classes, 0 for one never seen", tasks=Task.CLASSIFICATION)
def f1_macro(scored: Scored) -> float:
    """Return the mean F1 over the fixed list of all classes.

    A class that is neither in the test set nor predicted counts with 0, so that the number of classes it is divided by
    is the same in every round and seed: ``f1_score(labels=range(K), average="macro", zero_division=0)``.
    """
    return float(_f1_by_class(scored).sum() / scored.n_classes)


@round_metric("f1-weighted", summary="F1 by class, weighted by the class's rows", tasks=Task.CLASSIFICATION)
def f1_weighted(scored: Scored) -> float:
    """Return the mean F1 of the classes, weighted by their numbers of rows in the test set (F1 of 0/0 is 0)."""
    return float(_f1_by_class(scored) @ scored.confusion.sum(axis=1) / len(scored.y))


@round_metric("f1", summary="F1 of the positive class", tasks=Task.CLASSIFICATION, max_classes=2, one_class=True)
def f1(scored: Scored, *, positive: int | None = None) -> float:
    """Return F1 = 2 TP / (2 TP + FP + FN) of the positive class; 0 if it never occurs.

    Parameters
    ----------
    scored : Scored
    positive : int or None
        The code of the positive class; experiments and ``alcore.simulate`` take its label. None takes the second of
        two classes.

    Raises
    ------
    PairingError
        If there are not two classes and none is said to be positive.
    """
    return float(_f1_by_class(scored)[_positive(scored, positive, "f1", "'f1-macro' or 'f1-weighted'")])


@round_metric(
    "recall",
    summary="Share of the positive class's rows that are found",
    tasks=Task.CLASSIFICATION,
    max_classes=2,
    one_class=True,
)
def recall(scored: Scored, *, positive: int | None = None, average: Average = None) -> float:
    """Return recall = TP / (TP + FN) of the positive class, or the mean over all classes; 0 where it is 0/0.

    Parameters
    ----------
    scored : Scored
    positive : as in ``f1``
    average : "macro" or None
        "macro" is the mean over the fixed list of all classes, as in ``f1_macro``; ``balanced_accuracy`` is the mean
        over those that occur.

    Raises
    ------
    PairingError
        As ``f1``.
    """
    return _of_one(scored, scored.confusion.sum(axis=1), positive, average, "recall")


@round_metric(
    "precision",
    summary="Share of the rows predicted positive that are",
    tasks=Task.CLASSIFICATION,
    max_classes=2,
    one_class=True,
)
def precision(scored: Scored, *, positive: int | None = None, average: Average = None) -> float:
    """Return precision = TP / (TP + FP) of the positive class, or the mean over all classes; 0 where it is 0/0.

    Parameters
    ----------
    scored : Scored
    positive, average : as in ``recall``

    Raises
    ------
    PairingError
        As ``f1``.
    """
    return _of_one(scored, scored.confusion.sum(axis=0), positive, average, "precision")


def _of_one(scored: Scored, total: Counts, positive: int | None, average: Average, metric: str) -> float:
    """Return TP / total of one class, or its mean over all."""
    by_class = scored.confusion.diagonal() / np.maximum(total, 1)  # TP is 0 where the total is
    if average is not None:
        return float(by_class.sum() / scored.n_classes)
    return float(by_class[_positive(scored, positive, metric, f'{metric} with average="macro"')])


def _positive(scored: Scored, positive: int | None, metric: str, instead: str) -> int:
    """Return the code of the positive class, which goes without saying where there are two."""
    if positive is not None:
        return positive
    if scored.n_classes != 2:
        raise PairingError(
            f"{metric} needs two classes, to have one that is positive; this task has {scored.n_classes}. "
            f"Say which with positive, or use {instead}."
        )
    return 1


def _f1_by_class(scored: Scored) -> Floats:
    # TP is 0 wherever the sum TP + FN + TP + FP is: dividing by 1 there gives the 0 that is wanted.
    total = scored.confusion.sum(axis=0) + scored.confusion.sum(axis=1)
    by_class: Floats = 2 * scored.confusion.diagonal() / np.maximum(total, 1)
    return by_class


@round_metric(
    "roc-auc",
    summary="Area under the ROC curve; one-vs-rest macro for more than two classes",
    tasks=Task.CLASSIFICATION,
    needs=("proba|decision",),
)
def roc_auc(scored: Scored) -> float:
    """Return the area under the ROC curve: P(a positive row scores above a negative one), a tie counting half.

    Two classes: the scores are the probabilities of class 1, or the decision values of a learner without
    probabilities; with class 0 as the positive one it is the same number. More: the mean over the classes of one
    against the rest, each scored by its own column. A class that no row, or every row, of the test set has is left out
    of the mean.

    Returns
    -------
    float
        NaN if no class is left, or a score is NaN.

    Raises
    ------
    PairingError
        If the learner has neither probabilities nor decision values.
    """
    scores = _scores(scored, "roc-auc", "balanced-accuracy")
    if np.isnan(scores).any():
        return float("nan")
    if scored.n_classes == 2:
        return _auc(scored.y == 1, scores if scores.ndim == 1 else scores[:, 1])
    present = np.flatnonzero(np.bincount(scored.y))  # a single one has no rest, and is NaN
    return sum(_auc(scored.y == k, scores[:, k]) for k in present) / len(present)


@round_metric(
    "average-precision",
    summary="Average precision of the positive class: the area under its precision-recall curve",
    tasks=Task.CLASSIFICATION,
    needs=("proba|decision",),
    max_classes=2,
    one_class=True,
)
def average_precision(scored: Scored, *, positive: int | None = None, average: Average = None) -> float:
    """Return sum_i (R_i - R_{i-1}) P_i, i running over the distinct scores of the positive class downwards.

    R_i and P_i are recall and precision if all rows with the i-th score or a larger one are predicted to be positive.
    No threshold is in it, which is why it suits rare classes. The scores are probabilities, or decision values of a
    learner without them.

    Parameters
    ----------
    scored : Scored
    positive : as in ``f1``
    average : "macro" or None
        "macro" is the mean over the classes that occur in the test set, each against the rest.

    Returns
    -------
    float
        NaN if the class has no row in the test set, or a score is NaN.

    Raises
    ------
    PairingError
        As ``f1``, and if the learner has neither probabilities nor decision values.
    """
    scores = _scores(scored, "average-precision", "recall")
    if np.isnan(scores).any():
        return float("nan")
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    if average is not None:
        present = np.flatnonzero(np.bincount(scored.y))
        return sum(_average_precision(scored.y == k, scores[:, k]) for k in present) / len(present)
    code = _positive(scored, positive, "average-precision", 'average="macro"')
    return _average_precision(scored.y == code, scores[:, code]) if (scored.y == code).any() else float("nan")


def _scores(scored: Scored, metric: str, instead: str) -> Floats:
    """Return probabilities, or decision values where there are none."""
    scores = scored.proba if scored.proba is not None else scored.decision
    if scores is None:
        raise PairingError(
            f"{metric} needs predict_proba or decision_function; the task learner has neither. Use a learner that has "
            f"one, such as 'logistic-regression', or the metric {instead!r}."
        )
    return scores


def _auc(positive: Mask, scores: Floats) -> float:
    above, below = scores[positive], np.sort(scores[~positive])
    if not (len(above) and len(below)):
        return float("nan")
    # Negatives strictly below plus negatives not above = 2 x those below + ties, an exact integer (Mann-Whitney U).
    wins = int(np.searchsorted(below, above, "left").sum() + np.searchsorted(below, above, "right").sum())
    return wins / (2 * len(above) * len(below))


@round_metric(
    "log-loss",
    summary="Mean negative log probability of the true class",
    tasks=Task.CLASSIFICATION,
    needs=("proba",),
    greater_is_better=False,
)
def log_loss(scored: Scored) -> float:
    """Return the mean of -ln p(true class), the columns being all classes.

    Probabilities below eps = 2.2e-16 are raised to it, so that a certain and wrong row costs 36 and not infinity; then
    each row is divided by its sum. Of rows that sum to one this is scikit-learn's value.

    Raises
    ------
    PairingError
        If the learner has no probabilities.
    """
    proba = np.maximum(_proba(scored, "log-loss"), EPS)
    truth = proba[np.arange(len(proba)), scored.y]
    return float(-np.log(truth / proba.sum(axis=1)).mean())


@round_metric(
    "brier",
    summary="Brier score: squared error of the probabilities",
    tasks=Task.CLASSIFICATION,
    needs=("proba",),
    greater_is_better=False,
)
def brier(scored: Scored) -> float:
    """Return the Brier score.

    Two classes: the mean of (p(class 1) - y)^2, from 0 to 1, which is the same for either class. More: the
    mean over the rows of the sum over the classes of (p - onehot)^2, from 0 to 2; for two classes that sum is twice the
    usual score, which is why it is halved there.

    Raises
    ------
    PairingError
        If the learner has no probabilities.
    """
    error = _proba(scored, "brier").copy()
    error[np.arange(len(error)), scored.y] -= 1
    total = float(np.vdot(error, error)) / len(error)
    return total / 2 if scored.n_classes == 2 else total


def _proba(scored: Scored, metric: str) -> Floats:
    if scored.proba is None:
        raise PairingError(
            f"{metric} needs predict_proba; the task learner has none. Use a learner that has it, such as "
            "'logistic-regression', or a metric of the predicted class, such as 'accuracy'."
        )
    return scored.proba


@round_metric("mse", summary="Mean squared error", tasks=Task.REGRESSION, greater_is_better=False)
def mse(scored: Scored) -> float:
    """Return the mean of (y - pred)^2."""
    error = scored.y - scored.pred
    return float(error @ error) / len(error)


@round_metric("mae", summary="Mean absolute error", tasks=Task.REGRESSION, greater_is_better=False)
def mae(scored: Scored) -> float:
    """Return the mean of abs(y - pred)."""
    return float(np.abs(scored.y - scored.pred).sum()) / len(scored.y)


@round_metric("r2", summary="Coefficient of determination", tasks=Task.REGRESSION)
def r2(scored: Scored) -> float:
    """Return 1 - sum (y - pred)^2 / sum (y - mean y)^2.

    Constant targets score 1 if they are predicted exactly and 0 if not, as in scikit-learn (``force_finite=True``),
    except that targets count as constant when they are equal, not when their rounded mean happens to equal them.
    NaN for a test set of one row.
    """
    if len(scored.y) < 2:
        return float("nan")
    error, spread = scored.y - scored.pred, scored.y - scored.y.mean()
    residual = float(error @ error)
    total = 0.0 if (scored.y == scored.y[0]).all() else float(spread @ spread)
    return 1 - residual / total if total else float(residual == 0)


@round_metric("multilabel-f1-macro", summary="Mean F1 over the labels, 0 for one never seen", tasks=Task.MULTILABEL)
def multilabel_f1_macro(scored: Scored) -> float:
    """Return the mean over the L labels of F1, which is 0 for a label that no row has and none is predicted to have."""
    true_positive, total = _label_counts(scored)
    return float((2 * true_positive / np.maximum(total, 1)).sum() / scored.n_classes)


@round_metric("multilabel-f1-micro", summary="F1 over all cells of the label matrix", tasks=Task.MULTILABEL)
def multilabel_f1_micro(scored: Scored) -> float:
    """Return F1 of all (row, label) cells taken together; 0 if no cell is 1, true or predicted."""
    true_positive, total = _label_counts(scored)
    return float(2 * true_positive.sum() / max(total.sum(), 1))


@round_metric(
    "multilabel-average-precision",
    summary="Mean average precision over the labels: does not depend on a threshold",
    tasks=Task.MULTILABEL,
    needs=("proba|decision",),
)
def multilabel_average_precision(scored: Scored) -> float:
    """Return the mean over labels of sum_i (R_i - R_{i-1}) P_i, i running over the distinct scores downwards.

    R_i and P_i are recall and precision if all rows with the i-th score or a larger one are predicted to have the
    label. The scores are probabilities, or decision values of a learner without them. Labels that no row of the test
    set has are left out.

    Returns
    -------
    float
        NaN if no label is left, or a score is NaN.

    Raises
    ------
    PairingError
        If the learner has neither probabilities nor decision values.
    """
    scores = _scores(scored, "multilabel-average-precision", "multilabel-f1-macro")
    present = np.flatnonzero(scored.y.any(axis=0))
    if not len(present) or np.isnan(scores).any():
        return float("nan")
    return sum(_average_precision(scored.y[:, c] == 1, scores[:, c]) for c in present) / len(present)


def _average_precision(positive: Mask, scores: Floats) -> float:
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1)  # of the rows that share a score
    hits = np.cumsum(positive[order])[last]
    return float((np.diff(hits, prepend=0) * hits / (last + 1)).sum() / hits[-1])


@round_metric("hamming-loss", summary="Share of wrong label cells", tasks=Task.MULTILABEL, greater_is_better=False)
def hamming_loss(scored: Scored) -> float:
    """Return the share of (row, label) cells that are predicted wrong."""
    return int(np.count_nonzero(scored.y != scored.pred)) / scored.y.size


def _label_counts(scored: Scored) -> tuple[Floats, Floats]:
    """Return TP and 2 TP + FP + FN by label, each (L,)."""
    true_positive: Floats = (scored.y * scored.pred).sum(axis=0)
    total: Floats = scored.y.sum(axis=0) + scored.pred.sum(axis=0)
    return true_positive, total
