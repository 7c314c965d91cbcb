"""The specs of the core's metrics."""

from __future__ import annotations

from typing import cast

from alcore import metrics
from alcore.decorators import spec_of
from alcore.spec import MetricSpec


def specs() -> list[MetricSpec]:
    """Return the spec of every metric in ``alcore.metrics``, in the order of its ``__all__``."""
    return [cast("MetricSpec", spec_of(getattr(metrics, name))) for name in metrics.__all__]
