"""Documents as X: learners that read them, strategies of predictions, and geometry by way of features."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import alcore
from alcore import plugins
from alcore.builtin import framed
from alcore.builtin.datasets import files
from alcore.errors import InputError, PairingError
from alcore.text import dense_tfidf

GOOD, BAD = ("great film", "lovely plot", "superb and warm"), ("dull film", "awful plot", "boring and cold")
DOCUMENTS = [f"{(GOOD if row % 2 else BAD)[row // 2 % 3]} in scene {row % 5}" for row in range(60)]
LABELS = ["good" if row % 2 else "bad" for row in range(60)]
READER = make_pipeline(TfidfVectorizer(), LogisticRegression())
CONTAINERS = {
    "list": DOCUMENTS,
    "tuple": tuple(DOCUMENTS),
    "Series": pd.Series(DOCUMENTS, index=range(100, 160)),
    "text array": np.array(DOCUMENTS),
    "object array": np.array(DOCUMENTS, dtype=object),
}


@alcore.scores("toy.geometry", summary="Uses distances")
def geometry(view):
    return view.pool.features[view.unlabeled][:, 0]


def simulate(X, learner, strategy="margin", **more):
    return alcore.simulate(X, LABELS, strategy=strategy, learner=learner, budget=5, start=6, **more)


@pytest.mark.parametrize("container", CONTAINERS)
def test_containers(container):
    run = simulate(CONTAINERS[container], READER)
    expected = simulate(DOCUMENTS, READER)
    assert run.queried.tolist() == expected.queried.tolist()
    assert run.records[-1].metrics == expected.records[-1].metrics


def test_dicts():
    rows = [dict.fromkeys(document.split(), 1) for document in DOCUMENTS]
    assert simulate(rows, make_pipeline(DictVectorizer(), LogisticRegression())).records[-1].metrics["accuracy"] > 0.5


def test_the_recipe_by_name():
    run = simulate(DOCUMENTS, "tfidf-logistic-regression", strategy="entropy")
    assert run.records[-1].metrics["accuracy"] > 0.5


def test_a_session():
    session = alcore.Session(
        pd.Series(DOCUMENTS), strategy="margin", learner="tfidf-logistic-regression", classes=["bad", "good"]
    )
    rows = session.ask(10)
    session.tell(rows, [LABELS[row] for row in rows])
    assert session.predict(["great and lovely", "dull, awful, boring"]) == ["good", "bad"]


@pytest.mark.parametrize("name", ["logistic-regression", "random-forest"])
def test_learners_of_numbers_are_refused(name):
    with pytest.raises(PairingError, match=f"learner {name} takes columns of numbers.*'tfidf-logistic-regression'"):
        simulate(DOCUMENTS, name)


def test_geometry_is_refused_by_name():
    with pytest.raises(PairingError, match=r'toy.geometry: X holds texts, .* Give features="tfidf"'):
        simulate(DOCUMENTS, READER, strategy=geometry)
    rows = [{"a": row} for row in range(60)]
    with pytest.raises(PairingError, match=r"toy.geometry: X holds dicts, .* Give features=function"):
        simulate(rows, make_pipeline(DictVectorizer(), LogisticRegression()), strategy=geometry)


@pytest.mark.parametrize("features", ["tfidf", lambda X: np.array([[len(text)] for text in X])])
def test_geometry_of_features(features):
    assert len(simulate(DOCUMENTS, READER, strategy=geometry, features=features).records) == 6


def test_directions_of_tfidf_tell_documents_apart():
    values = dense_tfidf(np.array(DOCUMENTS, dtype=object))
    np.testing.assert_allclose(np.linalg.norm(values, axis=1), 1)
    same = values @ values.T
    assert same[0, 30] == pytest.approx(1)  # the same text
    assert same[0, 6] > same[0, 1]
    with pytest.raises(InputError, match="the documents have no words"):
        dense_tfidf(np.array(["", "?"], dtype=object))


def test_tfidf_is_for_texts():
    with pytest.raises(InputError, match='features="tfidf" is for texts'):
        alcore.Pool(np.ones((3, 2)), classes=[0, 1], features="tfidf")


def test_a_file_of_texts(tmp_path):
    pd.DataFrame({"id": range(60), "text": DOCUMENTS, "kind": LABELS}).to_csv(tmp_path / "toy.csv", index=False)
    dataset = files.load(tmp_path / "toy.csv", "kind", text="text")
    assert dataset.X.shape == (60,)
    assert dataset.X[0] == DOCUMENTS[0]
    with pytest.raises(InputError, match="text is column 'id', which holds 0; name the one of the documents"):
        files.load(tmp_path / "toy.csv", "kind", text="id")
    with pytest.raises(InputError, match="the target and text"):
        files.load(tmp_path / "toy.csv", "kind", text="kind")


def test_an_experiment_on_texts(tmp_path):
    from alcore import experiment

    pd.DataFrame({"text": DOCUMENTS, "kind": LABELS}).to_csv(tmp_path / "toy.csv", index=False)
    (tmp_path / "toy.toml").write_text(
        'name = "toy"\n'
        'datasets = [{ name = "file", path = "toy.csv", target = "kind", text = "text", positive = "bad" }]\n'
        'strategies = ["margin"]\nlearners = ["tfidf-logistic-regression"]\nseeds = 1\nfeatures = "tfidf"\n'
        'budget = 3\n[metrics]\nround = ["accuracy"]\n'
    )
    assert experiment.load(tmp_path / "toy.toml", plugins.loaded()).features == "tfidf"


# Columns of a DataFrame


def odd_frames():
    rng = np.random.default_rng(0)
    numbers, words = rng.normal(size=(80, 3)), rng.choice(["u", "v"], 80)
    y = (numbers[:, 0] + (words == "u") > 0).astype(int)
    plain = pd.DataFrame(numbers, columns=["a", "b", "c"]).assign(k=pd.Categorical(words))
    odd = plain.copy()
    odd.columns = ["age<30", "b[1]", "b[1]", "k"]
    return y, plain, odd, np.hstack([numbers, (words[:, None] == np.array(["u", "v"])).astype(float)])


@pytest.mark.parametrize(
    "name", ["xgboost", "logistic-regression", "rbf-svm", "linear-svm", "random-forest", "lda", "gaussian-nb", "knn"]
)
def test_names_of_columns_make_no_difference(name):
    y, *tables = odd_frames()
    runs = [alcore.simulate(X, y, strategy="random", learner=name, budget=2) for X in tables]
    assert len({str([record.metrics for record in run.records]) for run in runs}) == 1


@pytest.mark.parametrize("scale", [True, False])
def test_frames_without_scaling(scale):
    y, _, odd, array = odd_frames()
    made = [plugins.loaded().registry.entry("learner", "logistic-regression").spec.build(scale=scale) for _ in range(2)]
    np.testing.assert_array_equal(made[0].fit(odd, y).predict_proba(odd), made[1].fit(array, y).predict_proba(array))


def test_an_unseen_value_and_another_width():
    y, plain, _, _ = odd_frames()
    plain["k"] = plain["k"].astype(object)
    model = framed.GaussianNB().fit(plain, y)
    other = plain.assign(k="w")
    assert model.predict(other).shape == (80,)
    with pytest.raises(InputError, match="was fitted to 4 columns"):
        model.predict(plain.iloc[:, :3])


def test_free_text_in_a_frame_has_no_distances():
    X = pd.DataFrame({"x": np.arange(60.0), "note": DOCUMENTS})
    X["note"] += [f" {row}" for row in range(60)]
    with pytest.raises(InputError, match="column 'note' of X holds text or identifiers: 60 different"):
        alcore.Pool(X, classes=[0, 1]).features  # noqa: B018
