"""Ask and tell, stop and resume, for every selector."""

from __future__ import annotations

import json

import numpy as np
import pytest

from alcore.errors import InputError, StrategyError, UnknownNameError
from alcore_modelselection import Predictions, Selection, Selector, simulate

METHODS = {
    "random": {},
    "uncertainty": {},
    "active-testing": {},
    "vma": {},
    "model-selector": {"epsilon": 0.4},
    "coda": {},
}
EVERY = pytest.mark.parametrize(("method", "params"), METHODS.items(), ids=METHODS)


@EVERY
def test_a_seed_repeats_itself(toy, method, params):
    one, two = (simulate(toy(), method, steps=20, seed=4, params=params) for _ in range(2))
    np.testing.assert_array_equal(one.chosen, two.chosen)
    np.testing.assert_array_equal(one.best, two.best)


@pytest.mark.parametrize("method", ["random", "active-testing", "vma"])
def test_seeds_differ(toy, method):
    one, two = (simulate(toy(), method, steps=20, seed=seed) for seed in (1, 2))
    assert one.chosen.tolist() != two.chosen.tolist()


@EVERY
def test_every_row_is_asked_once_and_then_the_best_model_is_known(toy, method, params):
    predictions = toy(6, 40, 3, seed=8)
    trace = simulate(predictions, method, steps=100, params=params)
    assert sorted(trace.chosen.tolist()) == list(range(40))
    if method != "coda":  # whose labels weigh 0.01 each by design
        assert trace.regret[-1] == pytest.approx(0.0, abs=1e-12)


@EVERY
def test_asking_twice_gives_the_same_rows(toy, method, params):
    one = Selection(toy(), method, params=params)
    np.testing.assert_array_equal(one.ask(3), one.ask(3))


@EVERY
def test_a_batch_is_distinct_and_unlabelled(toy, method, params):
    one = Selection(toy(), method, params=params)
    one.tell([0, 1, 2], [0, 1, 2])
    rows = one.ask(37)
    assert sorted(rows.tolist()) == list(range(3, 40))
    assert len(one.ask(1000)) == 37


@EVERY
def test_a_resumed_selection_goes_on_as_if_it_had_not_stopped(toy, tmp_path, method, params):
    predictions = toy()
    one = Selection(predictions, method, seed=7, params=params)
    for t in range(12):
        row = int(one.ask()[0])
        if t == 5:
            one.skip(row)
        else:
            one.tell(row, predictions.labels[row])
    one.save(tmp_path / "state.json")
    two = Selection.resume(tmp_path / "state.json", predictions)
    np.testing.assert_array_equal(two.labeled, one.labeled)
    np.testing.assert_array_equal(two.skipped, one.skipped)
    np.testing.assert_allclose(two.best().quality, one.best().quality, rtol=1e-13)
    for _ in range(5):
        row = int(one.ask()[0])
        assert two.ask()[0] == row
        assert one.pick() == two.pick()
        for each in (one, two):
            each.tell(row, predictions.labels[row])


@EVERY
def test_a_skipped_row_is_never_asked(toy, method, params):
    one = Selection(toy(), method, params=params)
    row = one.ask()
    one.skip(row)
    assert row[0] not in one.ask(100)
    assert one.left == 39


def test_labels_are_told_by_name():
    predictions = Predictions([["cat", "dog", "dog"], ["dog", "dog", "cat"]])
    one = Selection(predictions)
    one.tell(2, "cat")
    assert one.labels.tolist() == ["cat"]
    with pytest.raises(InputError, match=r"hold 'cta', which is none of the classes 'cat', 'dog'.*Did you mean 'cat'"):
        one.tell(1, "cta")
    assert one.labeled.tolist() == [2]


@pytest.mark.parametrize(
    ("rows", "labels", "words"),
    [
        ([40], [0], "outside the predictions, which have 40 rows"),
        ([-1], [0], "outside"),
        ([3], [0], "row 3 is labelled already"),
        ([5, 5], [0, 0], "more than once"),
        ([1.5], [0], "dtype float64"),
        ([1, 2], [0], "give one each"),
    ],
)
def test_wrong_answers_are_refused_and_nothing_is_learned(toy, rows, labels, words):
    one = Selection(toy())
    one.tell(3, 0)
    before = one.best().quality
    with pytest.raises(InputError, match=words):
        one.tell(rows, labels)
    np.testing.assert_array_equal(one.best().quality, before)
    assert one.labeled.tolist() == [3]


