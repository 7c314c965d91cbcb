"""Samplers made of samplers: mixture, bandit, simulated batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from alcore import InputError, Labels, Pool, Rows, View
from alcore.interop import seed_of, seeded_globals, silenced
from alcore_playground.checkout import sampler
from alcore_playground.face import Learner, Refitting, TwoColumns, ask, margin_learner, numbers, placeholder
from alcore_playground.plain import turned

METHODS = {
    "margin": "margin",
    "uniform": "uniform",
    "informative-cluster-diverse": "informative_diverse",
    "mcm": "margin_cluster_mean",
}
"""What may be mixed, and what the playground calls it: samplers that keep nothing between rounds.

The others keep what they chose themselves, which in a mixture is not what was labelled.
"""


class _Wrapper(ABC):
    """A sampler that is made once per run and asked on the pool in a new order each round.

    The order is drawn whatever becomes of ties, because ``uniform`` takes the first rows.
    """

    methods: tuple[str, ...]

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Make the samplers."""
        self.pool, self.seed = pool, int(rng.integers(2**31))
        self.made = self._made()

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the sampler, whose class no other process can find: one seed makes the same again."""
        return {name: value for name, value in vars(self).items() if name != "made"}

    def _made(self) -> Any:
        geometric = {"informative-cluster-diverse", "mcm"} & set(self.methods)
        X = self.pool.features if geometric else numbers(np.arange(len(self.pool)))
        with seeded_globals(self.seed), silenced():
            made = self._make(X, placeholder(self.pool))
        for one in _base(made):
            if hasattr(one, "cluster_labels"):
                one.cluster_prob = np.bincount(one.cluster_labels, minlength=one.n_clusters) / len(self.pool)
                one.labels_in_file = one.cluster_labels
        return made

    @abstractmethod
    def _make(self, X: Any, y: Labels) -> Any:
        """Return the playground's sampler."""

    def _turned(self, view: View) -> Rows:
        """Turn all samplers to a new order, and return it."""
        if not hasattr(self, "made"):
            self.made = self._made()
        order = view.rng.permutation(len(self.pool))
        for one in _base(self.made):
            turned(one, order)
            if "mcm" in self.methods:
                one.flat_X = self.pool.features[order]
        return order

    def _learner(self, view: View) -> Learner:
        return TwoColumns(view) if "mcm" in self.methods else margin_learner(view)


def _base(made: Any) -> list[Any]:
    return list((made.base_samplers if hasattr(made, "base_samplers") else made.samplers).values())


class Mixture(_Wrapper):
    """``MixtureOfSamplers``: each sampler fills its share of the batch.

    Parameters
    ----------
    methods : names in METHODS
    weights : numbers
        The share of each, 1 together.
    """

    name = "playground.mixture"

    def __init__(self, methods: Sequence[str] = ("margin", "uniform"), weights: Sequence[float] = (0.5, 0.5)) -> None:
        sampler("mixture_of_samplers", "MixtureOfSamplers")
        self.methods, (self.weights,) = _mixed(methods, [weights])

    def _make(self, X: Any, y: Labels) -> Any:
        make = sampler("mixture_of_samplers", "MixtureOfSamplers")
        return make(X, y, self.seed, mixture=_mixture(self.methods, self.weights))

    def query(self, view: View, n: int) -> Rows:
        """Return n rows."""
        if n == 0:
            return np.empty(0, dtype=np.intp)
        order = self._turned(view)
        self.made.history = []
        return ask(self.made, view, order, n, model=self._learner(view))


