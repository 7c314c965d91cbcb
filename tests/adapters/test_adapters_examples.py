"""The example experiments with other libraries' strategies are planned without a mistake, and leave no library out."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from alcore import cli, experiment, plugins

pytest.importorskip("alcore_alipy", reason="needs the group adapters")
ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
STANDIN = ROOT / "adapters" / "alcore-playground" / "tests" / "standin"


@pytest.fixture(autouse=True)
def _checkout(monkeypatch):
    monkeypatch.setenv("ALCORE_PLAYGROUND_PATH", str(STANDIN))


@pytest.mark.parametrize(
    ("name", "libraries"),
    [("adapters", {"", "alipy", "libact", "modal", "skactiveml"}), ("adapters-playground", {"playground"})],
)
def test_every_library_is_in_it(name, libraries):
    planned = list(experiment.load(EXAMPLES / f"{name}.toml", plugins.loaded()).combinations())
    assert {strategy.name.rpartition(".")[0] for _, strategy, _ in planned} == libraries
    assert len({dataset.name for dataset, _, _ in planned}) == 2


@pytest.mark.parametrize("name", ["adapters", "adapters-playground"])
def test_all_of_its_runs_can_be_made(name, tmp_path):
    store = str(tmp_path / "store")
    result = CliRunner().invoke(cli.main, ["run", str(EXAMPLES / f"{name}.toml"), "--dry-run", "--store", store])
    assert result.exit_code == 0, result.output
    assert "0 are in" in result.output
