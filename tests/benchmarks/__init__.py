"""Benchmarks: ratios within one process run. ``uv run --group benchmarks python -m tests.benchmarks core``."""
