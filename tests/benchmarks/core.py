"""What the core costs: per round beside nothing, beside a bare loop, and beside the loops of two libraries.

Loops that are compared do the same work: fit, margin over the unlabelled rows, label, accuracy on the test set. They
take turns within one process of one thread, in processor time, and the figures are medians: what else the machine does
hits none of them alone.
"""

from __future__ import annotations

import gc
import importlib.util
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from alcore.builtin.strategies import margin
from alcore.decorators import spec_of
from alcore.engine import ArrayOracle, Test, simulate
from alcore.learners import Recipe
from alcore.metrics import accuracy
from alcore.pool import Pool
from alcore.types import Task

Loop = Callable[[], Iterator[None]]


def data(n: int, d: int = 14, tests: int = 300, seed: int = 0) -> tuple[Any, Any, Any, Any]:
    """Two classes with a linear border and noise: pool and test set."""
    chance = np.random.default_rng(seed)
    X = chance.normal(size=(n + tests, d))
    y = (X @ chance.normal(size=d) + chance.normal(size=n + tests) > 0).astype(int)
    return X[:n], y[:n], X[n:], y[n:]


class Nothing:
    """Answers the first unlabelled rows."""

    def query(self, view: Any, n: int) -> Any:
        """Return them."""
        return view.unlabeled[:n]


def overhead(n: int = 10_000, rounds: int = 2_000) -> float:
    """Return the median processor seconds of one round that does nothing: no fit, no score."""
    X, y, *_ = data(n)
    from sklearn.linear_model import LogisticRegression

    simulation = simulate(
        Pool(X, Task.CLASSIFICATION, (0, 1)), ArrayOracle(y), Nothing(), Recipe(LogisticRegression()),
        start=np.arange(20), budget=rounds,
    )  # fmt: skip
    laps = [time.process_time() for _ in simulation]
    return statistics.median(np.diff(laps))


def ours(estimator: Callable[[], Any], parts: Any, rounds: int) -> Iterator[None]:
    """The engine."""
    X, y, X_test, y_test = parts
    simulation = simulate(
        Pool(X, Task.CLASSIFICATION, (0, 1)), ArrayOracle(y), spec_of(margin).build(), Recipe(estimator()),
        start=np.arange(20), budget=rounds, test=Test(X_test, y_test), metrics={"accuracy": accuracy},
    )  # fmt: skip
    for _ in simulation:
        yield


def bare(estimator: Callable[[], Any], parts: Any, rounds: int) -> Iterator[None]:
    """What one would write by hand with scikit-learn and NumPy."""
    X, y, X_test, y_test = parts
    hidden = np.ones(len(X), dtype=bool)
    hidden[:20] = False
    labeled = list(range(20))
    scores = []
    model = estimator().fit(X[labeled], y[labeled])
    yield
    for _ in range(rounds):
        rows = np.flatnonzero(hidden)
        p = np.sort(model.predict_proba(X[rows]), axis=1)
        row = rows[np.argmin(p[:, -1] - p[:, -2])]
        hidden[row] = False
        labeled.append(row)
        model = estimator().fit(X[labeled], y[labeled])
        scores.append(np.mean(model.predict(X_test) == y_test))
        yield


def modal(estimator: Callable[[], Any], parts: Any, rounds: int) -> Iterator[None]:
    """modAL's learner; its ``teach`` fails on current scikit-learn, so that its data are appended by hand."""
    from modAL.models import ActiveLearner
    from modAL.uncertainty import margin_sampling

    X, y, X_test, y_test = parts
    learner = ActiveLearner(estimator(), query_strategy=margin_sampling, X_training=X[:20], y_training=y[:20])
    pool, labels = X[20:], y[20:]
    scores = [np.mean(learner.predict(X_test) == y_test)]
    yield
    for _ in range(rounds):
        (row,), _ = learner.query(pool)
        learner.X_training = np.vstack([learner.X_training, pool[row]])
        learner.y_training = np.append(learner.y_training, labels[row])
        learner._fit_to_known()
        pool, labels = np.delete(pool, row, axis=0), np.delete(labels, row)
        scores.append(np.mean(learner.predict(X_test) == y_test))
        yield


