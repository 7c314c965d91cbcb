"""Memory is bounded: the benchmark of a million rows, at 20,000."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
ROWS = 20_000
MATRIX = 8 * ROWS**2 / 2**20  # MiB of all distances: 3,052
CODE = f"""
import json
from tests.benchmarks.scale import measure
print(json.dumps([measure(name, {ROWS}, rounds=2) for name in ("core-set", "k-means")]))
"""


def test_no_square_of_the_pool_is_built():
    quick = os.environ | {"ALCORE_PLUGINS": "-alipy,-libact,-modal,-playground,-skactiveml"}
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True, cwd=ROOT, env=quick)
    for found in json.loads(done.stdout.splitlines()[-1]):
        assert found["setup"] + found["round"] < 20
        assert found["peak"] < 750 < MATRIX / 4  # of which Python and its libraries take 200
