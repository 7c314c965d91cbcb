"""Sparse pools that are too large to be made dense are refused before memory is asked for, or served."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import TruncatedSVD

import alcore
from alcore import AlcoreError, Pool
from alcore.decorators import spec_of
from alcore.pool import DENSE
from alcore_strategies.plugin import FAMILIES

SPECS = {spec_of(one).name: spec_of(one) for family in FAMILIES for one in family.STRATEGIES}
WIDE = sparse.random(2000, 200_000, density=1e-5, format="csr", random_state=np.random.default_rng(0))
GEOMETRY = [
    "core-set", "k-means", "graph-density", "typiclust", "prob-cover", "max-herding", "hierarchical", "quire", "dwus",
    "hint-svm", "bmdr", "spal", "information-density", "lal",
]  # fmt: skip


@pytest.mark.parametrize("name", GEOMETRY)
def test_refused_with_the_size_and_the_cure(name: str) -> None:
    known: Any = [0, 1, 0, 1] + [None] * 1996
    with pytest.raises(AlcoreError, match=r"2000 x 200000: .* 3\.2 GB .*TruncatedSVD"):
        alcore.Session(WIDE, strategy=name, learner="logistic-regression", classes=[0, 1], y=known).ask(2)


def test_features_of_few_columns_are_taken() -> None:
    known: Any = [0, 1, 0, 1] + [None] * 1996
    few = lambda X: TruncatedSVD(2, n_iter=1, random_state=0).fit_transform(X)  # noqa: E731
    session = alcore.Session(
        WIDE, strategy="core-set", learner="logistic-regression", classes=[0, 1], y=known, features=few
    )
    assert len(session.ask(2)) == 2


def test_what_fits_is_made_dense() -> None:
    small = sparse.csr_matrix(np.eye(5))
    assert Pool(small, classes=(0, 1)).features.shape == (5, 5)
    assert DENSE > 8 * 5 * 5