class Bandit(_Wrapper):
    """``BanditDiscreteSampler``: EXP3 chooses a mixture each round, rewarded by the accuracy after the last one.

    The playground takes the accuracy from its caller, who measured it on test rows. Here it is the accuracy on the
    labelled rows, each predicted by a twin of the query learner that was fitted without it.

    Parameters
    ----------
    methods : names in METHODS
    arms : sequences of numbers
        For each arm, the share of each method, 1 together.
    gamma : float
        The share of chance in the choice of an arm.
    folds : int
        Fits per round for the accuracy.
    """

    name = "playground.bandit"
    STATE = ("pull_history", "acc_history", "w", "x", "p", "probs")

    def __init__(
        self,
        methods: Sequence[str] = ("margin", "uniform"),
        arms: Sequence[Sequence[float]] = ((0.0, 1.0), (1.0, 0.0)),
        gamma: float = 0.5,
        folds: int = 3,
    ) -> None:
        sampler("bandit_discrete", "BanditDiscreteSampler")
        self.methods, self.arms = _mixed(methods, arms)
        if not 0 < gamma <= 1:
            raise InputError(f"gamma is {gamma!r}; give a share above 0 and at most 1.")
        if folds < 2:
            raise InputError(f"folds is {folds!r}; 2 or more are needed to predict rows that were left out.")
        self.gamma, self.folds = gamma, folds

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Make the samplers, and forget all rewards."""
        super().setup(pool, rng)
        self.kept = {name: getattr(self.made, name) for name in self.STATE}

    def _make(self, X: Any, y: Labels) -> Any:
        make = sampler("bandit_discrete", "BanditDiscreteSampler")
        arms = [_mixture(self.methods, weights) for weights in self.arms]
        return make(X, y, self.seed, gamma=self.gamma, samplers=arms)

    def query(self, view: View, n: int) -> Rows:
        """Return n rows."""
        if n == 0:
            return np.empty(0, dtype=np.intp)
        order = self._turned(view)
        vars(self.made).update(self.kept)
        accuracy = left_out_accuracy(view, self.folds)
        rows = ask(self.made, view, order, n, model=self._learner(view), eval_acc=accuracy)
        if self.made.w.max() > 1e100:  # only ratios count, and the playground lets the weights grow to infinity
            self.made.w = self.made.w / self.made.w.max()
        self.kept = {name: getattr(self.made, name) for name in self.STATE}
        return rows


class SimulateBatch(_Wrapper):
    """``SimulateBatchSampler``: the batch is chosen in small steps on made-up labels, many times, and the best kept.

    The playground scores a simulation on validation rows. Here they are labelled rows drawn each round and kept out of
    the simulated fits. It also fits to labels of rows not yet asked for, to print an accuracy; it gets 0 for them.

    Parameters
    ----------
    methods : names in METHODS
    arms : sequences of numbers
        For each mixture that is tried, the share of each method, 1 together.
    n_sims : int
        Simulations per mixture.
    train_per_sim : int
        Steps, and fits, per simulation.
    return_type : "best_sim" or "frequency"
        The batch of the best simulation, or the rows chosen most often.
    validation : float
        The share of the labelled rows that simulations are scored on.
    """

    name = "playground.simulate-batch"

    def __init__(
        self,
        methods: Sequence[str] = ("margin", "uniform"),
        arms: Sequence[Sequence[float]] = ((1.0, 0.0),),
        n_sims: int = 10,
        train_per_sim: int = 10,
        return_type: str = "best_sim",
        validation: float = 0.3,
    ) -> None:
        sampler("simulate_batch", "SimulateBatchSampler")
        self.methods, self.arms = _mixed(methods, arms)
        if "mcm" in self.methods:
            raise InputError(
                "simulate-batch cannot mix mcm: its simulations need probabilities, and mcm decision values."
            )
        if n_sims < 1 or train_per_sim < 1:
            raise InputError(f"n_sims is {n_sims!r} and train_per_sim {train_per_sim!r}; give 1 or more.")
        if return_type not in ("best_sim", "frequency"):
            raise InputError(f'return_type is {return_type!r}; use "best_sim" or "frequency".')
        if not 0 < validation < 1:
            raise InputError(f"validation is {validation!r}; give a share between 0 and 1.")
        self.n_sims, self.train_per_sim, self.return_type = n_sims, train_per_sim, return_type
        self.validation = validation

    def _make(self, X: Any, y: Labels) -> Any:
        make = sampler("simulate_batch", "SimulateBatchSampler")
        return make(
            X,
            y,
            self.seed,
            samplers=[_mixture(self.methods, weights) for weights in self.arms],
            n_sims=self.n_sims,
            train_per_sim=self.train_per_sim,
            return_type=self.return_type,
        )

    def query(self, view: View, n: int) -> Rows:
        """Return n rows."""
        if n == 0:
            return np.empty(0, dtype=np.intp)
        order, seed = self._turned(view), seed_of(view)
        self.made.X, self.made.trace, self.made.selected = numbers(order), [], []
        held = held_out(view, self.validation)
        tested = view.labeled[held] if len(held) else view.labeled
        known = view.y[held] if len(held) else view.y
        given = {
            "model": Refitting(view, view.labeled[held]),
            "y": view.masked_y(0)[order],
            "X_test": numbers(tested),
            "y_test": known,
        }
        rows = ask(self.made, view, order, n, seed=seed, **given)
        if len(rows) < n:  # no simulation had any validation row right, and none was kept
            rows = ask(self.made.samplers[0], view, order, n, seed=seed, **given)
        return rows


def held_out(view: View, share: float) -> Rows:
    """Return positions in ``view.labeled`` to score on: a share of them, one at least, and one is left to fit to."""
    labeled = len(view.labeled)
    size = min(max(round(share * labeled), 1), labeled - 1)
    return view.rng.permutation(labeled)[: max(size, 0)]


def left_out_accuracy(view: View, folds: int) -> float:
    """Return the share of labelled rows that twins fitted without them predict; 0 for a single row."""
    labeled = len(view.labeled)
    if labeled < 2:
        return 0.0
    hits = 0
    for part in np.array_split(view.rng.permutation(labeled), min(folds, labeled)):
        rest = np.setdiff1d(np.arange(labeled), part)
        twin = view.new_learner().fit(view.pool.take(view.labeled[rest]), view.y[rest])
        hits += int((twin.predict(view.pool.take(view.labeled[part])) == view.y[part]).sum())
    return hits / labeled


def _mixture(methods: Sequence[str], weights: Sequence[float]) -> dict[str, Any]:
    return {"methods": [METHODS[method] for method in methods], "weights": list(weights)}


def _mixed(
    methods: Sequence[str], arms: Sequence[Sequence[float]]
) -> tuple[tuple[str, ...], tuple[tuple[float, ...], ...]]:
    methods = (methods,) if isinstance(methods, str) else tuple(methods)
    strange = [method for method in methods if method not in METHODS]
    if strange or not methods or len(set(methods)) < len(methods):
        raise InputError(f"methods is {list(methods)}; choose among {', '.join(METHODS)}, each once.")
    if not arms:
        raise InputError("arms is empty; give the weights of one mixture or more.")
    for weights in arms:
        if len(weights) != len(methods) or min(weights) < 0 or not np.isclose(sum(weights), 1):
            raise InputError(f"the weights {list(weights)} are not {len(methods)} shares that sum to 1.")
    return methods, tuple(tuple(float(weight) for weight in weights) for weights in arms)
