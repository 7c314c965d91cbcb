"""Distances in bounded memory, and the two ways in which centres become rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from alcore.errors import InputError
from alcore.pool import is_sparse
from alcore.types import Floats, Rows

MEMORY = 1 << 25
"""Bytes that the temporary arrays of one block may take: 32 MiB."""

FEW_COLUMNS = 16
CLOSE = 1e-6
ROUNDING = 1e-8
GOLDEN = np.pi * (3.0 - np.sqrt(5.0))
SHIFT = 1e-10
"""Of the columns' spread: by how much ``unlike`` moves points. Far more than rounding, far less than ``ROUNDING``."""


def blocks(n: int, width: int, memory: int = MEMORY) -> Iterator[slice]:
    """Yield slices that cover ``range(n)``, each of so many rows that ``width`` float64 per row fit in ``memory``.

    Examples
    --------
    >>> list(blocks(5, width=1, memory=16))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    size = max(1, memory // (8 * max(1, width)))
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def distances_to(points: Floats, x: ArrayLike, rows: Rows | None = None) -> Floats:
    """Return the squared Euclidean distances of the points, or of those at ``rows``, to one point x, (d,).

    By differences, so that equal points have distance 0; O(n d), in blocks.
    """
    x = np.asarray(x, dtype=np.float64)
    out = np.empty(len(points) if rows is None else len(rows))
    # Blocks that stay in the processor's cache are twice as fast.
    for part in blocks(len(out), width=points.shape[1], memory=1 << 20):
        gaps = (points[part] if rows is None else points[rows[part]]) - x
        np.einsum("ij,ij->i", gaps, gaps, out=out[part])
    return out


def distances_to_row(points: Floats, squares: Floats, i: int) -> Floats:
    """Return the squared distances of all points to point i as ``distances_to``, several times faster.

    By a product, ``squares`` being those of the points' norms (``np.einsum("ij,ij->i", points, points)``), and again by
    differences where that would cost more than four digits: right to 1e-11 of the distance, and 0 between equal points.
    """
    D: Floats = points @ points[i]
    D *= -2.0
    D += squares
    D += squares[i]
    close = np.flatnonzero(D - 1e-4 * squares <= 1e-4 * squares[i])
    D[close] = distances_to(points, points[i], close)
    return D


def squared_distances(A: Floats, B: Floats) -> Floats:
    """Return the squared Euclidean distances of all rows of A (a, d) to all rows of B (b, d), shape (a, b).

    Never negative, and 0 between equal rows: a^2 + b^2 - 2 a'b loses all digits of distances that are small beside the
    norms, so these are computed again by differences. The result is a times b numbers: take A in ``blocks``.
    """
    if A.shape[1] <= FEW_COLUMNS:  # differences are as fast as a matrix product here
        from scipy.spatial.distance import cdist

        few: Floats = cdist(A, B, "sqeuclidean")
        return few
    a, b = np.einsum("ij,ij->i", A, A), np.einsum("ij,ij->i", B, B)
    D: Floats = A @ B.T
    D *= -2.0
    D += a[:, None]
    D += b
    i, j = np.nonzero(CLOSE * a[:, None] >= D - CLOSE * b)
    for part in blocks(len(i), width=2 * A.shape[1]):
        gaps = A[i[part]] - B[j[part]]
        D[i[part], j[part]] = np.einsum("ij,ij->i", gaps, gaps)
    return D


def nearest(A: Floats, B: Floats, memory: int = MEMORY) -> tuple[Floats, Rows]:
    """Return the Euclidean distance of each row of A to the nearest row of B, and that row's position in B, each (a,).

    The first of equally near ones. No more than ``memory`` bytes are taken at once (or one block of one row of A).

    Raises
    ------
    InputError
        If B has no row.
    """
    if len(B) == 0:
        raise InputError("nearest needs a row in B to be near to; it has none.")
    distance, index = np.empty(len(A)), np.empty(len(A), dtype=np.intp)
    for part in blocks(len(A), width=3 * len(B), memory=memory):
        D = squared_distances(A[part], B)
        index[part] = D.argmin(axis=1)
        distance[part] = np.sqrt(D[np.arange(len(D)), index[part]])
    return distance, index


def principal_components(points: Floats, k: int) -> Floats:
    """Return the points' coordinates (n, k) on their k first principal components; the centred points if k >= d.

    From the covariance matrix (d, d), summed in blocks, or the points' products (n, n) where there are fewer points
    than columns: O(n d min(n, d)).
    """
    n, d = points.shape
    mean = points.mean(axis=0)
    if k >= d:
        whole: Floats = points - mean
        return whole
    if n <= d:
        centred = points - mean
        values, vectors = np.linalg.eigh(centred @ centred.T)
        few: Floats = vectors[:, : -k - 1 : -1] * np.sqrt(np.maximum(values[: -k - 1 : -1], 0.0))
        return few
    scatter = np.zeros((d, d))
    for part in blocks(n, width=d):
        centred = points[part] - mean
        scatter += centred.T @ centred
    axes = np.linalg.eigh(scatter)[1][:, : -k - 1 : -1]
    out = np.empty((n, k))
    for part in blocks(n, width=d):
        out[part] = (points[part] - mean) @ axes
    return out


def unlike(points: Any) -> Any:
    """Return points, array or CSR, that are moved so little that nothing changes but what would have been equal.

    On a grid, or among mirror images, points are as far from one centre as from another. A clustering then follows
    the rounding of the processor's matrix products; of points moved by 1e-10 it does not. Copies stay copies.
    """
    if is_sparse(points):
        moved = points.tocsr().astype(np.float64)
        moved.data *= 1.0 + SHIFT * np.sin(moved.data + GOLDEN * (1.0 + moved.indices))
        return moved
    spread = points.std(axis=0)
    angle = GOLDEN * np.arange(1.0, points.shape[1] + 1.0)  # numbers that have nothing to do with each other
    # A phase of each row as a whole. No product of matrices: rows that are the same have the same one to the last bit.
    phase = (points / np.where(spread > 0, spread, 1.0) * (1.1 + np.sin(angle))).sum(axis=1)
    return points + SHIFT * spread * np.sin(phase[:, None] + angle)


def k_means(points: Floats, k: int, rng: Generator, *, repeats: int = 1) -> tuple[Floats, Rows]:
    """Return the centres (k, d) of a k-means clustering, begun by k-means++, and the cluster of each point (n,).

    Parameters
    ----------
    k : int
        No more than n.
    repeats : int
        Of these many clusterings the tightest is kept.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    mean = points.mean(axis=0)
    points = points - mean
    squares, moved = np.einsum("ij,ij->i", points, points), unlike(points)
    found = []
    for _ in range(repeats):
        begin = moved[k_plus_plus(lambda i: distances_to_row(points, squares, i), len(points), k, rng)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct points than clusters: some are empty
            found.append(KMeans(k, init=begin, n_init=1).fit(moved))
    best = min(found, key=lambda model: model.inertia_)
    return best.cluster_centers_ + mean, best.labels_.astype(np.intp)


def k_plus_plus(
    to: Callable[[int], Floats], m: int, k: int, rng: Generator, *, first: int | None = None, taken: Sequence[int] = ()
) -> Rows:
    """Return k distinct positions among m points, drawn as k-means++ draws its centres.

    Each is drawn with probability proportional to D^2, its squared distance to the nearest drawn so far; uniformly
    among those not drawn where all D^2 are 0 (copies of drawn points).

    Parameters
    ----------
    to : function
        ``to(i)`` gives the squared distances (m,) of all points to point i, such as
        ``lambda i: distances_to(points, points[i])``. It is called k - 1 times: O(k m d) in all.
    m, k : int
        k > m gives all m.
    first : int or None
        The first position; None draws it uniformly, or as the others where some are taken.
    taken : positions
        Centres that are there already, and are not drawn.

    References
    ----------
    D. Arthur, S. Vassilvitskii: k-means++: The Advantages of Careful Seeding, SODA 2007, section 2.2.
    """
    k = min(k, m - len(taken))
    if k < 1:
        return np.empty(0, dtype=np.intp)
    D2 = np.full(m, np.inf)
    for centre in taken[:-1]:
        np.minimum(D2, to(centre), out=D2)
    chosen = list(taken)
    if not len(taken):
        chosen.append(int(rng.integers(m)) if first is None else int(first))
    while len(chosen) < len(taken) + k:
        np.minimum(D2, to(chosen[-1]), out=D2)
        D2[chosen] = 0.0
        up_to = np.cumsum(D2)
        if up_to[-1] > 0:
            # "right" passes over positions of weight 0; the last one of positive weight is for a draw that rounds up
            drawn = np.searchsorted(up_to, rng.random() * up_to[-1], side="right")
            drawn = min(drawn, np.searchsorted(up_to, up_to[-1]))
        else:
            drawn = rng.choice(np.setdiff1d(np.arange(m), chosen))
        chosen.append(int(drawn))
    return np.array(chosen[len(taken) :], dtype=np.intp)


def without_taken(centres: Floats, taken: Floats) -> Floats:
    """Return the centres (k - m, d) that are left when each of m taken points, in order, has claimed its nearest one.

    So rows that are out for labelling stand for clusters of their own: cluster them too, into m clusters more.
    """
    free = np.ones(len(centres), dtype=np.bool_)
    for point in taken:
        free[np.where(free, distances_to(centres, point), np.inf).argmin()] = False
    return centres[free]


def nearest_distinct(points: Floats, centres: Floats, candidates: Rows) -> Rows:
    """Return for each centre, in order, the nearest candidate that no centre before it has taken.

    Parameters
    ----------
    points : (n, d)
    centres : (k, d)
    candidates : Rows
        Distinct rows of ``points``. The first of those that are equally near but for rounding, as the two rows of a
        cluster are, is taken: shuffle them to leave that to chance.

    Returns
    -------
    Rows, shape (min(k, number of candidates),)
    """
    free = np.ones(len(candidates), dtype=bool)
    chosen = []
    for centre in centres[: len(candidates)]:
        D2 = np.where(free, distances_to(points, centre, candidates), np.inf)
        equal = np.sqrt(D2.min()) * (1 + ROUNDING) + ROUNDING * np.linalg.norm(centre)
        position = int(np.flatnonzero(np.sqrt(D2) <= equal)[0])
        free[position] = False
        chosen.append(candidates[position])
    return np.array(chosen, dtype=np.intp)
