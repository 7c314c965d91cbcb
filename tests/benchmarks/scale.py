"""Pools of a million rows: time per round and peak memory of strategies that are to run in bounded memory.

``uv run python -m tests.benchmarks scale [NAME ...]``. Each strategy has a process of its own, because the largest
memory that a process ever took is all that the system tells. The pool takes 160 MB, and 160 MB again as
``Pool.features``; "beside the pool" is what comes on top of a process that only made both (as they are: standardising
takes more for a moment, which would hide what strategies take). The query learner is given, fitted; its probabilities
are in the time. Labelled are 1,000 rows at the start, and ten more in each round.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

STRATEGIES: Mapping[str, Mapping[str, Any]] = {
    "random": {"name": "random"},
    "margin": {"name": "margin"},
    "entropy": {"name": "entropy"},
    "core-set": {"name": "core-set"},
    "k-means": {"name": "k-means"},
    "badge": {"name": "badge"},
    "info-diverse": {"name": "info-diverse"},
    "subsample(hierarchical)": {"name": "subsample", "strategy": "hierarchical", "candidates": 2000},
    "subsample(quire)": {"name": "subsample", "strategy": "quire", "candidates": 2000},
}
NOTHING = "nothing"
START, BATCH = 1_000, 10


def measure(name: str, rows: int, rounds: int, columns: int = 20) -> dict[str, Any]:
    """Run one strategy in this process; return seconds of set-up and per round, and peak MiB, or why it did not run."""
    import resource

    from sklearn.linear_model import LogisticRegression

    from alcore import plugins
    from alcore.errors import AlcoreError
    from alcore.learners import Recipe
    from alcore.pool import Pool
    from alcore.state import State
    from alcore.types import Task

    chance = np.random.default_rng(0)
    X = chance.normal(size=(rows, columns))
    y = (X @ chance.normal(size=columns) + chance.normal(size=rows) > 0).astype(np.intp)
    known = plugins.loaded().registry
    pool = Pool(X, Task.CLASSIFICATION, (0, 1), features=lambda X: X)
    size = pool.features.nbytes
    del X
    found: dict[str, Any] = {"pool": 2 * size / 2**20}  # MiB
    if name != NOTHING:
        params = dict(STRATEGIES[name])
        wanted = [params["name"], *([params["strategy"]] if "strategy" in params else [])]
        lacking = [one for one in wanted if known.get("strategy", one) is None]
        if lacking:
            return {"reason": f"no strategy {lacking[0]!r} here"}
        try:
            strategy = known.build("strategy", params.pop("name"), **params)
            start = chance.permutation(rows)[:START]
            given = LogisticRegression().fit(pool.X[start], y[start])
            began = time.process_time()
            state = State(pool, strategy, Recipe(given, prefit=True), seed=0)
            state.add(start, y[start], start=True)
            found["setup"], laps = time.process_time() - began, []
            for _ in range(rounds):
                began = time.process_time()
                asked = state.query(BATCH)
                state.add(asked, y[asked])
                laps.append(time.process_time() - began)
        except AlcoreError as error:
            return {"reason": f"{type(error).__name__}: {error}"}
        found["round"] = statistics.median(laps)
    return found | {"peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10}  # KiB on Linux


def apart(name: str, rows: int, rounds: int) -> dict[str, Any]:
    """Return what ``measure`` returns, from a new process."""
    words = [sys.executable, "-m", "tests.benchmarks.scale", name, str(rows), str(rounds)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"reason": (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main(rows: int = 1_000_000, rounds: int = 3) -> None:
    """Measure and print; names after the suite's name choose strategies."""
    chosen = sys.argv[2:] or list(STRATEGIES)
    base = apart(NOTHING, rows, rounds)["peak"]
    print(f"{rows:,} x 20, batches of {BATCH}; a process with the pool and nothing else takes {base:.0f} MiB\n")
    print("| strategy | set-up s | s per round | peak MiB | beside the pool MiB |\n|---|--:|--:|--:|--:|")
    for name in chosen:
        found = apart(name, rows, rounds)
        if "reason" in found:
            print(f"| {name} | {found['reason']} | | | |", flush=True)
            continue
        more = found["peak"] - base
        print(
            f"| {name} | {found['setup']:.2f} | {found['round']:.3f} | {found['peak']:.0f} | {more:.0f} |", flush=True
        )


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
