"""Times CODA on 1,000 models x 100 classes x 50,000 rows: python benchmarks/scale.py [models classes rows labels]."""

from __future__ import annotations

import resource
import sys
from time import process_time

import click
import numpy as np

from alcore_modelselection import Predictions, Selection


def make(models: int, classes: int, rows: int, seed: int = 0) -> Predictions:
    """Return hard predictions of models that are 30 to 80 % accurate and share their mistakes half of the time."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(classes, size=rows)
    trap = rng.integers(classes, size=rows)  # what those who err tend to say
    hardness = rng.random(rows)
    hard = np.empty((models, rows), dtype=np.uint8)
    for k, accuracy in enumerate(np.linspace(0.3, 0.8, models)):
        right = 0.5 * rng.random(rows) + 0.5 * hardness < accuracy
        wrong = np.where(rng.random(rows) < 0.5, trap, rng.integers(classes, size=rows))
        hard[k] = np.where(right, labels, wrong)
    return Predictions(hard, labels=labels, classes=range(classes))


def main() -> None:
    """Print the CPU time of each part, and the largest memory."""
    models, classes, rows, labels = [int(word) for word in sys.argv[1:5]] or (1000, 100, 50_000, 45)
    predictions = make(models, classes, rows)
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    started = process_time()
    one = Selection(predictions, "coda", params={"dtype": "float32"})
    click.echo(f"{models} models x {classes} classes x {rows} rows; setup {process_time() - started:.1f} s")
    seconds = []
    for t in range(labels):
        started = process_time()
        row = int(one.ask()[0])
        one.tell(row, predictions.labels[row])
        best = one.pick()
        seconds.append(process_time() - started)
        if t < 3 or t % 20 == 0:
            click.echo(f"label {t + 1}: {seconds[-1]:.2f} s, model {best}")
    click.echo("\n".join(one.notices))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    click.echo(f"median {np.median(seconds):.2f} s, largest {max(seconds):.2f} s; peak {peak} MiB, {base} MiB before")


if __name__ == "__main__":
    main()
