"""Active learning by learning: a bandit over strategies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from alcore import Labels, PairingError, Pool, Rows, StrategyError, View
from alcore.errors import InputError, did_you_mean
from alcore.protocols import NeedsSetup, NeedsUpdate
from alcore_libact.library import Dataset, QueryStrategy, pool_based, quiet
from alcore_libact.models import Answers, Fitted

PREFIX = "libact."
KEPT = ("budget_used", "W", "queried_hist_", "query_dist", "random_state_")
"""What libact's bandit knows besides the weights of its arms."""


@dataclass
class _History:
    """All that decides the bandit's weights: what each arm advised, and what came of the row that was drawn.

    ``first`` is what was unlabelled at the first query, ``start`` and ``later`` are labels from before and after it,
    ``waiting`` tells that no label has come since the last answer, and ``kept`` is what libact's object
    holds besides; it is filled for pickling only.
    """

    total: int
    first: Rows
    start: dict[int, Any]
    later: dict[int, Any] = field(default_factory=dict)
    advice: list[list[int]] = field(default_factory=list)
    results: list[tuple[float, int, Any]] = field(default_factory=list)
    waiting: bool = False
    kept: dict[str, Any] = field(default_factory=dict)


class ALBL:
    """``ActiveLearningByLearning``: Exp4.P over strategies and chance, rewarded by accuracy (Hsu and Lin 2015).

    State: the bandit's weights. They follow from what the arms advised in every round, with the learners of that
    round, so that a run cannot be resumed from its rows.

    Parameters
    ----------
    arms : names of libact's strategies, without "libact."
        Chance is an arm besides.
    T : int or None
        Number of queries that will be made; None takes the number of rows that are unlabelled at the first.
    delta : float
        Of Exp4.P.
    """

    name = "libact.albl"

    def __init__(
        self,
        arms: Sequence[str] = ("least-confident", "density-weighted"),
        T: int | None = None,
        delta: float = 0.1,
    ) -> None:
        from alcore_libact.specs import SPECS

        specs = {spec.name.removeprefix(PREFIX): spec for spec in SPECS}
        for arm in arms:
            if arm not in specs or "albl" in arm:
                raise InputError(f"{self.name} has no arm {arm!r}.{did_you_mean(arm, specs)}")
        if not arms:
            raise InputError(f"{self.name} needs one arm at least, besides chance.")
        self.arms = [specs[arm].build() for arm in arms]
        self.binary = [arm for arm in arms if specs[arm].max_classes == 2]
        self.T, self.delta = T, delta

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Forget everything.

        Raises
        ------
        PairingError
            If the pool has more than two classes, and an arm is for two.
        """
        if self.binary and pool.n_classes > 2:
            raise PairingError(
                f"{self.name} has the arm {self.binary[0]!r}, which is for two classes; the pool has {pool.n_classes}. "
                "Leave the arm out."
            )
        self.seed = int(rng.integers(2**31))
        self.history: _History | None = None
        self.live: _Live | None = None
        for arm in self.arms:
            if isinstance(arm, NeedsSetup):
                arm.setup(pool, rng)

    def update(self, rows: Rows, labels: Labels) -> None:
        """Tell the arms and the bandit."""
        for arm in self.arms:
            if isinstance(arm, NeedsUpdate):
                arm.update(rows, labels)
        if self.history is not None:
            with quiet():
                for row, label in zip(rows.tolist(), labels.tolist(), strict=True):
                    self._revived(self.history).label(row, label)

    def query(self, view: View, n: int) -> Rows:
        """Return one row.

        Raises
        ------
        StrategyError
            If more than T are asked for.
        """
        if n == 0:
            return view.unlabeled[:0]
        if self.history is None:
            labels = dict(zip(view.labeled.tolist(), view.y.tolist(), strict=True))
            first = np.setdiff1d(np.arange(len(view.pool)), view.labeled)
            self.history = _History(len(first) if self.T is None else self.T, first, labels)
        live = self._revived(self.history)
        if live.bandit.budget_used >= self.history.total:
            raise StrategyError(
                f"{self.name} was made for {self.history.total} queries, and this is one more. Give a larger T."
            )
        with quiet():
            return np.array([live.ask(view)], dtype=np.intp)

    def _revived(self, history: _History) -> _Live:
        if self.live is None:
            self.live = _Live(self.arms, history, self.delta, self.seed)
        return self.live

    def __getstate__(self) -> dict[str, Any]:
        """Leave out libact's generator, which cannot be pickled; the history makes it again."""
        state = self.__dict__.copy()
        live: _Live | None = state.get("live")
        if live is not None:
            kept = {name: getattr(live.bandit, name) for name in KEPT}
            state |= {"history": replace(live.history, kept=kept), "live": None}
        return state


