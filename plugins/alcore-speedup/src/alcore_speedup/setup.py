"""The learning curves of one experimental setup, as one array."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from alcore.errors import InputError, did_you_mean
from alcore.protocols import Curve
from alcore.types import Floats, Labels, Mask, Rows


@dataclass(frozen=True, eq=False)
class Setup:
    """All curves of one data set, model and training.

    Make one with ``of`` or ``of_points``. Strategies are sorted by name: no result depends on the order they came in.

    Parameters
    ----------
    strategies, seeds : tuples of length Q and S
    x : array (T,)
        Labels added to the start set; every value that occurs in a curve, ascending, the first 0.
    values : array (Q, S, T)
        Performances, NaN where a curve has no point.
    start : array (Q, S)
        Size of the start set, NaN where there is no curve.
    exhausted : array (Q, S)
        Whether the curve's last point has the whole pool labelled.
    names : mapping
        What the setup is called: data set, learner.
    """

    strategies: tuple[str, ...]
    seeds: tuple[Hashable, ...]
    x: Floats
    values: Floats
    start: Floats
    exhausted: Mask
    names: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, curves: Mapping[str, Sequence[Curve]], names: Mapping[str, Any] | None = None) -> Self:
        """Return the setup of these curves, by strategy.

        Curves are paired by their ``seed``, or by their position where they have none. Points without a value are
        left out; so are those before the first one, whose labels count as the start set.

        Raises
        ------
        InputError
            As ``of_points``.
        """
        keyed = [
            (name, position if curve.seed is None else curve.seed, curve)
            for name, several in curves.items()
            for position, curve in enumerate(several)
        ]
        each = [len(curve.labeled) for *_, curve in keyed]
        return cls.of_points(
            np.repeat(np.array([name for name, *_ in keyed], dtype=object), each),
            np.repeat(np.array([seed for _, seed, _ in keyed], dtype=object), each),
            np.concatenate([[], *(curve.labeled for *_, curve in keyed)]),
            np.concatenate([[], *(curve.values for *_, curve in keyed)]),
            exhausted=np.repeat(np.array([curve.exhausted for *_, curve in keyed], dtype=bool), each),
            known=tuple(curves),
            names=names,
        )

    @classmethod
    def of_points(
        cls, strategy: Labels, seed: Labels, labels: Floats, values: Floats, *, exhausted: Mask | None = None,
        known: Sequence[str] = (), names: Mapping[str, Any] | None = None,
    ) -> Self:  # fmt: skip
        """Return the setup of these points, one per element of the arrays, in any order.

        Parameters
        ----------
        strategy, seed, labels, values : arrays (m,)
            Which curve a point belongs to, how many labels there were in all, and the performance.
        exhausted : array (m,), or None for none
            Whether the point's curve labelled its whole pool.
        known : strategies, of which some may have no point
        names : what the setup is called

        Raises
        ------
        InputError
            If there is no strategy, a value or a label count is infinite, or a curve has two values at one label count.
        """
        strategies = tuple(sorted({*known, *np.unique(strategy.astype(str)).tolist()}))
        if not strategies:
            raise InputError("there are no curves; give those of two strategies at least, the baseline among them.")
        if np.isinf(values).any() or not np.isfinite(labels).all():
            raise InputError(
                "a value or a number of labels is infinite; leave the point out, or give NaN as its value."
            )
        has = ~np.isnan(values)
        which, seeds = _codes(strategy.astype(str), strategies), tuple(sorted(set(seed.tolist()), key=_order))
        of_seed = _codes(seed, seeds)
        order = np.lexsort((labels, of_seed, which))
        order = order[has[order]]
        q, s, n, p = which[order], of_seed[order], labels[order].astype(np.float64), values[order].astype(np.float64)
        first = np.ones(len(q), dtype=bool)
        first[1:] = (np.diff(q) != 0) | (np.diff(s) != 0)
        twice = np.flatnonzero(~first[1:] & (np.diff(n) <= 0))
        if len(twice):
            at = twice[0]
            raise InputError(
                f"{strategies[q[at]]}, seed {seeds[s[at]]}: two values at {n[at]:g} labels; give one curve per "
                "strategy and seed, and tell data sets and learners apart (columns 'dataset' and 'learner')."
            )
        added = n - n[np.flatnonzero(first)][np.cumsum(first) - 1] if len(n) else n
        x = np.unique(np.append(added, 0.0))
        grid = np.full((len(strategies), len(seeds), len(x)), np.nan)
        grid[q, s, np.searchsorted(x, added)] = p
        start = np.full(grid.shape[:2], np.nan)
        start[q[first], s[first]] = n[first]
        whole = np.zeros(grid.shape[:2], dtype=bool)
        if exhausted is not None:
            whole[q, s] = exhausted[order]
        return cls(strategies, seeds, x, grid, start, whole, dict(names or {}))

    def position(self, strategy: str) -> int:
        """Return the strategy's place.

        Raises
        ------
        InputError
            If it is none of the setup's.
        """
        if strategy not in self.strategies:
            known = ", ".join(self.strategies)
            raise InputError(
                f"the baseline {strategy!r} is none of the strategies {known}.{did_you_mean(strategy, self.strategies)}"
            )
        return self.strategies.index(strategy)

    def mean(self) -> Floats:
        """Return the mean over the seeds that have a value, (Q, T), NaN where none has."""
        total = np.nansum(self.values, axis=1)
        count = np.isfinite(self.values).sum(axis=1)
        mean: Floats = np.where(count > 0, total / np.maximum(count, 1), np.nan)
        return mean

    def starts(self) -> Floats:
        """Return the mean over strategies of the performance at x = 0, for every seed, (S,)."""
        has = np.isfinite(self.values[..., 0])
        total: Floats = np.where(has, self.values[..., 0], 0.0).sum(axis=0)
        mean: Floats = total / np.maximum(has.sum(axis=0), 1)
        return mean

    def points(self, strategy: int, seed: int | None = None) -> tuple[Floats, Floats]:
        """Return x and the values of the mean curve of a strategy, or of one seed's curve, where it has any."""
        curve = self.mean()[strategy] if seed is None else self.values[strategy, seed]
        has = np.isfinite(curve)
        return self.x[has], curve[has]

    def finals(self) -> Floats:
        """Return the last value of every curve, (Q, S), NaN where there is no curve."""
        has = np.isfinite(self.values)
        last = len(self.x) - 1 - has[..., ::-1].argmax(axis=-1)
        found: Floats = np.take_along_axis(self.values, last[..., None], axis=-1)[..., 0]
        return found

    def until(self, budget: float) -> Self:
        """Return the same curves up to this number of added labels; cut short, none of them exhausts its pool."""
        inside = self.x <= budget
        return replace(self, x=self.x[inside], values=self.values[..., inside], exhausted=self.exhausted & inside.all())

    def total(self) -> Self:
        """Return the same curves over all labels, the start set included; at x = 0, its first, no curve has a value."""
        grid = np.unique(np.concatenate([[0.0], (self.start[..., None] + self.x)[np.isfinite(self.values)]]))
        values = np.full((*self.values.shape[:2], len(grid)), np.nan)
        for q, s in np.argwhere(np.isfinite(self.start)):
            has = np.isfinite(self.values[q, s])
            values[q, s, np.searchsorted(grid, self.start[q, s] + self.x[has])] = self.values[q, s, has]
        return type(self)(self.strategies, self.seeds, grid, values, self.start, self.exhausted, self.names)


def _codes(values: Labels, known: Sequence[Any]) -> Rows:
    """Return the position of each value among those known."""
    position = {value: at for at, value in enumerate(known)}
    return np.array([position[value] for value in values.tolist()], dtype=np.intp)


def _order(seed: Any) -> tuple[str, Any]:
    return type(seed).__name__, seed
