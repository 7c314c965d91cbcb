"""Ask and tell for model selection: the state of one selection, which can be saved and resumed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alcore import rng as seeds
from alcore.errors import InputError
from alcore.plugins import loaded
from alcore.select import check
from alcore.spec import SelectorSpec
from alcore.types import Floats, Mask, Rows
from alcore_modelselection.losses import Loss, LossLike, make_loss
from alcore_modelselection.predictions import Predictions
from alcore_modelselection.protocols import HasPosterior, Selector

FORMAT = 1
TIE = 1e-12
"""Qualities closer than this (relative to the largest) are equal: duplicate models tie up to rounding."""


@dataclass(frozen=True)
class Best:
    """Which models are believed best: all that tie, in order of position.

    Attributes
    ----------
    models : the names of the models that tie for the best
    positions : their positions, aligned with ``models``
    posterior : array of shape (H,), or None
        The probability that each model is the best, where the selector gives one.
    quality : array of shape (H,)
        What the selector orders models by; the largest is the best.
    """

    models: tuple[str, ...]
    positions: tuple[int, ...]
    posterior: Floats | None
    quality: Floats

    @property
    def probability(self) -> float | None:
        """The probability that the best model is among these, or None."""
        return None if self.posterior is None else float(self.posterior[list(self.positions)].sum())


class Selection:
    """Find the best of many models: ask for rows, tell their labels, see which model is best.

    Parameters
    ----------
    predictions : Predictions
    method : str or Selector
        The name of a selector (``alcore list selectors``), or one of your own.
    seed : int
        Two selections with the same seed and the same labels ask for the same rows.
    loss : "accuracy", "balanced-accuracy" or a (C, C) matrix of costs by true and predicted class
    params : mapping
        The selector's parameters, where it is given by name.

    Raises
    ------
    InputError
        If the method, a parameter or the loss is unknown, or the method cannot minimise the loss.
    """

    def __init__(
        self,
        predictions: Predictions,
        method: str | Selector = "coda",
        *,
        seed: int = 0,
        loss: LossLike = "accuracy",
        params: Mapping[str, Any] | None = None,
    ) -> None:
        self.predictions = predictions.without_labels()
        self.seed, self.loss = int(seed), make_loss(loss, predictions.n_classes)
        self.params = dict(params or {})
        self.method, self.selector = _selector(method, self.params, self.loss)
        self.selector.setup(self.predictions, self.loss, seeds.stream(self.seed, "strategy"))
        n = predictions.n_rows
        self._order: list[int] = []
        self._events: list[tuple[int, int | None]] = []
        self._codes = np.full(n, -1, dtype=np.intp)
        self._unlabeled: Mask = np.ones(n, dtype=np.bool_)
        self._skipped = np.zeros(n, dtype=np.bool_)

    @property
    def labeled(self) -> Rows:
        """The labelled rows, in the order in which they were told."""
        return np.array(self._order, dtype=np.intp)

    @property
    def labels(self) -> NDArray[Any]:
        """Their labels, as class names."""
        return np.asarray(self.predictions.classes[self._codes[self.labeled]])

    @property
    def skipped(self) -> Rows:
        """The rows that nobody can label."""
        return np.flatnonzero(self._skipped)

    @property
    def left(self) -> int:
        """How many rows may still be asked."""
        return int((self._unlabeled & ~self._skipped).sum())

    @property
    def notices(self) -> list[str]:
        """What the selector has to say about its own work, such as that it considers a part of the rows only."""
        return list(getattr(self.selector, "notices", []))

    def ask(self, n: int = 1) -> Rows:
        """Return up to ``n`` rows to label next; the same ones until something is told or skipped.

        Raises
        ------
        InputError
            If ``n`` is not positive, or no row is left.
        """
        if n < 1:
            raise InputError(f"n is {n}; ask for one row or more.")
        open_rows = self._unlabeled & ~self._skipped
        if not open_rows.any():
            raise InputError("every row is labelled or skipped; there is nothing left to ask.")
        n = min(n, int(open_rows.sum()))
        mask = open_rows.copy()  # the selector may write into what it is given
        rows = self.selector.query(mask, n, self._stream())
        return check(rows, open_rows, n, who=self.method)

    def tell(self, rows: ArrayLike, labels: ArrayLike) -> None:
        """Say what the labels (class names) of some rows are, whether they were asked or not.

        Raises
        ------
        InputError
            If a row is outside the predictions, labelled already or given twice, or a label is no class. Nothing is
            learned then.
        """
        at, codes = np.atleast_1d(np.asarray(rows)), self.predictions.encode(labels)
        if at.ndim != 1 or at.dtype.kind not in "iu" or len(at) != len(codes):
            raise InputError(f"rows has shape {at.shape} and dtype {at.dtype} for {len(codes)} labels; give one each.")
        self._check_new(at)
        for row, code in zip(at.tolist(), codes.tolist(), strict=True):
            self._update(row, code)

    def skip(self, rows: ArrayLike) -> None:
        """Never ask these rows: nobody can label them.

        Raises
        ------
        InputError
            If a row is outside the predictions, or labelled already.
        """
        at = np.atleast_1d(np.asarray(rows))
        self._check_new(at)
        self._skipped[at] = True
        self._events += [(row, None) for row in at.tolist()]

    def best(self) -> Best:
        """Return the models believed best, all of them if they tie."""
        quality = np.asarray(self.selector.quality(), dtype=np.float64)
        largest = quality.max()
        tied = np.flatnonzero(largest - quality <= TIE * max(1.0, abs(largest)))
        posterior = self.selector.posterior() if isinstance(self.selector, HasPosterior) else None
        return Best(tuple(self.predictions.models[k] for k in tied), tuple(tied.tolist()), posterior, quality)

    def pick(self) -> int:
        """Return the position of one best model: the first, or one drawn by the seed where the selector says so."""
        tied = self.best().positions
        if len(tied) == 1 or getattr(self.selector, "tied_models", "random") == "first":
            return tied[0]
        return tied[int(seeds.stream(self.seed, "strategy", len(self._order), 1).integers(len(tied)))]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state as JSON, in one piece or not at all; the predictions are not written, but their hash is."""
        state = {
            "format": FORMAT,
            "method": self.method,
            "params": self.params,
            "seed": self.seed,
            "loss": self.loss.name if self.loss.name != "cost" else self.loss.costs.tolist(),
            "predictions": self.predictions.fingerprint,
            # In the order in which they came; a row that was skipped has no label.
            "rows": [row for row, _ in self._events],
            "labels": [code for _, code in self._events],
        }
        target = Path(path)
        draft = target.with_name(f"{target.name}.part")
        draft.write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")
        draft.replace(target)

    @classmethod
    def resume(
        cls, path: str | os.PathLike[str], predictions: Predictions, method: Selector | None = None
    ) -> Selection:
        """Return a saved selection, which goes on as if it had never stopped.

        Parameters
        ----------
        path : the file that ``save`` wrote
        predictions : the same predictions
        method : the selector, if it was not given by name

        Raises
        ------
        InputError
            If the file is no saved selection, or was saved for other predictions.
        """
        state = _read(path)
        if state["predictions"] != predictions.fingerprint:
            raise InputError(
                f"{path} was saved for other predictions (hash {state['predictions']}, these have "
                f"{predictions.fingerprint}); give the same file with the same classes, or start anew."
            )
        one = cls(
            predictions, method or state["method"], seed=state["seed"], loss=state["loss"], params=state["params"]
        )
        for row, code in zip(state["rows"], state["labels"], strict=True):
            if code is None:
                one.skip(row)
            else:
                one._update(row, code)
        return one

    def _update(self, row: int, code: int) -> None:
        self.selector.update(row, code, self._unlabeled & ~self._skipped)
        self._unlabeled[row] = False
        self._codes[row] = code
        self._order.append(row)
        self._events.append((row, code))

    def _check_new(self, rows: NDArray[Any]) -> None:
        n = self.predictions.n_rows
        if rows.dtype.kind not in "iu":
            raise InputError(f"rows have dtype {rows.dtype}; a row is its position, 0 to {n - 1}.")
        for row in rows.tolist():
            if not 0 <= row < n:
                raise InputError(f"row {row} is outside the predictions, which have {n} rows (0 to {n - 1}).")
            if not self._unlabeled[row]:
                raise InputError(f"row {row} is labelled already.")
        if len(np.unique(rows)) != len(rows):
            raise InputError("a row is given more than once; tell each row's label once.")

    def _stream(self) -> np.random.Generator:
        # By what is known, not by what was drawn: asking twice gives the same rows, and so does resuming.
        return seeds.stream(self.seed, "strategy", len(self._order), 0, int(self._skipped.sum()))


