"""Pictures of learning curves: what is in them, what they say of runs that did not complete, and equal bytes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from alcore.errors import InputError
from alcore.report.curves import draw_curves

STRATEGIES = ("random", "margin", "entropy", "least-confident")
PATH = "{http://www.w3.org/2000/svg}path"


def records(
    *,
    datasets: Sequence[str] = ("wine",),
    strategies: Sequence[str] = STRATEGIES,
    learners: Sequence[str] = ("knn",),
    seeds: int = 2,
    rounds: int = 4,
) -> pd.DataFrame:
    """Return the records of runs that all completed; no two curves are the same."""
    rows = []
    for run, (dataset, strategy, learner, seed) in enumerate(
        (d, s, p, seed) for d in datasets for s in strategies for p in learners for seed in range(seeds)
    ):
        names = {"dataset": dataset, "strategy": strategy, "learner": learner}
        names |= {"query_learner": learner, "task_learner": learner}
        rows += [
            {"run": f"{run:04x}"} | names | {"seed": seed, "t": t, "n_labeled": 10 + 2 * t}
            | {"accuracy": run / 99 + t / 9, "status": "completed", "reason": ""}
            for t in range(rounds)
        ]  # fmt: skip
    return pd.DataFrame(rows)


def drawn(frame: pd.DataFrame, folder: Path, of: str = "accuracy") -> str:
    """Return an SVG of the records."""
    return draw_curves(frame, of, folder / "curves.svg").read_text(encoding="utf8")


def words(svg: str) -> list[str]:
    """Return the texts in an SVG."""
    return [(element.text or "").strip() for element in ET.fromstring(svg).iter() if element.text]


def lines(svg: str) -> list[dict[str, str]]:
    """Return the styles of the curves in an SVG: lines of more than one piece that are coloured and not filled."""
    found = []
    for path in ET.fromstring(svg).iter(PATH):
        style = dict(part.split(": ") for part in path.get("style", "").rstrip(";").split("; ") if ": " in part)
        if style.get("fill") == "none" and path.get("d", "").count("L") == 3:
            found.append(style)
    return found


@pytest.mark.parametrize(("suffix", "begins"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_picture_is_written_and_its_path_returned(tmp_path, suffix, begins):
    path = tmp_path / f"curves{suffix}"
    assert draw_curves(records(strategies=["random"], rounds=2), "accuracy", path) == path
    assert path.read_bytes().startswith(begins)


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"curves.bmp ends in '.bmp'; curves are drawn as .svg, .pdf, .png"):
        draw_curves(records(), "accuracy", tmp_path / "curves.bmp")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".svg", ".pdf"])
def test_equal_records_make_equal_bytes(tmp_path, suffix):
    first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    for path in (first, second):
        draw_curves(records(strategies=["random", "margin"], rounds=2), "accuracy", path)
    assert first.read_bytes() == second.read_bytes()
    assert b"CreationDate" not in first.read_bytes()  # which would be the same within a second


def test_names_are_text_in_their_order(tmp_path):
    svg = drawn(records(datasets=["wine", "moons"], learners=["knn", "lda->rbf-svm"]), tmp_path)
    found = words(svg)
    assert [word for word in found if word in STRATEGIES] == list(STRATEGIES)
    assert {"wine", "moons", "knn", "lda->rbf-svm", "accuracy", "labelled rows"} <= set(found)


def test_every_strategy_has_a_line_in_every_panel(tmp_path):
    svg = drawn(records(datasets=["wine", "moons"]), tmp_path)
    styles = lines(svg)
    assert len(styles) == 2 * len(STRATEGIES)
    assert styles[: len(STRATEGIES)] == styles[len(STRATEGIES) :]  # a strategy looks the same in every panel


def test_many_strategies_make_the_figure_higher(tmp_path):
    def height(strategies: int) -> float:
        svg = drawn(records(strategies=[f"library.strategy-{i}" for i in range(strategies)], seeds=1), tmp_path)
        return float(ET.fromstring(svg).get("height", "").removesuffix("pt"))

    assert height(4) < height(68)  # a layout without room is a warning, which fails


def test_lines_can_be_told_apart_where_they_coincide(tmp_path):
    styles = lines(drawn(records(strategies=[f"s{i}" for i in range(20)], seeds=1), tmp_path))
    first, *others = styles
    assert "stroke-dasharray" not in first
    assert all(float(first["stroke-width"]) > float(style["stroke-width"]) for style in others)
    assert all("stroke-dasharray" in style for style in others[:6])
    looks = [(style["stroke"], style.get("stroke-dasharray")) for style in styles]
    assert len(set(looks)) == len(looks)


def dashes(style: dict[str, str]) -> np.ndarray:
    """Tell at which of 800 points of a stretch a line is drawn."""
    lengths = [float(length) for length in style["stroke-dasharray"].split(",")]
    period = sum(lengths)
    at = (np.arange(0.05, 8, 0.01) / 8 * period + float(style["stroke-dashoffset"])) % period
    pieces = np.searchsorted(np.cumsum(lengths), at, side="right")
    drawn: np.ndarray = pieces % 2 == 0
    return drawn


def test_dashes_of_the_first_strategies_do_not_cover_each_other(tmp_path):
    _, *dashed = lines(drawn(records(seeds=1), tmp_path))
    assert len(dashed) == 3
    together = np.sum([dashes(style) for style in dashed], axis=0)
    assert together.max() == 1
    assert all(dashes(style).mean() > 0.1 for style in dashed)


def test_one_seed_is_drawn_without_a_band(tmp_path):
    svg = drawn(records(strategies=["random"], seeds=1), tmp_path)
    assert len(lines(svg)) == 1
    assert "fill-opacity: 0.12" not in svg
    assert "fill-opacity: 0.12" in drawn(records(strategies=["random"], seeds=2), tmp_path)


def test_runs_that_did_not_complete_are_counted_and_not_drawn(tmp_path):
    frame = records(strategies=["random", "margin"])
    timeout = frame["strategy"] == "margin"
    frame.loc[timeout, "status"] = "timeout"
    svg = drawn(frame, tmp_path)
    assert len(lines(svg)) == 1
    assert "margin" not in words(svg)
    assert "2 of 4 runs did not complete: not shown" in words(svg)


def test_whole_experiment_has_nothing_to_say_of_missing_runs(tmp_path):
    assert "did not complete" not in drawn(records(strategies=["random"]), tmp_path)


def test_what_a_failed_run_had_reached_does_not_matter(tmp_path):
    frame = records(strategies=["random"], seeds=3)
    failed = frame["seed"] == 1
    frame.loc[failed, "status"] = "failed"
    before = drawn(frame, tmp_path)
    frame.loc[failed, "accuracy"] = 0.0
    assert drawn(frame, tmp_path) == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"status": "failed"}, "no run completed"),
        ({"accuracy": float("nan")}, "no value"),
        (None, "not run"),
    ],
)
def test_empty_panel_says_why(tmp_path, change, said):
    frame = records(datasets=["wine", "moons"], strategies=["random"], learners=["knn", "lda"])
    pair = (frame["dataset"] == "moons") & (frame["learner"] == "lda")
    if change is None:
        frame = frame[~pair]
    else:
        frame.loc[pair, list(change)] = list(change.values())
    svg = drawn(frame, tmp_path)
    assert words(svg).count(said) == 1
    assert len(lines(svg)) == 3


def test_no_completed_run_is_no_picture(tmp_path):
    with pytest.raises(InputError, match="no run has completed, so that there is no curve to draw; see: alcore status"):
        drawn(records().assign(status="failed"), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_metric_that_was_not_recorded(tmp_path):
    with pytest.raises(InputError, match=r"'acuracy' was not recorded; there is accuracy. Did you mean 'accuracy'\?"):
        drawn(records(), tmp_path, "acuracy")


def test_seeds_are_averaged_where_they_share_label_counts(tmp_path):
    frame = records(strategies=["random"], rounds=5)
    frame.loc[frame["seed"] == 1, "n_labeled"] += 2  # four of the label counts are shared
    assert len(lines(drawn(frame, tmp_path))) == 1


def test_seeds_that_share_no_label_count_are_told_of(tmp_path):
    frame = records(strategies=["random", "margin"])
    frame.loc[(frame["seed"] == 1) & (frame["strategy"] == "margin"), "n_labeled"] += 1
    svg = drawn(frame, tmp_path)
    assert len(lines(svg)) == 1
    assert "margin: its runs share no label count" in words(svg)


def test_records_are_left_as_they_are(tmp_path):
    frame = records(strategies=["random", "margin"], rounds=2)
    before = frame.copy()
    drawn(frame, tmp_path)
    pd.testing.assert_frame_equal(frame, before)
