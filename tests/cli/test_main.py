"""The command ``alcore``: its commands, those of plugins, and how it fails."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from alcore import hookimpl, plugins
from alcore.cli import COMMANDS, Main, main
from alcore.errors import InputError, LearnerError, UnavailableError

Call = Callable[..., Result]


def adding(module: str, hook: Any) -> Any:
    """Return a plugin's module whose ``alcore_commands`` is this function."""
    made = types.ModuleType(module)
    made.alcore_commands = hookimpl(hook)  # type: ignore[attr-defined]
    return made


def command(name: str, does: Callable[[], object] = lambda: click.echo("done")) -> click.Command:
    return click.Command(name, callback=does, help=f"Help of {name}.")


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call a fresh command line with these hooks of plugins toy0, toy1, ... and these arguments."""
    monkeypatch.delenv("ALCORE_STRICT", raising=False)

    def call(hooks: list[Any], *args: str) -> Result:
        loaded = plugins.load([], blocked=())
        for number, hook in enumerate(hooks):
            loaded.manager.register(adding(f"toy{number}", hook))
        monkeypatch.setattr(plugins, "loaded", lambda: loaded)
        return CliRunner().invoke(Main("alcore"), args, prog_name="alcore")

    return call


def hello(cli: click.Group) -> None:
    cli.add_command(command("hello"))


def broken(cli: click.Group) -> None:
    cli.add_command(command("half"))
    raise RuntimeError("no screen")


# --- its own commands ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_shows_every_command_with_its_summary(option: str) -> None:
    result = CliRunner().invoke(main, [option])
    assert result.exit_code == 0
    for name in COMMANDS:
        [line] = [line for line in result.output.splitlines() if line.split()[:1] == [name]]
        assert len(line.split()) > 3


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_called_by_its_name_and_has_help(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"], prog_name="alcore")
    assert result.exit_code == 0
    assert result.output.startswith(f"Usage: alcore {name} ")


@pytest.mark.parametrize("name", ["plugins", "list", "run", "status", "table", "check"])
def test_what_tells_something_tells_it_as_json_too(name: str) -> None:
    assert "--json" in CliRunner().invoke(main, [name, "--help"]).output


def test_the_version_is_that_of_the_distribution() -> None:
    result = CliRunner().invoke(main, ["--version"])
    assert result.exit_code == 0
    assert result.output.split()[-1] == version("alcore")


def test_its_own_commands_ask_no_plugin() -> None:
    """A plugin's commands are not needed to find alcore's own."""
    own = Main("alcore")
    with click.Context(own) as context:
        found = [own.get_command(context, name) for name in COMMANDS]
    assert [one.name for one in found if one] == list(COMMANDS)
    assert not own.commands


def test_an_unknown_command_is_wrong_input(call: Call) -> None:
    result = call([], "nonsense")
    assert result.exit_code == 2
    assert "No such command 'nonsense'" in result.output


@pytest.mark.parametrize(
    ("error", "code"),
    [(InputError("wrong [x]"), 2), (LearnerError("failed"), 1), (UnavailableError("pip install it"), 1)],
)
def test_errors_of_alcore_are_messages(call: Call, error: Exception, code: int) -> None:
    def fails() -> None:
        raise error

    result = call([lambda cli: cli.add_command(command("fail", fails))], "fail")
    assert (result.exit_code, result.output) == (code, f"Error: {error}\n")


def test_errors_of_others_are_not_hidden(call: Call) -> None:
    result = call([lambda cli: cli.add_command(command("fail", lambda: {"a": 1}["x"]))], "fail")
    assert isinstance(result.exception, KeyError)


# --- commands of plugins ---------------------------------------------------------------------------------------------


def test_commands_of_plugins_are_shown_after_alcores_own(call: Call) -> None:
    result = call([hello, lambda cli: cli.add_command(command("x"), "another")], "--help")
    assert result.exit_code == 0
    shown = [line.split()[0] for line in result.output.partition("Commands:\n")[2].splitlines()]
    assert shown == [*COMMANDS, "another", "hello"]
    assert "Help of hello." in result.output


def test_a_command_of_a_plugin_runs(call: Call) -> None:
    result = call([hello], "hello")
    assert (result.exit_code, result.output) == (0, "done\n")


@pytest.mark.parametrize("order", [(hello, broken), (broken, hello)])
def test_a_plugin_that_fails_to_add_commands_is_told_of_and_stops_nobody(call: Call, order: tuple[Any, ...]) -> None:
    result = call(list(order), "--help")
    assert result.exit_code == 0
    name = f"toy{order.index(broken)}"
    assert f"Warning: the commands of plugin {name} are missing: RuntimeError: no screen\n" in result.output
    assert "Help of hello." in result.output
    assert call(list(order), "hello").output.endswith("done\n")


def test_a_plugin_that_fails_adds_no_command(call: Call) -> None:
    result = call([broken], "half")
    assert result.exit_code == 2
    assert "No such command 'half'" in result.output


def test_a_plugin_that_exits_stops_nobody(call: Call) -> None:
    def exits(cli: click.Group) -> None:
        raise SystemExit(7)

    result = call([exits, hello], "hello")
    assert result.exit_code == 0
    assert "Warning: the commands of plugin toy0 are missing: SystemExit: 7\n" in result.output


@pytest.mark.parametrize("name", ["plugins", "run", "hello"])
def test_a_plugin_must_not_take_a_command(call: Call, name: str) -> None:
    def takes(cli: click.Group) -> None:
        cli.add_command(command("spare"))
        cli.add_command(command(name, lambda: click.echo("taken")))

    result = call([hello, takes], "--help")
    assert f"plugin toy1 are missing: the command '{name}' is there already; give it another name." in result.output
    assert f"Help of {name}." in result.output or name != "hello"
    assert "spare" not in result.output
    assert call([hello, takes], "hello").output.endswith("done\n")


def test_groups_of_one_name_become_one(call: Call) -> None:
    def offers(*names: str) -> Any:
        return lambda cli: cli.add_command(click.Group("again", {name: command(name) for name in names}, help="Again."))

    both = [offers("one"), offers("two", "three")]
    assert call(both, "again", "one").output == call(both, "again", "three").output == "done\n"
    result = call([offers("one"), offers("one")], "again", "one")
    assert "toy1 are missing: the command 'one' is there already; give it another name." in result.output


def test_strict_raises_for_commands_too(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALCORE_STRICT", "1")
    result = call([broken, hello], "--help")
    assert result.exit_code == 1
    assert result.output == "Error: the commands of plugin toy0 are missing: RuntimeError: no screen\n"


def test_an_installed_plugin_adds_its_command(tmp_path: Path) -> None:
    (tmp_path / "toyplugin.py").write_text(
        "import click\nfrom alcore import hookimpl\nalcore_api = 1\n"
        "@hookimpl\ndef alcore_commands(cli):\n"
        "    @cli.command('toy-hello', help='Greet.')\n    @click.argument('who')\n"
        "    def hello(who):\n        click.echo(f'hello {who}')\n"
    )
    about = tmp_path / "toy-1.5.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.5\n")
    (about / "entry_points.txt").write_text("[alcore]\ntoy = toyplugin\n")
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))

    def alcore(*args: str) -> str:
        run = [sys.executable, "-m", "alcore", *args]
        env = os.environ | {"PYTHONPATH": path}
        return subprocess.run(run, capture_output=True, text=True, check=True, timeout=60, env=env).stdout

    assert ["toy-hello", "Greet."] in [line.split() for line in alcore("--help").splitlines()]
    assert alcore("toy-hello", "world") == "hello world\n"
