"""The library's wrappers: candidates drawn beforehand, and candidates scored in parallel."""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import joblib
from numpy.random import Generator
from skactiveml.pool import ParallelUtilityEstimationWrapper, SubSamplingWrapper  # type: ignore[import-untyped]

from alcore import InputError, PairingError, Pool, StrategySpec, View
from alcore.errors import did_you_mean
from alcore.protocols import NeedsSetup
from alcore_skactiveml.ask import Ask, Native, Scored, Wrapped
from alcore_skactiveml.specs import STRATEGIES, WRAPPER

Params = Mapping[str, Any]


class _Wrapper(Wrapped):
    """A strategy around another one of this adapter.

    Parameters
    ----------
    base : str
        The other one's name.
    base_params : mapping or None
        Its parameters.
    """

    def __init__(self, base: str, base_params: Params | None) -> None:
        self.spec = _spec(base)
        self.base = cast("Wrapped", self.spec.build(**dict(base_params or {})))

    def setup(self, pool: Pool, rng: Generator) -> None:
        """Refuse a pool that the base does not serve, and let the base get ready.

        Raises
        ------
        PairingError
            If it does not serve the pool's task, its number of classes, or sparse X.
        """
        spec = self.spec
        if pool.task not in spec.tasks:
            raise PairingError(f"base {spec.name} serves {', '.join(sorted(spec.tasks))}; the pool is a {pool.task}.")
        if spec.max_classes is not None and pool.n_classes > spec.max_classes:
            raise PairingError(f"base {spec.name} takes {spec.max_classes} classes; the pool has {pool.n_classes}.")
        if pool.sparse and not spec.sparse:
            raise PairingError(f"base {spec.name} takes no sparse X.")
        if isinstance(self.base, NeedsSetup):
            self.base.setup(pool, rng)


class SubSampling(_Wrapper, Native):
    """SubSamplingWrapper: the base chooses among candidates drawn at random.

    A draw smaller than the batch is followed by further ones, until the batch is complete.

    Parameters
    ----------
    base, base_params
    max_candidates : int or float
        How many candidates are drawn, or which share of them.
    exclude_non_subsample : bool
        Hide the other unlabelled rows from the base.
    """

    name = "skactiveml.sub-sampling-wrapper"

    def __init__(
        self,
        base: str = "skactiveml.random",
        base_params: Params | None = None,
        max_candidates: int | float = 0.1,
        exclude_non_subsample: bool = False,
    ) -> None:
        super().__init__(base, base_params)
        if exclude_non_subsample and self.base.keeps:
            raise InputError(
                f"{base} keeps what it computed of the pool, and cannot be shown a part of it: use "
                "exclude_non_subsample=False."
            )
        self.max_candidates, self.exclude_non_subsample = max_candidates, exclude_non_subsample

    def ask(self, view: View) -> Ask:
        """Return the wrapper around the base's strategy."""
        inner = self.base.ask(view)
        wrapper = SubSamplingWrapper(
            inner.strategy,
            max_candidates=self.max_candidates,
            exclude_non_subsample=self.exclude_non_subsample,
            random_state=inner.seed,
        )
        return replace(inner, strategy=wrapper)


class Parallel(_Wrapper, Scored):
    """ParallelUtilityEstimationWrapper: the base scores parts of the candidates on several threads.

    Parameters
    ----------
    base, base_params
        A base whose score of a row is the same whatever other rows are candidates.
    n_jobs : int
        How many; -1 takes all processors.
    """

    name = "skactiveml.parallel-utility-estimation-wrapper"

    def __init__(self, base: str = "skactiveml.random", base_params: Params | None = None, n_jobs: int = 2) -> None:
        super().__init__(base, base_params)
        if not self.base.parts:
            raise InputError(
                f"{base} scores candidates against each other and not one by one, so that parts of them cannot be "
                "scored in parallel. Use a base such as 'skactiveml.eer'."
            )
        self.n_jobs = n_jobs

    def ask(self, view: View) -> Ask:
        """Return the wrapper around the base's strategy."""
        inner = self.base.ask(view)
        # More parts than rows would be empty ones, which the library cannot score.
        jobs = min(joblib.effective_n_jobs(self.n_jobs), len(view.unlabeled))
        wrapper = ParallelUtilityEstimationWrapper(
            _each_its_own(inner.strategy),
            n_jobs=jobs,
            parallel_dict={"backend": "threading"},
            random_state=inner.seed,
        )
        return replace(inner, strategy=wrapper)


def _each_its_own(strategy: Any) -> Any:
    """Return the strategy with a ``query`` that works on a copy: threads would overwrite each other's random state."""
    shell = copy.copy(strategy)

    @functools.wraps(strategy.query)
    def query(*args: Any, **kwargs: Any) -> Any:
        return copy.copy(strategy).query(*args, **kwargs)

    shell.query = query
    return shell


def _spec(name: str) -> StrategySpec:
    """Return the spec of a strategy of this adapter that is no wrapper itself."""
    known = {spec.name: spec for spec in STRATEGIES if spec.group != WRAPPER}
    if name not in known:
        raise InputError(
            f"base is {name!r}; give a strategy of scikit-activeml that is no wrapper.{did_you_mean(name, known)}"
        )
    return known[name]
