"""The README and the pages in docs/ are true: what they show runs, prints what they say, and leaves nothing out.

Each page runs from top to bottom in a folder of its own, its Python blocks in one namespace. A block whose first line
is ``# NAME.toml`` or ``# NAME.py`` is also that file. A ``text`` block right after a Python block is what that prints;
the lines after a ``$`` line in a ``console`` block are what the command prints, and ``...`` stands for anything.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import shlex
import subprocess
import sys
import tomllib
import types
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import redirect_stdout
from dataclasses import MISSING, dataclass, fields
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from pydantic import BaseModel

import alcore
from alcore import cli, experiment, hooks, plugins, references, runner, spec
from alcore.registry import Registry

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
FENCE = re.compile(r"^```([a-z]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = ("pip ", "uv ")
"""Commands that install something, or take minutes."""


@dataclass(frozen=True)
class Block:
    """One fenced block of a page; ``follows`` is the block right above it, without text in between."""

    language: str
    text: str
    line: int
    follows: Block | None

    @property
    def file(self) -> str | None:
        """The name of the file that the block is."""
        found = re.match(r"# ([\w-]+\.(?:toml|py))\n", self.text)
        return found[1] if found else None


def blocks(page: Path) -> list[Block]:
    text, found, end = page.read_text(encoding="utf8"), list[Block](), 0
    for match in FENCE.finditer(text):
        above = found[-1] if found and not text[end : match.start()].strip() else None
        found.append(Block(match[1], match[2], text[: match.start()].count("\n") + 1, above))
        end = match.end()
    return found


def prose(page: str) -> str:
    """Return a page of docs/ without its blocks."""
    return FENCE.sub("", (DOCS / page).read_text(encoding="utf8"))


def rows(page: str) -> dict[str, list[str]]:
    """Return the rows of all tables of a page: the other cells by each code word of the first cell.

    Of two rows for one word the first counts. A row whose first cell is empty goes on with the row above.
    """
    found: dict[str, list[str]] = {}
    last: list[str] = []
    for line in prose(page).splitlines():
        if line.startswith("|"):
            first, *others = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
            last[len(last) :] = others if not first else []
            last = others if first else last
            found = dict.fromkeys(re.findall(r"`([^`]+)`", first), last) | found
    return found


def same(shown: str, printed: str) -> bool:
    """Tell whether output is as shown, whatever the width of columns."""
    pattern = ""
    for line in shown.rstrip().splitlines():
        words = re.escape(" ".join(line.split())).replace(re.escape("..."), ".*")
        pattern += r"(?:.*\n)*?" if line.strip() == "..." else f"{words}\n"
    bare = "".join(" ".join(line.split()) + "\n" for line in printed.rstrip().splitlines())
    return re.fullmatch(pattern, bare) is not None


class Inline(Executor):
    """Runs what is submitted at once, here: without the seconds that worker processes take to start."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(function(*args, **kwargs))
        return done


