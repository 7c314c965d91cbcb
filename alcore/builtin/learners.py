"""Learners by name: what practitioners reach for first, with the library's own defaults unless the summary says so."""

from __future__ import annotations

from typing import Any

from alcore.spec import LearnerSpec, Spec
from alcore.types import Level, Task

CLASSIFIER = frozenset({Task.CLASSIFICATION, Task.MULTILABEL})
REGRESSOR = frozenset({Task.REGRESSION})
XGBOOST = {"xgboost": "pip install 'alcore[xgboost]'"}


def specs() -> list[Spec]:
    """Return the built-in learners."""
    here = "alcore.builtin.learners"
    proba, decision, hidden, std = Level.PROBA, Level.DECISION, Level.HIDDEN, Level.STD

    def one(name: str, summary: str, make: str, levels: set[Level], **more: Any) -> LearnerSpec:
        fields = {"tasks": CLASSIFIER} | more
        return LearnerSpec(name=name, summary=summary, make=f"{here}:{make}", levels=frozenset(levels), **fields)

    return [
        one("logistic-regression", "L2 logistic regression", "logistic_regression", {proba, decision, hidden}),
        one("tfidf-logistic-regression", "L2 logistic regression on TF-IDF of texts, X of shape (n,)",
            "tfidf_logistic_regression", {proba, decision, hidden}, text=True),
        one("rbf-svm", "Support vector machine, RBF kernel, decision values", "rbf_svm", {decision}),
        one("linear-svm", "Linear support vector machine, decision values", "linear_svm", {decision, hidden}),
        one("random-forest", "Random forest of 100 trees", "random_forest", {proba}, nan=True),
        one("xgboost", "Gradient-boosted trees", "xgboost", {proba}, requires=XGBOOST, nan=True),
        one("lda", "Linear discriminant analysis", "lda", {proba, decision, hidden}, sparse=False),
        one("gaussian-nb", "Gaussian naive Bayes", "gaussian_nb", {proba}, sparse=False),
        one("knn", "Nearest neighbours", "knn", {proba}),
        one("ridge", "Ridge regression", "ridge", set(), tasks=REGRESSOR),
        one("random-forest-regressor", "Random forest of 100 regression trees", "random_forest_regressor", set(),
            tasks=REGRESSOR, nan=True),
        one("gp-regressor", "Gaussian process, RBF kernel and noise, with a standard deviation", "gp_regressor", {std},
            tasks=REGRESSOR, sparse=False),
    ]  # fmt: skip


def logistic_regression(C: float = 1.0, max_iter: int = 1000, scale: bool = True) -> Any:
    """L2 logistic regression; ``scale`` standardises features on the labelled rows first."""
    from alcore.builtin.framed import LogisticRegression

    return _scaled(LogisticRegression(C=C, max_iter=max_iter), scale)


def tfidf_logistic_regression(C: float = 10.0, max_iter: int = 1000, max_features: int | None = None) -> Any:
    """L2 logistic regression on the TF-IDF of words (1 + log of counts), of the ``max_features`` most frequent ones.

    What is no text, columns of numbers, is standardised.
    """
    from sklearn.pipeline import make_pipeline

    from alcore.builtin.estimators import Words
    from alcore.builtin.framed import LogisticRegression

    return make_pipeline(Words(max_features=max_features), LogisticRegression(C=C, max_iter=max_iter))


def rbf_svm(C: float = 1.0, gamma: Any = "scale", scale: bool = True) -> Any:
    """SVM with K(x, z) = exp(-gamma |x - z|^2). No probabilities: those of SVC are slow and disagree."""
    from alcore.builtin.framed import SVC

    return _scaled(SVC(C=C, kernel="rbf", gamma=gamma), scale)


def linear_svm(C: float = 1.0, scale: bool = True) -> Any:
    """Linear SVM with squared hinge loss."""
    from alcore.builtin.framed import LinearSVC

    return _scaled(LinearSVC(C=C, max_iter=10_000), scale)


def random_forest(n_estimators: int = 100, max_depth: int | None = None, min_samples_leaf: int = 1) -> Any:
    """Random forest classifier."""
    from alcore.builtin.framed import RandomForestClassifier

    return RandomForestClassifier(n_estimators=n_estimators, max_depth=max_depth, min_samples_leaf=min_samples_leaf)


def xgboost(n_estimators: int = 100, max_depth: int | None = None, learning_rate: float | None = None) -> Any:
    """XGBoost classifier on one thread: runs are what is parallel."""
    from alcore.builtin.framed import XGBClassifier

    return XGBClassifier(n_estimators=n_estimators, max_depth=max_depth, learning_rate=learning_rate, n_jobs=1)


def lda(shrinkage: float | str | None = None) -> Any:
    """Linear discriminant analysis; a ``shrinkage`` needs the least-squares solver."""
    from alcore.builtin.framed import Discriminant

    return Discriminant(solver="svd" if shrinkage is None else "lsqr", shrinkage=shrinkage)


def gaussian_nb(var_smoothing: float = 1e-9) -> Any:
    """Gaussian naive Bayes."""
    from alcore.builtin.framed import GaussianNB

    return GaussianNB(var_smoothing=var_smoothing)


def knn(n_neighbors: int = 5, weights: str = "uniform") -> Any:
    """Nearest neighbours, as many of them as there are labelled rows where those are fewer."""
    from alcore.builtin.framed import Neighbors

    return Neighbors(n_neighbors=n_neighbors, weights=weights)


def ridge(alpha: float = 1.0, scale: bool = True) -> Any:
    """Ridge regression."""
    from alcore.builtin.framed import Ridge

    return _scaled(Ridge(alpha=alpha), scale)


def random_forest_regressor(n_estimators: int = 100, max_depth: int | None = None) -> Any:
    """Random forest regressor."""
    from alcore.builtin.framed import RandomForestRegressor

    return RandomForestRegressor(n_estimators=n_estimators, max_depth=max_depth)


def gp_regressor(scale: bool = True) -> Any:
    """Gaussian process with kernel s^2 RBF + noise, fitted by marginal likelihood, targets standardised."""
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    from alcore.builtin.framed import GaussianProcessRegressor

    kernel = ConstantKernel(1.0) * RBF(1.0) + WhiteKernel(0.1)
    return _scaled(GaussianProcessRegressor(kernel=kernel, normalize_y=True), scale)


def _scaled(estimator: Any, scale: bool) -> Any:
    """Standardise inside the learner, on the rows it is fitted to, so that nothing else is looked at."""
    if not scale:
        return estimator
    from sklearn.pipeline import make_pipeline

    from alcore.builtin.framed import Standardize

    return make_pipeline(Standardize(), estimator)
