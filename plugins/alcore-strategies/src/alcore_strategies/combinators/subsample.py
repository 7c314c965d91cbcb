"""Subsample: any strategy, shown only some rows drawn at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.random import Generator

import alcore
from alcore import InputError, Labels, Pool, Rows, StrategySpec, View
from alcore.pairing import copied
from alcore.protocols import NeedsSetup, NeedsTruth, NeedsUpdate, Truth
from alcore.types import Growth
from alcore_strategies.combinators.inner import Named, Outer, ask, merged, spec_of

Sees: TypeAlias = Literal["auto", "whole", "candidates"]


def _adapted(params: Mapping[str, Any]) -> dict[str, Any]:
    spec, candidates = spec_of(params["strategy"]), params["candidates"]
    share = isinstance(candidates, float) and 0 < candidates < 1
    count = isinstance(candidates, int | np.integer) and not isinstance(candidates, bool) and candidates > 0
    if not share and not count:
        raise InputError(
            f"subsample: candidates is {candidates!r}; give how many rows, 1 or more, or a share of the unlabelled "
            "rows above 0 and below 1."
        )
    if params["pool"] not in ("auto", "whole", "candidates"):
        raise InputError(f'subsample: pool is {params["pool"]!r}; use "auto", "whole" or "candidates".')
    if _sees_whole(params["pool"], spec):
        return merged([spec], stochastic=True)
    if not spec.resumable:
        raise InputError(
            f"subsample: {spec.name} remembers what it asked, which a new pool of candidates in each round does not "
            'allow. Use pool="whole".'
        )
    return merged([spec], stochastic=True, growth=Growth.LINEAR)


def _sees_whole(pool: Sees, spec: StrategySpec) -> bool:
    if pool != "auto":
        return pool == "whole"
    return spec.growth is Growth.LINEAR and not (spec.stateful and spec.resumable)


@alcore.strategy(
    "subsample",
    summary="Any strategy, shown only some rows drawn at random in each round",
    needs=("proba|decision",),
    stateful=False,
    stochastic=True,
    source="Roy and McCallum, Toward Optimal Active Learning through Sampling Estimation of Error Reduction (2001): a "
    "sample of the pool stands for it",
    group="combinator",
    parts=("margin",),
    adapt=_adapted,
)
class Subsample(Outer):
    """S drawn uniformly from u without replacement, |S| = max(candidates, n); then the strategy asks among S.

    Parameters
    ----------
    strategy : the strategy that chooses
    candidates : int or float
        How many rows it may choose from, or their share of the unlabelled ones; never fewer than are asked for.
    pool : "auto", "whole" or "candidates"
        What it is set up with: the whole pool, once per run, or a pool of labelled rows and candidates only, made anew
        in each round, so that nothing but the draw grows with the pool. "auto" is "candidates" where it keeps state, or
        its growth is not linear.
    """

    def __init__(self, strategy: Named = "margin", candidates: int | float = 1000, pool: Sees = "auto") -> None:
        super().__init__([strategy], {"strategy": strategy, "candidates": candidates, "pool": pool})
        self.candidates = candidates
        self.whole = _sees_whole(pool, self.specs[0])
        self.truth: Truth | None = None

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Set the strategy up, where it sees the whole pool."""
        self.told: list[tuple[Rows, Labels]] = []
        if self.whole:
            super().setup(pool, rng)

    def update(self, rows: Rows, labels: Labels) -> None:
        """Update it, where it sees the whole pool; else keep what it will be told in each round."""
        if self.whole:
            super().update(rows, labels)
        elif isinstance(self.inner[0], NeedsUpdate):
            self.told.append((rows.copy(), labels.copy()))

    def _reveal(self, truth: Truth) -> None:
        self.truth = truth
        if self.whole:
            super()._reveal(truth)

    def query(self, view: View, n: int) -> Rows:
        """Draw candidates, and let the strategy choose among them."""
        left, size = len(view.unlabeled), self.candidates
        size = round(size * left) if isinstance(size, float) else int(size)
        drawn = view.rng.choice(left, size=min(max(size, n), left), replace=False, shuffle=False)
        candidates = np.sort(view.unlabeled[drawn])
        if self.whole:
            return ask(self.inner[0], self.specs[0], view.among(candidates), n)
        return self._ask_in_small_pool(view, candidates, n)

    def _ask_in_small_pool(self, view: View, candidates: Rows, n: int) -> Rows:
        # Rows that are out for labelling belong to it: a strategy may keep away from them.
        rows = np.sort(np.concatenate([view.labeled, view.pending, candidates]))
        whole = view.pool
        small = Pool(whole.take(rows), whole.task, whole.classes, features=lambda _: whole.features[rows])
        for_setup, for_query = view.rng.spawn(2)
        inner = copied(self.inner[0])
        if isinstance(inner, NeedsSetup):
            inner.setup(small, for_setup)
        if isinstance(inner, NeedsTruth) and self.truth is not None:
            inner.reveal(Truth(self.truth.y[rows], self.truth.X_test, self.truth.y_test))
        for told, labels in self.told:
            inner.update(np.searchsorted(rows, told), labels)  # type: ignore[attr-defined]
        round_ = View(
            pool=small,
            labeled=np.searchsorted(rows, view.labeled),
            unlabeled=np.searchsorted(rows, candidates),
            y=view.y,
            t=view.t,
            ties=view.ties,
            rng=lambda: for_query,
            fitted=lambda: view.model,
            twin=lambda _: view.new_learner(),
            who=self.specs[0].name,
            warned=view._warned,
        )
        return rows[ask(inner, self.specs[0], round_, n)]
