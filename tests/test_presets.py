"""A preset's keys hold where the experiment does not say otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from alcore import PresetSpec, plugins
from alcore.experiment import Experiment, ExperimentError, parse

FILE = {"name": "one", "datasets": ["sklearn.iris"], "strategies": ["margin"]}


def keys(size: int = 12) -> dict[str, Any]:
    return {
        "learners": ["gaussian-nb"],
        "seeds": 7,
        "ties": "first",
        "start": {"method": "per-class", "size": size, "classes": "all"},
    }


def read(**more: Any) -> Experiment:
    registry = plugins.loaded().registry.copy()
    registry.add([PresetSpec(name="toy.preset", summary="A toy", make=keys)], "toys", "1")
    return parse(FILE | {"preset": "toy.preset"} | more, registry)


def test_its_keys_hold_where_the_file_is_silent() -> None:
    found = read()
    assert (len(found.seeds), found.ties, found.learners[0].label) == (7, "first", "gaussian-nb")


def test_the_file_has_the_last_word() -> None:
    assert read(ties="random", seeds=[3]).seeds == (3,)


def test_a_table_that_both_have_is_taken_key_by_key() -> None:
    start = read(start={"size": 5}).start
    assert (start.method, start.size, start.classes) == ("per-class", 5, "all")


def test_a_list_of_the_file_replaces_that_of_the_preset() -> None:
    assert [pair.label for pair in read(learners=["knn"]).learners] == ["knn"]


def test_a_preset_takes_parameters() -> None:
    assert read(preset={"name": "toy.preset", "size": 4}).start.size == 4


@pytest.mark.parametrize(
    ("preset", "told"),
    [
        ("toy.prest", "preset: no preset is called 'toy.prest'. Did you mean 'toy.preset'?"),
        ({"name": "toy.preset", "sise": 4}, "Did you mean 'size'?"),
        (3, "preset: give a name, or a table with one"),
    ],
)
def test_a_wrong_preset_is_a_mistake_like_others(preset: Any, told: str) -> None:
    with pytest.raises(ExperimentError) as caught:
        read(preset=preset, learners=["gaussian-nb"], seeds=-1)
    text = "\n".join(caught.value.problems)
    assert told in text
    assert "seeds" in text


def test_what_a_preset_says_wrongly_is_told_as_if_it_were_written() -> None:
    with pytest.raises(ExperimentError, match=r"start\.size: must be at least 0; it is -1"):
        read(preset={"name": "toy.preset", "size": -1})


def test_the_mapping_given_is_not_changed() -> None:
    raw = FILE | {"preset": "published", "learners": ["gaussian-nb"]}
    before = dict(raw)
    parse(raw, plugins.loaded().registry)
    assert raw == before
