"""Ward's tree of a pool, in memory that grows with the number of rows and not with its square."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alcore import Floats, Rows

MATRIX = 1 << 26
"""Bytes that the distances between all rows may take: 64 MiB, which is 4,096 rows."""

BLUR = 1e-11


class Tree(NamedTuple):
    """A binary tree of n leaves, the rows 0..n-1, and n - 1 inner nodes above; children come before their parent.

    The leaves below node v are ``leaves[start[v] : start[v] + size[v]]``.
    """

    parent: Rows
    children: Rows
    size: Rows
    start: Rows
    leaves: Rows


def ward_tree(features: Floats, matrix: int = MATRIX) -> Tree:
    """Return the tree of the merges that raise the sum of squares within clusters least (Ward 1963).

    Parameters
    ----------
    features : (n, d)
    matrix : int
        As long as the n (n - 1) / 2 distances take no more bytes than this, they are computed at once, which is
        faster; beyond it, distances are taken from centroids as they are needed, O(n d) of memory and O(n^2 d) of time.
    """
    n = len(features)
    if n == 1:
        children = np.empty((0, 2), dtype=np.intp)
    elif 4 * n * (n - 1) <= matrix:
        from scipy.cluster.hierarchy import linkage

        children = linkage(features, "ward")[:, :2].astype(np.intp)
    else:
        children = _chain(features)
    parent = np.full(2 * n - 1, -1, dtype=np.intp)
    parent[children.ravel()] = np.repeat(np.arange(n, 2 * n - 1), 2)
    size = np.ones(2 * n - 1, dtype=np.intp)
    start = np.zeros(2 * n - 1, dtype=np.intp)
    pairs = children.tolist()
    for v, (a, b) in enumerate(pairs, start=n):
        size[v] = size[a] + size[b]
    for v, (a, b) in zip(range(2 * n - 2, n - 1, -1), pairs[::-1], strict=True):
        start[a] = start[v]
        start[b] = start[v] + size[a]
    leaves = np.empty(n, dtype=np.intp)
    leaves[start[:n]] = np.arange(n)
    return Tree(parent, children, size, start, leaves)


def _chain(features: Floats) -> Rows:
    """Return the merges, in an order in which they can be made: follow nearest neighbours until two are mutual.

    A merge raises the sum of squares by s_a s_b / (s_a + s_b) ||c_a - c_b||^2, which sizes and centroids tell.
    (Murtagh 1983; the distances are symmetric to the last bit and ties go to the one before, so that no chain cycles.)
    """
    n = len(features)
    centroid, size, name = features - features.mean(axis=0), np.ones(n), np.arange(n)
    square = np.einsum("ij,ij->i", centroid, centroid)  # infinite for a cluster that is part of another
    blur = BLUR * square.max()  # no centroid is farther from the middle than the farthest row
    merges = np.empty((n - 1, 2), dtype=np.intp)
    chain: list[int] = []
    done = 0
    while done < n - 1:
        if not chain:
            if 2 * (n - done) < len(size):  # leave out what is gone
                here = np.isfinite(square)
                centroid, size, name, square = centroid[here], size[here], name[here], square[here]
            chain.append(int(np.argmin(square)))
        a = chain[-1]
        near, rise = _nearest(centroid, size, square, a, blur)
        if len(chain) == 1 or chain[-2] not in near[rise == rise.min()]:
            chain.append(int(near[rise.argmin()]))
            continue
        b = chain[-2]
        del chain[-2:]
        merges[done] = name[a], name[b]
        centroid[b] = (size[a] * centroid[a] + size[b] * centroid[b]) / (size[a] + size[b])
        square[b] = centroid[b] @ centroid[b]
        size[b] += size[a]
        name[b] = n + done
        square[a] = np.inf
        done += 1
    return merges


def _nearest(centroid: Floats, size: Floats, square: Floats, a: int, blur: float) -> tuple[Rows, Floats]:
    """Return the clusters that may be nearest to cluster a, and what merging each with it would cost.

    A product with all centroids, which rounding blurs, leaves a few; these are computed by differences.
    """
    rise = centroid @ centroid[a]
    rise *= -2.0
    rise += square
    rise += square[a]
    rise *= size / (size + size[a])
    rise[a] = np.inf
    near = np.flatnonzero(rise <= rise.min() + blur)
    gaps = centroid[near] - centroid[a]
    exact: Floats = np.einsum("ij,ij->i", gaps, gaps) * ((size[near] * size[a]) / (size[near] + size[a]))
    return near, exact