class _Live:
    """libact's objects for one run, made again from the history if need be."""

    def __init__(self, arms: list[Any], history: _History, delta: float, seed: int) -> None:
        self.history = history
        n = len(history.first) + len(history.start)
        self.data = _Closable(np.arange(n)[:, None], np.full(n, None, dtype=object))
        self.data.set(history.start)
        self.arms = [_Arm(self.data, arm, history) for arm in arms]
        self.model = Fitted()
        k = len(arms) + 1
        with quiet():
            self.bandit = pool_based.ActiveLearningByLearning(
                self.data,
                T=history.total,
                query_strategies=self.arms,
                delta=delta,
                # libact's own value makes probabilities negative where T is small.
                pmin=1.0 / k if np.sqrt(np.log(k) / k / history.total) > 1.0 / k else None,
                model=self.model,
                random_state=np.random.RandomState(seed),
            )
        self._next = self.bandit.exp4p_.next
        self._play()
        self.bandit.exp4p_.next = self._recorded

    def ask(self, view: View) -> int:
        """Return the row that the bandit draws.

        libact fails where it is asked twice without a label between: it draws again from the same distribution here.
        """
        self.model.answers = Answers(view)
        self.data.offered = view.unlabeled
        for arm in self.arms:
            arm.view = view
        if self.history.waiting:
            return self._drawn_again(view)
        self.history.waiting = True
        return int(self.bandit.make_query())

    def _drawn_again(self, view: View) -> int:
        weight = np.zeros(len(view.pool))
        weight[self.bandit.unlabeled_entry_ids] = self.bandit.query_dist
        share = weight[view.unlabeled] / weight[view.unlabeled].sum()
        self.bandit.budget_used += 1
        return int(self.bandit.random_state_.choice(view.unlabeled, p=share))

    def label(self, row: int, label: Any) -> None:
        """Tell libact a label."""
        self.history.later[row] = label
        self.history.waiting = False
        self.data.update(row, label)

    def _recorded(self, reward: float, row: Any, label: Any) -> Any:
        if self.history.advice:
            self.history.results.append((reward, row, label))
        self.history.advice.append([])
        return self._next(reward, row, label)

    def _play(self) -> None:
        """Take the bandit through its history, and give it back what it kept besides."""
        history = self.history
        for number in range(len(history.advice)):
            for arm, row in zip(self.arms, history.advice[number], strict=True):
                arm.script.append(row)
            self._next(*history.results[number - 1]) if number else self._next(-1, None, None)
        self.data.set(history.later)
        for name, value in history.kept.items():
            setattr(self.bandit, name, value)


class _Closable(Dataset):  # type: ignore[misc]
    """Row numbers, of which only those that are offered may be asked."""

    offered: Rows | None = None

    def set(self, labels: Mapping[int, Any]) -> None:
        """Take in labels of which nobody need be told."""
        for row, label in labels.items():
            self._y[row] = label

    def get_unlabeled_entries(self) -> Any:
        """Return the entries that may be asked, and their features."""
        if self.offered is None:
            return super().get_unlabeled_entries()
        return self.offered, self._X[self.offered]


class _Arm(QueryStrategy):  # type: ignore[misc]
    """A strategy of alcore's as one of libact's."""

    view: View

    def __init__(self, dataset: Any, strategy: Any, history: _History) -> None:
        super().__init__(dataset)
        self.strategy, self.history = strategy, history
        self.script: list[int] = []

    def make_query(self) -> int:
        """Return the row that the strategy asks for, or asked for at this point in the history."""
        if self.script:
            return self.script.pop(0)
        row = int(self.strategy.query(self.view, 1)[0])
        self.history.advice[-1].append(row)
        return row
