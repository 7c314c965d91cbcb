"""What these tests share."""

from __future__ import annotations

import os

# Before NumPy is imported: small fits on many threads are slow, the more so beside other test processes.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
