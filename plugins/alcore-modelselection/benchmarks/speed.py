"""Times one step of CODA against the published algorithm computed term by term: python benchmarks/speed.py FOLDER.

CPU seconds of one thread (set OPENBLAS_NUM_THREADS=1), so that other work on the machine does not enter.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

import click
import numpy as np

from alcore_modelselection import Predictions, make_loss, read_predictions
from alcore_modelselection.coda.dense import DenseCoda
from alcore_modelselection.coda.selector import Coda


def fast(predictions: Predictions, steps: int, dtype: str) -> tuple[float, float, list[int]]:
    """Return the seconds of setup with the first query, the median of the steps after it, and the rows."""
    assert predictions.labels is not None  # noqa: S101
    unlabeled = np.ones(predictions.n_rows, dtype=np.bool_)
    coda, seconds, chosen = Coda(dtype=dtype), [], []  # type: ignore[arg-type]
    started = process_time()
    coda.setup(predictions.without_labels(), make_loss("accuracy", predictions.n_classes), np.random.default_rng(0))
    for _ in range(steps):
        row = int(coda.query(unlabeled, 1, np.random.default_rng(0))[0])
        coda.update(row, int(predictions.labels[row]), unlabeled)
        coda.posterior()
        unlabeled[row] = False
        chosen.append(row)
        seconds.append(process_time() - started)
        started = process_time()
    return seconds[0], float(np.median(seconds[1:])), chosen


def dense(predictions: Predictions, chosen: list[int]) -> float:
    """Return the mean seconds of a step of the term-by-term form along the same rows."""
    assert predictions.labels is not None  # noqa: S101
    unlabeled = np.ones(predictions.n_rows, dtype=np.bool_)
    plain = DenseCoda(predictions)
    started = process_time()
    for row in chosen:
        gains = plain.gains(unlabeled)
        assert gains.max() - gains[row] < 1e-8, "the two forms choose differently"  # noqa: S101
        plain.update(row, int(predictions.labels[row]))
        plain.p_best()
        unlabeled[row] = False
    return (process_time() - started) / len(chosen)


def main() -> None:
    """Print one line per task."""
    for file in sorted(Path(sys.argv[1]).glob("*.npz")):
        if file.stem.startswith("golden"):
            continue
        predictions = read_predictions(file)
        first, step, chosen = fast(predictions, 50, "float64")
        single = fast(predictions, 50, "float32")[1]
        slow = dense(predictions, chosen[:2])
        click.echo(
            f"{file.stem}: first {first * 1e3:.1f} ms, step {step * 1e3:.1f} ms (float32 {single * 1e3:.1f}), "
            f"dense {slow:.2f} s, ratio {slow / step:.0f}",
        )


if __name__ == "__main__":
    main()
