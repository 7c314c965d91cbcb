"""Any scikit-learn-compatible estimator, or a factory of them, as a learner without a wrapper of the user's."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from alcore import rng, weights
from alcore.errors import InputError, LearnerError, PairingError, described
from alcore.estimators import (
    Foreign,
    can_continue,
    cannot_continue,
    copy_plain,
    copy_unfitted,
    detect_levels,
    is_learner,
    is_plain,
    params_of,
)
from alcore.models import NO_CLASSES, Lent, Model, SingleClassWarning
from alcore.types import Level, Task

__all__ = ["Classes", "Lent", "Model", "Recipe", "Refit", "SingleClassWarning", "steady"]

Refit: TypeAlias = Literal["scratch", "continue"]
Classes: TypeAlias = Literal["seen", "all"]


class Recipe:
    """How a run makes its learners: an estimator to copy, or a factory to call.

    Parameters
    ----------
    source : estimator, or callable without arguments that returns one
        Anything with ``fit`` and ``predict``. It is copied, never fitted or changed. A function with a parameter
        ``n_classes`` is given K, or the number of labels.
    refit : "scratch" or "continue"
        Each fit starts from an unfitted copy, or goes on from the last (``Model.fit_further``).
    prefit : bool
        The source is fitted already and serves the first query as it is.
    name : str or None
        What errors call it; None takes the estimator's class name.
    classes : "seen" or "all"
        What codes the estimator is fitted to: those of the classes seen, numbered without gaps, or the pool's own, for
        networks, whose head has a column for every class from the start.

    Raises
    ------
    InputError
        If the source is neither.
    PairingError
        If it cannot continue and is to.

    Notes
    -----
    Every ``random_state`` that is None, nested ones included, is set from the run's seed. One that the caller set is
    kept, except in the twins of a committee, where it is mixed with the twin's number: members of one seed are one
    member.
    """

    def __init__(
        self,
        source: Any,
        *,
        refit: Refit = "scratch",
        prefit: bool = False,
        name: str | None = None,
        classes: Classes = "seen",
    ) -> None:
        estimator = is_learner(source)
        if not estimator and not callable(source):
            raise InputError(
                f"{source!r} is no learner: give an object with fit and predict, or a function without arguments "
                "that returns one."
            )
        if prefit and not estimator:
            raise InputError("prefit=True needs the fitted estimator itself, not a factory.")
        if refit not in ("scratch", "continue"):
            raise InputError(f'refit is {refit!r}; use "scratch" or "continue".')
        if classes not in ("seen", "all"):
            raise InputError(f'classes is {classes!r}; use "seen" or "all".')
        if prefit and refit == "continue":
            raise InputError(
                'prefit=True serves the first query and is never changed, so refit="continue" cannot go on from it. '
                'Use refit="scratch", or refit="continue" with a start set.'
            )
        self.source = source
        self.is_factory = not estimator
        self.refit: Refit = refit
        self.prefit = prefit
        self.classes: Classes = classes
        self._name = name
        if refit == "continue" and not can_continue(self.prototype):
            raise PairingError(cannot_continue(self.name))

    def __repr__(self) -> str:
        return f"Recipe({self.source!r}, refit={self.refit!r}, prefit={self.prefit})"

    @classmethod
    def of(cls, learner: Any) -> Recipe:
        """Return a recipe for an estimator, a factory or a recipe."""
        return learner if isinstance(learner, Recipe) else cls(learner)

    @cached_property
    def prototype(self) -> Any:
        """An unfitted estimator as the source makes it, to be looked at."""
        return self._build() if self.is_factory else copy_unfitted(self.source)

    @cached_property
    def _plain(self) -> bool:
        return is_plain(self.prototype)

    @cached_property
    def _seeds(self) -> dict[str, Any]:
        """The estimator's random_state parameters and what the caller set them to."""
        return {k: v for k, v in params_of(self.prototype).items() if k.rpartition("__")[2] == "random_state"}

    @cached_property
    def _said(self) -> dict[str, Any]:
        """The estimator's parameters that hold something for each class."""
        return weights.said_of_classes(params_of(self.prototype))

    def of_classes(self, task: Task, classes: Sequence[Any], n_classes: int) -> dict[str, Any]:
        """Return what the parameters say of classes, by code; InputError if that is no class of the task's."""
        if not self._said or task is not Task.CLASSIFICATION:
            return {}
        return weights.by_code(self._said, self.name, classes, n_classes)

    @property
    def name(self) -> str:
        """The name given, or the estimator's class name."""
        return self._name or type(self.prototype).__name__

    @cached_property
    def levels(self) -> frozenset[Level]:
        """What the estimator can say besides its prediction."""
        return detect_levels(self.prototype)

    @property
    def stochastic(self) -> bool:
        """Whether the estimator takes a seed."""
        return bool(self._seeds)

    def make(
        self, task: Task, n_classes: int, seed: int, *key: int, twin: int = 0, classes: Sequence[Any] = ()
    ) -> Model:
        """Return an unfitted model for the run with this seed.

        ``key`` tells one run's fits apart (the round), ``twin`` one round's copies; ``classes`` are the caller's
        labels, in which class weights may be given.

        Raises
        ------
        InputError
            If a class weight or prior is for none of the classes.
        """
        said = self.of_classes(task, classes, n_classes)
        estimator = self._build(n_classes)
        for position, (name, given) in enumerate(self._seeds.items()):
            if given is not None and not twin:
                continue
            derived = rng.integer(seed, "learner", *key, twin, position)
            value = derived if not isinstance(given, int) else (given + derived) % 2**31
            if "__" in name:
                estimator.set_params(**{name: value})
            else:
                setattr(estimator, name, value)
        return Model(estimator, task, n_classes, self.levels, name=self.name, every=self.classes == "all", said=said)

    def adopt(self, task: Task, classes: Sequence[Any]) -> Model:
        """Return the source itself as a fitted model, for ``prefit=True``.

        Raises
        ------
        InputError
            If a classifier is not fitted, or was fitted on a label that is not in ``classes``.
        """
        source = Foreign(self.source) if task is Task.CLASSIFICATION else self.source
        model = Model(source, task, len(classes), self._prefit_levels, name=self._name)
        model._present = NO_CLASSES
        if isinstance(source, Foreign):
            model._present = source.codes(classes)
        elif task is Task.MULTILABEL and isinstance(getattr(self.source, "classes_", None), list):
            model._always = np.array([list(known) == [1] for known in self.source.classes_])
        return model

    @cached_property
    def _prefit_levels(self) -> frozenset[Level]:
        return detect_levels(self.source)

    @cached_property
    def _takes_k(self) -> bool:
        """Whether the factory is given the number of classes."""
        try:
            return "n_classes" in inspect.signature(self.source).parameters
        except (TypeError, ValueError):  # some callables of C have no signature
            return False

    def _build(self, n_classes: int = 2) -> Any:
        if not self.is_factory:
            # A deep copy of an unfitted estimator is a clone, at a fifth of the cost; a shallow one is a deep one where
            # all parameters are numbers and text.
            return copy_plain(self.prototype) if self._plain else copy.deepcopy(self.prototype)
        try:
            made = self.source(n_classes=n_classes) if self._takes_k else self.source()
        except (Exception, SystemExit) as error:
            raise LearnerError(f"the factory {self.source!r} failed: {described(error)}") from error
        if not is_learner(made):
            raise InputError(f"the factory {self.source!r} returned {made!r}, which has no fit and predict.")
        return made


class Steady(Recipe):
    """A recipe whose seed does not depend on the round: equal labels give equal models, whenever they are fitted."""

    def make(
        self, task: Task, n_classes: int, seed: int, *key: int, twin: int = 0, classes: Sequence[Any] = ()
    ) -> Model:
        """Return an unfitted model; only twins differ from round to round."""
        return super().make(task, n_classes, seed, *(key if twin else ()), twin=twin, classes=classes)


def steady(recipe: Recipe) -> Recipe:
    """Return the recipe as a session uses it; InputError if it continues."""
    if recipe.refit == "continue":
        raise InputError('a session fits from scratch, so that a saved one goes on equally; use refit="scratch".')
    return Steady(recipe.source, prefit=recipe.prefit, name=recipe.name, classes=recipe.classes)
