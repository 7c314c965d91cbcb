"""How far strategies agree: several of them, on one labelled set, round by round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from alcore.errors import AlcoreError, InputError
from alcore.learners import Recipe
from alcore.pool import Pool
from alcore.protocols import Oracle, Strategy
from alcore.select import Ties
from alcore.state import State
from alcore.types import Floats, Rows


@dataclass(frozen=True)
class Pair:
    """How far two strategies agree.

    Attributes
    ----------
    rounds : rounds in which both answered
    same : share of these in which they asked the same rows, in any order
    overlap : mean share of rows that both asked; equals ``same`` for one row per round
    rank_correlation : mean Spearman correlation of their scores of the unlabelled rows, NaN where one has none
    """

    a: str
    b: str
    rounds: int
    same: float
    overlap: float
    rank_correlation: float


@dataclass(frozen=True)
class Agreement:
    """What a comparison found: pairs, what each strategy asked in each round, and why one of them stopped."""

    pairs: list[Pair]
    asked: Mapping[str, list[Rows]]
    failed: Mapping[str, str]


def compare(
    pool: Pool,
    oracle: Oracle,
    strategies: Mapping[str, Strategy],
    learner: Recipe,
    *,
    start: Rows,
    rounds: int,
    batch: int = 1,
    seed: int = 0,
    ties: Ties = "first",
) -> Agreement:
    """Let strategies choose on one labelled set, which grows by what the first of them asks.

    Each has a state of its own, with the same labels, models and seed, so that they differ by their choice only. Ties
    are broken by position unless asked otherwise: two strategies that agree would else be told apart by chance.

    Parameters
    ----------
    strategies : mapping of name to strategy
        The first leads. One that raises is left out from there on, with its reason.

    Raises
    ------
    InputError
        If fewer than two strategies or no round are asked for.
    StrategyError, LearnerError
        If the leading strategy or the learner fails.
    """
    if len(strategies) < 2 or rounds < 1:
        raise InputError(f"{len(strategies)} strategies and {rounds} rounds; compare two or more over one or more.")
    failed: dict[str, str] = {}
    states: dict[str, State] = {}
    lead = next(iter(strategies))
    for name, strategy in strategies.items():
        try:
            states[name] = State(pool, strategy, learner, seed=seed, ties=ties)
            states[name].add(start, oracle(start), start=True)
        except AlcoreError as error:
            if name == lead:
                raise
            failed[name] = str(error)
            states.pop(name, None)
    asked: dict[str, list[Rows]] = {name: [] for name in strategies}
    scores: list[dict[str, Floats]] = []
    for _ in range(min(rounds, -(-states[lead].left // batch))):
        scores.append(_one_round(states, asked, failed, lead, batch))
        rows = asked[lead][-1]
        labels = oracle(rows)
        for state in states.values():
            state.add(rows, labels)
    pairs = [_pair(a, b, asked, scores) for a, b in combinations(strategies, 2)]
    return Agreement(pairs, asked, failed)


def _one_round(
    states: dict[str, State], asked: dict[str, list[Rows]], failed: dict[str, str], lead: str, batch: int
) -> dict[str, Floats]:
    scores: dict[str, Floats] = {}
    for name, state in list(states.items()):
        try:
            asked[name].append(state.query(batch))
            found = _scores(state)
        except AlcoreError as error:
            if name == lead:
                raise
            failed[name] = str(error)
            del states[name]
            continue
        if found is not None:
            scores[name] = found
    return scores


def _scores(state: State) -> Floats | None:
    score = getattr(state.strategy, "scores", None)
    if score is None or getattr(state.strategy, "scored", True) is False:
        return None
    return np.asarray(score(state.view()), dtype=np.float64)


def _pair(a: str, b: str, asked: Mapping[str, Sequence[Rows]], scores: Sequence[Mapping[str, Floats]]) -> Pair:
    both = list(zip(asked[a], asked[b], strict=False))
    shared = [len(np.intersect1d(x, y)) / len(x) for x, y in both]
    ranks = [_spearman(one[a], one[b]) for one in scores if a in one and b in one]
    known = [rank for rank in ranks if not np.isnan(rank)]
    return Pair(
        a,
        b,
        rounds=len(both),
        same=float(np.mean([share == 1 for share in shared])) if shared else float("nan"),
        overlap=float(np.mean(shared)) if shared else float("nan"),
        rank_correlation=float(np.mean(known)) if known else float("nan"),
    )


def _spearman(a: Any, b: Any) -> float:
    from scipy.stats import rankdata

    x, y = rankdata(a), rankdata(b)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])
