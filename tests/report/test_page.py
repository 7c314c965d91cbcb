"""The report as HTML text: what it says, that it asks for nothing, stays small, and what plugins may add to it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pluggy
import pytest
from click.testing import CliRunner

from alcore import hooks, plugins, results, stats
from alcore.cli import main
from alcore.errors import InputError
from alcore.plugins import Plugins
from alcore.protocols import Record
from alcore.report.asked import Asked
from alcore.report.page import render
from alcore.report.page.sections import mistake
from alcore.results import Run
from alcore.store import Store
from alcore.types import Status

NO_ROWS = np.empty(0, dtype=np.intp)


def make_run(dataset: str, strategy: str, seed: int, position: int, learner: str = "knn") -> Run:
    def named(name: str, **more: Any) -> dict[str, Any]:
        return {"name": name, "label": name, "params": {}} | more

    query, _, task = learner.partition("->")
    pair = {"query": named(query, refit="scratch"), "task": named(task or query, refit="scratch")}
    return Run(
        {
            "dataset": named(dataset, task="classification", fingerprint="0"), "strategy": named(strategy),
            "learner": {"label": learner} | pair, "seed": seed, "batch": 1, "budget": 20,
            "metrics": [named("accuracy")], "versions": {"numpy": "2.0"},
        },
        position,
    )  # fmt: skip


def fill(
    path: Path, datasets: Iterable[str], strategies: Iterable[str], *, seeds: int = 3, rounds: int = 12,
    learners: Iterable[str] = ("knn",), failed: str = "",
) -> Path:  # fmt: skip
    store, position, chance = Store(path, create=True), 0, np.random.default_rng(0)
    for dataset in datasets:
        for learner in learners:
            for seed in range(seeds):
                for strategy in strategies:
                    values = np.clip(0.6 + 0.3 * (1 - np.exp(-np.arange(rounds) / 5)) + chance.normal(0, 0.01, rounds), 0, 1)  # fmt: skip # noqa: E501
                    status = Status.FAILED if strategy == failed and seed == 0 else Status.COMPLETED
                    records = [Record(t, NO_ROWS, NO_ROWS, 10 + t, {"accuracy": float(v)}, 0.1, 0.2) for t, v in enumerate(values)]  # fmt: skip # noqa: E501
                    reason = "budget_reached" if status is Status.COMPLETED else "out of <memory>"
                    store.write(make_run(dataset, strategy, seed, position, learner), results.Result(status, reason, records))  # fmt: skip # noqa: E501
                    position += 1
    return path


def page(path: Path, loaded: Plugins | None = None, **options: Any) -> str:
    loaded = loaded or plugins.loaded()
    store = Store(path)
    records = store.records()
    asked = stats.question(loaded.registry, records, "aubc", None)
    return render(Asked(store, loaded.registry, records, asked, **options), loaded)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = fill(tmp_path_factory.mktemp("page") / "small", ["wine", "a & b"], ["random", "margin", "<b>"], failed="<b>")
    Store(path).save_note("experiment.toml", 'name = "small" # <script>')
    return path


@pytest.fixture(scope="module")
def html(small: Path) -> str:
    return page(small)


class Whole(HTMLParser):
    """Collects ids and links, and checks that what is opened is closed."""

    VOID = frozenset({"meta", "br", "link", "img", "input"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if "href" in found else []
        self.loads += [f"{tag} {found[name]}" for name in ("src", "srcset", "data") if name in found]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        """Of SVG."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read(html: str) -> Whole:
    reader = Whole()
    reader.feed(html)
    return reader


def test_it_is_whole_and_loads_nothing(html):
    found = read(html)
    assert found.open == []
    assert found.loads == []
    assert not re.search(r"@import|url\(", html)
    assert "default-src 'none'" in html


def test_every_link_leads_to_a_place_and_places_are_unique(html):
    found = read(html)
    assert len(found.ids) == len(set(found.ids))
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)
    assert "curves-wine-knn" in found.ids


def test_names_are_escaped(html):
    assert "<b>" not in html
    assert "&lt;b&gt;" in html
    assert "a &amp; b" in html
    assert html.count("<script>") == 1
    assert "out of &lt;memory&gt;" in html


def test_it_says_what_was_run(html):
    assert "18 runs (16 completed, 2 failed) · 2 data sets · 1 learner · 3 strategies · 3 seeds" in html
    assert "numpy" in html
    assert 'name = &#34;small&#34; # &lt;script&gt;' in html  # fmt: skip


