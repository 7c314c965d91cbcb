"""A layer trained by Adam for a fixed number of epochs, as networks are, instead of to its minimum."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import expit, softmax

from alcore.types import Floats

DECAY, DECAY_SQUARED, TINY = 0.9, 0.999, 1e-7
"""Of Adam: Kingma and Ba, Adam: A Method for Stochastic Optimization (2015), with the small constant of Keras."""


def adam(
    Z: Floats, Y: Floats, *, multilabel: bool, epochs: int, rate: float, batch: int, rng: Generator
) -> tuple[Floats, Floats]:
    """Return W (d, k) and b (k,) after so many passes over the rows in mini-batches.

    W begins uniform in +-sqrt(6 / (d + k)) (Glorot and Bengio, 2010), b at 0. The loss is the mean cross-entropy over
    the rows of a mini-batch, and over labels. Arithmetic is in single precision, as usual for networks.

    Parameters
    ----------
    Z : array of shape (n, d)
    Y : array of shape (n, k)
        0/1: labels, or the one class.
    """
    (n, d), k = Z.shape, Y.shape[1]
    limit = np.sqrt(6.0 / (d + k))
    theta = np.zeros((d + 1, k), dtype=np.float32)
    theta[:d] = rng.uniform(-limit, limit, (d, k))
    inputs, wanted = np.column_stack([Z, np.ones(n)]).astype(np.float32), Y.astype(np.float32)
    output: Any = expit if multilabel else (lambda z: softmax(z, axis=1))
    first, second, step = (np.zeros_like(theta) for _ in range(3))
    t = 0
    for _ in range(epochs):
        order = rng.permutation(n)
        shuffled, labels = inputs[order], wanted[order]
        for start in range(0, n, batch):
            x = shuffled[start : start + batch]
            error = output(x @ theta)
            error -= labels[start : start + batch]
            error /= len(x) * (k if multilabel else 1)
            gradient = x.T @ error
            t += 1
            # first and second are sums of decayed gradients, without the factors 1 - DECAY that Adam's averages have.
            first *= DECAY
            first += gradient
            np.square(gradient, out=gradient)
            second *= DECAY_SQUARED
            second += gradient
            unbiased = np.sqrt((1 - DECAY_SQUARED) / (1 - DECAY_SQUARED**t))
            np.sqrt(second, out=step)
            step *= unbiased
            step += TINY
            np.divide(first, step, out=step)
            step *= rate * (1 - DECAY) / (1 - DECAY**t)
            theta -= step
    return theta[:d].astype(np.float64), theta[d].astype(np.float64)
