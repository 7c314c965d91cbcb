"""The strategies of ALiPy behind alcore's interface.

Nothing of ALiPy is imported here: ``alcore list`` loads every plugin.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from typing import Any

import alcore

alcore_api = 1

ALIPY = {
    "alipy": "pip install alipy==1.2.5",
    "prettytable": "pip install prettytable (ALiPy imports it without saying so)",
}
CVXPY = {"cvxpy": "pip install cvxpy"}
EVERY_TASK = frozenset(alcore.Task)
MULTILABEL = frozenset({alcore.Task.MULTILABEL})


def _no_solver() -> str | None:
    if any(importlib.util.find_spec(solver) for solver in ("osqp", "clarabel")):
        return None
    return "needs the solver OSQP or Clarabel, and neither is installed: pip install osqp"


def _spec(name: str, summary: str, make: str, source: str, **fields: Any) -> alcore.StrategySpec:
    requires = ALIPY | fields.pop("requires", {})
    return alcore.StrategySpec(
        name=f"alipy.{name}", summary=summary, make=f"alcore_alipy.{make}", source=source, requires=requires, **fields
    )


@alcore.hookimpl
def alcore_strategies() -> Iterable[Any]:
    """Return the strategies of ALiPy that choose rows."""
    return [*_by_model(), *_by_place(), *_multilabel()]


def _by_model() -> list[alcore.StrategySpec]:
    unsure: dict[str, Any] = {"batch": "top", "group": "uncertainty"}
    committee: dict[str, Any] = {"batch": "top", "group": "committee", "stochastic": True}
    return [
        _spec("random", "Any unlabelled row, each equally likely", "uncertainty:Random", "", group="baseline",
              tasks=EVERY_TASK, learner=False, stochastic=True, uniform=True),
        _spec("least-confident", "Smallest probability of the likeliest class", "uncertainty:least_confident",
              "Lewis and Gale (1994)", needs=("proba",), **unsure),
        _spec("margin", "Smallest gap between the two likeliest classes", "uncertainty:margin",
              "Scheffer et al. (2001)", needs=("proba",), **unsure),
        _spec("entropy", "Largest entropy of the predicted class", "uncertainty:entropy", "Shannon (1948)",
              needs=("proba",), **unsure),
        _spec("distance-to-boundary", "Smallest absolute decision value", "uncertainty:distance_to_boundary",
              "Tong and Koller (2001)", needs=("decision",), max_classes=2, **unsure),
        _spec("qbc-vote", "Largest vote entropy of a bagged committee", "refitting:vote",
              "Seung et al. (1992); Abe and Mamitsuka (1998)", **committee),
        _spec("qbc-kl", "Largest divergence of a bagged committee's probabilities from their mean", "refitting:kl",
              "McCallum and Nigam (1998)", needs=("proba",), **committee),
        _spec("eer", "Least expected log-loss on the unlabelled rows after one more label",
              "refitting:ExpectedErrorReduction", "Roy and McCallum (2001)", needs=("proba",), batch="top",
              growth="quadratic", group="expected change"),
        _spec("lal", "Largest error reduction predicted by a regressor trained on simulated tasks",
              "lal:LearnedActiveLearning", "Konyushkova, Sznitman and Fua (2017)", learner=False, max_classes=2,
              batch="top", sparse=False, stochastic=True, group="learned"),
    ]  # fmt: skip


def _by_place() -> list[alcore.StrategySpec]:
    free: dict[str, Any] = {"learner": False, "sparse": False}
    program: dict[str, Any] = {"max_classes": 2, "growth": "cubic", "group": "representation", "requires": CVXPY,
                               "unavailable": _no_solver, **free}  # fmt: skip
    return [
        _spec("density-weighted", "Uncertainty times mean distance to the unlabelled rows",
              "geometry:DensityWeighted", "Settles and Craven (2008); ALiPy's variant", needs=("proba",), batch="top",
              sparse=False, growth="quadratic", group="uncertainty"),
        _spec("core-set", "The row farthest from all labelled rows", "geometry:CoreSet",
              "Sener and Savarese (2018)", tasks=EVERY_TASK, stateful=True, group="representation", **free),
        _spec("graph-density", "The densest row of a neighbour graph, thinned by each pick", "geometry:GraphDensity",
              "Ebert, Fritz and Schiele (2012)", tasks=EVERY_TASK, stateful=True, growth="quadratic",
              group="representation", **free),
        _spec("quire", "Informative and representative rows by a min-max view", "geometry:Quire",
              "Huang, Jin and Zhou (2014)", max_classes=2, batch="top", growth="cubic", group="representation", **free),
        _spec("bmdr", "Discriminative and representative batches by quadratic programs", "programs:bmdr",
              "Wang and Ye (2013)", **program),
        _spec("spal", "Self-paced batches, easy ones first, by quadratic programs", "programs:spal",
              "Tang and Huang (2019)", **program),
    ]  # fmt: skip


def _multilabel() -> list[alcore.StrategySpec]:
    many: dict[str, Any] = {"tasks": MULTILABEL, "group": "multi-label"}
    free: dict[str, Any] = {"learner": False, "sparse": False, "batch": "top", **many}
    return [
        _spec("multilabel-random", "Any unlabelled row, each equally likely", "multilabel:MultilabelRandom", "",
              learner=False, stochastic=True, uniform=True, **many),
        _spec("audi", "The row whose number of labels differs most from the average", "multilabel:Audi",
              "Huang and Zhou (2013)", stochastic=True, growth="quadratic", **free),
        _spec("multilabel-quire", "QUIRE over instance-label pairs", "multilabel:MultilabelQuire",
              "Huang, Jin and Zhou (2014)", growth="cubic", **free),
        _spec("mmc", "Largest expected loss with the likeliest number of labels", "multilabel:MaximumLossReduction",
              "Yang et al. (2009)", needs=("proba",), batch="top", **many),
        _spec("adaptive", "Margin and label cardinality, traded off by expected error", "multilabel:Adaptive",
              "Li and Guo (2013)", needs=("decision|proba",), **many),
    ]  # fmt: skip
