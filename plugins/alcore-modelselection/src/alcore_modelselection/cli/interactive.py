"""The conversation of ``alcore select-model``: one row at a time, the state kept after each answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from alcore.errors import InputError
from alcore_modelselection.selection import Selection

SKIP, STOP = ":s", ":q"
SHOWN = 10


class Dialogue:
    """Asks for labels until it has enough, nothing is left, or the person stops.

    Parameters
    ----------
    selection : Selection
    kept : the file that keeps its state
    lines : what each row is, shown with the question; may be empty
    as_json : print the outcome as JSON on standard output; the conversation goes to standard error then
    """

    def __init__(self, selection: Selection, kept: Path, lines: Sequence[str], as_json: bool) -> None:
        self.selection, self.kept, self.lines, self.as_json = selection, kept, lines, as_json
        self.console = Console(stderr=as_json)
        if lines and len(lines) < selection.predictions.n_rows:
            raise InputError(f"--show has {len(lines)} rows, the predictions have {selection.predictions.n_rows}.")

    def run(self, steps: int) -> None:
        """Ask for up to ``steps`` labels, those of earlier sittings included."""
        names = ", ".join(str(name) for name in self.selection.predictions.classes[:20])
        click.echo(f"Classes: {names}. {SKIP} = cannot tell, {STOP} = stop; labels are kept in {self.kept}.", err=True)
        self._show()
        while len(self.selection.labeled) < steps and self.selection.left:
            if not self._answer(int(self.selection.ask()[0])):
                break
            self.selection.save(self.kept)
            self._show()
        self._close()

    def _answer(self, row: int) -> bool:
        """Ask for the label of one row until it can be used; return False to stop."""
        what = f" ({self.lines[row]})" if self.lines else ""
        while True:
            try:
                text = click.prompt(f"Row {row}{what}", err=True).strip()
            except click.Abort:  # end of input
                return False
            if text == STOP:
                return False
            if text == SKIP:
                self.selection.skip(row)
                return True
            by_name = {str(name): name for name in self.selection.predictions.classes}
            if text in by_name:
                self.selection.tell(row, by_name[text])
                return True
            click.echo(f"{text!r} is none of the classes {', '.join(by_name)}.", err=True)

    def _show(self) -> None:
        if self.console.is_terminal:
            self.console.clear()  # the table stays in place and its numbers move
        self.console.print(self.table(), markup=False)

    def table(self) -> Table:
        """Return the models believed best, with what is believed of them."""
        best = self.selection.best()
        known = best.posterior if best.posterior is not None else best.quality
        order = sorted(range(len(known)), key=lambda k: (-known[k], k))[:SHOWN]
        right = "P(best)" if best.posterior is not None else "estimated quality"
        shown = Table(title=f"After {len(self.selection.labeled)} labels", title_justify="left", box=None)
        for column in ("", "model", right, ""):
            shown.add_column(column)
        for k in order:
            bar = "█" * round(30 * known[k]) if best.posterior is not None else ""
            mark = "*" if k in best.positions else ""
            shown.add_row(mark, self.selection.predictions.models[k], f"{known[k]:.4f}", bar)
        return shown

    def _close(self) -> None:
        self.selection.save(self.kept)
        best = self.selection.best()
        for notice in self.selection.notices:
            click.echo(notice, err=True)
        if self.as_json:
            click.echo(
                json.dumps(
                    {
                        "labeled": self.selection.labeled.tolist(),
                        "labels": self.selection.labels.tolist(),
                        "skipped": self.selection.skipped.tolist(),
                        "best": list(best.models),
                        "probability": best.probability,
                        "posterior": None if best.posterior is None else best.posterior.tolist(),
                        "state": str(self.kept),
                    }
                )
            )
            return
        sure = "" if best.probability is None else f", P(best) = {best.probability:.3f}"
        click.echo(f"After {len(self.selection.labeled)} labels: {' or '.join(best.models)}{sure}")
