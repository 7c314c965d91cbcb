"""What stands between alcore and Google's playground, as data: the docs make their tables of it."""

from __future__ import annotations

from typing import Any

LIBRARY = "Google's playground"
DISTRIBUTION: str | None = None
"""What it is called on PyPI, if it is there."""

SHIMS: dict[str, str] = {
    "sampling_methods": "the checkout's own, while it is imported; afterwards what it was before",
    "numpy.product": "gone since NumPy 2.0; inside the checkout's modules",
    "numpy.float": "gone since NumPy 1.24; inside the checkout's modules",
    "numpy.argsort": "stable; inside the checkout's modules",
    "kcenter_greedy.max": "a number, of an array that is printed as one: fatal on NumPy 2.4",
    "hierarchical_clustering_AL.AgglomerativeClustering": "`affinity` and `n_components_` under their names of today",
}
"""Names that are lent to it, and why."""

FIXES: dict[str, str] = {
    "`uniform` ignores its seed and takes the first rows": "`playground.uniform` shuffles",
    "samplers are given all labels, hidden ones included": (
        "labels that only say how many classes there are; the labels of labelled rows where they are used"
    ),
    "constructors seed NumPy's global state, clusterings draw from it": "seeded by the run and restored",
    "ties go to the first row, sorts are unstable": (
        'rows come in an order drawn from the seed; with `ties="first"` in the file\'s, stably sorted'
    ),
    "any error of `decision_function` means probabilities": "the error is raised",
    "NaN is ranked as a number": "an error",
    "everything is printed": "silence",
    "`mcm` fails with two classes (`any` of a number)": "it gets a column per class",
    "shares of clusters shift where a cluster is empty": "counted per cluster",
    "`kcenter` makes a matrix of its distances when several rows are new": "one new row at a time",
    "`kcenter` asks for labelled rows, or one row twice, where rows are equal": "labelled rows are out",
    "`kcenter` without labels begins with row 0": "any row",
    "`graph_density` answers labelled rows when fewer are left than asked for": "what is left",
    "`hierarchical` fails while one class is labelled, and learns of classes as they come": (
        "all classes count from the start"
    ),
    "a deep tree of clusters exceeds the recursion limit": "raised meanwhile",
    "the default mixtures have `weight` for `weights`": "given",
    "a bandit's weights grow to infinity": "scaled down",
    "a simulation that gets no validation row right answers nothing": "the first mixture's own batch",
    "`i not in already_selected` searches a list for every row": "a set",
}
"""What the library does, and what is there instead."""

CALLS: dict[str, str] = {
    "uniform": "`UniformSampling` (`uniform`)",
    "uniform-unshuffled": "`UniformSampling` (`uniform`)",
    "margin": "`MarginAL` (`margin`)",
    "informative-cluster-diverse": "`InformativeClusterDiverseSampler` (`informative_diverse`)",
    "mcm": "`RepresentativeClusterMeanSampling` (`margin_cluster_mean`)",
    "core-set": "`kCenterGreedy` (`kcenter`)",
    "graph-density": "`GraphDensitySampler` (`graph_density`)",
    "hierarchical": "`HierarchicalClusterAL` (`hierarchical`)",
    "mixture": "`MixtureOfSamplers` (`mixture_of_samplers`)",
    "bandit": "`BanditDiscreteSampler` (`bandit_mixture`, `bandit_discrete`)",
    "simulate-batch": (
        "`SimulateBatchSampler` (`simulate_batch_mixture`, `simulate_batch_best_sim`, `simulate_batch_frequency`)"
    ),
}
"""What each strategy is in the library."""

NOTES: dict[str, str] = {
    "uniform": "on a pool shuffled by the seed, as the playground expects",
    "uniform-unshuffled": "as published: the first rows of the file, one class after the other where it is sorted",
    "margin": "decision values; probabilities only where there are none",
    "informative-cluster-diverse": "as `margin`; as many clusters as classes; equals `margin` for a batch of one",
    "mcm": "decision values",
    "core-set": "no learner; distances in `Pool.features`",
    "graph-density": ("no learner; a pool of 11 rows or more; the graph is built once per pool, 16 s for 2,000 rows"),
    "hierarchical": ("a start set; `beta`, `affinity`, `linkage`, `max_features`; a second per query for 2,000 rows"),
    "mixture": "`methods` and `weights`",
    "bandit": "`methods`, `arms`, `gamma`, `folds`; cannot be resumed",
    "simulate-batch": "probabilities; `methods`, `arms`, `n_sims`, `train_per_sim`, `return_type`, `validation`",
}
"""What differs, is fixed, declared or needed, strategy by strategy."""

CHECKED_WITH: dict[str, dict[str, Any]] = {"simulate-batch": {"n_sims": 3, "train_per_sim": 3}}
"""Parameters that the conformance suite is run with; they only save time."""

EXCUSES: dict[str, dict[str, str]] = {
    "uniform-unshuffled": {
        "ties-are-not-file-order": "published: the rows come in the order of the file, which playground.uniform mends"
    }
}
"""Rules of the suite that a strategy breaks on purpose, and why."""
