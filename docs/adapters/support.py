"""Make docs/adapters/support.md: what works of each library, from the Specs and a run of the conformance suite.

    ALCORE_PLAYGROUND_PATH=CHECKOUT uv run --group adapters python docs/adapters/support.py

runs the suite on every adapted strategy, half an hour long, and keeps what it found in support.json; ``--render`` makes
the page anew from that and from what the Specs and adapters say now.
"""

from __future__ import annotations

import json
import os
import platform
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

import click

from alcore import StrategySpec, Task, testing
from alcore.plugins import loaded

HERE = Path(__file__).parent
ADAPTERS = ("alipy", "libact", "modal", "playground", "skactiveml")
HEAD = ["strategy", "works", "checks", "tasks", "classes", "learner", "batch", "X", "state", "growth", "at the border"]


def border(adapter: str) -> Any:
    """Return the module in which an adapter says what it does."""
    return import_module(f"alcore_{adapter}.border")


def specs(adapter: str) -> list[StrategySpec]:
    """Return an adapter's Specs."""
    entries = loaded().registry.entries("strategy")
    return [entry.spec for entry in entries if entry.distribution == f"alcore-{adapter}"]


def short(spec: StrategySpec) -> str:
    """Return its name without the library."""
    return spec.name.partition(".")[2]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)


def checked(name: str) -> dict[str, Any]:
    """Run the conformance suite on one strategy."""
    spec = loaded().registry.entry("strategy", name).spec
    if (reason := spec.missing()) is not None:
        return {"unavailable": reason}
    told = border(name.partition(".")[0])
    report = testing.check_strategy(
        name, params=told.CHECKED_WITH.get(short(spec)), excuses=told.EXCUSES.get(short(spec))
    )
    counts = Counter(str(result.status) for result in report)
    return {status: counts[status] for status in testing.CheckStatus} | {"broken": report.failed}


def run(jobs: int, done: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Run the suite on every strategy that is not ``done``, and yield what is known after each."""
    names = [spec.name for adapter in ADAPTERS for spec in specs(adapter)]
    packages = {"numpy", "scikit-learn"} | {border(adapter).DISTRIBUTION for adapter in ADAPTERS} - {None}
    here = {"python": platform.python_version(), "versions": {name: _version(name) for name in sorted(packages)}}
    left = [name for name in names if name not in done]
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        for name, result in zip(left, pool.map(checked, left), strict=True):
            done = done | {name: result}
            yield here | {"strategies": {name: done[name] for name in names if name in done}}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def page(results: dict[str, Any]) -> str:
    """Return support.md."""
    return "\n\n".join(_sections(results)) + "\n"


def _sections(results: dict[str, Any]) -> Iterator[str]:
    versions = results["versions"]
    yield "# What works"
    yield (
        "Made by `uv run --group adapters python docs/adapters/support.py`, from what the strategies say of\n"
        "themselves and a run of [the conformance suite](../strategies.md#does-it-keep-them) with "
        f"Python {results['python']},\nNumPy {versions['numpy']} and scikit-learn {versions['scikit-learn']}."
    )
    yield "\n".join(_meanings())
    overview = []
    for adapter in ADAPTERS:
        told, mine = border(adapter), [results["strategies"][spec.name] for spec in specs(adapter)]
        counts = Counter(_works(one)[0] for one in mine)
        total = [str(sum(one.get(status, 0) for one in mine)) for status in testing.CheckStatus]
        what = versions[told.DISTRIBUTION] if told.DISTRIBUTION else "a checkout"
        link = f"[{told.LIBRARY}](#{told.LIBRARY.lower().replace(' ', '-').replace(chr(39), '')})"
        overview.append([link, what, str(len(mine)), str(counts["yes"]), *total])
    yield table(["library", "version", "strategies", "work", *map(str, testing.CheckStatus)], overview)
    for adapter in ADAPTERS:
        yield from _library(adapter, results["strategies"])


def _meanings() -> Iterator[str]:
    yield "- **checks**: passed / skipped, because they do not apply / excused, because broken on purpose."
    yield "- **learner**: what the query learner must say; `any` of them; `-` where it is not asked."
    yield "- **batch**: `native` composes it, `top` takes the n best scores, `single` answers one row at a time."
    yield "- **X**: `any` container with what the learner takes, or `dense`."
    yield "- **state**: kept between rounds; **growth**: of a query's cost in the number of rows."


def _library(adapter: str, results: dict[str, Any]) -> Iterator[str]:
    told = border(adapter)
    yield f"## {told.LIBRARY}"
    yield f"How it is called: [{adapter}]({adapter}.md)."
    yield table(HEAD, [_row(spec, results[spec.name], told.NOTES.get(short(spec), "")) for spec in specs(adapter)])
    notes = [
        f"`{spec.name}` {_works(results[spec.name])[1]}" for spec in specs(adapter) if _works(results[spec.name])[1]
    ]
    excused = [
        f"`{adapter}.{name}` is excused from `{rule}`: {why}."
        for name, rules in told.EXCUSES.items()
        for rule, why in rules.items()
    ]
    if notes or excused:
        yield "\n".join(f"- {note}" for note in [*notes, *excused])
    if told.SHIMS:
        yield table(["lent to it", "why, how"], [[f"`{name}`", why] for name, why in told.SHIMS.items()])
    else:
        yield "Nothing is lent to it while it is imported."
    yield table([f"what {told.LIBRARY} does", "here"], [[fault, fix] for fault, fix in told.FIXES.items()])


def _works(result: dict[str, Any]) -> tuple[str, str]:
    if "unavailable" in result:
        return "no", f"{result['unavailable']}"
    broken = ", ".join(f"`{check}`" for check in result["broken"])
    return ("in part", f"breaks {broken}.") if broken else ("yes", "")


def _row(spec: StrategySpec, result: dict[str, Any], note: str) -> list[str]:
    counts = " / ".join(str(result.get(status, 0)) for status in ("passed", "skipped", "excused"))
    return [
        f"`{spec.name}`",
        _works(result)[0],
        "-" if "unavailable" in result else counts,
        "any" if spec.tasks == set(Task) else ", ".join(sorted(spec.tasks)),
        classes(spec),
        (", ".join(spec.needs).replace("|", " or ") or "any") if spec.learner else "-",
        spec.batch,
        "any" if spec.sparse else "dense",
        ("yes" if spec.resumable else "yes, cannot be resumed") if spec.stateful else "-",
        str(spec.growth),
        note,
    ]


def classes(spec: StrategySpec) -> str:
    """Return how many classes it serves."""
    if Task.CLASSIFICATION not in spec.tasks:
        return "-"
    return str(spec.max_classes or "any")


@click.command()
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, show_default=True)
@click.option("--missing", is_flag=True, help="Run the suite only where support.json has nothing yet.")
@click.option("--render", is_flag=True, help="Run nothing: make the page from support.json.")
def main(jobs: int, missing: bool, render: bool) -> None:
    """Run the suite, and write the page."""
    kept = HERE / "support.json"
    if not render:
        done = json.loads(kept.read_text(encoding="utf8"))["strategies"] if missing and kept.exists() else {}
        for results in run(jobs, done):
            kept.write_text(json.dumps(results, indent=1) + "\n", encoding="utf8")
    (HERE / "support.md").write_text(page(json.loads(kept.read_text(encoding="utf8"))), encoding="utf8")


if __name__ == "__main__":
    main()
