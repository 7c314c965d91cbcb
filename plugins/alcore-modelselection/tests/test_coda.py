"""CODA by hand and by brute force."""

from __future__ import annotations

import numpy as np
import pytest

from alcore.errors import InputError
from alcore_modelselection import Predictions, Selection, make_loss, simulate
from alcore_modelselection.coda.dense import DenseCoda
from alcore_modelselection.coda.pbest import FORMS
from alcore_modelselection.coda.prior import confusion, dirichlet
from alcore_modelselection.coda.quadrature import Grid, Hypothesis
from alcore_modelselection.coda.scores import Scores
from alcore_modelselection.coda.selector import Coda


def started(predictions, loss="accuracy", **params):
    coda = Coda(**params)
    coda.setup(predictions.without_labels(), make_loss(loss, predictions.n_classes), np.random.default_rng(0))
    return coda


def test_confusion_against_the_consensus_by_hand():
    # rows 0 and 1 have the consensus 0, row 2 has 1; the third model says 1 everywhere
    predictions = Predictions([[0, 0, 1], [0, 0, 1], [1, 1, 1]], classes=[0, 1])
    np.testing.assert_array_equal(confusion(predictions), [[[2, 0], [0, 1]], [[2, 0], [0, 1]], [[0, 2], [0, 1]]])


def test_confusion_of_probabilities_sums_them():
    values = np.array([[[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]], [[0.7, 0.3], [0.4, 0.6], [0.7, 0.3]]])
    predictions = Predictions(values)
    np.testing.assert_allclose(confusion(predictions)[0], [[1.5, 0.5], [0.2, 0.8]])


def test_prior_by_hand():
    predictions = Predictions([[0, 0, 1], [0, 0, 1], [1, 1, 1]], classes=[0, 1, 2])
    theta = dirichlet(predictions, prior="consensus+diagonal", alpha=0.1, temperature=0.5, confusion_form="normalised")
    # Eq. 6: (1 + 0.1 * 1) / 0.5 on the diagonal of the first model, 0.5 / 0.5 off it; nothing is known of class 2
    np.testing.assert_allclose(theta[0], [[2.2, 1, 1], [1, 2.2, 1], [1, 1, 2]])
    np.testing.assert_allclose(theta[2], [[2, 1.2, 1], [1, 2.2, 1], [1, 1, 2]])
    flat = dirichlet(predictions, prior="uniform", alpha=0.1, temperature=0.5, confusion_form="normalised")
    np.testing.assert_allclose(flat, 4 / 3)


@pytest.mark.parametrize("cdf", ["trapezoid", "betainc"])
def test_probability_to_be_best_by_sampling(cdf):
    a, b = np.array([8.0, 6.0, 3.0, 2.0]), np.array([3.0, 2.0, 2.0, 4.0])
    grid = Grid(1024, cdf)
    draws = np.random.default_rng(0).beta(a, b, size=(400_000, 4))
    frequency = np.bincount(draws.argmax(axis=1), minlength=4) / len(draws)
    np.testing.assert_allclose(grid.best(*grid.tabulate(a, b)), frequency, atol=3e-3)


def test_two_uniform_models_are_equally_likely_best():
    grid = Grid()
    np.testing.assert_allclose(grid.best(*grid.tabulate(np.ones(2), np.ones(2))), 0.5)


def test_a_beta_against_a_uniform_has_a_closed_form():
    # P(X > U) = E[X] for U uniform on (0, 1)
    grid = Grid(4096)
    got = grid.best(*grid.tabulate(np.array([3.0, 1.0]), np.array([2.0, 1.0])))
    assert got[0] == pytest.approx(0.6, abs=1e-5)


@pytest.mark.parametrize("states", [2, 3])
def test_products_equal_one_integral_per_row(states):
    rng = np.random.default_rng(0)
    grid = Grid()
    a, b = rng.uniform(1, 9, size=(2, states, 7))
    pdf, cdf = grid.tabulate(a, b)
    rows = rng.integers(states, size=(20, 7)).astype(np.uint8)
    every = np.arange(7)
    want = [grid.best(pdf[row, every], cdf[row, every]) for row in rows]
    np.testing.assert_allclose(Hypothesis(grid, pdf, cdf).best(rows), want, rtol=0, atol=1e-12)


