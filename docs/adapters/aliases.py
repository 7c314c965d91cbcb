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
        "the same, but `playground.margin` takes decision values where the learner has them, and probabilities only "
        "where not; `libact.margin` takes probabilities first; the others know no decision values, apart from `margin`."
    ),
    "entropy": "the same; ALiPy takes 0 for 1e-6, libact for the smallest positive number, the others 0 log 0 for 0.",
    "least-confident": "the same; `libact.least-confident` takes decision values where there are no probabilities.",
    "qbc-vote": (
        "each bags in its own way: a sample that lacks a class is kept (ALiPy), drawn again (libact, scikit-activeml) or "
        "drawn within the classes (modAL)."
    ),
    "qbc-kl": "as `qbc-vote`; modAL has the largest divergence of a member instead of the mean: `modal.max-disagreement`.",
    "core-set": "the same, where nothing is labelled apart; distances Euclidean unless asked otherwise.",
    "graph-density": (
        "the same for the rows that are asked one at a time; in batches, the playground takes density from the "
        "neighbours of what it would have chosen itself, ALiPy from those of all that was labelled."
    ),
    "density-weighted": (
        "ALiPy multiplies by the mean *distance* to the unlabelled rows, libact by the cosine to the centre of the row's "
        "own cluster; `modal.information-density` multiplies least confidence by the mean of 1 / (1 + distance)."
    ),
    "hierarchical": (
        "libact prunes after every label and draws by the bound on errors; the playground prunes once per batch and "
        "draws by size and impurity."
    ),
    "quire": (
        "libact and ALiPy share a wrong downdate, an inner product for an outer one, and ALiPy also takes K_ll for 0; "
        "scikit-activeml has the paper's inverses, and one class against the rest."
    ),
    "eer": (
        "the loss is log-loss on the other unlabelled rows in ALiPy, the same with the tried row in libact, 1 - max p on "
        "the other rows in modAL (log-loss: `modal.log-loss-reduction`), and 1 - max p on the whole pool, the labelled "
        "rows included, in scikit-activeml."
    ),
    "alce": (
        "libact embeds the classes once per run, scikit-activeml in each query, each in an orientation of chance, in "
        "which the regressors of single coordinates differ."
    ),
    "mmc": "the same, apart from the order of fits; libact and ALiPy both predict the number of labels as classes.",
    "adaptive": "the same, apart from the trade-offs' ties and the error, which ALiPy takes on the unlabelled rows only.",
}
"""Names that two libraries share, and how what they stand for differs."""
SAME = {
    "core-set": "`skactiveml.greedy-sampling-x`",
    "binary-minimization": "`modal.binary-minimum`",
    "qbc-std": "`modal.committee-std`",
    "margin": "`playground.informative-cluster-diverse` for a batch of one",
    "density-weighted": "`modal.information-density`",
}
"""The same method under another name."""


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
    yield "Made by `uv run --group adapters python docs/adapters/aliases.py`. A name is the library's prefix and what the"
    yield "field calls the method, if it has a name for it, else what the library calls it. Names without a prefix are"
    yield "alcore's own."
    yield ""
    yield "## Where two of one name differ"
    yield ""
    yield "| name | difference |"
    yield "|---|---|"
    for name in shared():
        yield f"| `{name}` | {DIFFER[name]}{f' Also: {SAME[name]}.' if name in SAME else ''} |"
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