def test_the_same_records_make_the_same_page(small, html):
    assert page(small) == html


def test_curves_have_a_line_and_a_band_per_strategy_and_differences_one_fewer(html):
    curves, differences = (html[html.index(f'id="{name}-wine-knn"') :].split("</figure>")[0] for name in ("curves", "differences"))  # fmt: skip # noqa: E501
    assert [len(re.findall(r'class="l"', part)) for part in (curves, differences)] == [3, 2]
    assert len(re.findall(r'class="b"', curves)) == 3


def test_scores_are_in_the_table_to_sort_by(small, html):
    store = Store(small)
    records = store.records()
    scored = stats.scores(records, stats.question(plugins.loaded().registry, records, "aubc", None))
    mean = float(scored[(scored["dataset"] == "wine") & (scored["strategy"] == "margin")]["score"].mean())
    assert re.search(rf'data-v="{mean!r}"[^>]*>{mean:.4f}</td>', html)
    assert "2 of 3 runs; 1 failed" in html


# --- the headline ----------------------------------------------------------------------------------------------------


def written(path: Path, values: dict[tuple[str, str], list[float | None]]) -> Path:
    """Write a store of constant curves, by data set and strategy, one value per seed; None is a run that failed."""
    store, position = Store(path, create=True), 0
    for (dataset, strategy), seeds in values.items():
        for seed, value in enumerate(seeds):
            status = Status.FAILED if value is None else Status.COMPLETED
            records = [Record(t, NO_ROWS, NO_ROWS, 10 + t, {"accuracy": value or 0.0}) for t in range(3)]
            store.write(make_run(dataset, strategy, seed, position), results.Result(status, "why", records))
            position += 1
    return path


def headline(path: Path, **options: Any) -> str:
    return " ".join(re.findall(r'<p class="finding">(.*?)</p>', page(path, **options)))


NAMES = ["random", "a", "b", "c", "d", "e"]


def test_a_tie_of_all_is_called_a_tie(tmp_path):
    path = written(tmp_path / "s", {(f"d{i}", name): [0.7] * 5 for i in range(3) for name in NAMES})
    assert "all 6 strategies tie: rank 3.50 of 6 over 3 data sets" in headline(path)
    assert "ranks best" not in page(path)


def test_the_baseline_is_never_the_headline(tmp_path):
    values = {"random": 0.9, "a": 0.8, "b": 0.7}
    path = written(tmp_path / "s", {(f"d{i}", name): [value] * 5 for i in range(3) for name, value in values.items()})
    said = headline(path)
    assert "no strategy ranks better than random: 1.00 of 3 over 3 data sets; a comes next: 2.00" in said
    path = written(tmp_path / "t", {(f"d{i}", n): [v if n != "a" else 0.9] * 5 for i in range(3) for n, v in values.items()})  # fmt: skip # noqa: E501
    assert "no strategy ranks better than random: 1.50 of 3 over 3 data sets; a ties with it" in headline(path)


def test_several_that_share_the_first_rank_are_all_named(tmp_path):
    values = {"random": 0.7, "a": 0.8, "b": 0.8}
    path = written(tmp_path / "s", {(f"d{i}", name): [value] * 5 for i in range(3) for name, value in values.items()})
    assert "a and b tie for the best rank: 1.50 of 3 over 3 data sets" in headline(path)


def test_a_strategy_that_costs_data_sets_is_named_with_the_way_out(tmp_path):
    values: dict[tuple[str, str], list[float | None]] = {(f"d{i}", n): [0.7 - 0.01 * len(n)] * 5 for i in range(3) for n in ("random", "fine")}  # fmt: skip # noqa: E501
    values |= {("d0", "bad"): [0.9] * 5, ("d1", "bad"): [None] * 5, ("d2", "bad"): [None] * 5}
    path = written(tmp_path / "s", values)
    assert "Ranks are over 1 of 3 data sets, since bad has no score on d1, d2: --missing drop ranks" in headline(path)
    assert "fine ranks best: 1.00 of 2 over 3 data sets" in headline(path, missing="drop")
    result = CliRunner().invoke(main, ["table", str(path), "--show", "ranks"])
    assert "ranks are over 1 of 3 data sets, since bad has no score on d1, d2" in result.output


def test_few_seeds_are_told_in_the_headline(tmp_path):
    path = written(tmp_path / "s", {("d", "random"): [0.5, 0.5], ("d", "a"): [0.51, 0.5101]})
    assert "2 seeds only: with fewer than 5" in headline(path)
    assert "2 seeds only" not in headline(written(tmp_path / "t", {("d", "random"): [0.5] * 5, ("d", "a"): [0.6] * 5}))


