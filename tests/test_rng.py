"""Seeds become generators by name and key, and foreign global state is put back."""

from __future__ import annotations

import random
from typing import Any, get_args
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alcore.rng import StreamName, integer, seeded_globals, sequence, stream

NAMES = get_args(StreamName)
seeds = st.integers(0, 2**64)
keys = st.lists(st.integers(0, 1000), max_size=3)


def draws(*address: Any) -> tuple[float, ...]:
    return tuple(stream(*address).random(4))


@settings(deadline=None)
@given(seeds, st.sampled_from(NAMES), keys)
def test_a_stream_is_reproducible(seed: int, name: StreamName, key: list[int]) -> None:
    assert draws(seed, name, *key) == draws(seed, name, *key)


def test_streams_differ_by_seed_name_and_key() -> None:
    addresses = [(seed, name, *key) for seed in (0, 1, 2) for name in NAMES for key in [(), (0,), (1,), (0, 0), (0, 1)]]
    assert len({draws(*address) for address in addresses}) == len(addresses)


@settings(deadline=None)
@given(seeds, keys, keys)
def test_two_keys_are_two_streams(seed: int, one: list[int], other: list[int]) -> None:
    assert (draws(seed, "strategy", *one) == draws(seed, "strategy", *other)) == (one == other)


def test_a_stream_does_not_depend_on_what_was_drawn_before() -> None:
    alone = draws(3, "start")
    for name in NAMES:
        stream(3, name).random(100)
        stream(3, name, 1).random(100)
    assert draws(3, "start") == alone


def test_a_stream_does_not_touch_global_state() -> None:
    before = np.random.get_state()[1].copy(), random.getstate()
    stream(3, "start").random(100)
    integer(3, "learner")
    np.testing.assert_array_equal(np.random.get_state()[1], before[0])
    assert random.getstate() == before[1]


def test_a_stream_is_numpys_own_with_the_name_as_spawn_key() -> None:
    expected = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(crc32(b"oracle"), 2)))
    assert draws(5, "oracle", 2) == tuple(expected.random(4))


def test_sequence_takes_any_name() -> None:
    one, other = (sequence(0, name).generate_state(2).tolist() for name in ("plugin.one", "plugin.other"))
    assert one != other


@settings(deadline=None)
@given(seeds, st.sampled_from(NAMES), keys)
def test_an_integer_is_a_seed_that_every_library_takes(seed: int, name: StreamName, key: list[int]) -> None:
    value = integer(seed, name, *key)
    assert type(value) is int
    assert 0 <= value < 2**31
    assert value == integer(seed, name, *key)


def test_integers_differ_by_seed_name_and_key() -> None:
    addresses = [(seed, name, *key) for seed in (0, 1) for name in NAMES for key in [(), (0,), (1,)]]
    assert len({integer(*address) for address in addresses}) == len(addresses)


def test_integers_use_the_whole_range() -> None:
    values = [integer(0, "learner", i) for i in range(200)]
    assert min(values) < 2**31 * 0.05
    assert max(values) > 2**31 * 0.95


def global_draws() -> tuple[float, float]:
    return float(np.random.random()), random.random()


@pytest.mark.parametrize("seed", [0, 7, 2**31, 2**40 + 7, np.int64(7)])
def test_seeded_globals_depend_on_the_seed_alone(seed: int) -> None:
    with seeded_globals(seed):
        first = global_draws()
    global_draws()
    with seeded_globals(seed):
        assert global_draws() == first


def test_seeded_globals_differ_by_seed() -> None:
    with seeded_globals(1):
        first = global_draws()
    with seeded_globals(2):
        second = global_draws()
    assert first[0] != second[0]
    assert first[1] != second[1]


def test_seeded_globals_restore_both_states() -> None:
    with seeded_globals(99):  # so that the test itself leaves no trace
        expected = [global_draws() for _ in range(2)]
    with seeded_globals(99):
        first = global_draws()
        with seeded_globals(5):
            global_draws()
        assert [first, global_draws()] == expected


def test_seeded_globals_restore_on_an_exception() -> None:
    before = np.random.get_state()[1].copy(), random.getstate()
    with pytest.raises(RuntimeError, match="inside"), seeded_globals(5):  # noqa: PT012 - the draws move the state
        global_draws()
        raise RuntimeError("inside")
    np.testing.assert_array_equal(np.random.get_state()[1], before[0])
    assert random.getstate() == before[1]


def test_seeded_globals_restore_when_python_refuses_the_seed() -> None:
    before = np.random.get_state()[1].copy(), random.getstate()
    with pytest.raises(TypeError), seeded_globals(np.array([1, 2])):  # type: ignore[arg-type]
        pass
    np.testing.assert_array_equal(np.random.get_state()[1], before[0])
    assert random.getstate() == before[1]
