"""The command ``reproduce``, which several plugins share."""

from __future__ import annotations

import click


class Shared(click.Group):
    """A group that hands what it does not know to the command that had its name before.

    Another plugin may offer ``reproduce`` as a plain command that takes its target as an argument. Then our targets
    become commands of this group, and all else goes to that command as it was typed.
    """

    def __init__(self, other: click.Command) -> None:
        # Options that stand before a target are the other command's: they are passed on, not refused.
        settings = {"ignore_unknown_options": True, "help_option_names": ["--help", "-h"]}
        super().__init__("reproduce", help=other.help, no_args_is_help=True, context_settings=settings)
        self.other = other

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return our command of that name, or the other command with all arguments."""
        if args and args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return self.other.name, self.other, args

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Say how the other command is used."""
        with formatter.section("Any other target"):
            formatter.write_text(self.other.get_usage(ctx))
            for parameter in self.other.get_params(ctx):
                record = parameter.get_help_record(ctx)
                if record is not None:
                    formatter.write_dl([record])


def reproduce_group(cli: click.Group) -> click.Group:
    """Return the group ``reproduce`` of ``cli``: the one that is there, or a new one.

    Where another plugin added a group, ours joins it. Where it added a plain command, that one is kept behind ours.
    Call this after all other plugins (``hookimpl(trylast=True)``).
    """
    there = cli.commands.get("reproduce")
    if isinstance(there, click.Group):
        return there
    group = click.Group("reproduce", help="Repeat published results.") if there is None else Shared(there)
    cli.add_command(group)
    return group
