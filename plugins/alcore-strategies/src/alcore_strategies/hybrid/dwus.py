"""Density-weighted uncertainty: the expected error of a classifier of clusters, where the pool is dense."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

import alcore
from alcore import Floats, Pool, View
from alcore_strategies.checks import before, counts, positive, seeds
from alcore_strategies.geometry import blocks, squared_distances
from alcore_strategies.hybrid.clustering import k_means

NGUYEN = "Nguyen and Smeulders, Active Learning Using Pre-clustering (ICML 2004)"
GRADIENT = 1e-9
STEPS = 200


@dataclass(frozen=True)
class Mixture:
    """Gaussians of one variance around cluster centres; it depends on the pool alone.

    Attributes
    ----------
    design : Floats, shape (K, r + 1)
        The centres in an orthonormal basis of what they span, r <= min(K, d), and a column of ones: c_k'a + b for
        every a that a penalty on |a| can leave.
    P : Floats, shape (n, K)
        p(k | x).
    log_density : Floats, shape (n,)
        log p(x), less a constant.
    """

    design: Floats
    P: Floats
    log_density: Floats


def check_parameters(clusters: int, sigma: float | None, C: float, tol: float, seed: int) -> None:
    """Raise InputError where a parameter is out of range."""
    counts("dwus", clusters=clusters)
    positive("dwus", sigma=sigma, C=C, tol=tol)
    seeds("dwus", seed)


@alcore.scores(
    "dwus",
    summary="Expected squared error of a classifier of clusters, times the density of the pool",
    revision=2,
    learner=False,
    max_classes=2,
    source=NGUYEN,
    group="hybrid",
    adapt=before(check_parameters),
)
def dwus(
    view: View, *, clusters: int = 5, sigma: float | None = None, C: float = 1.0, tol: float = 1e-6, seed: int = 0
) -> Floats:
    """Return log(p(x) E[(y - yhat)^2 | x]), with y in {-1, 1} and yhat the likelier sign.

    p(x) = sum_k p(k) p(x | k) and p(y | x) = sum_k p(y | k) p(k | x), with p(y | k) = sigmoid(y (c_k'a + b)).

    Parameters
    ----------
    clusters : int
        K, the number of k-means centres c_k of ``pool.features``.
    sigma : float or None
        Variance of a Gaussian along each feature; None estimates it: the mean squared distance of a row to its centre,
        divided by d.
    C : float
        Weight of the penalty C/2 |a|^2.
    tol : float
        The priors p(k) are fitted by EM until they change by less.
    seed : int
        Of k-means. The clusters are made once per pool and shared by all runs, whatever their own seeds.
    """
    check_parameters(clusters, sigma, C, tol, seed)
    mix = view.pool.memo(("dwus", clusters, sigma, tol, seed), lambda: mixture(view.pool, clusters, sigma, tol, seed))
    s = cluster_logits(mix.design, mix.P[view.labeled], np.where(view.y > 0, 1.0, -1.0), C)
    P = mix.P[view.unlabeled]
    error = 4.0 * np.minimum(P @ sigmoid(s), P @ sigmoid(-s))
    with np.errstate(divide="ignore"):  # log 0 = -inf: no error expected
        score: Floats = mix.log_density[view.unlabeled] + np.log(error)
    return score


def mixture(pool: Pool, clusters: int, sigma: float | None, tol: float, seed: int) -> Mixture:
    """Cluster the pool, and fit the priors p(k) by EM with centres and variance fixed, all in log space."""
    X = pool.features
    centres, _ = k_means(X, clusters, seed)
    D2 = np.empty((len(X), len(centres)))
    for part in blocks(len(X), width=4 * len(centres)):
        D2[part] = squared_distances(X[part], centres)
    if sigma is None:
        sigma = float(D2.min(axis=1).mean()) / X.shape[1] or 1.0  # 1 where every row is a centre
    least = D2.min(axis=1, keepdims=True)
    ratio = np.exp((least - D2) / (2.0 * sigma))  # p(x | k) relative to the likeliest k, so that no row has only zeros
    prior, change = np.full(len(centres), 1.0 / len(centres)), np.inf
    while change > tol:
        joint = ratio * prior
        P = joint / joint.sum(axis=1, keepdims=True)
        before, prior = prior, P.mean(axis=0)
        change = float(np.abs(prior - before).max())
    joint = ratio * prior
    total = joint.sum(axis=1)
    return Mixture(design(centres), joint / total[:, None], np.log(total) - least[:, 0] / (2.0 * sigma))


def design(centres: Floats) -> Floats:
    """Return the centres (K, d) in an orthonormal basis of their span and a column of ones, shape (K, r + 1)."""
    U, singular, _ = np.linalg.svd(centres, full_matrices=False)
    kept = singular > 1e-12 * max(singular[0], 1e-300)
    return np.column_stack([U[:, kept] * singular[kept], np.ones(len(centres))])


def sigmoid(t: ArrayLike) -> Floats:
    """Return 1 / (1 + exp(-t)), to full precision in both tails."""
    value: Floats = np.exp(-np.logaddexp(0.0, -np.asarray(t, dtype=np.float64)))
    return value


def cluster_logits(design: Floats, P: Floats, y: Floats, C: float) -> Floats:
    """Return s_k = c_k'a + b at a minimum of C/2 |a|^2 - sum_i log sum_k p(k | x_i) sigmoid(y_i s_k), shape (K,).

    Newton's method from a = 0, b = 0, to the optimum: the likelihood of a mixture is not concave everywhere, so that
    negative curvature is taken positive and steps are halved until they descend. Where all labels are the same, b
    grows until its gradient is ``GRADIENT``.

    Parameters
    ----------
    design : (K, r + 1)
        See ``Mixture``.
    P : (l, K)
        p(k | x) of the labelled rows.
    y : (l,)
        Signs.
    """
    penalty = np.append(np.full(design.shape[1] - 1, C), 0.0)
    w = np.zeros(design.shape[1])
    signed = P * y[:, None]
    value, q = _objective(w, design, P, y, penalty)
    for _ in range(STEPS):
        s = design @ w
        slope = sigmoid(s) * sigmoid(-s)  # the derivative of sigmoid
        pull = slope * (signed.T @ (1.0 / q))
        gradient = penalty * w - design.T @ pull
        if np.abs(gradient).max() < GRADIENT:
            break
        scaled = signed / q[:, None] * slope
        curvature = scaled.T @ scaled - np.diag(pull * -np.tanh(0.5 * s))
        H = design.T @ curvature @ design + np.diag(penalty)
        bends, axes = np.linalg.eigh(H)
        step = axes @ (axes.T @ gradient / np.maximum(np.abs(bends), 1e-10 * np.abs(bends).max()))
        size, drop = 1.0, float(gradient @ step)
        while True:
            trial, trial_q = _objective(w - size * step, design, P, y, penalty)
            if trial <= value - 1e-4 * size * drop or size < 1e-8:
                break
            size *= 0.5
        if trial >= value:  # nothing left to gain in double precision
            break
        w, value, q = w - size * step, trial, trial_q
    return design @ w


def _objective(w: Floats, design: Floats, P: Floats, y: Floats, penalty: Floats) -> tuple[float, Floats]:
    """Return the penalised negative log-likelihood, and the likelihood of each label."""
    s = design @ w
    q = np.where(y > 0, P @ sigmoid(s), P @ sigmoid(-s))
    q = np.maximum(q, 1e-300)
    return float(0.5 * penalty @ w**2 - np.log(q).sum()), q
