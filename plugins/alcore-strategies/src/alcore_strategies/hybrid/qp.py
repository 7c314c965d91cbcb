"""The quadratic programs of BMDR and SPAL: min 1/2 a'Pa + q'a over 0 <= a <= 1, with v'a = b or without.

Accelerated projected gradient steps (Nesterov 1983, with the restarts of O'Donoghue and Candes 2015) find which
variables lie strictly between their bounds; on that face the program is a linear system, which Newton's step solves
exactly. The two take turns until the Karush-Kuhn-Tucker conditions hold (as in More and Toraldo, On the solution of
large quadratic programming problems with bound constraints, 1991).
"""

from __future__ import annotations

import numpy as np

from alcore import Floats, Rows
from alcore.types import Mask

STEPS = 20
"""Gradient steps between two visits to a face."""

RIDGE = 1e-9
"""Of a face's matrix, relative to the largest eigenvalue's bound; what it leaves is mended by the next Newton step."""


def capped(P: Floats, q: Floats, b: float | None, v: Floats | None = None, start: Floats | None = None) -> Floats:
    """Return the minimiser of 1/2 a'Pa + q'a over 0 <= a <= 1 with v'a = b.

    Parameters
    ----------
    P : array of shape (u, u)
        Symmetric, positive semidefinite.
    q : array of shape (u,)
    b : float or None
        None leaves the equation out; else 0 <= b <= sum(v).
    v : array of shape (u,) or None
        Weights >= 0 of the equation; None takes ones.
    start : array of shape (u,) or None
        Where to begin, such as the solution of a like program; None begins at a corner.

    Returns
    -------
    array of shape (u,)
        Accurate to about 1e-9 in the gradient. Where P is singular there are other minimisers.
    """
    v = np.ones(len(q)) if v is None else v
    program = _Program(P, q, b, v)
    # Far down the linear term there is a corner, from where few variables have to be moved if P's rows are much alike.
    a = program.project(-1e3 * q / np.maximum(np.diagonal(P), 1e-12 * program.L)) if start is None else start
    g = P @ a + q
    while True:
        before = program.value(a, g)
        a, g = program.newton(*program.gradient(a, g))
        if program.violation(a, g) <= program.tolerance or not program.value(a, g) < before - program.rounding:
            return a


class _Program:
    def __init__(self, P: Floats, q: Floats, b: float | None, v: Floats) -> None:
        self.P, self.q, self.b, self.v = P, q, b, v
        # No eigenvalue is larger (Gershgorin). A linear program has none but 0, and steps of its own length.
        self.L = float(np.abs(P).sum(axis=1).max()) or float(np.abs(q).max()) or 1.0
        scale = max(self.L, float(np.abs(q).max()))
        self.tolerance, self.rounding = 1e-9 * scale, 1e-14 * scale

    def value(self, a: Floats, g: Floats) -> float:
        return 0.5 * float(a @ (g + self.q))

    def project(self, x: Floats) -> Floats:
        """Return the point of the feasible set that is nearest to x."""
        return np.asarray(np.clip(x, 0.0, 1.0)) if self.b is None else onto_slice(x, self.v, self.b)

    def gradient(self, a: Floats, g: Floats) -> tuple[Floats, Floats]:
        """Take accelerated gradient steps."""
        z, slope, momentum, best = a, g, 1.0, (a, g)
        for _ in range(STEPS):
            last, a = a, self.project(z - slope / self.L)
            if (z - a) @ (a - last) > 0:
                momentum = 1.0
            faster = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
            z, momentum = a + (momentum - 1.0) / faster * (a - last), faster
            slope = self.P @ z + self.q
        g = self.P @ a + self.q
        return (a, g) if self.value(a, g) <= self.value(*best) else best

    def newton(self, a: Floats, g: Floats) -> tuple[Floats, Floats]:
        """Minimise over the face of a, and over the smaller faces that this leads to."""
        from scipy.linalg import cho_factor, cho_solve

        while len(free := np.flatnonzero((a > 0) & (a < 1))):
            A = self.P[np.ix_(free, free)]
            A[np.diag_indices(len(free))] += RIDGE * self.L
            v = np.zeros(len(free)) if self.b is None else self.v[free]
            Ag, Av = cho_solve(cho_factor(A), np.column_stack([g[free], v])).T
            tau = (v @ Ag) / (v @ Av) if v.any() else 0.0
            d = tau * Av - Ag
            whole = a[free] + d
            if ((whole >= 0) & (whole <= 1)).all():
                return self._moved(a, g, free, whole)
            inside = np.clip(whole, 0, 1) if self.b is None else onto_slice(whole, v, float(v @ a[free]))
            nearer = self._moved(a, g, free, inside)
            if self.value(*nearer) < self.value(a, g):
                a, g = nearer
                continue
            room = np.where(d < 0, a[free], 1 - a[free]) / np.maximum(np.abs(d), 1e-300)
            first = int(room.argmin())
            step = np.clip(a[free] + room[first] * d, 0, 1)
            step[first] = float(d[first] > 0)
            a, g = self._moved(a, g, free, step)
        return a, g

    def _moved(self, a: Floats, g: Floats, free: Rows, values: Floats) -> tuple[Floats, Floats]:
        """Return a with these values, and its gradient: of the difference, as few variables are free as a rule."""
        step, a = values - a[free], a.copy()
        a[free] = values
        return a, g + step @ self.P[free]

    def violation(self, a: Floats, g: Floats) -> float:
        """Return by how much the gradient breaks the Karush-Kuhn-Tucker conditions, with the best multiplier."""
        low, high = a <= 0, a >= 1
        reduced = g if self.b is None else g - self._multiplier(g, low, high) * self.v
        inside = np.abs(reduced[~low & ~high]).max(initial=0.0)
        return float(max(inside, (-reduced[low]).max(initial=0.0), reduced[high].max(initial=0.0)))

    def _multiplier(self, g: Floats, low: Mask, high: Mask) -> float:
        on = self.v > 0
        price = g / np.where(on, self.v, 1.0)
        if (free := on & ~low & ~high).any():
            return float(np.average(price[free], weights=self.v[free]))
        above, below = price[on & low].min(initial=np.inf), price[on & high].max(initial=-np.inf)
        ends = [end for end in (above, below) if np.isfinite(end)]
        return float(np.mean(ends)) if ends else 0.0


def onto_slice(x: Floats, v: Floats, b: float) -> Floats:
    """Return the point of {0 <= a <= 1, v'a = b} that is nearest to x: clip(x - t v, 0, 1), with the t that meets b.

    v'clip(x - t v) falls from sum(v) to 0 in straight pieces, with a bend wherever a variable leaves 1 or reaches 0.
    """
    on = v > 0
    if not on.any():
        return np.asarray(np.clip(x, 0.0, 1.0))
    weight = v[on]
    bends = np.concatenate([(x[on] - 1) / weight, x[on] / weight])
    turn = np.concatenate([-(weight**2), weight**2])
    order = np.argsort(bends)
    bends, slope = bends[order], np.cumsum(turn[order])
    sums = weight.sum() + np.concatenate([[0.0], np.cumsum(slope[:-1] * np.diff(bends))])
    piece = int(np.clip(np.searchsorted(-sums, -b), 1, len(sums) - 1)) - 1  # sums[piece] > b >= sums[piece + 1]
    t = bends[piece] + ((b - sums[piece]) / slope[piece] if slope[piece] < 0 else 0.0)
    nearest: Floats = np.clip(x - t * v, 0.0, 1.0)
    return nearest
