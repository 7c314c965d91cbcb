"""Tables as text: what a cell says, what is noted under the table, and the three formats to the letter."""

from __future__ import annotations

import csv
import json
import math

import pytest

from alcore.report.tables import Cells, header, lines, notes, render, to_json
from alcore.stats import Cell

NAN = math.nan
WHOLE = Cell(mean=0.8125, sd=0.03, n=5, total=5, ended={})
SINGLE = Cell(mean=0.5, sd=NAN, n=1, total=1, ended={})
PARTLY = Cell(mean=0.75, sd=0.0125, n=3, total=5, ended={"failed": 1, "timeout": 1})
NONE = Cell(mean=NAN, sd=NAN, n=0, total=2, ended={"skipped": 2})
UNDEFINED = Cell(mean=NAN, sd=NAN, n=0, total=2, ended={})
MIXED = Cell(mean=0.25, sd=NAN, n=1, total=4, ended={"failed": 2})

CELLS: Cells = {
    ("wine",): {("margin",): WHOLE, ("random",): PARTLY},
    ("moons",): {("random",): SINGLE, ("entropy",): NONE},
}


def text(cells: Cells, how: str, *, labels: int = 1, **options: object) -> str:
    rows = ["dataset", "learner"][:labels]
    return render(lines(cells, rows, **options), how, labels)  # type: ignore[arg-type]


# --- cells -----------------------------------------------------------------------------------------------------------


def test_columns_are_in_order_of_first_appearance():
    assert header(CELLS) == [("margin",), ("random",), ("entropy",)]


@pytest.mark.parametrize(
    ("cell", "shown", "with_deviation"),
    [
        (WHOLE, "0.8125", "0.8125 ± 0.0300"),
        (SINGLE, "0.5000", "0.5000"),
        (PARTLY, "0.7500*", "0.7500 ± 0.0125*"),
        (NONE, "skipped*", "skipped*"),
        (UNDEFINED, "undefined*", "undefined*"),
        (MIXED, "0.2500*", "0.2500*"),
    ],
)
def test_cell(cell, shown, with_deviation):
    cells: Cells = {("d",): {("s",): cell}}
    assert lines(cells, ["dataset"]) == [["dataset", "s"], ["d", shown]]
    assert lines(cells, ["dataset"], sd=True)[1][1] == with_deviation


def test_pair_that_was_not_run_is_a_dash():
    assert lines(CELLS, ["dataset"]) == [
        ["dataset", "margin", "random", "entropy"],
        ["wine", "0.8125", "0.7500*", "-"],
        ["moons", "-", "0.5000", "skipped*"],
    ]


@pytest.mark.parametrize(("digits", "shown"), [(0, "1"), (1, "0.8"), (6, "0.812500")])
def test_digits(digits, shown):
    assert lines({("d",): {("s",): WHOLE}}, ["dataset"], digits=digits)[1][1] == shown


def test_names_of_several_columns_are_joined():
    cells: Cells = {("d", "knn"): {("margin", "0"): SINGLE}}
    assert lines(cells, ["dataset", "learner"]) == [["dataset", "learner", "margin / 0"], ["d", "knn", "0.5000"]]


# --- notes -----------------------------------------------------------------------------------------------------------


def test_notes_say_what_became_of_the_runs_that_are_missing():
    assert notes(CELLS) == [
        "* wine / random: 3 of 5 runs; 1 failed, 1 timeout",
        "* moons / entropy: 0 of 2 runs; 2 skipped",
    ]


def test_notes_tell_undefined_scores_from_runs_that_ended():
    assert notes({("d",): {("s",): MIXED}, ("e",): {("s",): UNDEFINED}}) == [
        "* d / s: 1 of 4 runs; 2 failed, 1 undefined",
        "* e / s: 0 of 2 runs; 2 undefined",
    ]


def test_whole_table_has_no_notes():
    assert notes({("d",): {("s",): WHOLE}}) == []


# --- formats ---------------------------------------------------------------------------------------------------------


def test_markdown():
    assert text(CELLS, "markdown").splitlines() == [
        "| dataset | margin |  random |  entropy |",
        "| ------- | -----: | ------: | -------: |",
        "| wine    | 0.8125 | 0.7500* |        - |",
        "| moons   |      - |  0.5000 | skipped* |",
    ]


def test_markdown_of_narrow_columns_is_still_a_table():
    assert text({("d",): {("s",): WHOLE}}, "markdown", digits=0).splitlines() == [
        "| dataset |  s |",
        "| ------- | -: |",
        "| d       |  1 |",
    ]


def test_markdown_keeps_bars_in_names_out_of_the_table():
    assert text({("a|b",): {("s",): SINGLE}}, "markdown").splitlines()[2] == r"| a\|b    | 0.5000 |"


def test_csv():
    assert text(CELLS, "csv").splitlines() == [
        "dataset,margin,random,entropy",
        "wine,0.8125,0.7500*,-",
        "moons,-,0.5000,skipped*",
    ]


def test_csv_reads_back_whatever_the_names():
    cells: Cells = {('a,"b"',): {("s\nt",): SINGLE}}
    assert list(csv.reader(text(cells, "csv").splitlines(keepends=True))) == lines(cells, ["dataset"])


def test_latex():
    assert text(CELLS, "latex", sd=True).splitlines() == [
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"dataset & margin & random & entropy \\",
        r"\midrule",
        r"wine & 0.8125 $\pm$ 0.0300 & 0.7500 $\pm$ 0.0125* & - \\",
        r"moons & - & 0.5000 & skipped* \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_latex_with_two_columns_of_names():
    first = text({("d", "knn"): {("s",): SINGLE}}, "latex", labels=2).splitlines()[0]
    assert first == r"\begin{tabular}{llr}"


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("a_b", r"a\_b"),
        ("50 % & #1 $x$ {y}", r"50 \% \& \#1 \$x\$ \{y\}"),
        ("lr->svm", r"lr-\textgreater{}svm"),
        ("a<b|c", r"a\textless{}b\textbar{}c"),
        ("~x^2", r"\textasciitilde{}x\textasciicircum{}2"),
        ("a\\b", r"a\textbackslash{}b"),
    ],
)
def test_latex_of_names_with_signs_that_mean_something_to_it(name, escaped):
    row = text({(name,): {("s",): SINGLE}}, "latex").splitlines()[4]
    assert row == escaped + r" & 0.5000 \\"


# --- JSON ------------------------------------------------------------------------------------------------------------


def test_json_has_an_object_per_cell_and_null_for_what_is_undefined():
    assert json.loads(json.dumps(to_json(CELLS, ["dataset"], ["strategy"]), allow_nan=False)) == [
        {"dataset": "wine", "strategy": "margin", "mean": 0.8125, "sd": 0.03, "n": 5, "total": 5, "ended": {}},
        {"dataset": "wine", "strategy": "random", "mean": 0.75, "sd": 0.0125, "n": 3, "total": 5,
         "ended": {"failed": 1, "timeout": 1}},
        {"dataset": "moons", "strategy": "random", "mean": 0.5, "sd": None, "n": 1, "total": 1, "ended": {}},
        {"dataset": "moons", "strategy": "entropy", "mean": None, "sd": None, "n": 0, "total": 2,
         "ended": {"skipped": 2}},
    ]  # fmt: skip
