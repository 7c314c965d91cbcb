"""All hypothetical refits of a logistic regression, each with one more row and label, solved together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from alcore import Floats, Labels, LearnerError, Rows
from alcore_strategies.expected.logistic import Logistic

TOLERANCE = 1e-15
"""Squared Newton decrement (twice the objective's distance from its optimum, in nats) at which a last step is taken."""
SAFE = 0.05
"""Squared decrement above which a Newton step may overshoot: it is searched along, and its Hessian not kept."""
SLOW = 0.5
"""Ratio of two squared decrements at which a Hessian is not worth keeping."""
HESSIANS = 100
BLOCK = 1 << 20
"""Numbers of an intermediate array."""


@dataclass(frozen=True)
class Batch:
    """B hypothetical regressions.

    Attributes
    ----------
    rows : array of shape (B, D)
        The row that joins.
    y : array of shape (B, C)
        Its hypothetical class, as in ``Logistic.y``.
    penalty : array of shape (B, D)
    weight : float
        1, or 0 for the regression without the row.
    """

    rows: Floats
    y: Floats
    penalty: Floats
    weight: float = 1.0

    def __getitem__(self, which: Rows | Labels) -> Batch:
        return Batch(self.rows[which], self.y[which], self.penalty[which], self.weight)


class Refits:
    """Solves regressions that differ from a fitted one by one row.

    Steps are Newton's, with a Hessian that is kept while they converge fast (the chord method). The first one is that
    of the fitted regression plus the rank-C term of the row that joins (Woodbury's identity): a step of all B
    regressions is then a few products of matrices. Those that would need many of these get a Hessian of their own.
    All end at the optimum of a strictly convex function.
    """

    def __init__(self, problem: Logistic) -> None:
        self.problem = problem
        self.outer = (problem.labeled[:, :, None] * problem.labeled[:, None, :]).reshape(len(problem.labeled), -1)
        rows, size = len(problem.labeled), problem.theta.size
        self.worth = size * (rows + 2 * size) / (2 * (rows + size))  # steps that cost what a new Hessian does
        row = problem.labeled[:1]
        alone = Batch(row, problem.y[:1], problem.penalty[None], weight=0.0)
        self.theta = self._newton(problem.theta[None].copy(), alone)[0]
        self.inverse = np.linalg.inv(self._hessians(self.theta[None], alone)[0])
        self.inverse = 0.5 * (self.inverse + self.inverse.T)
        self.gain = self._gains(problem.unlabeled)

    def solve(self, positions: Rows, y: Floats) -> Floats:
        """Return weights (B, C, D) after ``unlabeled[positions]`` joined with the classes ``y`` (B, C)."""
        problem = self.problem
        batch = Batch(problem.unlabeled[positions], y, problem.penalties[positions])
        theta, gain = np.repeat(self.theta[None], len(positions), axis=0), self.gain[positions]

        def direction(gradient: Floats, which: Rows) -> Floats:
            step, rows = gradient @ self.inverse, batch.rows[which]
            own = np.einsum("bcd,bd->bc", step.reshape(len(which), -1, rows.shape[1]), rows)
            change = np.einsum("bcj,bj->bc", gain[which], own)
            step -= (change[:, :, None] * rows[:, None, :]).reshape(len(which), -1) @ self.inverse
            return step

        left = self._descend(theta, batch, direction, fitted=True)
        step = max(1, BLOCK // (4 * self.inverse.size))
        for first in range(0, len(left), step):
            some = left[first : first + step]
            theta[some] = self._newton(theta[some], batch[some])
        return theta

    def _gains(self, rows: Floats) -> Floats:
        """M = (I + W S)^-1 W of every candidate, (u, C, C): what its rank-C term changes in the inverse Hessian.

        S = (I (x) a)' H^-1 (I (x) a), and W is the Hessian of its own loss in the logits.
        """
        c, d = self.theta.shape
        inverse = self.inverse.reshape(c, d, c, d)
        s = np.empty((len(rows), c, c))
        for i in range(c):
            for j in range(c):
                s[:, i, j] = np.einsum("ud,ud->u", rows @ inverse[i, :, j, :], rows)
        w = curvature(mean((rows @ self.theta.T).T[None])[0].T)
        return np.asarray(np.linalg.solve(np.eye(c) + w @ s, w))

    def _newton(self, theta: Floats, batch: Batch) -> Floats:
        """Return the optima, with Hessians of their own."""
        left = np.arange(len(theta))
        for _ in range(HESSIANS):
            some, part = theta[left], batch[left]
            inverse = np.asarray(np.linalg.inv(self._hessians(some, part)), dtype=np.float64)

            def direction(gradient: Floats, which: Rows, inverse: Floats = inverse) -> Floats:
                step: Floats = np.matmul(inverse[which], gradient[:, :, None])[:, :, 0]
                return step

            slow = self._descend(some, part, direction)
            theta[left] = some
            left = left[slow]
            if not len(left):
                return theta
        raise LearnerError(
            f"{len(left)} hypothetical logistic regressions have no optimum after {HESSIANS} Newton steps: "
            "their features are too large. Standardise them, or use a smaller C."
        )

    def _descend(
        self, theta: Floats, batch: Batch, direction: Callable[[Floats, Rows], Floats], *, fitted: bool = False
    ) -> Rows:
        """Take steps in place while they converge fast, and return which regressions are not solved yet.

        ``direction`` maps gradients (b, C D), and which regressions they are of, to steps. ``fitted`` says that theta
        is the optimum without the row.
        """
        left, slow = np.arange(len(theta)), np.zeros(len(theta), dtype=np.bool_)
        before = np.full(len(theta), np.inf)
        first = True
        while len(left):
            now, part = theta[left], batch[left]
            gradient = self._gradients(now, part, fitted=fitted and first).reshape(len(left), -1)
            flat = direction(gradient, left)
            step, decrement = flat.reshape(now.shape), np.einsum("bk,bk->b", flat, gradient)
            rate = decrement / before
            good = rate < SLOW
            if first:
                step *= self._sizes(now, part, step, decrement)[:, None, None]
            else:
                good &= decrement < SAFE
            theta[left[good]] = (now - step)[good]
            slow[left] = ~good | (decrement * rate**self.worth > TOLERANCE)
            go_on = ~slow[left] & (decrement > TOLERANCE)
            left, before, first = left[go_on], decrement[go_on], False
        return np.flatnonzero(slow)

    def _gradients(self, theta: Floats, batch: Batch, *, fitted: bool = False) -> Floats:
        """Return the gradient, (B, C, D); ``fitted`` says that theta is the optimum without the row."""
        problem, b = self.problem, len(theta)
        own = mean(np.einsum("bcd,bd->bc", theta, batch.rows)[:, :, None])[:, :, 0] - batch.y
        gradient = (batch.weight * own)[:, :, None] * batch.rows[:, None, :]
        if fitted:
            gradient += (batch.penalty - problem.penalty)[:, None, :] * theta
            return gradient
        rest = mean((theta.reshape(-1, theta.shape[2]) @ problem.labeled.T).reshape(b, self.problem.columns, -1))
        rest -= problem.y.T
        gradient += (rest.reshape(-1, rest.shape[2]) @ problem.labeled).reshape(theta.shape)
        gradient += batch.penalty[:, None, :] * theta
        return gradient

    def _hessians(self, theta: Floats, batch: Batch) -> Floats:
        """Return the Hessian of each regression, (B, C D, C D)."""
        (b, c, d), labeled = theta.shape, self.problem.labeled
        p = mean((theta.reshape(-1, d) @ labeled.T).reshape(b, c, -1))
        own = mean(np.einsum("bcd,bd->bc", theta, batch.rows)[:, :, None])[:, :, 0]
        w = batch.weight * curvature(own)
        hessian = np.empty((b, c, d, c, d))
        outer = batch.rows[:, :, None] * batch.rows[:, None, :]
        for i in range(c):
            for j in range(i, c):
                weights = p[:, i] * ((i == j) - p[:, j])
                block = (weights @ self.outer).reshape(b, d, d) + w[:, i, j, None, None] * outer
                hessian[:, i, :, j, :] = hessian[:, j, :, i, :] = block
            hessian[:, i, range(d), i, range(d)] += batch.penalty
        whole: Floats = hessian.reshape(b, c * d, c * d)
        # Softmax is blind to a shift of all classes' intercepts: that direction is made definite, and never taken.
        if c > 1:
            blind = np.zeros((c, d))
            blind[:, self.problem.penalty == 0] = 1.0 / np.sqrt(c)
            whole += np.outer(blind, blind)
        whole[:, range(c * d), range(c * d)] += 1e-12 * np.trace(whole, axis1=1, axis2=2)[:, None]
        return whole

    def _sizes(self, theta: Floats, batch: Batch, step: Floats, decrement: Floats) -> Floats:
        """Return the size of each step, 1 or the first half of it that lowers the objective enough (Armijo)."""
        size = np.ones(len(theta))
        todo = np.flatnonzero(decrement > SAFE)
        before = self._objectives(theta[todo], batch[todo])
        while len(todo):
            then = self._objectives(theta[todo] - size[todo, None, None] * step[todo], batch[todo])
            worse = then > before - 1e-4 * size[todo] * decrement[todo]
            todo, before = todo[worse], before[worse]
            size[todo] *= 0.5
            if len(todo) and size[todo].min() < 1e-12:
                break
        return size

    def _objectives(self, theta: Floats, batch: Batch) -> Floats:
        problem, (b, c, d) = self.problem, theta.shape
        logits = (theta.reshape(-1, d) @ problem.labeled.T).reshape(b, c, len(problem.labeled))
        own = np.einsum("bcd,bd->bc", theta, batch.rows)
        value: Floats = (normaliser(logits) - np.einsum("bcl,lc->bl", logits, problem.y)).sum(axis=1)
        value += batch.weight * (normaliser(own[:, :, None])[:, 0] - np.einsum("bc,bc->b", own, batch.y))
        value += 0.5 * np.einsum("bd,bcd->b", batch.penalty, theta**2)
        return value


def mean(logits: Floats) -> Floats:
    """Return E[y] in place of the logits (B, C, n): the logistic function for C = 1, else softmax over axis 1."""
    if logits.shape[1] == 1:
        logits *= 0.5
        np.tanh(logits, out=logits)
        logits += 1.0
        logits *= 0.5
        return logits
    logits -= logits.max(axis=1, keepdims=True)
    np.exp(logits, out=logits)
    logits /= logits.sum(axis=1, keepdims=True)
    return logits


def normaliser(logits: Floats) -> Floats:
    """Return log sum_k exp f_k of logits (B, C, n), with f_0 = 0 for C = 1; shape (B, n)."""
    largest = np.maximum(logits.max(axis=1), 0.0) if logits.shape[1] == 1 else logits.max(axis=1)
    total = np.exp(logits - largest[:, None]).sum(axis=1)
    total += np.exp(-largest) if logits.shape[1] == 1 else 0.0
    log_sum: Floats = largest + np.log(total)
    return log_sum


def curvature(p: Floats) -> Floats:
    """Return diag(p) - p p' of each row of p (n, C), shape (n, C, C)."""
    return p[:, :, None] * (np.eye(p.shape[1]) - p[:, None, :])
