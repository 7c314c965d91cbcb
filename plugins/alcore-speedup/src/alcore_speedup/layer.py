"""One fully connected layer with logistic outputs: the model of the paper's experiments on tables."""

from __future__ import annotations

from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.random import Generator
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax
from sklearn.base import BaseEstimator, ClassifierMixin

from alcore.errors import InputError
from alcore.types import Floats, Labels
from alcore_speedup.descent import adam

Posterior: TypeAlias = Literal["dropout", "dropout-rows", "laplace"]
Training: TypeAlias = Literal["minimum", "adam"]
DENSE = 2000
"""Features up to which the coordinates take their correlations into account."""


class LinearLayer(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Logits X W + b, with a sigmoid per label of a multi-label task, or the softmax over classes.

    ``training="minimum"`` finds the minimum of the summed cross-entropy + l2/2 |W|^2 by L-BFGS: there is one, so that
    two fits give the same layer and no seed is needed. Nothing bounds b: a label that all rows share has no finite one,
    and gets W = 0 and the log odds of (its rows + 1/2) to (the others + 1/2).

    ``training="adam"`` is what the paper does: 300 epochs of gradient descent (early stopping watches from epoch 300
    for gains of 0.1, which none of 10 more epochs has). Its optimiser, rate and mini-batch are not told; by default
    they are those of Keras, whose early stopping has the paper's parameters.

    Parameters
    ----------
    l2 : float
        Above 0.
    scale : bool
        Standardise the features on the rows it is fitted to.
    posterior : "dropout", "dropout-rows" or "laplace"
        How ``sample_proba`` draws: *dropout* leaves out inputs, standardised ones being 0 = their mean then, one mask
        per draw for all rows, the others divided by 1 - ``dropout`` (Monte-Carlo dropout on the layer's input). A draw
        is one function then, as batch-bald needs it. *dropout-rows* has a mask for each row of a draw, as the dropout
        layers of networks have. *laplace* draws W and b from the normal posterior at the minimum, independently by
        output; it needs ``training="minimum"``.
    dropout : float
        The share of inputs that are left out, in (0, 1).
    max_iter : int
        Of L-BFGS.
    training : "minimum" or "adam"
    epochs, rate, batch : int, float, int
        Of Adam: passes over the rows, step size, rows in a mini-batch.
    random_state : int or None
        Of Adam: the first weights and the order of the rows.
    """

    def __init__(
        self, l2: float = 1.0, scale: bool = True, posterior: Posterior = "dropout", dropout: float = 0.5,
        max_iter: int = 500, training: Training = "minimum", epochs: int = 300, rate: float = 1e-3, batch: int = 32,
        random_state: int | None = None,
    ) -> None:  # fmt: skip
        self.l2 = l2
        self.scale = scale
        self.posterior = posterior
        self.dropout = dropout
        self.max_iter = max_iter
        self.training = training
        self.epochs = epochs
        self.rate = rate
        self.batch = batch
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to rows (n, d) and their classes (n,), or 0/1 matrix (n, L).

        Raises
        ------
        InputError
            If a parameter is out of range.
        """
        self._check()
        X, y = np.array(X, dtype=np.float64), np.asarray(y)
        self.mean_ = X.mean(axis=0) if self.scale else np.zeros(X.shape[1])
        deviation = X.std(axis=0) if self.scale else np.ones(X.shape[1])
        self.deviation_ = np.where(deviation > 0, deviation, 1.0)
        self.Z_ = (X - self.mean_) / self.deviation_
        self.multilabel_ = y.ndim == 2
        self.classes_ = np.arange(y.shape[1]) if self.multilabel_ else np.unique(y)
        Y = (y if self.multilabel_ else y[:, None] == self.classes_).astype(np.float64)
        if self.training == "adam":
            rng = np.random.default_rng(self.random_state)
            how: dict[str, Any] = {"epochs": self.epochs, "rate": self.rate, "batch": self.batch, "rng": rng}
            self.W_, self.b_ = adam(self.Z_, Y, multilabel=self.multilabel_, **how)
            return self
        free = np.flatnonzero((Y[0] != Y).any(axis=0)) if self.multilabel_ else np.arange(Y.shape[1])
        self.W_, self.b_ = (
            np.zeros((X.shape[1], Y.shape[1])),
            np.log((Y.sum(axis=0) + 0.5) / ((1 - Y).sum(axis=0) + 0.5)),
        )
        if len(free):
            self.W_[:, free], self.b_[free] = self._minimum(Y[:, free])
        return self

    def _check(self) -> None:
        if not self.l2 > 0 or not 0 < self.dropout < 1:
            raise InputError(f"l2 is {self.l2} and dropout {self.dropout}; give an l2 above 0 and a share in (0, 1).")
        if self.posterior not in get_args(Posterior):
            raise InputError(f"posterior is {self.posterior!r}; use one of {', '.join(get_args(Posterior))}.")
        if self.training not in get_args(Training):
            raise InputError(f"training is {self.training!r}; use 'minimum' or 'adam'.")
        if self.training == "adam" and self.posterior == "laplace":
            raise InputError("posterior='laplace' is taken at the minimum; use training='minimum', or dropout.")
        if not (self.epochs >= 1 and self.batch >= 1 and self.rate > 0):
            raise InputError(
                f"epochs is {self.epochs}, batch {self.batch} and rate {self.rate}; give 1 or more, and a rate above 0."
            )

    def _minimum(self, Y: Floats) -> tuple[Floats, Floats]:
        """Return W and b at the minimum, found in coordinates V = R W in which the curvature is about 1.

        R'R = Z'Z/4 + l2 I bounds the Hessian from above (Böhning); of correlated features it saves most iterations.
        """
        (n, d), k = self.Z_.shape, Y.shape[1]
        bound = self.Z_.T @ self.Z_ / 4 if d <= DENSE else np.diag((self.Z_**2).sum(axis=0) / 4)
        root = cholesky(bound + self.l2 * np.eye(d))
        inputs = solve_triangular(root, self.Z_.T, trans="T").T
        spread = 2 / np.sqrt(n)

        def loss(theta: Floats) -> tuple[float, Floats]:
            V, b = theta[: d * k].reshape(d, k), theta[d * k :] * spread
            W = solve_triangular(root, V)
            logits = inputs @ V + b
            if self.multilabel_:
                entropy = float((np.logaddexp(0.0, logits) - Y * logits).sum())
                error = expit(logits) - Y
            else:
                entropy = -float((Y * log_softmax(logits, axis=1)).sum())
                error = softmax(logits, axis=1) - Y
            slope = inputs.T @ error + self.l2 * solve_triangular(root, W, trans="T")
            gradient = np.concatenate([slope.ravel(), error.sum(axis=0) * spread])
            return entropy + self.l2 / 2 * float((W**2).sum()), gradient

        options = {"maxiter": self.max_iter, "gtol": 1e-5, "ftol": 1e-12}
        theta = minimize(loss, np.zeros(d * k + k), jac=True, method="L-BFGS-B", options=options).x
        return solve_triangular(root, theta[: d * k].reshape(d, k)), theta[d * k :] * spread

    def embed(self, X: Any) -> Floats:
        """Return what the layer is given: the features, standardised if ``scale``, (n, d)."""
        Z: Floats = (np.asarray(X, dtype=np.float64) - self.mean_) / self.deviation_
        return Z

    def hidden(self, X: Any) -> Floats:
        """Return the last activations before the outputs, which are the layer's input, (n, d)."""
        return self.embed(X)

    def _logits(self, X: Any) -> Floats:
        logits: Floats = self.embed(X) @ self.W_ + self.b_
        return logits

    def _probabilities(self, logits: Floats) -> Floats:
        p: Floats = expit(logits) if self.multilabel_ else softmax(logits, axis=-1)
        return p

    def decision_function(self, X: Any) -> Floats:
        """Return logits (n, L) or (n, K); for two classes their difference, (n,)."""
        logits = self._logits(X)
        two = not self.multilabel_ and len(self.classes_) == 2
        return logits[:, 1] - logits[:, 0] if two else logits

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each label (n, L), or of each class (n, K)."""
        return self._probabilities(self._logits(X))

    def predict(self, X: Any) -> Labels:
        """Return a 0/1 matrix (n, L) or classes (n,)."""
        logits = self._logits(X)
        chosen: Labels = (logits > 0).astype(np.intp) if self.multilabel_ else self.classes_[logits.argmax(axis=1)]
        return chosen

    def sample_proba(self, X: Any, draws: int, rng: Generator) -> Floats:
        """Return draws of ``predict_proba`` by ``posterior``, (draws, n, L or K)."""
        Z, (d, k) = self.embed(X), self.W_.shape
        if self.posterior == "dropout-rows":
            kept = np.float32(1 - self.dropout)
            inputs, weights = Z.astype(np.float32) / kept, self.W_.astype(np.float32)
            drawn = [inputs * (rng.random(Z.shape, np.float32) < kept) @ weights for _ in range(draws)]
            return self._probabilities(np.stack(drawn) + self.b_)
        if self.posterior == "dropout":
            masks = (rng.random((draws, d)) >= self.dropout) / (1 - self.dropout)
            W, b = masks[:, :, None] * self.W_, np.broadcast_to(self.b_, (draws, k))
        else:
            W, b = self._laplace(draws, rng)
        logits = (Z @ W.transpose(1, 0, 2).reshape(d, draws * k)).reshape(len(Z), draws, k) + b
        return self._probabilities(logits.transpose(1, 0, 2))

    def _laplace(self, draws: int, rng: Generator) -> tuple[Floats, Floats]:
        """Return W (draws, d, k) and b (draws, k) from N(minimum, Hessian^-1), the Hessian taken output by output."""
        inputs = np.column_stack([self.Z_, np.ones(len(self.Z_))])
        p = self._probabilities(self.Z_ @ self.W_ + self.b_)
        # The bias has no penalty of its own; a small one keeps the Hessian of a label that all rows share definite.
        penalty = np.diag(np.append(np.full(self.Z_.shape[1], self.l2), 1e-3))
        theta = np.vstack([self.W_, self.b_])
        drawn = np.empty((draws, *theta.shape))
        for c in range(theta.shape[1]):
            root = np.linalg.cholesky((inputs * (p[:, c] * (1 - p[:, c]))[:, None]).T @ inputs + penalty)
            drawn[:, :, c] = theta[:, c] + np.linalg.solve(root.T, rng.standard_normal((len(theta), draws))).T
        return drawn[:, :-1], drawn[:, -1]
