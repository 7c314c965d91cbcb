"""The report in a real browser, headless Chromium: it opens without a word of complaint, toggles, sorts and prints."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from alcore import results
from alcore.cli import main
from alcore.protocols import Record
from alcore.results import Run
from alcore.store import Store
from alcore.types import Status

NO_ROWS = np.empty(0, dtype=np.intp)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Does what a reader does with the keyboard, and leaves what came of it in the page's title.
SCRIPT = """<script>
const seen = {}, body = document.body, main = document.querySelector("main");
const shown = (element) => getComputedStyle(element).display !== "none";
const lines = () => [...document.querySelectorAll("#curves-wine-knn .s")].filter(shown).length;
const paper = () => getComputedStyle(body).backgroundColor;
seen.lines = lines();
const button = document.querySelector(".toggle[data-s='1']");
button.focus();
seen.focused = document.activeElement === button;
seen.focus = main.dataset.focus;
button.click();
seen.pressed = button.getAttribute("aria-pressed");
seen.without = lines();
document.getElementById("none").click();
seen.none = lines();
document.getElementById("all").click();
seen.all = lines();
const before = paper();
document.getElementById("theme").click();
seen.other = paper() !== before;
document.getElementById("theme").click();
seen.back = paper() === before;
const table = document.querySelector("#scores ~ .wide table"), head = table.tHead.rows[0].cells;
const names = () => [...table.tBodies[0].rows].map((row) => row.cells[0].textContent);
head[0].querySelector("button").click();
seen.up = [names(), head[0].getAttribute("aria-sort")];
head[0].querySelector("button").click();
seen.down = [names(), head[0].getAttribute("aria-sort")];
head[1].querySelector("button").click();
const values = [...table.tBodies[0].rows].map((row) => Number(row.cells[1].dataset.v));
seen.sorted = values.every((value, i) => i === 0 || values[i - 1] <= value);
seen.wide = document.documentElement.scrollWidth - innerWidth;
seen.reachable = [...document.querySelectorAll("button, a[href]")].every((one) => one.tabIndex >= 0);
document.title = JSON.stringify(seen);
</script>"""


@pytest.fixture(scope="module")
def browser() -> str:
    """A Chromium that runs; without one the tests skip."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium is installed; on Debian: apt-get install chromium")
    return found


def run(browser: str, page: Path, folder: Path, *options: str) -> tuple[str, str]:
    """Open a page; return what is printed, and what the page has to complain of."""
    base = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND"]  # fmt: skip # noqa: E501
    # A profile for each call: the page remembers the reader's choice of light or dark.
    profile = f"--user-data-dir={folder / f'profile{len(list(folder.iterdir()))}'}"
    base += [profile, "--enable-logging=stderr", "--virtual-time-budget=1000"]
    command = [browser, *base, *options, f"file://{page}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


def named(name: str) -> dict[str, Any]:
    return {"name": name, "label": name, "params": {}}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    store, position, chance = Store(folder / "store", create=True), 0, np.random.default_rng(0)
    one = named("knn") | {"refit": "scratch"}
    for dataset in ("wine", "moons", "iris"):
        for seed in range(3):
            for strategy in ("random", "margin", "entropy"):
                config = {
                    "dataset": named(dataset) | {"task": "classification", "fingerprint": "0"},
                    "strategy": named(strategy),
                    "learner": {"label": "knn", "query": one, "task": one}, "seed": seed,
                    "metrics": [named("accuracy")],
                }  # fmt: skip
                values = 0.6 + 0.3 * (1 - np.exp(-np.arange(15) / 5)) + chance.normal(0, 0.02, 15)
                records = [Record(t, NO_ROWS, NO_ROWS, 10 + t, {"accuracy": float(v)}, 0.1, 0.2) for t, v in enumerate(values)]  # fmt: skip # noqa: E501
                store.write(Run(config, position), results.Result(Status.COMPLETED, "budget_reached", records))
                position += 1
    result = CliRunner().invoke(main, ["report", str(store.path), "-o", str(folder / "report.html")])
    assert result.exit_code == 0, result.output
    return folder / "report.html"


@pytest.fixture(scope="module")
def used(browser: str, page: Path) -> dict[str, Any]:
    """What a reader saw who pressed the page's buttons."""
    copy = page.with_name("used.html")
    copy.write_text(page.read_text(encoding="utf8").replace("</body>", f"{SCRIPT}</body>"), encoding="utf8")
    dom, complaints = run(browser, copy, page.parent, "--dump-dom", "--window-size=1280,900")
    assert complaints == ""
    title = re.search(r"<title>(.*?)</title>", dom)
    assert title is not None
    found: dict[str, Any] = json.loads(unescape(title[1]))
    return found


def test_strategies_toggle_by_buttons_that_the_keyboard_reaches(used):
    assert (used["lines"], used["without"], used["none"], used["all"]) == (3, 2, 0, 3)
    assert (used["pressed"], used["focused"], used["reachable"]) == ("false", True, True)


def test_the_strategy_in_focus_stands_out(used, page):
    assert used["focus"] == "1"
    assert '[data-focus="1"] .s:not(.s1){opacity:' in page.read_text(encoding="utf8")


def test_light_and_dark_switch(used):
    assert (used["other"], used["back"]) == (True, True)


def test_tables_sort_by_names_and_values(used):
    assert used["up"] == [["iris", "moons", "wine"], "ascending"]
    assert used["down"] == [["wine", "moons", "iris"], "descending"]
    assert used["sorted"]


def test_nothing_sticks_out_at_the_side(used):
    assert used["wide"] <= 0


def test_it_prints(browser, page):
    """A PDF of some pages, with the text in it."""
    _, complaints = run(browser, page, page.parent, f"--print-to-pdf={page.parent / 'print.pdf'}")
    assert complaints == ""
    assert (page.parent / "print.pdf").read_bytes().startswith(b"%PDF")


def test_it_is_drawn_in_light_and_in_dark(browser, page):
    """The middle of the paper is light or dark, as the reader's system prefers, and not all is paper."""
    from matplotlib.image import imread

    paper = {}
    for name, options in (("light", ()), ("dark", ("--blink-settings=preferredColorScheme=0",))):
        file = page.parent / f"{name}.png"
        run(browser, page, page.parent, f"--screenshot={file}", "--window-size=1000,900", "--hide-scrollbars", *options)
        drawn = imread(file)[..., :3].mean(axis=2)
        paper[name] = float(np.median(drawn))
        assert np.ptp(drawn) > 0.7
    assert paper["light"] > 0.95
    assert paper["dark"] < 0.2
