"""What a selector is: the one interface of this plugin, for its own selectors and for everybody's."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from numpy.random import Generator

from alcore.types import Floats, Mask, Rows
from alcore_modelselection.losses import Loss
from alcore_modelselection.predictions import Predictions


@runtime_checkable
class Selector(Protocol):
    """Asks for the labels that tell which model is best.

    ``setup`` is called once, then ``query`` and ``update`` in turns. A selector learns labels from ``update`` alone,
    one at a time, and may be told rows that it did not ask for. What it knows after some updates must depend on
    these rows and labels and on the generator of ``setup`` only, never on earlier queries: a stopped selection is
    resumed by repeating its updates.
    """

    def setup(self, predictions: Predictions, loss: Loss, rng: Generator) -> None:
        """Take the predictions (without labels) and the loss that says which model is best."""

    def query(self, unlabeled: Mask, n: int, rng: Generator) -> Rows:
        """Return ``n`` distinct rows where ``unlabeled``, shape (N,), is True: those to label next."""

    def update(self, row: int, label: int, unlabeled: Mask) -> None:
        """Learn that ``row`` has class code ``label``; ``unlabeled`` is the mask just before, with the row in it."""

    def quality(self) -> Floats:
        """Return how good each model is believed to be, shape (H,): the largest is selected."""


@runtime_checkable
class HasPosterior(Protocol):
    """A selector that also says how probable it is that each model is the best one."""

    def posterior(self) -> Floats:
        """Return the probabilities, shape (H,), sum 1."""
