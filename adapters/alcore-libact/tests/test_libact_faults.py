"""Faults of libact 0.1.6 that would break alcore's contract: each shown in libact, and gone in the adapter."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from alcore import PairingError, Pool, Recipe, StrategyError
from alcore.errors import InputError
from alcore.interop import silenced
from alcore.state import State
from alcore_libact.specs import SPECS

BUILD = {spec.name: spec for spec in SPECS}


def make(name, **params):
    return BUILD[f"libact.{name}"].build(**params)


def dataset(X, y, labeled, labels=int):
    from libact.base.dataset import Dataset

    known = np.full(len(X), None, dtype=object)
    for row in labeled:
        known[row] = labels(y[row])
    return Dataset(X, known)


def sign(code):
    return 1 if code else -1


def state_of(strategy, real, *, learner=None, ties="first", start=None):
    learner = LogisticRegression() if learner is None else learner
    state = State(real.pool(), strategy, Recipe.of(learner), seed=0, ties=ties)
    start = real.start if start is None else np.asarray(start)
    state.add(start, real.y[start], start=True)
    return state


def logistic():
    from libact.models import LogisticRegression as Model

    return Model()


def test_entropy_of_a_certain_forest_is_a_number(real):
    """0 log 0 is NaN in libact, which then asks for the first certain row."""
    from libact.models import SklearnProbaAdapter
    from libact.query_strategies import UncertaintySampling

    found = real("wine")
    forest = RandomForestClassifier(20, random_state=0)
    with silenced():
        model = SklearnProbaAdapter(RandomForestClassifier(20, random_state=0))
        data = dataset(found.X, found.y, found.start)
        asked, scored = UncertaintySampling(data, model=model, method="entropy").make_query(return_score=True)
    assert np.isnan([score for _, score in scored]).any()
    assert np.isnan(dict(scored)[asked])

    strategy = make("entropy")
    state = state_of(strategy, found, learner=forest)
    view = state.view()
    scores = strategy.scores(view)
    p = view.proba
    assert scores == pytest.approx(-np.sum(np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0), axis=1), abs=1e-12)
    assert scores[view.unlabeled == state.query(1)[0]] == scores.max()


def test_divergence_of_certain_forests_is_a_number(real):
    found = real("wine")
    scores = make("qbc-kl", members=3).scores(state_of(None, found, learner=RandomForestClassifier(5)).view())
    assert np.isfinite(scores).all()
    assert scores.max() > 0


def test_a_score_that_is_no_number_is_an_error_with_the_name(real):
    """A negative similarity to the power of 1/2, which libact passes on."""
    state = state_of(make("density-weighted", beta=0.5, clusters=1), real("wine"))
    with pytest.raises(StrategyError, match=r"libact\.density-weighted gave NaN"):
        state.query(1)


def test_a_density_that_underflows_is_an_error_with_the_name(real):
    """DWUS divides 0 by 0 in many dimensions, scores every row NaN, and asks for the first unlabelled row."""
    from libact.query_strategies import DWUS

    found = real("digits")
    found.y, found.classes, found.task = found.y[:, 0], 2, "classification"
    with silenced():
        asked = DWUS(dataset(found.X, found.y, found.start, sign), sigma=0.02, random_state=0).make_query()
    assert asked == found.start.max() + 1
    with pytest.raises(StrategyError, match=r"libact\.dwus gave NaN .* Use a larger sigma"):
        state_of(make("dwus", sigma=0.02), found)
    assert state_of(make("dwus", sigma=50.0), found).query(1)[0] not in found.start


def test_hint_svm_keeps_its_parameters(real, monkeypatch):
    """libact's C wrapper empties the dict it is given: from the second query on, defaults are used."""
    from libact.query_strategies import HintSVM
    from libact.query_strategies import hintsvm as home

    found = real("breast-cancer")
    raw = HintSVM(dataset(found.X, found.y, found.start, sign), kernel="rbf", random_state=0)
    raw.make_query()
    assert raw.svm_params == {}

    told = []
    solve = home.hintsvm_query
    monkeypatch.setattr(home, "hintsvm_query", lambda *args: [told.append(dict(args[-1])), solve(*args)][1])
    state = state_of(make("hint-svm", kernel="rbf", Cl=0.7), found)
    for _ in range(3):
        rows = state.query(1)
        state.add(rows, found.y[rows])
    assert [(params["kernel"], params["C"]) for params in told] == [("rbf", 0.7)] * 3


def test_hint_svm_of_one_class_is_silent(real, capfd):
    """libact's solver prints from C and answers nonsense."""
    from libact.query_strategies import HintSVM

    found = real("breast-cancer")
    start = np.flatnonzero(found.y == 1)[:4]
    HintSVM(dataset(found.X, found.y, start, sign), random_state=0).make_query()
    assert "binary" in capfd.readouterr().err
    asked = {int(state_of(make("hint-svm"), found, start=start, ties=ties).query(1)[0]) for ties in ("first", "random")}
    assert len(asked) == 2
    assert capfd.readouterr().err == ""