def test_points_left_out_of_the_integral_change_nothing():
    rng = np.random.default_rng(1)
    grid = Grid()
    a, b = rng.uniform(2, 9, size=(2, 2, 200))  # with 200 models most of the grid is empty
    fast = Hypothesis(grid, *grid.tabulate(a, b))
    assert len(fast.base) < 200
    rows = rng.integers(2, size=(5, 200)).astype(np.uint8)
    pdf, cdf = grid.tabulate(a, b)
    want = [grid.best(pdf[row, np.arange(200)], cdf[row, np.arange(200)]) for row in rows]
    np.testing.assert_allclose(fast.best(rows), want, rtol=0, atol=1e-12)


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("classes", [2, 4])
def test_the_fast_form_equals_the_dense_one_after_every_label(toy, soft, classes):
    predictions = toy(7, 60, classes, soft=soft, seed=3)
    coda, dense = started(predictions), DenseCoda(predictions)
    unlabeled = np.ones(60, dtype=bool)
    for _ in range(25):
        rows, gains = coda.gains(unlabeled)
        want = dense.gains(unlabeled)
        np.testing.assert_array_equal(rows, np.flatnonzero(np.isfinite(want)))
        np.testing.assert_allclose(gains, want[rows], rtol=0, atol=1e-11)
        np.testing.assert_allclose(coda.posterior(), dense.p_best(), rtol=0, atol=1e-12)
        row = int(rows[gains.argmax()])
        coda.update(row, int(predictions.labels[row]), unlabeled)
        dense.update(row, int(predictions.labels[row]))
        unlabeled[row] = False


