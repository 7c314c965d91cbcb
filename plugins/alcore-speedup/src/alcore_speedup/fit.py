"""Least squares for b, of many curves at once.

The objective has one unknown, u = ln b. It is tabulated on a grid that all curves share, where it is a product of
matrices, and then minimised within the best cell by Newton's method, kept in a bracket, on all curves together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from alcore.types import Floats, Mask, Rows
from alcore_speedup.approximation import Function, curve, derivatives, origin

GRID = 241
"""Points of the grid over ln b, from x_1/100 to 1000 x_max."""
BLOCK = 1 << 15
"""Numbers in a temporary array: 256 kB."""
EXACT = 100
"""Steps of Newton's method or bisection at most; three are usual."""


@dataclass(frozen=True)
class Fit:
    """One scale per curve, shape (n, q), with the weighted sum of squares; where it is at an end of the grid.

    A curve that never rises has no finite b, and one that is at the ceiling after one query has b = 0: ``border`` tells
    them, and their ``b`` is the end of the grid.
    """

    b: Floats
    squares: Floats
    border: Mask


def fit(
    x: Floats, mean: Floats, weight: Floats, p_0: Floats, a_inf: Floats, function: Function, *,
    grid: int = GRID, steps: int = EXACT,
) -> Fit:  # fmt: skip
    """Fit b > 0 to every curve by least squares.

    Parameters
    ----------
    x : array (T,)
        Labels added, ascending, the first 0.
    mean : array (n, q, T)
        The mean of the performances at x. Fitted to it, with their number as the weight, is fitted to their scatter.
    weight : array that broadcasts to (n, q, T)
        0 where there is no performance; ``mean`` must be finite there, too.
    p_0, a_inf : arrays (n,)
    function : "p1" or "p2"
    grid, steps : int
        Points of the grid; steps of the minimisation (2 steps are right to about 1e-6).

    Returns
    -------
    Fit
    """
    ends = np.log(x[1] * 1e-2), np.log(x[-1] * 1e3)
    u = np.linspace(*ends, grid)
    weight = np.broadcast_to(weight, mean.shape)
    k = origin(function, p_0, a_inf)
    cells, flat, near = _tabulated(x, mean, weight, a_inf, k, function, u)
    found = _minimised(x, mean, weight, a_inf, k, function, u, cells, near, steps)
    at_end = flat | (cells == 0) | (cells == grid - 1)
    found = np.where(at_end, u[cells], found)
    b = np.exp(found)
    p = curve(function, np.exp(-x / b[..., None]), a_inf[:, None, None], k[:, None, None])
    return Fit(b, (weight * (mean - p) ** 2).sum(axis=-1), at_end)


def _tabulated(
    x: Floats, mean: Floats, weight: Floats, a_inf: Floats, k: Floats, function: Function, u: Floats
) -> tuple[Rows, Mask, Floats]:
    """Return the best grid point of each curve, an end of the grid if that is as good and whether it is, and a guess.

    The guess is the lowest point of the parabola through the squares at the grid point and its two neighbours.
    """
    n, q, T = mean.shape
    E = np.exp(-x / np.exp(u)[:, None])
    best, flat, near = np.empty((n, q), dtype=np.intp), np.empty((n, q), dtype=bool), np.empty((n, q))
    shared = bool((a_inf == a_inf[0]).all() and (k == k[0]).all())
    block = max(1, BLOCK // (q * len(u) if shared or function == "p1" else max(q, T) * len(u)))
    for start in range(0, n, block):
        part = slice(start, start + block)
        m, w, a, c = mean[part], weight[part], a_inf[part, None, None], k[part, None, None]
        if function == "p1":  # residual = (m - a) + a c E
            r, scale = m - a, a * c
            squares = 2 * scale * ((w * r) @ E.T) + scale**2 * (w @ (E**2).T)
            constant = (w * r**2).sum(axis=-1)
        else:  # of curves that share their origin the table is one
            p = curve(function, E, a[:1], c[:1]) if shared else curve(function, E, a, c)
            r = m - a  # the squares are small differences: of residuals to the ceiling they lose less than of m
            p = (p - (a[:1] if shared else a)).swapaxes(1, 2)
            squares = -2 * ((w * r) @ p) + w @ p**2
            constant = (w * r**2).sum(axis=-1)
        best[part], least = squares.argmin(axis=-1), squares.min(axis=-1)
        flat[part] = np.minimum(squares[..., 0], squares[..., -1]) <= least + 1e-12 * constant
        nearest = np.where(squares[..., 0] <= squares[..., -1], 0, len(u) - 1)
        best[part] = np.where(flat[part], nearest, best[part])
        middle = np.clip(best[part], 1, len(u) - 2)[..., None]
        before, here, after = (np.take_along_axis(squares, middle + one, axis=-1)[..., 0] for one in (-1, 0, 1))
        bend = before - 2 * here + after
        shift = np.where(bend > 0, (before - after) / np.where(bend > 0, 2 * bend, 1.0), 0.0)
        near[part] = u[middle[..., 0]] + np.clip(shift, -0.9, 0.9) * (u[1] - u[0])
    return best, flat, near


def _minimised(
    x: Floats, mean: Floats, weight: Floats, a_inf: Floats, k: Floats, function: Function, grid: Floats, cells: Rows,
    near: Floats, steps: int,
) -> Floats:  # fmt: skip
    """Return u where the slope of the squares is 0, between the neighbours of the grid points ``cells``.

    Curves are taken in blocks that stay in the processor's cache.
    """
    shape, T = near.shape, len(x)
    middle, u = np.clip(cells.reshape(-1), 1, len(grid) - 2), near.reshape(-1)
    m, w = mean.reshape(-1, T), np.ascontiguousarray(weight).reshape(-1, T)
    a, c = (np.repeat(each, shape[1])[:, None] for each in (a_inf, k))
    found = np.empty_like(u)
    rows = max(1, BLOCK // T)
    for start in range(0, len(u), rows):
        part = slice(start, start + rows)
        ends = grid[middle[part] - 1], grid[middle[part] + 1]
        found[part] = _newton(x, m[part], w[part], a[part], c[part], function, u[part].copy(), *ends, steps)
    return found.reshape(shape)


def _newton(
    x: Floats, m: Floats, w: Floats, a: Floats, c: Floats, function: Function, u: Floats, low: Floats, high: Floats,
    steps: int,
) -> Floats:  # fmt: skip
    left: slice | Rows = slice(None)
    for _ in range(steps):
        at, least, most = u[left], low[left], high[left]
        p, first, second = derivatives(function, x / np.exp(at)[:, None], a[left], c[left])
        r = w[left] * (p - m[left])
        slope = np.einsum("it,it->i", r, first)
        bend = np.einsum("it,it->i", r, second) + np.einsum("it,it,it->i", w[left], first, first)
        least, most = np.where(slope < 0, at, least), np.where(slope > 0, at, most)
        newton = at - slope / np.where(bend > 0, bend, 1.0)
        inside = (bend > 0) & (newton > least) & (newton < most)
        moved = np.where(slope == 0, at, np.where(inside, newton, (least + most) / 2))
        # After a step of Newton's method of 1e-8 the error is about its square.
        again = np.abs(moved - at) > np.where(inside, 1e-8, 1e-13)
        low[left], high[left], u[left] = least, most, moved  # ``at`` may be a view of u
        left = np.arange(len(u))[left][again]
        if not len(left):
            break
    return u