class Reader:
    """Does what a page says, in the current folder."""

    def __init__(self, page: Path) -> None:
        self.page = page
        self.module = types.ModuleType(f"page_{page.stem.lower()}")
        self.printed = ""

    def read(self) -> None:
        sys.modules[self.module.__name__] = self.module  # pickle finds what the page defines
        try:
            block = None
            for block in blocks(self.page):
                if block.file:
                    Path(block.file).write_text(block.text, encoding="utf8")
                if block.language != "text":
                    self._nothing_untold(block)
                getattr(self, f"_{block.language or 'plain'}")(block)
            if block:
                self._nothing_untold(block)
        finally:
            del sys.modules[self.module.__name__]

    def _nothing_untold(self, block: Block) -> None:
        assert not self.printed or self.page.name == "README.md", f"above {self._at(block)}: show {self.printed}"

    def _plain(self, block: Block) -> None:
        """A formula, or a picture of folders."""

    def _python(self, block: Block) -> None:
        if block.file:  # run by what names it
            names = (f"python {block.file}", f'"{block.file}"', f'"{block.file.removesuffix(".py")}"')
            assert any(name in self.page.read_text(encoding="utf8") for name in names), self._at(block)
            return
        output = StringIO()
        code = compile("\n" * block.line + block.text, self.page, "exec", dont_inherit=True)
        with redirect_stdout(output):
            exec(code, vars(self.module))
        self.printed = output.getvalue()

    def _text(self, block: Block) -> None:
        if block.follows is None or block.follows.language != "python":
            assert self.page.name == "README.md", f"{self._at(block)}: the output of what?"
            return
        assert same(block.text, self.printed), self._differs(block, block.text, self.printed)
        self.printed = ""

    def _toml(self, block: Block) -> None:
        raw = tomllib.loads(block.text)
        if block.file == "wrong.toml":
            with pytest.raises(experiment.ExperimentError):
                experiment.load(Path(block.file), plugins.loaded())
        elif block.file:
            experiment.load(Path(block.file), plugins.loaded())
        else:  # some keys of an experiment
            raw = {"name": "part", "datasets": ["sklearn.iris"], "strategies": ["random"]} | raw
            experiment.parse({"learners": ["logistic-regression"]} | raw, plugins.loaded().registry)

    def _console(self, block: Block) -> None:
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            if not command.startswith(NOT_RUN):
                self._command(block, command, shown)

    def _command(self, block: Block, command: str, shown: str) -> None:
        words = shlex.split(command)
        given = dict(word.split("=", 1) for word in words if re.match(r"[A-Z_]+=", word))
        program, *args = words[len(given) :]
        with pytest.MonkeyPatch.context() as patch:
            for name, value in given.items():
                patch.setenv(name, value)
                patch.setattr(plugins, "loaded", partial(plugins.load))
            code, printed = self._alcore(args) if program == "alcore" else self._script(program, args)
        if shown.strip():
            assert same(shown, printed), self._differs(block, shown, printed)
        wrong = re.search(r"^Error: |\d failed", shown, re.MULTILINE) is not None
        assert bool(code) == wrong, f"{self._at(block)}: {command} ended with {code}:\n{printed}"

    def _alcore(self, args: list[str]) -> tuple[int, str]:
        result = CliRunner().invoke(cli.main, args)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        told = re.sub(r"^\d+ of \d+ runs done, .*\n", "", result.output, flags=re.MULTILINE)
        return result.exit_code, told

    def _script(self, program: str, args: list[str]) -> tuple[int, str]:
        assert program == "python", program
        done = subprocess.run([sys.executable, "-W", "error", *args], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout if done.returncode == 0 else done.stderr

    def _at(self, block: Block) -> str:
        return f"{self.page.name}, line {block.line}"

    def _differs(self, block: Block, shown: str, printed: str) -> str:
        return f"{self._at(block)} shows\n{shown}\nand this is printed:\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_runs_and_prints_what_it_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    run_experiment = runner.run_experiment
    monkeypatch.setattr(
        runner, "run_experiment", lambda *args, **how: run_experiment(*args, **how | {"executor": Inline()})
    )
    Reader(page).read()


# --- links -----------------------------------------------------------------------------------------------------------


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_relative_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", page.read_text(encoding="utf8"))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)$", FENCE.sub("", target.read_text(encoding="utf8")), re.MULTILINE)
            assert anchor in map(slug, headings), link


EXAMPLES = [path for path in sorted(DOCS.glob("examples/*.toml")) if not path.stem.startswith("adapters")]
"""All but those with other libraries' strategies, which the tests of adapters try."""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_an_experiment(path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALCORE_DATA", str(shared / "data" / "tabular"))
    assert list(experiment.load(path, plugins.loaded()).combinations())


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf8")
    assert [page.name for page in PAGES[1:] if f"({page.name})" not in index and page.name != "index.md"] == []


# --- nothing is left out ---------------------------------------------------------------------------------------------


def own(kind: Any) -> Iterator[Any]:
    """Yield the specs of what alcore itself comes with."""
    registry: Registry = plugins.loaded().registry
    return (entry.spec for entry in registry.entries(kind) if entry.distribution == "alcore")


@pytest.mark.parametrize(
    ("kind", "page"),
    [
        ("strategy", "strategies.md"),
        ("learner", "learners.md"),
        ("metric", "metrics.md"),
        ("stop-rule", "experiments.md"),
        ("dataset", "data.md"),
    ],
)
def test_every_name_and_its_parameters_have_a_row(kind: Any, page: str) -> None:
    found = rows(page)
    for one in own(kind):
        if one.name.startswith("keel."):
            continue  # 143 of one kind
        assert one.name in found, one.name
        for parameter, default in one.parameters().items():
            plain = default is not inspect.Parameter.empty and not isinstance(default, tuple)
            value = f"={shown(default)}" if plain else ""
            assert f"`{parameter}{value}`" in " ".join(found[one.name]), f"{one.name}: {parameter}{value}"


def shown(value: Any) -> str:
    """Return a default as TOML has it."""
    if value is None:
        return "none"
    return json.dumps(value.model_dump() if isinstance(value, BaseModel) else value)


TABLES: dict[str, type[BaseModel]] = {
    "": experiment.Experiment,
    "split.": experiment.Split,
    "start.": experiment.Start,
    "limits.": experiment.Limits,
    "metrics.": experiment.Metrics,
    "exclude.": experiment.Exclude,
    "learners.": references.Pair,
    "learners.query.": references.LearnerRef,
}


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.__name__)
def test_every_key_of_an_experiment_has_a_row_with_its_default(table: type[BaseModel]) -> None:
    found = rows("experiments.md")
    prefix = next(prefix for prefix, one in TABLES.items() if one is table)
    for name, field in table.model_fields.items():
        if isinstance(field.default, BaseModel):
            continue  # a table, whose keys have rows of their own
        key = f"{prefix}{name}".removeprefix("learners.query.")
        assert key in found, key
        default = "required" if field.is_required() else f"`{shown(field.default)}`"
        assert found[key][0] == default, key


