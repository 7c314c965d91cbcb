"""The only place where seeds become generators.

Every run has one seed. Each thing that needs chance draws from its own named stream, derived from the run's seed and
the stream's name, so that exchanging one part (the strategy, say) leaves the chance of all others unchanged.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import Literal
from zlib import crc32

import numpy as np
from numpy.random import Generator, SeedSequence

StreamName = Literal["split", "start", "learner", "strategy", "oracle"]


def sequence(seed: int, name: str, *key: int) -> SeedSequence:
    """Return the seed sequence of stream ``name`` of the run with this ``seed``; ``key`` tells its children apart."""
    return SeedSequence(entropy=seed, spawn_key=(crc32(name.encode()), *key))


def stream(seed: int, name: StreamName, *key: int) -> Generator:
    """Return a fresh generator of the named stream.

    ``key`` separates draws within a stream (a round, a child), so that a generator depends on where it is used
    and not on what was drawn before: a run can be resumed at any round.
    """
    return np.random.default_rng(sequence(seed, name, *key))


def integer(seed: int, name: StreamName, *key: int) -> int:
    """Return a seed in ``[0, 2**31)`` for code that takes an int, such as an estimator's ``random_state``.

    A hash, because every fit needs one, and a seed sequence costs ten times as much.
    """
    digest = blake2b(repr((int(seed), name, key)).encode(), digest_size=4).digest()
    return int.from_bytes(digest, "little") >> 1


@contextmanager
def seeded_globals(seed: int) -> Iterator[None]:
    """Run the body with NumPy's and Python's global random state seeded, and restore both afterwards.

    For libraries that draw from global state: what they draw depends on ``seed`` alone, and nobody else notices.
    """
    numpy_state = np.random.get_state()  # noqa: NPY002 - the legacy state is what must be saved
    python_state = random.getstate()
    try:
        np.random.seed(seed % 2**32)  # noqa: NPY002
        random.seed(int(seed))  # a NumPy integer is refused
        yield
    finally:
        np.random.set_state(numpy_state)  # noqa: NPY002
        random.setstate(python_state)
