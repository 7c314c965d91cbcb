"""Make docs/adapters/aliases.md: which library calls what by which name, and where two of one name differ.

    uv run --group adapters python docs/adapters/aliases.py

Names come from the Specs, and what a library calls them from its adapter's ``border.CALLS``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from alcore import StrategySpec
from alcore.plugins import loaded

OWN = ("alcore", "alcore-strategies")
LIBRARIES = {
    "alipy": "ALiPy",
    "libact": "libact",
    "modal": "modAL",
    "playground": "the playground",
    "skactiveml": "scikit-activeml",
}
DIFFER = {
    "random": "each draws with its own generator; all are uniform.",
    "margin": (
        "the same, but `playground.margin` takes decision values where the learner has them, which order rows of three "
        "classes otherwise than probabilities do; `libact.margin` takes probabilities first; those of ALiPy, modAL and "
        "scikit-activeml know no decision values."
    ),
    "entropy": "the same; ALiPy takes 0 for 1e-6, libact for the smallest positive number, the others 0 log 0 for 0.",
    "least-confident": "the same; `libact.least-confident` takes decision values where there are no probabilities.",
    "qbc-vote": (
        "each bags in its own way: a sample that lacks a class is kept (ALiPy), drawn again (libact, scikit-activeml), "
        "or drawn within the classes (modAL)."
    ),
    "qbc-kl": "as `qbc-vote`; modAL has the largest divergence of a member for the mean: `modal.max-disagreement`.",
    "core-set": "the same.",
    "graph-density": (
        "the same for rows that are asked one at a time; in a batch, rows take density from their neighbours in ALiPy "
        "whatever was labelled, in the playground where it is what the sampler chose."
    ),
    "density-weighted": (
        "ALiPy multiplies by the mean *distance* to the unlabelled rows, libact by the cosine to the centre of the "
        "row's own cluster; `modal.information-density` multiplies least confidence by the mean of 1 / (1 + distance)."
    ),
    "hierarchical": "the same idea in two programs; both draw rows by chance.",
    "quire": (
        "libact and ALiPy have the same lines, faults included (an inner product for an outer one, K_ll taken for 0); "
        "scikit-activeml has the paper's inverses, one class against the rest, and a kernel width of its own."
    ),
    "eer": (
        "the loss is the log-loss of the other unlabelled rows in ALiPy and of the tried row, too, in libact; "
        "1 - max p of the other rows in modAL (log-loss: `modal.log-loss-reduction`), and of the whole pool, labelled "
        "rows included, in scikit-activeml."
    ),
    "alce": (
        "the same, but where the classes are embedded by chance: once per run in libact, in each query in "
        "scikit-activeml. Regressors of single coordinates depend on how the embedding is turned."
    ),
    "mmc": "the same.",
    "adaptive": "ALiPy cuts the approximate hinge error off at 0, libact lets it be negative.",
}
"""Names that two libraries share, and how what they stand for differs."""
TWINS = [
    ("`skactiveml.core-set`", "`skactiveml.greedy-sampling-x`"),
    ("`modal.binary-minimum`", "`libact.binary-minimization`"),
    ("`modal.committee-std`", "`skactiveml.qbc-std`, apart from the bags"),
    ("`playground.margin`", "`playground.informative-cluster-diverse` for a batch of one"),
]
"""The same method under two names."""


def groups() -> dict[str, list[tuple[str, StrategySpec]]]:
    """Return, by the name without its prefix, who has it: an adapter, or "alcore"."""
    found = defaultdict(list)
    for entry in loaded().registry.entries("strategy"):
        prefix, _, name = entry.spec.name.rpartition(".")
        if prefix in LIBRARIES or entry.distribution in OWN:
            found[name].append((prefix or "alcore", entry.spec))
    return dict(sorted(found.items()))


def call(who: str, spec: StrategySpec) -> str:
    """Return what the strategy is in its library."""
    if who == "alcore":
        return spec.summary
    told: str = import_module(f"alcore_{who}.border").CALLS[spec.name.partition(".")[2]]
    return f"{LIBRARIES[who]}: {told}"


def shared() -> list[str]:
    """Return the names that two or more libraries have."""
    return [name for name, have in groups().items() if len([who for who, _ in have if who != "alcore"]) > 1]


def page() -> str:
    """Return aliases.md."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Names"
    yield ""
    yield "Made by `uv run --group adapters python docs/adapters/aliases.py`. A name is the library's prefix and what"
    yield "the field calls the method, if it has a name for it, else what the library calls it. Names without a prefix"
    yield "are alcore's own."
    yield ""
    yield f"The same under two names: {'; '.join(f'{a} and {b}' for a, b in TWINS)}."
    yield ""
    yield "## Where two of one name differ"
    yield ""
    yield "| name | difference |"
    yield "|---|---|"
    for name in shared():
        yield f"| `{name}` | {DIFFER[name]} |"
    yield ""
    yield "## What a name is in its library"
    yield ""
    yield "| name | strategy | what it is there |"
    yield "|---|---|---|"
    for name, have in groups().items():
        for at, (who, spec) in enumerate(sorted(have, key=lambda one: one[1].name)):
            yield f"| {f'`{name}`' if at == 0 else ''} | `{spec.name}` | {call(who, spec)} |"


if __name__ == "__main__":
    (Path(__file__).parent / "aliases.md").write_text(page(), encoding="utf8")
