"""What this plugin gives to alcore."""

from __future__ import annotations

from collections.abc import Iterable

from alcore.hooks import hookimpl
from alcore.spec import Spec
from alcore_benchmark import datasets, presets

alcore_api = 1


@hookimpl
def alcore_datasets() -> Iterable[Spec]:
    """Return the 40 data sets."""
    return datasets.specs()


@hookimpl
def alcore_presets() -> Iterable[Spec]:
    """Return the protocols."""
    return presets.specs()
