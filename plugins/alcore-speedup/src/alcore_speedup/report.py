"""The section of a store's report."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from alcore_speedup.evaluation import companions
from alcore_speedup.factor import Factors, speed_up

if TYPE_CHECKING:
    from alcore.store import Store

HEAD = ("strategy", "S", "95 % interval", "connected", "S fixed", "AULC ratio", "LC mean", "why")


def sections(results: Store) -> list[tuple[str, str]]:
    """Return one section with a table per setup that has a strategy called ``random``; none without such a setup."""
    from alcore_speedup.files import of_store

    setups = [setup for setup in of_store(results) if "random" in setup.strategies and len(setup.strategies) > 1]
    tables = [_table(speed_up(setup)) for setup in setups]
    return [("Speed-up over random", "\n".join(tables))] if tables else []


def _table(found: Factors) -> str:
    names = found.setup.names
    title = f"{names['dataset']}, {names['learner']}, {names['metric']}"
    others = companions(found)
    rows = []
    for one in found.others:
        mine = others[one.strategy]
        spread = "" if one.interval is None else f"{one.interval[0]:.2f} to {one.interval[1]:.2f}"
        numbers = (mine.connected.mean, mine.fixed, mine.aulc_ratio, mine.lc_mean)
        cells = [one.strategy, _number(one.speed_up), spread, *map(_number, numbers), one.reason or ""]
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    head = "<tr>" + "".join(f"<th>{escape(name)}</th>" for name in HEAD) + "</tr>"
    return f"<h3>{escape(title)}</h3>\n<table>\n{head}\n" + "\n".join(rows) + "\n</table>"


def _number(value: Any) -> str:
    return f"{value:.3f}" if value == value else "-"
