"""The data sets that alcore can name: scikit-learn's, KEEL's, the user's files, OpenML's, and synthetic ones."""

from __future__ import annotations

from alcore.builtin.datasets import files, keel, openml, sklearn_bundled, synthetic
from alcore.spec import DatasetSpec


def specs() -> list[DatasetSpec]:
    """Return the specs of all of them; what makes a data set is imported when it is loaded."""
    return [spec for module in (sklearn_bundled, synthetic, files, openml, keel) for spec in module.specs()]