def skactiveml(estimator: Callable[[], Any], parts: Any, rounds: int) -> Iterator[None]:
    """scikit-activeml as its documentation writes the loop, with the fit inside the query switched off."""
    from skactiveml.classifier import SklearnClassifier
    from skactiveml.pool import UncertaintySampling
    from skactiveml.utils import MISSING_LABEL

    X, y, X_test, y_test = parts
    known = np.full(len(y), MISSING_LABEL)
    known[:20] = y[:20]
    classifier = SklearnClassifier(estimator(), classes=[0, 1], random_state=0)
    strategy = UncertaintySampling(method="margin_sampling", random_state=0)
    scores = []
    for t in range(rounds + 1):
        if t:
            (row,) = strategy.query(X, known, clf=classifier, fit_clf=False)
            known[row] = y[row]
        classifier.fit(X, known)
        scores.append(np.mean(classifier.predict(X_test) == y_test))
        yield


def race(loops: dict[str, Loop], repeats: int) -> dict[str, list[float]]:
    """Return the median processor seconds of a round, per loop and repeat: in each, the loops take turns, rotating."""
    laps: dict[str, list[float]] = {name: [] for name in loops}
    names = list(loops)
    for _ in range(repeats):
        for name in names:
            running = loops[name]()
            next(running)  # the first fit, and imports
            gc.collect()
            times = [time.process_time()]
            times += [time.process_time() for _ in running]
            laps[name].append(statistics.median(np.diff(times)))
        names = names[1:] + names[:1]
    return laps


def shares(laps: dict[str, list[float]]) -> list[tuple[str, float, float]]:
    """Return name, median milliseconds per round, and median over the repeats of the ratio to the bare loop."""
    base = np.array(laps["bare loop"])
    return [
        (name, 1e3 * statistics.median(times), float(np.median(np.array(times) / base))) for name, times in laps.items()
    ]


def imports() -> list[tuple[str, float, str]]:
    """Return what it costs to import alcore and to list strategies, and which heavy modules that brings."""
    heavy = ("pandas", "sklearn", "matplotlib", "scipy", "pyarrow", "pydantic")
    found = []
    for name, code in (
        ("python -c pass", "pass"),
        ("import numpy", "import numpy"),
        ("import alcore", "import alcore"),
        ("alcore list strategies", "from alcore.cli import main; main(['list', 'strategies'], standalone_mode=False)"),
    ):
        program = f"import sys\n{code}\nsys.stderr.write(','.join(m for m in {heavy!r} if m in sys.modules))"
        times, brought = [], ""
        for _ in range(7):
            began = time.perf_counter()
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
            times.append(time.perf_counter() - began)
            brought = done.stderr
        found.append((name, statistics.median(times), brought or "none"))
    return found


def main() -> None:
    """Measure and print."""
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits
    from xgboost import XGBClassifier

    warnings.simplefilter("ignore")
    peers: dict[str, Any] = {"bare loop": bare, "alcore": ours}
    if importlib.util.find_spec("skactiveml"):
        peers["scikit-activeml"] = skactiveml
    if importlib.util.find_spec("modAL"):
        peers["modAL"] = modal
    with threadpool_limits(1):
        print(f"engine overhead per round, pool of 10,000 rows, no-op strategy: {1e3 * overhead():.3f} ms\n")
        print("| learner | pool | loop | ms per round | ratio to the bare loop |\n|---|--:|---|--:|--:|")
        for title, make, n, rounds, repeats in (
            ("logistic regression", LogisticRegression, 400, 200, 12),
            ("logistic regression", LogisticRegression, 10_000, 100, 4),
            ("XGBoost", lambda: XGBClassifier(n_estimators=100, n_jobs=1), 400, 60, 4),
        ):
            parts = data(n)
            loops = {
                name: (lambda loop=loop, make=make, parts=parts, rounds=rounds: loop(make, parts, rounds))
                for name, loop in peers.items()
            }
            for name, ms, ratio in shares(race(loops, repeats)):
                print(f"| {title} | {n} | {name} | {ms:.2f} | {ratio:.3f} |", flush=True)
    print(
        "\n| command | seconds | of pandas, sklearn, matplotlib, scipy, pyarrow, pydantic it imports |\n|---|--:|---|"
    )
    for name, seconds, brought in imports():
        print(f"| {name} | {seconds:.3f} | {brought} |")
