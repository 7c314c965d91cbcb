"""Strategies that take the last layer's inputs: who has them is known before a label is paid for, one way for all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import alcore
from alcore import PairingError, plugins
from alcore.experiment import ExperimentError, parse

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
y = (X[:, 0] > 0).astype(int)
TAKERS = ("badge", "clue", "expected-gradient-length")
FOREST = RandomForestClassifier(5)
OUTER: dict[str, dict[str, Any]] = {
    "explore": {"strategy": "badge"},
    "mixture": {"strategies": ["random", "clue"]},
    "subsample": {"strategy": {"name": "badge", "layer": "hidden"}},
}


class NetWithoutHidden:
    """Probabilities, and nothing of its insides."""

    def fit(self, X: Any, y: Any) -> NetWithoutHidden:
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)

    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), 2), 0.5)


@pytest.mark.parametrize("name", TAKERS)
@pytest.mark.parametrize(
    "learner",
    ["random-forest", FOREST, NetWithoutHidden(), GaussianNB()],
    ids=lambda one: str(one).partition("(")[0].rpartition(".")[2].partition(" ")[0],
)
def test_refused_before_a_label_is_asked(name: str, learner: Any) -> None:
    with pytest.raises(PairingError, match=f"{name} needs hidden or embedding; .*logistic-regression"):
        alcore.Session(X, strategy=name, learner=learner, classes=[0, 1])
    with pytest.raises(PairingError, match=f"{name} needs hidden or embedding"):
        alcore.simulate(X, y, strategy=name, learner=learner, start=6, budget=2)


@pytest.mark.parametrize("name", OUTER)
def test_refused_inside_another_strategy(name: str) -> None:
    with pytest.raises(PairingError, match=r"needs hidden.*layer='features' of (badge|clue)"):
        alcore.Session(X, strategy=name, strategy_params=OUTER[name], learner=FOREST, classes=[0, 1])


def test_refused_at_planning_with_the_parameter_that_helps() -> None:
    def experiment(strategy: Any, learner: str) -> Any:
        keys = {"name": "x", "datasets": ["sklearn.wine"], "strategies": [strategy], "learners": [learner]}
        return parse(keys, plugins.loaded().registry)

    with pytest.raises(ExperimentError, match=r"badge needs hidden or embedding; random-forest.* Use layer='features'"):
        experiment("badge", "random-forest")
    experiment({"name": "badge", "layer": "features"}, "random-forest")
    experiment("badge", "logistic-regression")


@pytest.mark.parametrize("name", TAKERS)
@pytest.mark.parametrize(
    "learner", ["logistic-regression", "lda", MLPClassifier(4, max_iter=2000, alpha=1.0, solver="lbfgs")], ids=str
)
def test_all_take_the_learners_that_have_a_last_layer(name: str, learner: Any) -> None:
    run = alcore.simulate(X, y, strategy=name, learner=learner, start=8, budget=3)
    assert len(run.records) == 4


@pytest.mark.parametrize("name", TAKERS)
def test_the_layer_behind_a_pipeline_and_a_search_is_seen(name: str) -> None:
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(
        make_pipeline(StandardScaler(), LogisticRegression()), {"logisticregression__C": [0.1, 1]}, cv=2
    )
    alcore.simulate(X, y, strategy=name, learner=search, start=12, budget=1)


def test_features_are_taken_where_they_are_asked_for() -> None:
    for name in ("badge", "clue"):
        alcore.simulate(
            X, y, strategy=name, strategy_params={"layer": "features"}, learner=FOREST, start=6, budget=4, batch=2
        )
