"""Samplers that ask no learner: greedy k-center, and graph density."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.random import Generator

from alcore import Floats, InputError, Labels, Pool, Rows, View
from alcore.interop import silenced
from alcore_playground.checkout import sampler
from alcore_playground.face import Taken, numbers, placeholder, taken_positions


class _Kept:
    """A sampler that lives through a run in one order of the pool, and the batches that were labelled meanwhile.

    The sampler is made when it is first asked, because only then is known what becomes of ties; it takes in what was
    labelled since. Nothing else is state: one that was pickled makes its sampler again from the batches.
    """

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Forget everything; nothing is labelled."""
        self.pool, self.drawn = pool, rng.permutation(len(pool))
        self.batches: list[Rows] = []
        self._forget()

    def _forget(self) -> None:
        self.made: Any = None
        self.seen = 0

    def update(self, rows: Rows, labels: Labels) -> None:
        """Note what was labelled."""
        self.batches.append(np.array(rows))

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the sampler, whose class no other process can find."""
        return vars(self) | {"made": None, "seen": 0}

    def _turn(self, view: View) -> None:
        self.order = self.drawn if view.ties == "random" else np.arange(len(self.drawn))
        self.position = np.empty_like(self.order)
        self.position[self.order] = np.arange(len(self.order))


class CoreSet(_Kept):
    """``kCenterGreedy``: the row farthest from its nearest labelled row, then the farthest from that one as well.

    State: the distance of every row to its nearest labelled row, in the sampler, and -1 for labelled rows: where all
    rows left equal labelled ones, the playground would ask for a labelled row, or for one row twice.
    """

    name = "playground.core-set"

    def __init__(self) -> None:
        sampler("kcenter_greedy", "kCenterGreedy")

    def _forget(self) -> None:
        super()._forget()
        self.foreseen: tuple[set[int], Floats] | None = None

    def query(self, view: View, n: int) -> Rows:
        """Return n rows, the farthest first."""
        with silenced():
            self._take_in(view)
            known: Floats = self.made.min_distances
            taken = taken_positions(view, self.order)
            out = [position for position in taken if known[position, 0] >= 0]  # out for labelling, not labelled yet
            try:
                for position in out:
                    self._add(position)
                chosen = [self._farthest(taken) for _ in range(n)]
                if not out:
                    self.foreseen = set(chosen), self.made.min_distances
            finally:
                self.made.min_distances = known
        return self.order[np.array(chosen, dtype=np.intp)]

    def _farthest(self, taken: Taken) -> int:
        # One row at a time: with several new centres at once the playground makes a matrix of its distances.
        self.made.already_selected = taken
        (position,) = self.made.select_batch(model=None, already_selected=taken, N=1)
        self.made.min_distances[position] = -1.0
        return int(position)

    def _add(self, position: int) -> None:
        self.made.update_distances([position], only_new=False)
        self.made.min_distances[position] = -1.0

    def _take_in(self, view: View) -> None:
        if self.made is None:
            self._turn(view)
            features = self.pool.features[self.order]
            self.made = sampler("kcenter_greedy", "kCenterGreedy")(features, placeholder(self.pool), 0)
            self.made.min_distances = np.full((len(features), 1), np.inf)  # nothing is labelled: all rows are as far
            self.foreseen = None
        for number, rows in enumerate(self.batches[self.seen :], start=self.seen):
            positions = self.position[rows].tolist()
            if number == 0:  # the start set, at once
                self.made.update_distances(positions, only_new=False, reset_dist=True)
                self.made.min_distances[positions] = -1.0
            elif self.foreseen and self.foreseen[0] == set(positions):
                self.made.min_distances = self.foreseen[1]
            else:
                for position in positions:
                    self._add(position)
            self.foreseen = None
        self.seen = len(self.batches)


class GraphDensity(_Kept):
    """``GraphDensitySampler``: the row with the heaviest edges to its ten neighbours; its neighbours lose its weight.

    The graph is built once per pool, for all runs. State: the densities, in the sampler, less what the rows that it
    chose have taken from their neighbours.
    """

    name = "playground.graph-density"
    NEIGHBOURS = 10

    def __init__(self) -> None:
        sampler("graph_density", "GraphDensitySampler")

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Build the graph, unless another run on this pool has."""
        if len(pool) <= self.NEIGHBOURS:
            raise InputError(f"{self.name} joins each row to ten others: give a pool of 11 rows or more.")
        super().setup(pool, rng)
        self._graph()

    def _forget(self) -> None:
        super()._forget()
        self.foreseen: tuple[int, set[int], Floats] | None = None

    def _graph(self) -> Any:
        make = sampler("graph_density", "GraphDensitySampler")

        def build() -> Any:
            with silenced():
                return make(self.pool.features, placeholder(self.pool), 0)

        return self.pool.memo((self.name, make), build)

    def query(self, view: View, n: int) -> Rows:
        """Return n rows."""
        if n == 0:
            return np.empty(0, dtype=np.intp)
        with silenced():
            self._take_in(view)
            taken = taken_positions(view, self.order)
            chosen, after = self._choose(n, taken)
        if len(taken) == sum(map(len, self.batches)):
            self.foreseen = n, chosen, after
        return self.order[sorted(chosen)]

    def _choose(self, n: int, taken: Taken) -> tuple[set[int], Floats]:
        """Return what the sampler chooses, and the densities after that; its own stay as they are."""
        before = self.made.graph_density
        self.made.graph_density = before.copy()
        chosen = {int(position) for position in self.made.select_batch(N=n, already_selected=taken)}
        after: Floats = self.made.graph_density
        self.made.graph_density = before
        return chosen, after

    def _take_in(self, view: View) -> None:
        if self.made is None:
            self._turn(view)
            graph = self._graph()
            self.made = copy.copy(graph)
            self.made.X = numbers(self.order)
            self.made.connect = graph.connect[self.order][:, self.order]
            self.made.graph_density = graph.graph_density[self.order]
            self.foreseen = None
        labelled = [self.position[rows] for rows in self.batches]
        for at in range(self.seen, len(labelled)):
            # What was labelled changes densities where it is what the sampler chooses there: so a run that is
            # resumed, in which nothing was asked yet, comes to the same as one that goes on.
            rows, found = set(labelled[at].tolist()), self.foreseen
            if found is None or found[0] != len(rows):
                before = Taken(np.sort(np.concatenate([*labelled[:at], np.empty(0, dtype=np.intp)])).tolist())
                found = (len(rows), *self._choose(len(rows), before))
            if found[1] == rows:
                self.made.graph_density = found[2]
            self.foreseen = None
        self.seen = len(labelled)