@pytest.mark.parametrize("pbest", ["rows", "mixture", "total"])
def test_a_gain_is_what_really_labelling_the_row_would_bring(toy, pbest):
    # with a real label of the hypothetical weight, and the prevalence frozen as in section 4.4
    predictions = toy(5, 30, 3)
    coda = started(predictions, pbest=pbest, eta=1.0, hypothetical_weight=1.0)
    rows, gains = coda.gains(np.ones(30, dtype=bool))
    weights = coda.prevalences

    def entropy(p):
        return -(p * np.log2(p)).sum()

    for at in (0, len(rows) // 2):
        row, expected = int(rows[at]), 0.0
        share = coda._beliefs.classes.of_rows(rows[[at]])[0]
        for label in range(3):
            twin = started(predictions, pbest=pbest, eta=1.0)
            twin.posterior()
            twin._beliefs._weights = lambda: weights
            twin.update(row, label, np.ones(30, dtype=bool))
            expected += share[label] * entropy(twin.posterior())
        assert gains[at] == pytest.approx(entropy(coda.posterior()) - expected, abs=1e-9)


def test_total_accuracy_is_compared_by_sampling(toy):
    predictions = toy(4, 60, 3)
    coda = started(predictions, pbest="total")
    rng = np.random.default_rng(0)
    total = np.zeros((200_000, 4))
    for c, weight in enumerate(coda.prevalences):
        a = coda.theta[:, c, c]
        total += weight * rng.beta(a, coda.theta[:, c].sum(axis=1) - a, size=total.shape)
    frequency = np.bincount(total.argmax(axis=1), minlength=4) / len(total)
    np.testing.assert_allclose(coda.posterior(), frequency, atol=6e-3)


def test_only_the_total_sees_by_how_much_a_model_wins():
    # one model is a little better on class 0, the other far better on class 1; both classes are equally common
    a, b = np.array([[96.0, 90.0], [20.0, 90.0]]), np.array([[4.0, 10.0], [80.0, 10.0]])
    got = {}
    for name, make in FORMS.items():
        form = make(Grid(1024), 2, 2, np.float64)
        for c in range(2):
            form.learn(c, a[c] * 10, b[c] * 10)
        got[name] = form.value(np.array([0.5, 0.5]))
    assert got["total"][1] > 0.999
    assert got["rows"][1] == pytest.approx(0.5, abs=0.01)
    assert got["mixture"][1] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("form", ["code", "paper"])
@pytest.mark.parametrize("soft", [False, True])
def test_prevalence_is_kept_up_to_date(toy, form, soft):
    predictions = toy(5, 30, 3, soft=soft)
    coda = started(predictions, prevalence=form, eta=0.5)
    unlabeled = np.ones(30, dtype=bool)
    for row in range(12):
        coda.update(row, int(predictions.labels[row]), unlabeled)
    said = predictions.soft if soft else np.eye(3)[predictions.hard]
    if form == "code":
        u = np.einsum("kcs,kis->ic", coda.theta, said)
    else:
        u = np.einsum("kjc,kij->ic", coda.theta / coda.theta.sum(axis=2, keepdims=True), said)
    rows = u / u.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(coda.prevalences, rows.mean(axis=0), rtol=1e-12)


def test_a_label_raises_the_models_that_were_right(toy):
    predictions = toy(6, 40, 3)
    coda = started(predictions)
    before = coda.posterior()
    row = int(np.flatnonzero(predictions.split)[0])
    label = int(predictions.labels[row])
    coda.update(row, label, np.ones(40, dtype=bool))
    up = coda.posterior() > before
    right = predictions.hard[:, row] == label
    assert up[right].all()
    assert not up[~right].any()


def test_only_the_rows_that_a_label_changed_are_recomputed(toy, monkeypatch):
    predictions = toy(6, 60, 4)
    coda = started(predictions)
    unlabeled = np.ones(60, dtype=bool)
    coda.gains(unlabeled)
    seen = []
    original = Hypothesis.__init__
    monkeypatch.setattr(Hypothesis, "__init__", lambda self, *a, **k: (seen.append(1), original(self, *a, **k))[1])
    coda.update(3, int(predictions.labels[3]), unlabeled)
    coda.gains(unlabeled)
    assert len(seen) == 1


@pytest.mark.parametrize("prior", ["consensus+diagonal", "consensus", "diagonal", "uniform"])
@pytest.mark.parametrize("acquisition", ["eig", "uncertainty", "random"])
def test_every_ablation_runs_and_improves_with_labels(toy, prior, acquisition):
    predictions = toy(6, 80, 3, seed=5)
    trace = simulate(predictions, "coda", steps=80, params={"prior": prior, "acquisition": acquisition, "eta": 1.0})
    assert trace.regret[-1] <= 0.02
    assert len(set(trace.chosen.tolist())) == 80


def test_without_consensus_all_models_are_equal_before_any_label(toy):
    posterior = started(toy(), prior="diagonal").posterior()
    np.testing.assert_allclose(posterior, 1 / 6, rtol=1e-12)


def test_binary_uniform_and_diagonal_priors_are_one(toy):
    # as the paper's Fig. 5 says
    one, other = (started(toy(5, 30, 2), prior=p) for p in ("diagonal", "uniform"))
    np.testing.assert_array_equal(one.theta, other.theta)


def test_rows_that_all_agree_on_are_asked_last(toy):
    predictions = toy(4, 40, 2, seed=2)
    trace = simulate(predictions, "coda", steps=40)
    split = predictions.split[trace.chosen]
    assert not split.all()
    assert split[: split.sum()].all()


def test_a_batch_larger_than_the_candidates_goes_on_with_the_rest(toy):
    predictions = toy(4, 40, 2, seed=2)
    one = Selection(predictions, "coda")
    rows = one.ask(40)
    assert sorted(rows.tolist()) == list(range(40))
    assert one.ask(1)[0] == rows[0]
    assert predictions.split[one.ask(1)].all()


def test_duplicate_models_tie_and_share_their_probability(toy):
    predictions = toy(6, 40, 3)
    twice = Predictions(np.concatenate([predictions.hard, predictions.hard[-1:]]), classes=range(3))
    best = Selection(twice, "coda").best()
    assert best.positions == (5, 6)
    assert best.models == ("model-5", "model-6")
    assert best.probability == pytest.approx(best.posterior[5] + best.posterior[6])


def test_one_model_is_the_best_for_sure(toy):
    predictions = toy(1, 20, 2)
    one = Selection(predictions, "coda")
    one.tell(one.ask(), predictions.classes[predictions.labels[one.ask()]])
    assert one.best().probability == pytest.approx(1.0)


def test_many_labels_find_the_model_that_is_always_right(toy):
    predictions = toy(6, 80, 3)
    hard = predictions.hard.copy()
    hard[2] = predictions.labels
    perfect = Predictions(hard, labels=predictions.labels, classes=range(3))
    assert simulate(perfect, "coda", steps=60).best[-1] == 2


def test_balanced_accuracy_prefers_the_model_that_is_right_on_the_rare_class():
    labels = np.array([0] * 90 + [1] * 10)
    majority = np.zeros(100, dtype=int)
    rare = labels.copy()
    rare[:20] = 1  # 0.8 accurate, perfect on the rare class
    predictions = Predictions([majority, rare], labels=labels, classes=[0, 1])
    last = [
        simulate(predictions, "coda", steps=60, loss=loss, params={"eta": 1.0})
        for loss in ("accuracy", "balanced-accuracy")
    ]
    risk = make_loss("balanced-accuracy", 2).true_risks(predictions.hard, labels)
    np.testing.assert_allclose(risk, [0.5, (20 / 90) / 2])
    assert last[1].best[-1] == 1
    assert last[1].regret[-1] == 0


def test_a_cost_matrix_of_zeros_and_ones_is_accuracy(toy):
    predictions = toy(5, 40, 3)
    one, other = started(predictions), started(predictions, 1.0 - np.eye(3))
    np.testing.assert_array_equal(one.posterior(), other.posterior())
    np.testing.assert_array_equal(one.gains(np.ones(40, dtype=bool))[1], other.gains(np.ones(40, dtype=bool))[1])


def test_costs_are_matched_in_mean_and_variance():
    # worth of predicting 0, 1, 2 where 0 is true: 1, 0.5, 0
    scores = Scores(make_loss([[0, 1, 2], [1, 0, 1], [1, 1, 0]], 3))
    theta = np.array([[3.0, 2.0, 1.0]])
    a, b = scores.beta(0, theta)
    draws = np.random.default_rng(0).dirichlet(theta[0], size=200_000) @ [1, 0.5, 0]
    assert a / (a + b) == pytest.approx(draws.mean(), abs=2e-3)
    assert a * b / (a + b) ** 2 / (a + b + 1) == pytest.approx(draws.var(), rel=0.02)


def test_a_cost_matrix_decides_who_is_best():
    # missing class 1 is ten times worse than a false alarm
    costs = [[0, 1], [10, 0]]
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=200)
    misses = np.where((labels == 1) & (rng.random(200) < 0.3), 0, labels)
    alarms = np.where((labels == 0) & (rng.random(200) < 0.6), 1, labels)
    predictions = Predictions([misses, alarms], labels=labels, classes=[0, 1])
    params = {"eta": 1.0}
    assert simulate(predictions, "coda", steps=100, params=params).best[-1] == 0
    assert simulate(predictions, "coda", steps=100, loss=costs, params=params).best[-1] == 1