def test_nothing_left_to_ask(toy):
    one = Selection(toy(3, 4, 2), "random")
    one.tell([0, 1, 2], [0, 1, 0])
    one.skip(3)
    with pytest.raises(InputError, match="nothing left to ask"):
        one.ask()
    with pytest.raises(InputError, match="ask for one row or more"):
        one.ask(0)


def test_ties_are_a_set_and_the_pick_is_one_of_them_by_seed(toy):
    picks = set()
    for seed in range(30):
        one = Selection(toy(), "random", seed=seed)
        assert one.best().positions == (0, 1, 2, 3, 4, 5)
        picks.add(one.pick())
    assert len(picks) > 3


def test_a_method_that_cannot_minimise_the_loss_says_which_can(toy):
    with pytest.raises(InputError, match=r"model-selector cannot minimise.*Use one of active-testing, coda, random"):
        Selection(toy(), "model-selector", loss="balanced-accuracy")


def test_unknown_names_come_with_what_is_known(toy):
    with pytest.raises(UnknownNameError, match=r"no selector is called 'codda'\. Did you mean 'coda'"):
        Selection(toy(), "codda")
    with pytest.raises(InputError, match=r"coda has no parameter 'alhpa'.*Did you mean 'alpha'"):
        Selection(toy(), "coda", params={"alhpa": 1})
    with pytest.raises(InputError, match="no loss is called 'f1'"):
        Selection(toy(), loss="f1")


def test_a_state_for_other_predictions_is_refused(toy, tmp_path):
    Selection(toy(seed=1)).save(tmp_path / "s.json")
    with pytest.raises(InputError, match="saved for other predictions"):
        Selection.resume(tmp_path / "s.json", toy(seed=2))


@pytest.mark.parametrize(("text", "words"), [("{", "no saved selection"), ("{}", "it lacks"), ("[]", "it lacks")])
def test_a_broken_state_is_refused(toy, tmp_path, text, words):
    (tmp_path / "s.json").write_text(text)
    with pytest.raises(InputError, match=words):
        Selection.resume(tmp_path / "s.json", toy())
    with pytest.raises(InputError, match="there is no saved selection"):
        Selection.resume(tmp_path / "other.json", toy())


def test_a_state_of_a_later_format_is_refused(toy, tmp_path):
    Selection(toy()).save(tmp_path / "s.json")
    state = json.loads((tmp_path / "s.json").read_text()) | {"format": 99}
    (tmp_path / "s.json").write_text(json.dumps(state))
    with pytest.raises(InputError, match="format 99; this version reads format 1"):
        Selection.resume(tmp_path / "s.json", toy())


class InOrder:
    """A selector of one's own."""

    def setup(self, predictions, loss, rng):
        self.right = np.zeros(predictions.n_models)
        self.hard = predictions.hard

    def query(self, unlabeled, n, rng):
        return np.flatnonzero(unlabeled)[:n]

    def update(self, row, label, unlabeled):
        self.right += self.hard[:, row] == label

    def quality(self):
        return self.right


def test_a_selector_of_ones_own(toy, tmp_path):
    assert isinstance(InOrder(), Selector)
    trace = simulate(toy(), InOrder(), steps=5)
    assert trace.chosen.tolist() == [0, 1, 2, 3, 4]
    one = Selection(toy(), InOrder())
    one.tell([0, 1], [0, 1])
    assert one.best().posterior is None
    one.save(tmp_path / "s.json")
    assert Selection.resume(tmp_path / "s.json", toy(), InOrder()).ask()[0] == 2


def test_a_selector_that_asks_a_labelled_row_is_caught(toy):
    class Stubborn(InOrder):
        def query(self, unlabeled, n, rng):
            return np.array([0])

    one = Selection(toy(), Stubborn())
    one.tell(0, 1)
    with pytest.raises(StrategyError, match="Stubborn answered row 0, which is labelled already"):
        one.ask()
