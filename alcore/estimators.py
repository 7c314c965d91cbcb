"""What alcore does to a bare estimator: copy it, ask what it can say, make one of many labels out of it."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from alcore.errors import InputError
from alcore.memory import own
from alcore.types import Floats, Labels, Level


class Foreign:
    """An estimator fitted outside on the caller's labels, made to predict positions in its own ``classes_``."""

    def __init__(self, fitted: Any) -> None:
        self.fitted = fitted

    def __getattr__(self, name: str) -> Any:
        if name in ("predict_proba", "decision_function", "embed", "hidden", "sample_proba"):
            return getattr(self.fitted, name)
        raise AttributeError(name)

    def predict(self, X: Any) -> Labels:
        """Return positions in the estimator's own classes, (n,)."""
        position = {label: i for i, label in enumerate(self.fitted.classes_)}
        given = self.fitted.predict(X)
        strange = [label for label in given if label not in position]
        if strange:
            raise ValueError(f"it answered {strange[0]!r}, which is none of its classes_")
        return np.array([position[label] for label in given], dtype=np.intp)

    def codes(self, classes: Sequence[Any]) -> Labels:
        """Return the code of each of the estimator's own classes; InputError if one is not in ``classes``."""
        known = getattr(self.fitted, "classes_", None)
        if known is None:
            raise InputError(f"prefit=True needs a fitted estimator; {self.fitted!r} has no classes_. Fit it first.")
        code = {label: i for i, label in enumerate(classes)}
        strange = [label for label in known if label not in code]
        if strange:
            raise InputError(f"{self.fitted!r} was fitted on the label {strange[0]!r}, which is none of {classes}.")
        return np.array([code[label] for label in known], dtype=np.intp)


def copy_unfitted(estimator: Any) -> Any:
    """Return an unfitted copy: scikit-learn's ``clone``, or a deep copy of what has no ``get_params``.

    Raises
    ------
    InputError
        If it cannot be copied, with the way out.
    """
    try:
        if hasattr(estimator, "get_params"):
            from sklearn.base import clone

            return clone(estimator)
        return copy.deepcopy(estimator)
    except Exception as error:
        raise InputError(
            f"{type(estimator).__name__} cannot be copied ({type(error).__name__}: {error}). "
            "Give a function without arguments that makes a new one instead, such as learner=lambda: MyEstimator()."
        ) from error


def is_plain(estimator: Any) -> bool:
    """Tell whether an unfitted estimator is no more than a dictionary of numbers and text."""
    kind: Any = type(estimator)
    ordinary = kind.__reduce_ex__ is object.__reduce_ex__ and not hasattr(kind, "__slots__")
    special = any(hasattr(kind, method) for method in ("__copy__", "__deepcopy__"))
    values = getattr(estimator, "__dict__", {"": []}).values()
    return ordinary and not special and all(isinstance(v, bool | int | float | str | None) for v in values)


def copy_plain(estimator: Any) -> Any:
    """Return a copy of an estimator that is plain."""
    made = object.__new__(type(estimator))
    made.__dict__.update(estimator.__dict__)
    return made


METHODS = {
    Level.PROBA: "predict_proba",
    Level.DECISION: "decision_function",
    Level.EMBEDDING: "embed",
    Level.HIDDEN: "hidden",
    Level.DRAWS: "sample_proba",
}


def is_learner(source: Any) -> bool:
    """Return whether it is an object with ``fit`` and ``predict``, which some have after their fit only."""
    return not isinstance(source, type) and callable(getattr(source, "fit", None)) and _shown_by(source) is not None


def settled(estimator: Any) -> bool:
    """Return whether an estimator shows the methods that it has.

    Where ``predict`` is delegated to an estimator that the fit makes, as in scikit-learn's ``StackingClassifier``, it
    does so after its fit only, and what its class has is all that is known before.
    """
    return callable(getattr(estimator, "predict", None))


def _shown_by(estimator: Any) -> Any:
    """Return what shows the methods of an estimator: itself, or the class of what it delegates to; None for neither."""
    if settled(estimator):
        return estimator
    inside = getattr(estimator, "_final_estimator", None) or params_of(estimator, deep=False).get("estimator")
    if inside is not None:
        return _shown_by(inside)
    return type(estimator) if settled(type(estimator)) else None


def detect_levels(estimator: Any) -> frozenset[Level]:
    """Return what an estimator can say besides its prediction, by the methods it has, or may have after its fit."""
    shown = _shown_by(estimator)
    found = {level for level, method in METHODS.items() if callable(getattr(shown, method, None))}
    if _takes(last_step(shown).predict, "return_std"):
        found.add(Level.STD)
    if has_last_layer(estimator):
        found.add(Level.HIDDEN)
    return frozenset(found)


