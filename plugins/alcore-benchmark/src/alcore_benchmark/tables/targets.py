"""What each published table shows, and the runs that show it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from alcore_benchmark.presets import LOGISTIC, RBF_SVM

Show: TypeAlias = Literal["aubc", "final", "value-at", "labels-to", "rank", "utilisation", "views"]
BASELINE = "Uniform"


@dataclass(frozen=True)
class Column:
    """One column.

    Parameters
    ----------
    strategy : the strategy with its parameters
    query : the query learner where it is not the task learner
    keys : keys of the experiment that this column alone has
    sd : whether the standard deviation over seeds is shown, and not the mean
    label : of its runs in the store, where it is not the column's title: columns of one label share their runs
    """

    strategy: Mapping[str, Any]
    query: Mapping[str, Any] | None = None
    keys: Mapping[str, Any] = field(default_factory=dict)
    sd: bool = False
    label: str = ""


@dataclass(frozen=True)
class Target:
    """One table.

    Parameters
    ----------
    number : of the table
    title : what it shows
    show : the quantity
    learner : the task learner
    columns : printed title of a column -> what is run
    keys : keys of the experiment besides the preset's
    option : of the quantity: a share of the labels there are, a share of the full accuracy, or a slack below it
    percent : whether printed numbers are percent of ours
    budget : labels asked for on data sets of 2,000 rows and more
    """

    number: int
    title: str
    show: Show
    learner: Mapping[str, Any]
    columns: Mapping[str, Column]
    keys: Mapping[str, Any] = field(default_factory=dict)
    option: float = 0.0
    percent: bool = True
    budget: int | Literal["all"] = 3000

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return f"table{self.number}"

    def column(self, title: str) -> Column:
        """Return what a column runs; the baseline runs in tables that do not print it, too."""
        return self.columns.get(title, UNIFORM) if title == BASELINE else self.columns[title]

    def needs(self, columns: Sequence[str]) -> list[str]:
        """Return these columns, and the baseline where the quantity is measured by it."""
        measured = self.show in ("labels-to", "utilisation")
        return [*columns, *([BASELINE] if measured and BASELINE not in columns else [])]


def _column(strategy: str, query: Mapping[str, Any] | None = None, **params: Any) -> Column:
    return Column({"name": strategy, **params}, query)


XGBOOST = {"name": "xgboost", "label": "xgboost"}
FOREST = {"name": "random-forest", "label": "random-forest"}
WEAK_LOGISTIC = LOGISTIC | {"C": 0.1, "label": "logistic-regression(C=0.1)"}
UNIFORM = _column("uniform-published")
BSO = _column("bso")

SVM_COLUMNS: dict[str, Column] = {
    "Uniform": UNIFORM,
    "US-C": _column("margin"),
    "US-NC": _column("entropy", WEAK_LOGISTIC),
    "InfoDiv": _column("info-diverse"),
    "QBC": _column("qbc-published", committee="four"),
    "EER": _column("eer", LOGISTIC, loss="log"),
    "VR": _column("vr-published"),
    "Hier": _column("hierarchical"),
    "Graph": _column("graph-density"),
    "Core-Set": _column("core-set"),
    "HintSVM": _column("hint-svm-published", seed=1126),
    "QUIRE": _column("quire-published"),
    "DWUS": _column("dwus-published"),
    "MCM": _column("mcm-published"),
    "BMDR": _column("bmdr"),
    "SPAL": _column("spal"),
    "ALBL": _column("albl"),
    "LAL": _column("lal"),
}
"""Table 19. Columns whose published code is deterministic are equal to the last digit; see the documentation."""

TREE_COLUMNS: dict[str, Column] = {
    "Uniform": UNIFORM,
    "US": _column("margin"),
    "QBC": _column("qbc-published"),
    "BALD": _column("bald-published"),
    **{name: SVM_COLUMNS[name] for name in ("Hier", "Graph", "Core-Set", "HintSVM", "QUIRE")},
    "DWUS": _column("dwus-published", labels="codes"),
    "MCM": SVM_COLUMNS["MCM"],
    "BMDR": SVM_COLUMNS["BMDR"],
    "ALBL": SVM_COLUMNS["ALBL"],
    "LAL": SVM_COLUMNS["LAL"],
}
FOREST_COLUMNS = TREE_COLUMNS | {"BALD": _column("bald", ensemble="forest")}


def _but_uniform(columns: Mapping[str, Column]) -> dict[str, Column]:
    """Return the columns of a table that does not print Uniform: it is not ranked, and the rest is measured by it."""
    return {title: column for title, column in columns.items() if title != BASELINE}


MULTICLASS_COLUMNS: dict[str, Column] = {
    "Uniform": UNIFORM,
    "US-SM": _column("margin"),
    "US-LC": _column("least-confident"),
    "US-ME": _column("entropy"),
    "BALD": _column("bald-published"),
    "Core-Set": _column("core-set"),
    "MCM": _column("mcm-published"),
}
BATCHES: dict[str, Column] = {
    title: Column({"name": "margin"}, keys={"batch": batch})
    for title, batch in {"1 (Original)": 1, "10": 10, "100": 100}.items()
}


def _mean_and_sd(label: str, column: Column) -> dict[str, Column]:
    """Return the columns of a table of one strategy; their runs are those of the tables that print it beside others."""
    return {"Mean": replace(column, label=label), "SD": replace(column, label=label, sd=True)}


RAW = {"split": {"standardize": False}}
"""Of the runs of XGBoost with two classes; those with more, and all of the other models, were standardised."""

ONE_SPLIT = {"split": {"seed": 0}, "start": {"method": "random"}}
"""One test set for all seeds, and start rows that differ: the printed SDs of Table 8 are too small for test sets drawn
anew. The pool has one order then, so that Uniform has to draw."""

ONE_SHOT = {"start": {"method": "per-class", "size": 1}} | RAW | {"metrics": {"round": ["f1-weighted"]}}

TARGETS: tuple[Target, ...] = (
    Target(3, "XGBoost: mean AUBC, best and worst strategy", "aubc", XGBOOST, TREE_COLUMNS, RAW),
    Target(4, "XGBoost: accuracy with 20 % of the labels", "value-at", XGBOOST, TREE_COLUMNS, RAW, 0.2),
    Target(5, "XGBoost: labels to 99 % of the full accuracy", "labels-to", XGBOOST, TREE_COLUMNS, RAW, 0.99, False),
    Target(6, "XGBoost: average rank of AUBC", "rank", XGBOOST, _but_uniform(TREE_COLUMNS), RAW, percent=False),
    Target(7, "XGBoost: data utilisation rate", "utilisation", XGBOOST, _but_uniform(TREE_COLUMNS), RAW, 0.01),
    Target(8, "XGBoost, several classes: mean AUBC", "aubc", XGBOOST,
           MULTICLASS_COLUMNS | {"Uniform": _column("random")}, ONE_SPLIT),
    Target(9, "XGBoost, images and texts: mean AUBC", "aubc", XGBOOST, MULTICLASS_COLUMNS),
    Target(10, "XGBoost, one-shot start: weighted F1 with 20 % of the labels", "value-at", XGBOOST, MULTICLASS_COLUMNS,
           ONE_SHOT, 0.2),
    Target(11, "XGBoost: accuracy after 3,000 queries, batches of 1, 10, 100", "final", XGBOOST, BATCHES, RAW),
    Target(12, "XGBoost: accuracy with 10 % of the labels", "value-at", XGBOOST, TREE_COLUMNS, RAW, 0.1),
    Target(13, "XGBoost: accuracy with 30 % of the labels", "value-at", XGBOOST, TREE_COLUMNS, RAW, 0.3),
    Target(14, "XGBoost: labels to 90 % of the full accuracy", "labels-to", XGBOOST, TREE_COLUMNS, RAW, 0.9, False),
    Target(15, "XGBoost: labels to 95 % of the full accuracy", "labels-to", XGBOOST, TREE_COLUMNS, RAW, 0.95, False),
    Target(19, "RBF-SVM: mean AUBC", "aubc", RBF_SVM, SVM_COLUMNS, budget="all"),
    Target(20, "RBF-SVM: mean AUBC beside the earlier benchmark", "aubc", RBF_SVM,
           {"Uniform": UNIFORM, "BSO": BSO}, budget="all"),
    Target(21, "RBF-SVM, Uniform: mean and SD of AUBC", "aubc", RBF_SVM,
           _mean_and_sd(BASELINE, UNIFORM), budget="all"),
    Target(22, "RBF-SVM, beam-search oracle: mean and SD of AUBC", "aubc", RBF_SVM,
           _mean_and_sd("BSO", BSO), budget="all"),
    Target(23, "RBF-SVM: view scores", "views", RBF_SVM, _but_uniform(SVM_COLUMNS) | {"BSO": BSO}, budget="all"),
    Target(25, "Random forest: mean AUBC, best and worst strategy", "aubc", FOREST, FOREST_COLUMNS),
    Target(26, "Random forest: accuracy with 20 % of the labels", "value-at", FOREST, FOREST_COLUMNS, {}, 0.2),
    Target(27, "Random forest: average rank of AUBC", "rank", FOREST, _but_uniform(FOREST_COLUMNS), {}, percent=False),
    Target(28, "Random forest: data utilisation rate", "utilisation", FOREST, _but_uniform(FOREST_COLUMNS), {}, 0.01),
)  # fmt: skip
BY_NAME = {target.name: target for target in TARGETS}
