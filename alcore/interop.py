"""What adapters of other libraries need at their border: fitted models in scikit-learn's clothes, silence, shims.

Public API: an adapter outside this repository uses the same.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

import numpy as np

from alcore.learners import Model
from alcore.pool import is_frame, is_sparse
from alcore.rng import seeded_globals
from alcore.types import Floats, Labels
from alcore.view import View

__all__ = ["Classifier", "dense", "patched", "seed_of", "seeded_globals", "signs", "silenced"]

_MISSING = object()


class Classifier:
    """A model as an estimator that knows all classes 0..K-1, fitted already, for libraries that expect one.

    ``predict_proba`` and ``decision_function`` exist only where the model has them, aligned to all classes.
    ``fit`` fits an unfitted twin from ``fresh`` and takes its place, so that a library that refits works on a learner
    of the run's own with a seed of its own; without ``fresh`` it is an error, because a fit that nobody asked for
    would be one that nobody counted.
    """

    def __init__(self, model: Model, fresh: Callable[[], Model] | None = None) -> None:
        self.model = model
        self.fresh = fresh
        self.classes_ = np.arange(model.n_classes)

    def __getattr__(self, name: str) -> Any:
        model = self.__dict__.get("model")
        if name in ("predict_proba", "decision_function") and model is not None:
            level = {"predict_proba": "proba", "decision_function": "decision"}[name]
            if level in model.levels or model.constant is not None:
                return getattr(model, name)
        raise AttributeError(f"{type(self).__name__} has no {name}")

    def fit(self, X: Any, y: Any, **_ignored: Any) -> Self:
        """Fit a fresh twin."""
        if self.fresh is None:
            raise TypeError("this classifier is fitted already and must not be refitted here")
        self.model = self.fresh().fit(X, np.asarray(y).astype(np.intp))
        return self

    def predict(self, X: Any) -> Labels:
        """Return codes (n,)."""
        return self.model.predict(X)

    def score(self, X: Any, y: Any) -> float:
        """Return the accuracy."""
        return float(np.mean(self.predict(X) == np.asarray(y)))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, so that scikit-learn's clone makes an unfitted twin of the same learner."""
        return {"model": self.model, "fresh": self.fresh}

    def set_params(self, **params: Any) -> Self:
        """Set parameters."""
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __sklearn_clone__(self) -> Self:
        """Return a twin that shares the fitted model until it is fitted itself."""
        return type(self)(self.model, self.fresh)

    def __sklearn_is_fitted__(self) -> bool:
        """Tell scikit-learn that it can predict."""
        return True


def seed_of(view: View) -> int:
    """Return a seed in [0, 2**31) drawn from the view's generator, for code that takes an int."""
    return int(view.rng.integers(2**31))


def signs(codes: Labels) -> Labels:
    """Return -1 for code 0 and +1 for code 1."""
    return np.where(np.asarray(codes) > 0, 1, -1)


def dense(X: Any) -> Floats:
    """Return X as a float array (n, d), for libraries that take nothing else. A DataFrame must be numeric."""
    if is_sparse(X):
        return np.asarray(X.toarray(), dtype=np.float64)
    return np.asarray(X.to_numpy() if is_frame(X) else X, dtype=np.float64)


@contextmanager
def silenced() -> Iterator[None]:
    """Drop what Python code prints inside, and its warnings; its errors pass."""
    import warnings

    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


@contextmanager
def patched(
    attributes: Mapping[tuple[Any, str], Any] | None = None, modules: Mapping[str, Any] | None = None
) -> Iterator[None]:
    """Set attributes ``{(owner, name): value}`` and ``sys.modules`` entries inside, and undo it afterwards.

    For shims that an old library needs while it is imported or called; an attribute that the owner has stays as it is.
    """
    undo: list[Callable[[], None]] = []
    try:
        for (owner, name), value in (attributes or {}).items():
            if not hasattr(owner, name):
                setattr(owner, name, value)
                undo.append(lambda owner=owner, name=name: delattr(owner, name))  # type: ignore[misc]
        for name, module in (modules or {}).items():
            before = sys.modules.get(name, _MISSING)
            if before is _MISSING:
                sys.modules[name] = module
                undo.append(lambda name=name: _forget(name))  # type: ignore[misc]
        yield
    finally:
        for one in reversed(undo):
            one()


def _forget(module: str) -> None:
    sys.modules.pop(module, None)
