"""The commands ``select-model`` and ``reproduce coda-...``."""
