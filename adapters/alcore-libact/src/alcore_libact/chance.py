"""Random sampling."""

from __future__ import annotations

import numpy as np

from alcore import Rows, View
from alcore.interop import seed_of
from alcore_libact.asking import ask_again
from alcore_libact.library import pool_based, quiet
from alcore_libact.sheet import sheet


class RandomSampling:
    """``RandomSampling``: every unlabelled row is equally likely."""

    name = "libact.random"

    def query(self, view: View, n: int) -> Rows:
        """Return n rows, each drawn from those that are left."""
        if n == 0:
            return view.unlabeled[:0]
        state = np.random.RandomState(seed_of(view))

        def once(left: Rows) -> int:
            data = sheet(view, left)
            return data.row(pool_based.RandomSampling(data.dataset, random_state=state).make_query())

        with quiet():
            return ask_again(view, n, once, who=self.name)
