"""What CODA believes after some labels: confusion matrices, prevalence, P(best), and what a label would change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from alcore.types import Floats
from alcore_modelselection.coda.gain import Candidates, entropy_bits
from alcore_modelselection.coda.pbest import FORMS, Effect, PBest
from alcore_modelselection.coda.prevalence import ClassBeliefs
from alcore_modelselection.coda.prior import dirichlet
from alcore_modelselection.coda.scores import Scores
from alcore_modelselection.losses import ACCURACY, Loss
from alcore_modelselection.predictions import Predictions

if TYPE_CHECKING:
    from alcore_modelselection.coda.selector import Coda


class Beliefs:
    """Dirichlet parameters and all that follows from them, recomputed only where a label changed them."""

    def __init__(self, options: Coda, predictions: Predictions, loss: Loss) -> None:
        self.options, self.predictions, self.loss = options, predictions, loss
        self.scores = Scores(loss)
        self.theta = dirichlet(
            predictions,
            prior=options.prior,
            alpha=options.alpha,
            temperature=options.temperature,
            confusion_form=options.confusion,
        )
        self.classes = ClassBeliefs(predictions, self.theta, options.prevalence)
        h, c = predictions.n_models, predictions.n_classes
        self.form = FORMS[form_for(options.pbest, loss)](options.grid, c, h, options.dtype)
        self._stale = {one for one in range(c) if self.scores.informative(one)}
        self._known: tuple[Floats, Floats] | None = None

    def update(self, row: int, label: int) -> None:
        """Add eta to the cell of every model's prediction in row ``label`` (Eq. 18)."""
        before = self.theta[:, label].copy()
        self.theta[np.arange(len(before)), label, self.predictions.hard[:, row]] += self.options.eta
        self.classes.update(label, row, before, self.theta[:, label])
        if self.scores.informative(label):
            self._stale.add(label)
        self._known = None

    def prevalence(self) -> Floats:
        """Return pi(c), shape (C,)."""
        return self.classes.marginal()

    def p_best(self) -> Floats:
        """Return P(best), shape (H,)."""
        return self._now()[0].copy()

    def entropy(self) -> float:
        """Return the entropy of P(best) in bits."""
        return float(entropy_bits(self._now()[0]))

    def _now(self) -> tuple[Floats, Floats]:
        """Return P(best) and the weight of each class in it."""
        if self._known is None:
            for c in sorted(self._stale):
                self.form.learn(c, *self.scores.beta(c, self.theta[:, c]))
            self._stale.clear()
            weights = self._weights()
            self._known = self.form.value(weights), weights
        return self._known

    def _weights(self) -> Floats:
        """Return the share of class c in a model's quality, shape (C,)."""
        weights = self.loss.class_weights(self.prevalence()) * self.scores.scale
        # With 0/1 costs the weights sum to 1 already; dividing would only add rounding.
        return weights if (self.scores.scale == 1).all() else np.asarray(weights / weights.sum())

    def expected_entropy(self, candidates: Candidates) -> Floats:
        """Return the expected entropy of P(best) after the label of each candidate, shape (B,) (Eq. 16)."""
        present, weights = self._now()
        if not self.form.relative:
            candidates.stale.update(range(len(weights)))
        candidates.refresh(self._effect)
        class_of_rows = self.classes.of_rows(candidates.rows)
        return candidates.expected_entropy(class_of_rows, present if self.form.relative else None, weights)

    def _effect(self, c: int) -> Effect:
        present, weights = self._now()
        if not self.scores.informative(c):
            nothing = np.zeros_like(present) if self.form.relative else present
            return lambda states: np.broadcast_to(nothing, states.shape)
        a, b = self.scores.beta_after(c, self.theta[:, c], self.options.hypothetical_weight)
        return self.form.effect(c, a, b, weights)


def form_for(pbest: PBest | None, loss: Loss) -> PBest:
    """Return the form of P(best): the one asked for, or the published one for accuracy and ``total`` for the rest."""
    return pbest or ("rows" if loss.name == ACCURACY else "total")
