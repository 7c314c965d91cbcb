"""Run a benchmark by name."""

from __future__ import annotations

import os
import sys

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

from tests.benchmarks import core, speedup

SUITES = {"core": core.main, "speedup": speedup.main}

if len(sys.argv) != 2 or sys.argv[1] not in SUITES:
    sys.exit(f"usage: python -m tests.benchmarks {'|'.join(SUITES)}")
SUITES[sys.argv[1]]()
