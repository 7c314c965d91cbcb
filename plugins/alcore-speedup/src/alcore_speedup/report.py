"""The section of a store's report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from alcore_speedup.evaluation import companions
from alcore_speedup.factor import Factors, speed_up
from alcore_speedup.setup import Setup

if TYPE_CHECKING:
    from alcore.report.page.sections import Results

HEAD = ("strategy", "S", "95 % interval", "seeds", "connected", "S fixed", "AULC ratio", "LC mean", "why")


def sections(results: Results) -> list[tuple[str, Callable[[], str]]]:
    """Return one section with a table per setup that has the baseline; none where no setup has it with another."""
    from alcore_speedup.files import of_records

    base = results.baseline
    setups = [
        setup
        for setup in of_records(results.records, results.store, results.of)
        if base in setup.strategies and len(setup.strategies) > 1
    ]
    return [(f"Speed-up over {base}", lambda: _tables(setups, base))] if setups else []


def _tables(setups: Sequence[Setup], baseline: str) -> str:
    return "\n".join(_table(speed_up(setup, baseline)) for setup in setups)


def _table(found: Factors) -> str:
    setup = found.setup
    title = f"{setup.names['dataset']}, {setup.names['learner']}, {setup.names['metric']}"
    others = companions(found)
    seeds = np.isfinite(setup.start).sum(axis=1)
    rows = []
    for one in found.others:
        mine = others[one.strategy]
        spread = "" if one.interval is None else f"{one.interval[0]:.2f} to {one.interval[1]:.2f}"
        n, most = int(seeds[setup.position(one.strategy)]), len(setup.seeds)
        numbers = (mine.connected.mean, mine.fixed, mine.aulc_ratio, mine.lc_mean)
        cells = [one.strategy, _number(one.speed_up), spread, f"{n}" if n == most else f"{n} of {most}*"]
        cells += [*map(_number, numbers), one.reason or ""]
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    head = "<tr>" + "".join(f"<th>{escape(name)}</th>" for name in HEAD) + "</tr>"
    return f"<h3>{escape(title)}</h3>\n<table>\n{head}\n" + "\n".join(rows) + "\n</table>"


def _number(value: float) -> str:
    return f"{value:.3f}" if np.isfinite(value) else "-"