def test_what_tests_do_not_show_is_said_so(tmp_path):
    chance = np.random.default_rng(1)
    path = written(tmp_path / "s", {(f"d{i}", n): list(chance.normal(0.7, 0.01, 5)) for i in range(4) for n in NAMES})
    html = page(path)
    assert "the strategies are not shown to differ by Friedman&#39;s test" in html
    assert "do not differ" not in html
    assert "no difference" not in html


@pytest.mark.parametrize("figures", [False, True], ids=["page", "figures"])
def test_one_seed_of_six_is_never_bold_beside_whole_cells(tmp_path, figures):
    values = {("d", "random"): [0.9] * 6, ("d", "a"): [0.8] * 6, ("d", "lucky"): [0.9775, *[None] * 5]}
    path = written(tmp_path / "s", values)  # type: ignore[arg-type]
    if figures:
        CliRunner().invoke(main, ["report", str(path), "--figures", str(tmp_path / "f")])
        drawn = (tmp_path / "f" / "scores-knn.svg").read_text(encoding="utf8")
        bold = re.findall(r"<text[^>]*font-weight: 700[^>]*>([^<]*)</text>", drawn)
        assert bold == ["0.900"]
        assert "0.978*" in drawn
    else:
        scores = page(path)
        scores = scores[scores.index('id="scores"') : scores.index('id="curves"')]
        assert re.findall(r'class="[^"]*best"[^>]*>([^<]*)<', scores) == ["0.9000"]
        assert ">0.9775*<" in scores


@pytest.mark.parametrize("how", ["markdown", "csv", "latex"])
def test_a_mean_over_fewer_runs_is_marked_in_every_format(tmp_path, how):
    path = written(tmp_path / "s", {("d", "random"): [0.9] * 6, ("d", "lucky"): [0.9775, *[None] * 5]})
    result = CliRunner().invoke(main, ["table", str(path), "--format", how])
    assert "0.9775*" in result.stdout
    assert "bf" not in result.stdout
    assert "1 of 6 runs; 5 failed" in result.output


def test_equal_best_cells_share_the_bold(tmp_path):
    path = written(tmp_path / "s", {("d", "random"): [0.1 + 0.2] * 5, ("d", "a"): [0.3] * 5, ("d", "b"): [0.2] * 5})
    scores = page(path)
    scores = scores[scores.index('id="scores"') : scores.index('id="curves"')]
    assert re.findall(r'class="[^"]*best"[^>]*>([^<]*)<', scores) == ["0.3000", "0.3000"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"datasets": ["d"], "strategies": ["random"]}, "nothing to compare: 1 strategy to compare; it takes 2"),
        ({"datasets": ["d"], "strategies": ["random", "margin"], "seeds": 1}, "pairs: 1 complete block; tests need 2"),
        ({"datasets": ["d"], "strategies": ["margin", "entropy"]}, "Learning curves"),
        ({"datasets": ["d"], "strategies": ["random", "margin"], "rounds": 1}, "Learning curves"),
        ({"datasets": ["d"], "strategies": ["random"], "learners": ["knn", "knn->lda"]}, "Query and task learners"),
    ],
    ids=["one strategy", "one seed", "no baseline", "no round", "two task learners"],
)  # fmt: skip
def test_little_is_told_honestly(options, says, tmp_path):
    html = page(fill(tmp_path / "store", **options))
    assert says in html
    assert read(html).open == []
    assert ("Difference to random" in html) == ("random" in options["strategies"])


def test_a_store_without_a_completed_run(tmp_path):
    path = fill(tmp_path / "store", ["d"], ["random"], seeds=1, failed="random")
    with pytest.raises(InputError, match="no run has completed"):
        page(path)


def test_thirty_data_sets_stay_small(tmp_path):
    """Long curves are thinned: all points of these would be 1.3 MB of lines."""
    names = ["random", "margin", "entropy"]
    html = page(fill(tmp_path / "store", [f"d{i}" for i in range(30)], names, seeds=2, rounds=400))
    assert html.count("<figure id=") == 60
    assert len(html.encode()) < 900_000


# --- sections of plugins ---------------------------------------------------------------------------------------------