def test_a_bag_that_lacks_a_class_is_not_drawn_for_ever(real, monkeypatch):
    """With one row of each of fifteen classes, a bag that has all comes once in 330,000 draws."""
    from libact.query_strategies import QueryByCommittee

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 15
    draws = []

    class Enough(Exception):
        pass

    def counted(self, size):
        draws.append(size)
        if len(draws) > 5000:
            raise Enough
        return original(self, size)

    original = QueryByCommittee._labeled_uniform_sample
    with monkeypatch.context() as patch, silenced():
        patch.setattr(QueryByCommittee, "_labeled_uniform_sample", counted)
        data = dataset(X, y, range(15))
        with pytest.raises(Enough):
            QueryByCommittee(data, models=[logistic()], random_state=0)

    state = State(Pool(X, classes=tuple(range(15))), make("qbc-vote", members=2), Recipe(LogisticRegression()), seed=0)
    state.add(np.arange(15), y[:15], start=True)
    assert state.query(3).min() >= 15


def test_eer_tries_the_classes_that_there_are(real):
    """libact tries labels 0, 1, ... up to the number of classes seen: with 0 and 2 labelled, a class 1 unseen."""
    from libact.models import LogisticRegression as Model
    from libact.query_strategies.multiclass import EER

    found = real("wine", 40)
    start = np.sort(np.concatenate([np.flatnonzero(found.y == code)[:4] for code in (0, 2)]))
    tried = set()

    class Watched(Model):
        def train(self, data, *args, **kwargs):
            tried.add(tuple(sorted(set(data.format_sklearn()[1].tolist()))))
            return super().train(data, *args, **kwargs)

    with silenced():
        EER(dataset(found.X, found.y, start), model=Watched(), random_state=0).make_query()
    assert (0, 1, 2) in tried

    recoded = dataset(found.X, found.y, start, lambda code: int(code > 0))
    with silenced():
        wanted = EER(recoded, model=logistic(), random_state=0).make_query()
    assert state_of(make("eer"), found, start=start).query(1)[0] == wanted


def test_hierarchical_answers_no_row_twice(real):
    """libact draws with replacement: before the label of a row is told, it may draw it again."""
    from libact.query_strategies.multiclass import HierarchicalSampling

    found = real("iris", 60)
    raw = HierarchicalSampling(dataset(found.X, found.y, found.start), [0, 1, 2], random_state=0)
    drawn = [int(raw.make_query()) for _ in range(30)]
    assert len(set(drawn)) < 30

    rows = state_of(make("hierarchical"), found).query(51)
    assert sorted([*rows.tolist(), *found.start.tolist()]) == list(range(60))


def test_albl_may_be_asked_twice_for_a_row(real):
    """libact fails where no label has come between two queries."""
    from libact.query_strategies import ActiveLearningByLearning, UncertaintySampling

    found = real("wine")
    data = dataset(found.X, found.y, found.start)
    raw = ActiveLearningByLearning(
        data, T=9, query_strategies=[UncertaintySampling(data, model=logistic())], model=logistic(), random_state=0
    )
    raw.make_query()
    with pytest.raises(IndexError):
        raw.make_query()

    state = state_of(make("albl"), found)
    first = state.query(1)
    state.close(first.tolist())
    assert state.query(1)[0] != first[0]


def test_albl_of_few_queries(real):
    """For T of 3 and three arms libact's smallest probability is above 1/3, and others are negative."""
    from libact.query_strategies import ActiveLearningByLearning, UncertaintySampling

    found = real("wine")
    data = dataset(found.X, found.y, found.start)
    arms = [UncertaintySampling(data, model=logistic(), method=method) for method in ("lc", "sm")]
    raw = ActiveLearningByLearning(data, T=3, query_strategies=arms, model=logistic(), random_state=0)
    assert raw.exp4p_.pmin > 1 / 3

    state = state_of(make("albl", arms=["least-confident", "margin"], T=3), found)
    for _ in range(3):
        rows = state.query(1)
        state.add(rows, found.y[rows])
    assert state.strategy.live.bandit.exp4p_.pmin == pytest.approx(1 / 3)
    with pytest.raises(StrategyError, match=r"libact\.albl was made for 3 queries.*larger T"):
        state.query(1)


def test_albl_refuses_what_cannot_be_an_arm(real):
    with pytest.raises(InputError, match=r"no arm 'margn'.*margin"):
        make("albl", arms=["margn"])
    with pytest.raises(PairingError, match="'quire', which is for two classes; the pool has 3"):
        state_of(make("albl", arms=["quire"]), real("wine"))


def test_quire_is_told_signs(real):
    """With labels 0 and 1, libact answers otherwise, and says nothing."""
    from libact.query_strategies import QUIRE

    found = real("breast-cancer", 60)
    told_codes, told_signs, ours = [], [], []
    for size in (6, 10, 20, 25):
        start = np.sort(np.random.default_rng(size).permutation(60)[:size])
        told_codes.append(QUIRE(dataset(found.X, found.y, start)).make_query())
        told_signs.append(QUIRE(dataset(found.X, found.y, start, sign)).make_query())
        ours.append(int(state_of(make("quire"), found, start=start).query(1)[0]))
    assert told_codes != told_signs
    assert ours == told_signs


def test_quire_without_a_finite_inverse_is_an_error_with_the_name(real):
    state = state_of(make("quire"), real("iris-2", 40))
    state.strategy.inner.L[:] = np.nan
    with pytest.raises(StrategyError, match=r"libact\.quire gave NaN"):
        state.query(1)
