"""What CODA believes after some labels: confusion matrices, prevalence, P(best), and what a label would change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alcore.types import Floats
from alcore_modelselection.coda.gain import Candidates, entropy_bits
from alcore_modelselection.coda.prevalence import ClassBeliefs
from alcore_modelselection.coda.prior import dirichlet
from alcore_modelselection.coda.quadrature import Hypothesis
from alcore_modelselection.coda.scores import Scores
from alcore_modelselection.losses import Loss
from alcore_modelselection.predictions import Predictions

if TYPE_CHECKING:
    from alcore_modelselection.coda.selector import Coda


class Beliefs:
    """Dirichlet parameters and all that follows from them, recomputed only where a label changed them."""

    def __init__(self, options: Coda, predictions: Predictions, loss: Loss) -> None:
        self.options, self.predictions, self.loss = options, predictions, loss
        self.grid, self.scores = options.grid, Scores(loss)
        self.theta = dirichlet(
            predictions,
            prior=options.prior,
            alpha=options.alpha,
            temperature=options.temperature,
            confusion_form=options.confusion,
        )
        self.classes = ClassBeliefs(predictions, self.theta, options.prevalence)
        h, c = predictions.n_models, predictions.n_classes
        self._mixture = options.pbest == "mixture"
        # P(best | class) of every class, or the tables of every class where their mixture is what is integrated.
        self._by_class = np.full((c, h), 1.0 / h)
        self._tables = np.zeros((2, c, h, len(self.grid.x))) if self._mixture else None
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
                pdf, cdf = self.grid.tabulate(*self.scores.beta(c, self.theta[:, c]))
                if self._tables is None:
                    self._by_class[c] = self.grid.best(pdf, cdf)
                else:
                    self._tables[:, c] = pdf, cdf
            self._stale.clear()
            weights = self._weights()
            if self._tables is None:
                self._known = weights @ self._by_class, weights
            else:
                pdf, cdf = np.tensordot(weights, self._tables, axes=(0, 1))
                self._known = self.grid.best(pdf, cdf), weights
        return self._known

    def _weights(self) -> Floats:
        """Return the share of class c in a model's quality, shape (C,)."""
        weights = self.loss.class_weights(self.prevalence()) * self.scores.scale
        # With 0/1 costs the weights sum to 1 already; dividing would only add rounding.
        return weights if (self.scores.scale == 1).all() else np.asarray(weights / weights.sum())

    def expected_entropy(self, candidates: Candidates) -> Floats:
        """Return the expected entropy of P(best) after the label of each candidate, shape (B,) (Eq. 16)."""
        present, weights = self._now()
        if self._mixture:
            candidates.stale.update(range(len(weights)))  # the mixtures change with every estimate of the prevalence
            candidates.refresh(self._mixture_effect)
        else:
            candidates.refresh(self._row_effect)
        class_of_rows = self.classes.of_rows(candidates.rows)
        return candidates.expected_entropy(class_of_rows, None if self._mixture else present, weights)

    def _hypothesis(self, c: int) -> tuple[Floats, Floats]:
        a, b = self.scores.beta_after(c, self.theta[:, c], self.options.hypothetical_weight)
        return self.grid.tabulate(a, b)

    def _row_effect(self, c: int) -> Any:
        """Return the function from states to the change of P(best | c)."""
        if not self.scores.informative(c):
            return lambda states: np.zeros(states.shape)
        hypothesis = Hypothesis(self.grid, *self._hypothesis(c), dtype=self.options.dtype)

        def effect(states: NDArray[np.uint8]) -> NDArray[Any]:
            out = hypothesis.best(states)
            out -= self._by_class[c].astype(out.dtype)
            return out

        return effect

    def _mixture_effect(self, c: int) -> Any:
        """Return the function from states to the new P(best)."""
        present, weights = self._now()
        if self._tables is None or not self.scores.informative(c):
            return lambda states: np.broadcast_to(present, states.shape)
        new = np.stack(self._hypothesis(c))  # (2, S, H, P)
        now = np.tensordot(weights, self._tables, axes=(0, 1))
        pdf, cdf = now[:, None] + weights[c] * (new - self._tables[:, None, c])
        return Hypothesis(self.grid, pdf, cdf, dtype=self.options.dtype).best
