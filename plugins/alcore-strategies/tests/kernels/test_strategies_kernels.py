"""Given equal model outputs, a strategy asks for equal rows on every BLAS kernel, ties or not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.kernels
KERNELS = ("", "Haswell", "Nehalem", "SkylakeX")
"""As OPENBLAS_CORETYPE has them; the first is the processor's own. OpenBLAS takes another where one is not there."""

FITS = {
    "spal": "its weights of rows follow from a program that is solved to 1e-9 in the gradient, which is less in them",
}
"""Strategies that fit something by themselves whose answer is not known well enough; their pages say so."""


def picks(kernel: str, size: str) -> dict[str, Any]:
    one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    environment = {**os.environ, **one} | ({"OPENBLAS_CORETYPE": kernel} if kernel else {})
    words = [sys.executable, str(Path(__file__).with_name("picks.py")), size]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def compare(kernels: tuple[str, ...], size: str) -> None:
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda kernel: picks(kernel, size), kernels))
    ran = {tuple(one["kernels"]): one["picks"] for one in found}
    if len(ran) < 2:
        pytest.skip(f"NumPy's BLAS runs one kernel only here: {', '.join(next(iter(ran)))}")
    (first, expected), *others = ran.items()
    for kernel, asked in others:
        assert asked.keys() == expected.keys()
        differ = {case: (asked[case], expected[case]) for case in asked if asked[case] != expected[case]}
        known = {case for case in differ if case.split()[0] in FITS}
        assert not differ.keys() - known, f"{kernel} and {first} ask for other rows: {differ}"


def test_strategies_ask_for_the_same_rows_on_two_kernels() -> None:
    compare(("", "Nehalem"), "small")


@pytest.mark.skipif(not os.environ.get("ALCORE_KERNELS"), reason="a minute, for CI: set ALCORE_KERNELS=all")
def test_strategies_with_parameters_ask_for_the_same_rows_on_all_kernels() -> None:
    compare(KERNELS, "large")
