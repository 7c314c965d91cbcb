"""The integral behind P(best) (paper, Eq. 12 and 13) on a fixed grid, now and after each possible label."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from alcore.errors import UnavailableError
from alcore.types import Floats

Cdf: TypeAlias = Literal["trapezoid", "betainc"]
CDF_FLOOR = 1e-30
NEGLIGIBLE = 1e-13
"""What all points left out of the integral may add up to, where the whole is 1."""

_lgamma = np.frompyfunc(math.lgamma, 1, 1)


class Grid:
    """Equally spaced points x in (0, 1) on which densities are tabulated and integrated by the trapezoidal rule.

    Parameters
    ----------
    points : int
        P, 256 in the published code.
    cdf : "trapezoid" or "betainc"
        The distribution function as a running integral of the tabulated density, or as the regularised incomplete
        beta function (needs SciPy, several times slower, the same answers for P of 256 and more).
    """

    def __init__(self, points: int = 256, cdf: Cdf = "trapezoid") -> None:
        self.x = np.linspace(1e-6, 1.0 - 1e-6, points)
        self.step = float(self.x[1] - self.x[0])
        self.weights = np.full(points, self.step)
        self.weights[[0, -1]] /= 2
        self._log_x, self._log_1mx = np.log(self.x), np.log1p(-self.x)
        self._betainc = _load_betainc() if cdf == "betainc" else None

    def tabulate(self, a: Floats, b: Floats) -> tuple[Floats, Floats]:
        """Return density and distribution function of Beta(a, b), each (..., P), for a and b of shape (...)."""
        log_beta = np.asarray(_lgamma(a) + _lgamma(b) - _lgamma(a + b), dtype=np.float64)
        pdf = (a - 1.0)[..., None] * self._log_x
        pdf += (b - 1.0)[..., None] * self._log_1mx
        pdf -= log_beta[..., None]
        np.exp(pdf, out=pdf)
        if self._betainc is not None:
            return pdf, np.asarray(self._betainc(a[..., None], b[..., None], self.x))
        cdf = np.zeros_like(pdf)
        np.add(pdf[..., 1:], pdf[..., :-1], out=cdf[..., 1:])
        cdf *= self.step / 2
        np.cumsum(cdf, axis=-1, out=cdf)
        return pdf, cdf

    def best(self, pdf: Floats, cdf: Floats) -> Floats:
        """Return the probability that each of H independent draws is the largest, shape (H,), from (H, P) tables."""
        log_cdf = np.log(np.maximum(cdf, CDF_FLOOR))
        others = np.clip(log_cdf.sum(axis=0) - log_cdf, -80.0, 80.0)
        share = (pdf * np.exp(others) * self.weights).sum(axis=1)
        return np.asarray(share / max(float(share.sum()), CDF_FLOOR))


def _load_betainc() -> Any:
    try:
        return importlib.import_module("scipy.special").betainc
    except ImportError as error:
        raise UnavailableError("cdf='betainc' needs SciPy: pip install scipy; or use cdf='trapezoid'.") from error


class Hypothesis:
    """What P(best) becomes after a label, for many rows at once.

    A hypothetical label moves each model into one of S states (for accuracy two: its prediction was wrong or right),
    so that the integral of a row is made of S tabulated pairs per model. With f and F of model k in state s,

        P_k = integral f_k,s(k) prod_{l != k} F_l,s(l) = sum_x E(x) W_k,s(k)(x),
        E = exp(sum_l log F_l,s(l)),  W = weights f / F,

    which costs two or three matrix products for all rows together, and no transcendental function per row and model.

    Parameters
    ----------
    grid : Grid
    pdf, cdf : arrays of shape (S, H, P)
    dtype : float64 or float32, the type of the products
    """

    def __init__(self, grid: Grid, pdf: Floats, cdf: Floats, dtype: DTypeLike = np.float64) -> None:
        floored = np.maximum(cdf, CDF_FLOOR)
        log_cdf = np.log(floored)
        # Far from where the largest of H draws can be, the product of so many F is next to nothing whatever the states.
        bound = np.exp(log_cdf.max(axis=0).sum(axis=0)) * (pdf * grid.weights / floored).max(axis=(0, 1))
        kept = bound > NEGLIGIBLE / len(bound)
        pdf, floored, log_cdf = pdf[..., kept], floored[..., kept], log_cdf[..., kept]
        self.base = log_cdf[0].sum(axis=0)  # (P,): everybody in state 0
        self.shift: Sequence[NDArray[Any]] = [(one - log_cdf[0]).astype(dtype) for one in log_cdf[1:]]
        self.weight: Sequence[NDArray[Any]] = [
            np.ascontiguousarray(table.astype(dtype).T) for table in pdf * grid.weights[kept] / floored
        ]
        self.dtype = np.dtype(dtype)

    def best(self, states: NDArray[np.uint8]) -> NDArray[Any]:
        """Return P(best) for each row of ``states``, which is (B, H) in 0..S-1; the answer is (B, H)."""
        masks = [(states == s).astype(self.dtype) for s in range(1, len(self.weight))]
        log_e = np.zeros((len(states), len(self.base)), dtype=self.dtype)
        log_e += self.base.astype(self.dtype)
        for mask, shift in zip(masks, self.shift, strict=True):
            log_e += mask @ shift
        e = np.exp(log_e, out=log_e)
        out = e @ self.weight[0]
        for mask, weight in zip(masks, self.weight[1:], strict=True):
            np.copyto(out, e @ weight, where=mask.astype(np.bool_))
        out /= np.maximum(out.sum(axis=1, keepdims=True), CDF_FLOOR)
        return np.asarray(out)
