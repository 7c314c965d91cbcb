"""What alcore comes with, registered through the same hooks as everybody else's."""

from __future__ import annotations

from collections.abc import Iterable

from alcore.builtin import datasets, learners, metrics, stop_rules, strategies
from alcore.hooks import hookimpl
from alcore.spec import Spec

alcore_api = 1


@hookimpl
def alcore_strategies() -> Iterable[Spec]:
    """random, margin, entropy, least-confident."""
    return strategies.specs()


@hookimpl
def alcore_learners() -> Iterable[Spec]:
    """Classifiers and regressors of scikit-learn and XGBoost."""
    return learners.specs()


@hookimpl
def alcore_metrics() -> Iterable[Spec]:
    """Round metrics and curve metrics."""
    return metrics.specs()


@hookimpl
def alcore_datasets() -> Iterable[Spec]:
    """scikit-learn's, KEEL's, OpenML's and the user's data sets, and synthetic ones."""
    return datasets.specs()


@hookimpl
def alcore_stop_rules() -> Iterable[Spec]:
    """target, plateau, share."""
    return stop_rules.specs()
