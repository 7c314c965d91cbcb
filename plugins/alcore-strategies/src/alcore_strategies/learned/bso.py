"""BSO: what could be reached if the labels were known: beam search for the rows that serve the test set best."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

import alcore
from alcore import InputError, Pool, Rows, View
from alcore.protocols import Truth


@alcore.strategy(
    "bso",
    summary="Upper bound: beam search, with the hidden labels, for the rows that give the best test accuracy",
    truth=True,
    source=(
        "Zhan, Liu, Li and Chan, A Comparative Survey: Benchmarking for Pool-based Active Learning (IJCAI 2021), "
        "beam-search oracle"
    ),
    group="upper bound",
)
class Bso:
    """The best rows are those of the best sequence that a beam search finds.

    Each of the ``width`` best sequences so far is extended by every row that is left; of all these the ``width`` with
    the highest test accuracy are kept. The first n rows of the best sequence of n + ahead rows are asked. A sequence is
    a set to the learner: each is fitted once.

    The published search goes on until the pool is empty and then follows one of its last sequences; a run that asks
    round by round has to commit itself, with ``ahead = 0`` to the best single row.

    Parameters
    ----------
    width : int
        Sequences that are kept.
    ahead : int
        How many rows the search looks beyond the batch: each costs width times u fits.
    """

    def __init__(self, width: int = 5, ahead: int = 0) -> None:
        if width < 1:
            raise InputError(f"bso: width is {width!r}; give 1 or more.")
        if ahead < 0:
            raise InputError(f"bso: ahead is {ahead!r}; give 0 or more.")
        self.width, self.ahead = width, ahead

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Forget the truth of an earlier run."""
        self.truth: Truth | None = None

    def reveal(self, truth: Truth) -> None:
        """See all labels, and the test set."""
        self.truth = truth

    def query(self, view: View, n: int) -> Rows:
        """Search, and return the first n rows of the best sequence."""
        if n in (0, len(view.unlabeled)):
            return view.unlabeled[:n]
        beam: list[tuple[int, ...]] = [()]
        for _ in range(min(n + self.ahead, len(view.unlabeled))):
            longer = _extended(beam, view)
            accuracy = [self._accuracy(view, rows) for rows in longer]
            beam = [longer[k] for k in _best(view, accuracy, self.width)]
        return np.array(beam[0][:n], dtype=np.intp)

    def _accuracy(self, view: View, rows: tuple[int, ...]) -> float:
        if self.truth is None:
            raise InputError("bso is an upper bound that needs the hidden labels; give truth.")
        known = np.concatenate([view.labeled, np.array(rows, dtype=np.intp)])
        model = view.new_learner().fit(view.pool.take(known), self.truth.y[known])
        return float(np.mean(model.predict(self.truth.X_test) == self.truth.y_test))


def _extended(beam: list[tuple[int, ...]], view: View) -> list[tuple[int, ...]]:
    """Return each sequence with each row that it has not, one sequence for each set."""
    longer: dict[frozenset[int], tuple[int, ...]] = {}
    for rows in beam:
        for row in view.unlabeled.tolist():
            if row not in rows:
                longer.setdefault(frozenset((*rows, row)), (*rows, row))
    return list(longer.values())


def _best(view: View, accuracy: list[float], width: int) -> Rows:
    """Return the positions of the highest accuracies, best first, equal ones as the run breaks ties."""
    m = len(accuracy)
    order = view.rng.permutation(m) if view.ties == "random" else np.arange(m)
    return order[np.argsort(-np.asarray(accuracy)[order], kind="stable")][:width]