def _selector(method: str | Selector, params: dict[str, Any], loss: Loss) -> tuple[str, Selector]:
    if not isinstance(method, str):
        if params:
            raise InputError("params are for a selector given by name; give them to your own selector itself.")
        return type(method).__name__, method
    spec: SelectorSpec = loaded().registry.entry("selector", method).spec
    if loss.name not in spec.losses:
        others = sorted(e.spec.name for e in loaded().registry.entries("selector") if loss.name in e.spec.losses)
        raise InputError(
            f"{method} cannot minimise the loss {loss.name!r}, only {', '.join(sorted(spec.losses))}. "
            f"Use one of {', '.join(others)}."
        )
    return method, spec.build(**params)


def _read(path: str | os.PathLike[str]) -> dict[str, Any]:
    try:
        state = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"there is no saved selection at {path}.") from None
    except ValueError as error:
        raise InputError(f"{path} is no saved selection: {error}") from None
    needed: Sequence[str] = ("format", "method", "params", "seed", "loss", "predictions", "rows", "labels")
    if not isinstance(state, dict) or any(key not in state for key in needed):
        raise InputError(f"{path} is no saved selection: it lacks {', '.join(needed)}.")
    if state["format"] != FORMAT:
        raise InputError(f"{path} has format {state['format']}; this version reads format {FORMAT}.")
    return state
