"""What commands share."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from alcore.errors import DamagedWarning

if TYPE_CHECKING:
    import pandas as pd

    from alcore.selection import Selected
    from alcore.store import Store

F = TypeVar("F", bound=Callable[..., Any])

as_json: Callable[[F], F] = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
store_argument: Callable[[F], F] = click.argument("store", type=click.Path(path_type=Path))
protocol_option: Callable[[F], F] = click.option(
    "--protocol",
    metavar="N|ID",
    help="Which protocol of the store, as alcore status lists them; by default the latest.",
)


def open_selected(store: Path, protocol: str | None = None) -> Selected:
    """Return what tables read of a store: the runs of one protocol."""
    from alcore.selection import selected
    from alcore.store import Store

    return selected(Store(store), protocol)


def doubts_of(store: Store, runs: pd.DataFrame) -> list[dict[str, Any]]:
    """Return why the numbers of some of these runs mean little: by name, how many runs, and what the first one said."""
    from alcore import doubts

    kinds = {name for name, kind in vars(doubts).items() if isinstance(kind, type) and issubclass(kind, UserWarning)}
    found: dict[str, dict[str, Any]] = {}
    for run in runs.loc[runs["warnings"] > 0, "run"]:
        for text in store.about(run)["warnings"]:
            name, _, message = str(text).partition(": ")
            if name in kinds:
                found.setdefault(name, {"name": name, "runs": 0, "message": message})["runs"] += 1
    return list(found.values())


def print_doubts(found: Sequence[Mapping[str, Any]]) -> None:
    """Print to stderr what ``doubts_of`` found."""
    for one in found:
        click.echo(f"{one['name']} in {one['runs']} run{'s' if one['runs'] > 1 else ''}: {one['message']}", err=True)


@contextmanager
def damage_noted() -> Iterator[None]:
    """Say once, on standard error, what damaged files were left out of what a command reads."""
    told: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", DamagedWarning)
        show = warnings.showwarning

        def note(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if not issubclass(category, DamagedWarning):
                show(message, category, *where, **more)
            elif str(message) not in told:
                told.add(str(message))
                click.echo(f"Note: {message}", err=True)

        warnings.showwarning = note
        yield


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(value, indent=2, default=str))


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table for people, as wide as the terminal, or as it needs where there is none."""
    print_groups(title, columns, {"": rows})


def print_groups(title: str, columns: Sequence[str], groups: Mapping[str, Sequence[Sequence[str]]]) -> None:
    """Print a table whose rows stand in groups, each under its name."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if not console.is_terminal:
        console = Console(width=10_000)  # a file or a pipe wants one line per row
    shown = Table(title=title or None, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column in columns:
        shown.add_column(column, overflow="fold")
    for group, rows in groups.items():
        if group:
            shown.add_section()
            shown.add_row(group, style="italic")
        for row in rows:
            shown.add_row(*row)
    console.print(shown, markup=False, highlight=False)