@pytest.mark.parametrize(
    ("kind", "page"),
    [
        (spec.StrategySpec, "strategies.md"),
        (spec.LearnerSpec, "learners.md"),
        (spec.MetricSpec, "metrics.md"),
        (spec.DatasetSpec, "data.md"),
    ],
)
def test_every_field_of_a_spec_has_a_row(kind: Any, page: str) -> None:
    common = () if kind is spec.StrategySpec else {field.name for field in fields(spec.Spec)}
    found = rows(page)
    for field in fields(kind):
        if field.name in common:
            continue
        assert field.name in found, field.name
        if isinstance(field.default, bool | str | int | None) and field.default is not MISSING:
            assert found[field.name][0] in (f"`{shown(field.default)}`", f"`{field.default}`"), field.name


@pytest.mark.parametrize(
    ("thing", "page"),
    [(alcore.View, "strategies.md"), (alcore.Pool, "strategies.md"), (alcore.Session, "sessions.md")],
)
def test_every_public_member_has_a_row(thing: type, page: str) -> None:
    found = " ".join(rows(page))
    own_attributes = re.findall(r"self\.([a-zA-Z]\w*)(?:: \w+)? = ", inspect.getsource(thing.__init__))
    members = [name for name in (*vars(thing), *own_attributes) if not name.startswith("_")]
    assert [name for name in members if not re.search(rf"(?:^|[ .]){name}\b", found)] == []


def test_every_hook_is_documented_with_its_signature() -> None:
    there = {
        f"{name}{inspect.signature(hook)}".replace("'", "")
        for name, hook in vars(hooks).items()
        if name.startswith("alcore_")
    }
    assert set(re.findall(r"^### `(.*)`$", prose("plugins.md"), re.MULTILINE)) == there


@pytest.mark.parametrize(
    ("command", "page"),
    [
        ("run", "experiments.md"),
        ("table", "results.md"),
        ("status", "results.md"),
        ("check", "strategies.md"),
        ("report", "report.md"),
        ("rescore", "analysis.md"),
    ],
)
def test_every_option_of_a_command_has_a_row(command: str, page: str) -> None:
    found = cli.main.get_command(click.Context(cli.main), command)
    assert found is not None
    options = [option.opts[0] for option in found.params if isinstance(option, click.Option)]
    assert [option for option in options if not any(word.split()[0] == option for word in rows(page))] == []


# --- messages --------------------------------------------------------------------------------------------------------


def messages() -> Iterator[re.Pattern[str]]:
    """Yield the texts in alcore's source that could be a message, with anything for what is filled in."""
    for file in (ROOT / "alcore").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf8"))):
            if isinstance(node, ast.JoinedStr):
                parts = [re.escape(part.value) if isinstance(part, ast.Constant) else ".+" for part in node.values]
                if sum(len(part) for part in parts) > 20:
                    yield re.compile("".join(parts), re.DOTALL)


def test_every_message_in_a_table_is_one_of_alcores() -> None:
    known = list(messages())
    for page in PAGES[1:]:
        quoted = False
        for line in FENCE.sub("", page.read_text(encoding="utf8")).splitlines():
            if not line.startswith("|"):
                quoted = False
            elif quoted and not line.startswith("|--"):
                message = line.split("`")[1]
                assert any(pattern.fullmatch(message) for pattern in known), f"{page.name}: {message}"
            else:
                quoted = quoted or line.lower().startswith("| message")