def with_sections(*sections: Callable[[Any], Any]) -> Plugins:
    """Return the plugins with modules that add these sections."""
    manager = pluggy.PluginManager(hooks.PROJECT)
    manager.add_hookspecs(hooks)
    for number, section in enumerate(sections):

        class Module:
            @hooks.hookimpl
            def alcore_report_sections(self, results: Any, section: Any = section) -> Any:
                return section(results)

        manager.register(Module(), name=f"plugin{number}")
    return replace(plugins.loaded(), manager=manager)


def broken(results: Any) -> Any:
    raise RuntimeError("no <luck>")


def test_a_plugin_adds_a_section_with_what_it_was_given(small):
    def section(results: Any) -> Any:
        return [("Best & last", f"<p>{len(results.curves())} curves of {results.of}, {len(results.records)} rows</p>")]

    html = page(small, with_sections(section))
    assert "Best &amp; last" in html
    assert "<p>18 curves of accuracy, 216 rows</p>" in html


def test_a_section_that_fails_keeps_its_title_and_costs_no_other(small):
    sections = [("Slow & dear", lambda: broken(None)), ("Fine", lambda: "<p>here</p>"), ("Odd", lambda: 3)]
    html = page(small, with_sections(lambda results: sections))
    slow = html[html.index(">Slow &amp; dear") :]
    assert "This section is missing. RuntimeError: no &lt;luck&gt;" in slow[: slow.index("</section>")]
    assert "<p>here</p>" in html
    assert "3 is no HTML; give a text, or a function that returns one" in html


def test_a_plugin_that_fails_is_named_by_its_title(small):
    loaded = with_sections(broken)
    ((_, module),) = loaded.manager.list_name_plugin()
    module.alcore_title = "A reader's title"
    assert "A reader&#39;s title <a" in page(small, loaded)


def test_a_plugin_that_raises_becomes_a_note_and_costs_nobody(small):
    html = page(small, with_sections(broken, lambda results: [("Fine", "<p>here</p>")]))
    assert "This section is missing. RuntimeError: no &lt;luck&gt;" in html
    assert "<p>here</p>" in html


@pytest.mark.parametrize("given", ["<p>text</p>", [("title",)], [("title", 3)], 5])
def test_what_is_no_section_is_told(small, given):
    assert "This section is missing." in page(small, with_sections(lambda results: given))


@pytest.mark.parametrize(
    ("html", "wrong"),
    [
        ("<p>fine</p><br><img src='data:,'>", ""),
        ("<svg><path d='M0 0'/></svg>", ""),
        ("<div>", "<div> is not closed"),
        ("<div/>", "<div> is not closed"),
        ("</main>", "</main> closes what is not open"),
        ("<p><b>x</p></b>", "</p> closes what is not open"),
        ("<script>1</script>", "<script> is not allowed"),
        ("<p onclick='x()'>a</p>", "the attribute onclick is a script, which is not allowed"),
    ],
)
def test_html_that_would_break_the_page(html, wrong):
    assert mistake(html) == wrong


# --- the command -----------------------------------------------------------------------------------------------------


def test_command_writes_the_page(small, tmp_path):
    result = CliRunner().invoke(main, ["report", str(small), "-o", str(tmp_path / "r.html"), "--json"])
    assert json.loads(result.stdout)["written"] == [str(tmp_path / "r.html")]
    assert (tmp_path / "r.html").read_text(encoding="utf8").startswith("<!doctype html>")


def test_command_draws_figures(small, tmp_path):
    result = CliRunner().invoke(main, ["report", str(small), "--figures", str(tmp_path / "f")])
    assert result.exit_code == 0, result.output
    names = {"curves", "differences", "scores-knn", "times-knn", "ranks-knn-nemenyi", "ranks-knn-wilcoxon-holm"}
    files = {file.name.removesuffix(".svg"): file for file in (tmp_path / "f").iterdir()}
    assert set(files) == names
    assert "CD = " in files["ranks-knn-nemenyi"].read_text(encoding="utf8")
    assert "margin" in files["differences"].read_text(encoding="utf8")


@pytest.mark.parametrize(("how", "begins"), [("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_other_formats_of_little(tmp_path, how, begins):
    path = fill(tmp_path / "store", ["d"], ["random"], seeds=1)
    result = CliRunner().invoke(main, ["report", str(path), "--figures", str(tmp_path / "f"), "--format", how])
    assert result.exit_code == 0, result.output
    files = list((tmp_path / "f").iterdir())
    assert {file.stem for file in files} == {"curves", "differences", "scores-knn", "times-knn"}
    assert all(file.suffix == f".{how}" and file.read_bytes().startswith(begins) for file in files)
