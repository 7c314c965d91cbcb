"""Metrics: of one round (``Scored`` -> number) and of one learning curve (``Curve`` -> number)."""

from alcore.metrics.curves import aubc, average_end_quality, final, labels_to, start_quality
from alcore.metrics.rounds import (
    accuracy,
    average_precision,
    balanced_accuracy,
    brier,
    f1,
    f1_macro,
    f1_weighted,
    hamming_loss,
    log_loss,
    mae,
    mse,
    multilabel_average_precision,
    multilabel_f1_macro,
    multilabel_f1_micro,
    precision,
    r2,
    recall,
    roc_auc,
)

__all__ = [
    # classification
    "accuracy",
    "balanced_accuracy",
    "f1_macro",
    "f1_weighted",
    "f1",
    "recall",
    "precision",
    "average_precision",
    "roc_auc",
    "log_loss",
    "brier",
    # regression
    "mse",
    "mae",
    "r2",
    # multi-label
    "multilabel_average_precision",
    "multilabel_f1_macro",
    "multilabel_f1_micro",
    "hamming_loss",
    # curves
    "aubc",
    "start_quality",
    "average_end_quality",
    "final",
    "labels_to",
]
