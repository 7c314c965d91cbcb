"""The command line. Commands are imported when they are called, and plugins may add theirs."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import click

from alcore.disk import ADVICE, ELSE
from alcore.errors import AlcoreError, InputError
from alcore.output import Told, guarded

COMMANDS = {
    "plugins": "alcore.cli.plugins:command",
    "list": "alcore.cli.listing:command",
    "run": "alcore.cli.run:command",
    "status": "alcore.cli.status:command",
    "table": "alcore.cli.table:command",
    "repair": "alcore.cli.repair:command",
    "rescore": "alcore.cli.rescore:command",
    "report": "alcore.cli.report:command",
    "compare": "alcore.cli.compare:command",
    "prune": "alcore.cli.prune:command",
    "check": "alcore.cli.check:command",
    "new-plugin": "alcore.cli.new_plugin:command",
}


class Main(click.Group):
    """The group ``alcore``: its own commands by name, those of plugins when one of them is asked for."""

    _extended = False

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        """Run with standard output kept for the command where that is JSON, and without windows."""
        given = sys.argv[1:] if args is None else list(args)
        backend = os.environ.get("MPLBACKEND")
        os.environ["MPLBACKEND"] = "agg"  # the shell's may be a notebook's, which does not exist here
        try:
            if "--json" not in given:
                return super().main(args, *rest, **extra)
            with guarded() as printing:
                self.printing = printing
                return super().main(args, *rest, **extra)
        finally:
            os.environ.pop("MPLBACKEND")
            os.environ.update({} if backend is None else {"MPLBACKEND": backend})

    printing: Told | None = None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all commands, plugins' included."""
        self._extend()
        return [*COMMANDS, *sorted(set(self.commands) - set(COMMANDS))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name."""
        if cmd_name in COMMANDS:
            module, _, attribute = COMMANDS[cmd_name].partition(":")
            command: click.Command = getattr(import_module(module), attribute)
            return command
        self._extend()
        found = super().get_command(ctx, cmd_name)
        if found is not None and self.printing is not None:
            self.printing.own |= _packages(found)
        return found

    def _extend(self) -> None:
        """Add the commands of plugins, each plugin's or none: one that fails is told of, and stops nobody."""
        if self._extended:
            return
        from alcore import plugins

        try:
            manager = plugins.loaded().manager
            found: dict[str, click.Command] = {}
            for name, module in manager.list_name_plugin():
                others = [other for other in manager.get_plugins() if other is not module]
                own = click.Group()
                try:
                    manager.subset_hook_caller("alcore_commands", others)(cli=own)
                    together = _joined(found, own.commands)
                except (Exception, SystemExit) as error:
                    reason = str(error) if isinstance(error, AlcoreError) else f"{type(error).__name__}: {error}"
                    why = f"the commands of plugin {name} are missing: {reason}"
                    if plugins.asks_strict():
                        raise plugins.PluginError(why) from error
                    click.echo(f"Warning: {why}", err=True)
                else:
                    found = together
        except AlcoreError as error:
            raise _failure(error) from error
        self.commands.update(found)
        self._extended = True

    def invoke(self, ctx: click.Context) -> object:
        """Run, and turn alcore's own errors into messages: exit code 2 for wrong input, 1 for what failed."""
        from alcore.cli.common import damage_noted

        try:
            with damage_noted():
                return super().invoke(ctx)
        except AlcoreError as error:
            raise _failure(error) from error
        except OSError as error:  # a page, a picture or a data set that cannot be read or written
            if error.errno in (None, errno.EPIPE):
                raise
            where = "" if error.filename is None else f": {error.filename}"
            advice = ADVICE.get(error.errno, ELSE)
            raise click.ClickException(f"{error.strerror}{where}. {advice}, and run the same command again.") from error


def _packages(command: click.Command) -> set[str]:
    """Return the packages that a plugin's command comes from: what they print is what was asked for."""
    below = command.commands.values() if isinstance(command, click.Group) else ()
    own = {str(getattr(command.callback, "__module__", "")).partition(".")[0]} if command.callback else set()
    return own.union(*map(_packages, below))


def _joined(found: Mapping[str, click.Command], own: Mapping[str, click.Command]) -> dict[str, click.Command]:
    """Return the commands found before and a plugin's own; two groups of one name become one."""
    together = dict(found)
    for name, command in own.items():
        before = found.get(name)
        if isinstance(before, click.Group) and isinstance(command, click.Group):
            both = _joined(before.commands, command.commands)
            together[name] = click.Group(name, commands=both, help=before.help)
        elif name in COMMANDS or before is not None:
            raise InputError(f"the command {name!r} is there already; give it another name.")
        else:
            together[name] = command
    return together


class _WrongInput(click.ClickException):
    exit_code = 2


def _failure(error: AlcoreError) -> click.ClickException:
    """Return what click prints as ``Error: ...`` wherever it is raised, in ``--help`` too."""
    return _WrongInput(str(error)) if isinstance(error, InputError) else click.ClickException(str(error))


@click.group(cls=Main, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="alcore")
def main() -> None:
    """Pool-based active learning: compare strategies fairly, on one interface."""
