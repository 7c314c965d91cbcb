"""The report of an experiment of the quickstart's kind, with all plugins that come with alcore."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from alcore import experiment, plugins
from alcore.cli import main
from alcore.execute import execute
from alcore.plan import plan
from alcore.plugins import PLAIN_NAMES
from alcore.store import Store


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of several data sets, learners, a pair of them, strategies and an exclusion, as in the quickstart."""
    clouds = {"name": "synthetic.clouds", "n": 60, "separation": 0.6}
    raw = {
        "name": "fresh",
        "datasets": [
            clouds | {"seed": seed, "classes": classes, "label": f"clouds-{classes}"}
            for seed, classes in ((1, 2), (2, 3))
        ],
        "strategies": ["random", "margin", "entropy"],
        "learners": ["gaussian-nb", "knn", {"query": "gaussian-nb", "task": "knn"}],
        "seeds": 2,
        "batch": 3,
        "budget": 9,
        "start": {"size": 9},
        "metrics": {"round": ["accuracy"], "curve": ["aubc"]},
        "exclude": [{"strategies": ["entropy"], "learners": "knn"}],
    }
    registry = plugins.loaded().registry
    folder = tmp_path_factory.mktemp("fresh")
    store = Store(folder / "fresh", create=True)
    for run in plan(experiment.parse(raw, registry), registry):
        store.write(run, execute(run))
    result = CliRunner().invoke(main, ["report", str(store.path)])
    assert result.exit_code == 0, result.output
    return Path(folder / "fresh.html").read_text(encoding="utf8")


def test_all_our_plugins_are_loaded():
    assert {report.dist for report in plugins.loaded().reports if report.state == "loaded"} >= PLAIN_NAMES


def test_no_section_is_missing(html):
    assert "This section is missing" not in html
    assert 'class="failed"' not in html


def test_the_speed_up_section_has_a_readers_title_and_numbers(html):
    section = html[html.index(">Speed-up over random <a") :]
    section = section[: section.index("</section>")]
    assert "<h3>clouds-2, gaussian-nb, accuracy</h3>" in section
    assert section.count("<td>margin</td>") == 6
    assert "alcore_speedup" not in html
