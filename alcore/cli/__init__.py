"""The command line. Commands are imported when they are called, and plugins may add theirs."""

from __future__ import annotations

from importlib import import_module

import click

from alcore.errors import AlcoreError, InputError

COMMANDS = {
    "plugins": "alcore.cli.plugins:command",
    "list": "alcore.cli.listing:command",
    "run": "alcore.cli.run:command",
    "status": "alcore.cli.status:command",
    "table": "alcore.cli.table:command",
    "check": "alcore.cli.check:command",
}


class Main(click.Group):
    """The group ``alcore``: its own commands by name, those of plugins when one of them is asked for."""

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
        return super().get_command(ctx, cmd_name)

    def _extend(self) -> None:
        if not self.commands:
            from alcore import plugins

            plugins.loaded().manager.hook.alcore_commands(cli=self)

    def invoke(self, ctx: click.Context) -> object:
        """Run, and turn alcore's own errors into messages: exit code 2 for wrong input, 1 for what failed."""
        try:
            return super().invoke(ctx)
        except AlcoreError as error:
            click.echo(f"Error: {error}", err=True)
            ctx.exit(2 if isinstance(error, InputError) else 1)


@click.group(cls=Main, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="alcore")
def main() -> None:
    """Pool-based active learning: compare strategies fairly, on one interface."""