def has_last_layer(estimator: Any) -> bool:
    """Return whether ``layers.last_inputs`` will know what the last layer is given, by the class, before any fit.

    It does of scikit-learn's linear classifiers (logistic regression, linear discriminants, linear support vector
    machines and the like) and multi-layer perceptrons, behind the steps of a pipeline or inside a search over
    parameters too, and of one linear model per label.
    """
    last = last_step(estimator)
    if isinstance(last, PerLabel) or type(last).__name__ in ("MultiOutputClassifier", "OneVsRestClassifier"):
        return has_last_layer(last.estimator) and not _is_a(last_step(last.estimator), "BaseMultilayerPerceptron")
    if _is_a(last, "BaseSearchCV"):
        return has_last_layer(last.estimator)
    if _is_a(last, "BaseMultilayerPerceptron"):
        return last.activation in ("identity", "logistic", "tanh", "relu")
    return _is_a(last, "LinearClassifierMixin") or (_is_a(last, "BaseLibSVM") and last.kernel == "linear")


def _is_a(estimator: Any, *bases: str) -> bool:
    """Return whether the estimator is one of these classes of scikit-learn, without importing it."""
    kinds = (kind for kind in type(estimator).__mro__ if kind.__module__.startswith("sklearn."))
    return any(kind.__name__ in bases for kind in kinds)


def last_step(estimator: Any) -> Any:
    """Return the last step of a pipeline, or the estimator itself."""
    return getattr(estimator, "_final_estimator", estimator)


def one_versus_one(estimator: Any) -> bool | None:
    """Return whether an estimator's own parameter makes decision values one per pair of classes; None without it.

    Their shape does not show it for three classes.
    """
    fitted = estimator.fitted if isinstance(estimator, Foreign) else estimator
    shape = getattr(last_step(fitted), "decision_function_shape", None)
    return None if shape is None else shape == "ovo"


def continues_warm(estimator: Any) -> bool:
    """Tell whether ``warm_start`` goes on from what was learned; of an ensemble it only adds members."""
    params = params_of(estimator)
    return "warm_start" in params and params.keys().isdisjoint({"n_estimators", "max_leaf_nodes"})


def can_continue(estimator: Any) -> bool:
    """Tell whether an estimator can be fitted further without forgetting."""
    return continues_warm(estimator) or hasattr(estimator, "partial_fit")


def _takes(function: Callable[..., Any], parameter: str) -> bool:
    return parameter in inspect.signature(function).parameters


def params_of(estimator: Any, *, deep: bool = True) -> dict[str, Any]:
    """Return the estimator's parameters, nested ones included; none for what has no ``get_params``."""
    return estimator.get_params(deep=deep) if hasattr(estimator, "get_params") else {}


def cannot_continue(name: str) -> str:
    """Return what to say of an estimator that cannot be fitted further."""
    return (
        f'refit="continue" needs partial_fit, or a warm_start that changes what was learned; {name} has neither. '
        'Use refit="scratch".'
    )


class PerLabel:
    """Binary relevance: one copy of a classifier per label of a multi-label task.

    A label that all labelled rows share is predicted as that constant, whatever the classifier could do with it.

    Parameters
    ----------
    estimator
        A classifier; copied for each label.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, the classifier's own as ``estimator__NAME``."""
        own = {"estimator": self.estimator}
        return own | {f"estimator__{k}": v for k, v in params_of(self.estimator).items()} if deep else own

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the classifier, given as ``estimator__NAME``."""
        self.estimator = params.pop("estimator", self.estimator)
        if params:
            self.estimator.set_params(**{k.removeprefix("estimator__"): v for k, v in params.items()})
        return self

    def fit(self, X: Any, y: Labels) -> Self:
        """Fit one classifier per column of the 0/1 matrix y, shape (n, L)."""
        y = np.asarray(y)
        constant = (y == y[0]).all(axis=0)
        self.members_ = [
            float(y[0, j]) if constant[j] else copy_unfitted(self.estimator).fit(own(X), y[:, j])
            for j in range(y.shape[1])
        ]
        return self

    def predict(self, X: Any) -> Labels:
        """Return a 0/1 matrix (n, L)."""
        return self._columns(X, lambda member, X: member.predict(X)).astype(np.intp)

    def __getattr__(self, name: str) -> Any:
        # Present only where the classifier has the method, so that levels are detected as for any other estimator.
        if name == "predict_proba" and hasattr(self.__dict__.get("estimator"), name):
            return lambda X: self._columns(X, lambda member, X: member.predict_proba(X)[:, 1])
        if name == "decision_function" and hasattr(self.__dict__.get("estimator"), name):
            return lambda X: self._columns(
                X, lambda member, X: member.decision_function(X), constants=(-np.inf, np.inf)
            )
        raise AttributeError(f"{type(self).__name__} has no {name}")

    def _columns(
        self, X: Any, answer: Callable[[Any, Any], Any], constants: tuple[float, float] = (0.0, 1.0)
    ) -> Floats:
        columns = [
            np.full(X.shape[0], constants[int(member)]) if isinstance(member, float) else answer(member, own(X))
            for member in self.members_
        ]
        return np.column_stack(columns).astype(np.float64)
