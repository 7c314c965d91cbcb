"""modAL."""

from __future__ import annotations

from typing import Any

import numpy as np

from alcore_modal.library import load
from tests.benchmarks.by_hand.now import Now


def learner(now: Now) -> Any:
    """Return modAL's learner of the labelled rows around an estimator that is fitted already."""
    made = load("modAL.models").ActiveLearner(whole(now.model))
    made.X_training, made.y_training = now.X[now.labeled], now.y[now.labeled]
    return made


def whole(model: Any) -> Any:
    """Return an estimator with what modAL looks for in one of several labels."""
    if hasattr(model, "members_"):
        model.estimators_, model.classes_ = model.members_, np.arange(len(model.members_))
    return model


def sampler(module: str, name: str, **given: Any) -> Any:
    def call(now: Now) -> Any:
        active, left = learner(now), now.X[now.unlabeled]
        return getattr(load(f"modAL.{module}"), name)(active, left, **given)

    return call


def losses(name: str) -> Any:
    def call(now: Now) -> Any:
        return getattr(load("modAL.multilabel"), name)(whole(now.model), now.X[now.unlabeled])

    return call


def density(now: Now) -> Any:
    active, left = learner(now), now.X[now.unlabeled]
    doubt = load("modAL.uncertainty").classifier_uncertainty(active, left)
    return np.argmax(doubt * load("modAL.density").information_density(left, "euclidean"))


def committee(kind: str, name: str) -> Any:
    def call(now: Now) -> Any:
        models, y, members = load("modAL.models"), now.y[now.labeled], []
        for seed in range(10):
            drawn = np.arange(len(y))
            for group in [np.flatnonzero(y == code) for code in np.unique(y)] if kind == "Committee" else [drawn]:
                drawn[group] = now.chance.choice(group, size=len(group))
            X = now.X[np.array(now.labeled)[drawn]]
            members.append(models.ActiveLearner(now.seeded(seed), X_training=X, y_training=y[drawn]))
        return getattr(load("modAL.disagreement"), name)(getattr(models, kind)(members), now.X[now.unlabeled])

    return call


CALLS = {
    "least-confident": sampler("uncertainty", "uncertainty_sampling"),
    "margin": sampler("uncertainty", "margin_sampling"),
    "entropy": sampler("uncertainty", "entropy_sampling"),
    "information-density": density,
    "ranked-batch": sampler("batch", "uncertainty_batch_sampling"),
    "eer": sampler("expected_error", "expected_error_reduction", loss="binary"),
    "log-loss-reduction": sampler("expected_error", "expected_error_reduction", loss="log"),
    "qbc-vote": committee("Committee", "vote_entropy_sampling"),
    "consensus-entropy": committee("Committee", "consensus_entropy_sampling"),
    "max-disagreement": committee("Committee", "max_disagreement_sampling"),
    "committee-std": committee("CommitteeRegressor", "max_std_sampling"),
    "gp-std": sampler("disagreement", "max_std_sampling"),
    "binary-minimum": sampler("multilabel", "SVM_binary_minimum"),
    "max-loss": losses("max_loss"),
    "mean-max-loss": losses("mean_max_loss"),
    "min-confidence": sampler("multilabel", "min_confidence"),
    "avg-confidence": sampler("multilabel", "avg_confidence"),
    "max-score": sampler("multilabel", "max_score"),
    "avg-score": sampler("multilabel", "avg_score"),
}