def test_a_class_on_which_all_cost_the_same_says_nothing(toy):
    predictions = toy(5, 40, 3)
    coda = started(predictions, [[0, 0, 0], [1, 0, 2], [1, 1, 0]])
    before = coda.posterior()
    assert np.isfinite(coda.gains(np.ones(40, dtype=bool))[1]).all()
    coda._beliefs.theta[:, 0] += 5.0  # whatever is known of class 0
    np.testing.assert_array_equal(coda.posterior(), before)


def test_a_prefilter_says_so_and_asks_from_the_rows_that_are_split_most(toy):
    predictions = toy(6, 200, 3, seed=1)
    whole, part = Selection(predictions, "coda"), Selection(predictions, "coda", params={"max_candidates": 40})
    asked = part.ask()[0]
    assert part.notices
    assert "considers 40 of" in part.notices[0]
    assert not whole.notices or whole.ask() is None
    rows, gains = whole.selector.gains(np.ones(200, dtype=bool))
    rank = (gains > gains[rows.tolist().index(asked)]).sum()
    assert rank < 10


def test_memory_bounds_the_candidates(toy):
    predictions = toy(6, 400, 3, seed=1)
    small = Selection(predictions, "coda", params={"memory": 20_000})
    small.ask()
    assert "raise max_candidates or memory" in small.notices[0]
    assert small.selector._first.after.nbytes <= 20_000


def test_a_prefiltered_selection_resumes_with_the_same_rows(toy, tmp_path):
    predictions = toy(6, 300, 3, seed=1)
    params = {"max_candidates": 40}
    one = Selection(predictions, "coda", params=params)
    for t in range(50):
        row = int(one.ask()[0])
        if t == 33:
            one.save(tmp_path / "state.json")
            next_row = row
        one.tell(row, predictions.labels[row])
    assert Selection.resume(tmp_path / "state.json", predictions).ask()[0] == next_row


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"variant": "mine"}, "variant='mine'; use one of 'code', 'paper'"),
        ({"prior": "none"}, "'uniform'"),
        ({"acquisition": "best"}, "'eig'"),
        ({"temperature": 0}, "positive"),
        ({"alpha": -1}, "alpha is 0 or more"),
        ({"eta": 0}, "positive"),
        ({"grid": 3}, "use 16 or more"),
        ({"max_candidates": 3}, "32 rows or more"),
        ({"dtype": "float16"}, "'float64', 'float32'"),
    ],
)
def test_wrong_parameters_are_refused_with_the_fix(params, words):
    with pytest.raises(InputError, match=words):
        Coda(**params)
