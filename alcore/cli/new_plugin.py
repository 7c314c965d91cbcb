"""``alcore new-plugin``: a plugin that works and is tested, to be changed into one's own."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import click

from alcore.errors import InputError

PACKAGE = Path(__file__).parents[1]
SKIP = ("__pycache__", ".pytest_cache", "*.egg-info", "dist", "build", ".venv")


@click.command("new-plugin")
@click.argument("name")
@click.argument("folder", type=click.Path(path_type=Path))
def command(name: str, folder: Path) -> None:
    """Make a plugin called NAME in FOLDER: a strategy of each kind, a learner, a metric, and their tests."""
    make(name, folder)
    click.echo(
        f"{folder} holds the plugin alcore-{name}. Next:\n"
        f"  pip install -e '{folder}[test]'\n  alcore plugins\n  alcore check {name}.ratio\n  pytest {folder}"
    )


def make(name: str, folder: Path) -> None:
    """Copy the template to ``folder`` under the plugin's own name.

    Raises
    ------
    InputError
        If the name cannot be a prefix and part of a package name, or there is something at ``folder``.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise InputError(f"{name!r} cannot name a plugin: use lower-case words joined by '-', such as 'my-strategies'.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is there already; give a folder that is new or empty.")
    shutil.copytree(_template(), folder, ignore=shutil.ignore_patterns(*SKIP), dirs_exist_ok=True)
    module = name.replace("-", "_")
    (folder / "src" / "alcore_example").rename(folder / "src" / f"alcore_{module}")
    (folder / "tests" / "test_example.py").rename(folder / "tests" / f"test_{module}.py")
    for file in folder.rglob("*"):
        if file.is_file():
            text = file.read_text(encoding="utf8")
            text = text.replace("alcore_example", f"alcore_{module}").replace("alcore-example", f"alcore-{name}")
            text = re.sub(r"\bexample\.(?=[a-z])", f"{name}.", text)
            text = re.sub(r"^example = ", f"{name} = ", text, flags=re.MULTILINE)
            file.write_text(text, encoding="utf8")


def _template() -> Path:
    """Return the template: beside the code in a wheel, in its own place in a checkout."""
    shipped = PACKAGE / "_template"
    return shipped if shipped.is_dir() else PACKAGE.parent / "plugins" / "alcore-example"
