"""The rules for learners: what a strategy, a metric and a resumed run take for granted of the one they are given."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator
from unittest import SkipTest

import numpy as np

from alcore.learners import Recipe
from alcore.rng import seeded_globals
from alcore.testing import toys
from alcore.testing.guards import captured, copied, random_state
from alcore.testing.learners.bench import RULES, SAME, LearnerBench, everything, require_same, said
from alcore.testing.suite import on, require
from alcore.testing.toys import Toy
from alcore.types import Floats, Labels, Level, Task


@RULES.check()
def predicts(bench: LearnerBench) -> None:
    """Answer as alcore takes it, with each level that it has: shapes, finite numbers, probabilities that are some."""
    for toy in bench.toys():
        with on(toy.name):
            said(bench.fitted(toy), toy.X_test)


@RULES.check()
def same_seed_same_predictions(bench: LearnerBench) -> None:
    """Say the same after two fits with one seed."""
    for toy in bench.few_toys():
        with on(toy.name):
            first, second = (said(bench.fitted(toy, seed=5), toy.X_test) for _ in range(2))
            require_same(second, first, "one seed, two fits")


@RULES.check()
def levels_as_declared(bench: LearnerBench) -> None:
    """Declare the levels that the estimator has, and no others."""
    found, declared = Recipe(bench.estimator()).levels, bench.spec.levels
    more, less = sorted(found - declared), sorted(declared - found)
    require(not less, f"it declares {', '.join(less)} and has no such method")
    require(not more, f"it has {', '.join(more)} and does not declare it")


@RULES.check()
def likeliest_is_predicted(bench: LearnerBench) -> None:
    """Predict the class of the largest probability, or each label of more than one half."""
    for toy, pred, proba in _with_probabilities(bench):
        with on(toy.name):
            if toy.task is Task.MULTILABEL:
                clear = np.abs(proba - 0.5) > 1e-6
                agrees = (proba > 0.5)[clear] == pred[clear]
            else:
                two = np.sort(proba, axis=1)[:, -2:]
                clear = two[:, 1] - two[:, 0] > 1e-6
                agrees = proba.argmax(axis=1)[clear] == pred[clear]
            require(bool(agrees.all()), f"{int((~agrees).sum())} of {agrees.size} predictions are not the likeliest")


def _with_probabilities(bench: LearnerBench) -> Iterator[tuple[Toy, Labels, Floats]]:
    if Level.PROBA not in bench.spec.levels:
        raise SkipTest("it has no probabilities")
    for toy in bench.toys():
        if toy.task is not Task.REGRESSION:
            model = bench.fitted(toy)
            yield toy, model.predict(toy.X_test), model.predict_proba(toy.X_test)


@RULES.check()
def class_unseen(bench: LearnerBench) -> None:
    """Answer in the columns of all classes when fitted to classes 0 and 2 of three, or 0, 2 and 3 of four."""
    _needs_classes(bench)
    for k, missing in ((3, 1), (4, 1)):
        toy = toys.classification(k)
        rows = np.flatnonzero(toy.y != missing)
        with on(f"{k} classes, {missing} unseen"):
            with seeded_globals(0):
                model = bench.model(toy).fit(toy.X[rows], toy.y[rows])
            answers = said(model, toy.X[rows])
            right = float((answers["predict"] == toy.y[rows]).mean())
            require(
                right > 1.5 / k, f"{right:.0%} of the rows it was fitted to are predicted right: are labels mixed up?"
            )
            for method, unseen in (("predict_proba", 0.0), ("decision_function", -np.inf)):
                column = answers[method][:, missing] if method in answers else np.full(1, unseen)
                require(bool((column == unseen).all()), f"{method} of the class unseen is not {unseen}")


@RULES.check()
def single_class(bench: LearnerBench) -> None:
    """Predict the one class, or the one value of each label, that all rows had."""
    found = [toy for toy in bench.toys() if toy.task is not Task.REGRESSION]
    if not found:
        raise SkipTest("a regression has no classes")
    for toy in found:
        ones = toy.with_labels(np.ones_like(toy.y), "every label 1")
        with on(ones.name):
            answers = said(bench.fitted(ones), toy.X_test)
            require(bool((answers["predict"] == 1).all()), "something else is predicted")
            if toy.task is Task.CLASSIFICATION and "predict_proba" in answers:
                require(bool((answers["predict_proba"][:, 1] == 1).all()), "class 1 has not probability 1")


@RULES.check()
def few_rows(bench: LearnerBench) -> None:
    """Fit to one row of each class, or to two rows, as a start set may be."""
    for toy in bench.few_toys():
        rows = toy.start[:2]
        if toy.task is Task.CLASSIFICATION:
            rows = np.array([np.flatnonzero(toy.y == code)[0] for code in range(len(toy.classes))])
        with on(f"{toy.name}, {len(rows)} rows"), seeded_globals(0):
            answers = said(bench.model(toy).fit(toy.X[rows], toy.y[rows]), toy.X_test)
            finite = all(np.isfinite(values).all() for values in answers.values())
            require(finite, "it gave a number that is not finite")


@RULES.check()
def no_output(bench: LearnerBench) -> None:
    """Write nothing to stdout or stderr, by print or by file descriptor: they belong to the program around."""
    for toy in bench.few_toys():
        with on(toy.name):
            with captured() as output:
                said(bench.fitted(toy), toy.X_test)
            require(not output.text, f"it wrote {output.text.strip()[:200]!r}")


@RULES.check()
def no_warnings(bench: LearnerBench) -> None:
    """Raise no warning on an ordinary pool."""
    for toy in bench.toys():
        with on(toy.name), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            said(bench.fitted(toy), toy.X_test)
            if caught:
                where = f"{caught[0].filename}, line {caught[0].lineno}"
                require(False, f"{caught[0].category.__name__}: {caught[0].message} ({where})")


@RULES.check(after=[SAME])
def global_random_state(bench: LearnerBench) -> None:
    """Neither read nor change the global random state of NumPy and Python: have a random_state, or no chance."""
    for toy in bench.few_toys():
        with on(toy.name):
            answers = []
            for world in (1, 2):
                with seeded_globals(world):
                    before = random_state()
                    answers.append(everything(bench.model(toy).fit(copied(toy.X), copied(toy.y)), toy.X_test))
                    require(random_state() == before, "the global random state has changed")
            require_same(answers[1], answers[0], "another global random state")


@RULES.check(after=[SAME])
def picklable(bench: LearnerBench) -> None:
    """Be picklable, unfitted and fitted, and say the same afterwards."""
    for toy in bench.few_toys():
        with on(toy.name):
            pickle.dumps(bench.estimator())
            model = bench.fitted(toy)
            copy = pickle.loads(pickle.dumps(model))  # noqa: S301 - made here
            require_same(said(copy, toy.X_test), said(model, toy.X_test), "pickled")


@RULES.check(after=[SAME])
def copies_independent(bench: LearnerBench) -> None:
    """Fit one copy without touching another."""
    for toy in bench.few_toys():
        other = toy.with_rows(_mirrored)
        with on(toy.name):
            recipe, k = bench.recipe(toy.task), len(toy.classes)
            first = bench.fitted(toy, model=recipe.make(toy.task, k, 0, 1))
            before = said(first, toy.X_test)
            second = bench.fitted(other, model=recipe.make(toy.task, k, 0, 1))
            require_same(said(first, toy.X_test), before, "after another copy was fitted")
            alone = said(bench.fitted(other), toy.X_test)
            require_same(said(second, toy.X_test), alone, "made after another copy was fitted")


@RULES.check(after=[SAME])
def fit_forgets(bench: LearnerBench) -> None:
    """Forget, when fitted again, the rows fitted to before."""
    for toy in bench.few_toys():
        with on(toy.name):
            again = bench.fitted(toy, model=bench.fitted(toy.with_rows(_mirrored)))
            require_same(said(again, toy.X_test), said(bench.fitted(toy), toy.X_test), "fitted twice", exact=False)


@RULES.check(after=[SAME])
def rows_predicted_alone(bench: LearnerBench) -> None:
    """Say of a row the same whatever the other rows are, and in whatever order."""
    for toy in bench.few_toys():
        with on(toy.name):
            model = bench.fitted(toy)
            whole = {m: v for m, v in said(model, toy.X_test).items() if m != "sample_proba"}
            order = np.random.default_rng(0).permutation(len(toy.y_test))
            turned = {method: values[order] for method, values in whole.items()}
            require_same(said(model, toy.X_test[order]), turned, "rows in another order", exact=False)
            for row in range(4):
                one = slice(row, row + 1)
                alone = {method: values[one] for method, values in whole.items()}
                require_same(said(model, toy.X_test[one]), alone, f"row {row} alone", exact=False)


@RULES.check()
def float32(bench: LearnerBench) -> None:
    """Take X in single precision."""
    for toy in map(toys.as_float32, bench.few_toys()):
        with on(toy.name):
            said(bench.fitted(toy), toy.X_test)


@RULES.check(after=[SAME])
def dataframe(bench: LearnerBench) -> None:
    """Take a DataFrame, and say the same of it as of the array in it."""
    for toy in bench.few_toys():
        with on(toy.name):
            frame = toys.as_frame(toy)
            found = said(bench.fitted(frame), frame.X_test)
            require_same(found, said(bench.fitted(toy), toy.X_test), "a DataFrame", exact=False)


@RULES.check()
def sparse_if_declared(bench: LearnerBench) -> None:
    """Take CSR where sparse=True is declared."""
    if not bench.spec.sparse:
        raise SkipTest("declared sparse=False")
    for toy in bench.few_toys():
        csr = toys.as_csr(toys.with_zeros(toy))
        with on(csr.name):
            said(bench.fitted(csr), csr.X_test)


@RULES.check()
def nan_if_declared(bench: LearnerBench) -> None:
    """Take missing values where nan=True is declared."""
    if not bench.spec.nan:
        raise SkipTest("declared nan=False")
    for toy in bench.few_toys():
        gaps = toy.with_rows(lambda X: np.where(np.abs(X) > 0.3, X, np.nan), "with missing values")
        with on(gaps.name):
            said(bench.fitted(gaps), gaps.X_test)


def _mirrored(X: Floats) -> Floats:
    """Return other rows of the same shape, with other classes where these have theirs."""
    return 1.0 - X[::-1]


def _needs_classes(bench: LearnerBench) -> None:
    if Task.CLASSIFICATION not in bench.spec.tasks:
        raise SkipTest("it serves no classification")
