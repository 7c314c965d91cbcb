"""BatchBALD: the batch whose labels, taken together, say most about the model."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from alcore import Floats, InputError, Labels, Rows, View, strategy
from alcore_strategies.committee.bald import BLOCK, Bald, Ensemble, checked_ensemble, in_blocks, posterior_of
from alcore_strategies.committee.information import NOISE, entropy
from alcore_strategies.committee.members import checked_members


@strategy(
    "batch-bald",
    summary="The batch whose labels together have the largest mutual information with the model",
    revision=2,
    needs=("proba",),
    batch="native",
    stochastic=True,
    group="committee",
    source="Kirsch, van Amersfoort and Gal, BatchBALD (2019), section 3, algorithm 1",
)
class BatchBald:
    """Greedy maximisation of I(y_1, ..., y_n; w) = H(y_1, ..., y_n) - sum_i E_w H(y_i | w).

    Parameters
    ----------
    ensemble : "bagged", "forest" or "draws"
    members : int
        As in ``bald``.
    configurations : int
        Joint labels of the rows chosen so far that are kept: all K^(n-1) of them while those are no more, which is
        exact, and then as many drawn from their distribution.

    Raises
    ------
    InputError
        If ``ensemble`` is none of these, ``members`` is below 2, or ``configurations`` below ``members``.
    """

    def __init__(self, ensemble: Ensemble = "bagged", members: int = 20, configurations: int = 1000) -> None:
        self.ensemble = checked_ensemble("batch-bald", ensemble)
        self.members = checked_members("batch-bald", members)
        if configurations < self.members:
            raise InputError(
                f"batch-bald: configurations is {configurations!r}; give as many as members ({members}) or more."
            )
        self.configurations = configurations

    def scores(self, view: View) -> Floats:
        """Return the information of each row alone, which is BALD's."""
        return Bald(self.ensemble, self.members).scores(view)

    def query(self, view: View, n: int) -> Rows:
        """Return the rows in the order in which they are added, after those that are out for labelling."""
        if n == 0:
            return view.unlabeled[:0]
        posterior = posterior_of(view, self.ensemble, self.members)
        p = np.concatenate([block for _, block in in_blocks(view, posterior, self.members)], axis=1)
        given_model = np.mean([entropy(one) for one in p], axis=0)
        joint = Joint(len(p), p.shape[2], self.configurations, view.rng)
        if len(view.pending):
            out = posterior(view.pool.take(view.pending))
            for i in range(out.shape[1]):
                joint.add(out[:, i])
        chosen: list[int] = []
        open_rows = np.ones(p.shape[1], dtype=np.bool_)
        while True:
            gain = joint.entropies_with(p) - joint.entropy - given_model
            gain = np.where(gain > NOISE * (1.0 + joint.entropy), gain, 0.0)  # what is below is rounding
            # With the entropy that all have in common, which tells how many digits there are to a gain.
            scores = np.where(open_rows, joint.entropy + gain, -np.inf)
            chosen.append(int(view.top(scores, 1, rounding=NOISE)[0]))
            if len(chosen) == n:
                return np.array(chosen, dtype=np.intp)
            at = int(np.searchsorted(view.unlabeled, chosen[-1]))
            open_rows[at] = False
            joint.add(p[:, at])


class Joint:
    """The joint distribution of the labels of some rows under an ensemble.

    State: log p(y_1..n | w_t) of each configuration and member. Configurations are all there are, or M drawn ones
    (each from one member, all members equally often), which then stand for the others by importance weights 1/(M p).

    Parameters
    ----------
    members : T
    n_classes : K
    configurations : the most that are kept, M
    rng : Generator
    """

    def __init__(self, members: int, n_classes: int, configurations: int, rng: Generator) -> None:
        self.rng = rng
        self.n_classes = n_classes
        self.most = configurations
        self.log_p = np.zeros((1, members))
        self.drawn_from: Labels | None = None
        self.rows: list[Floats] = []

    @property
    def _scale(self) -> Floats:
        """The largest log p of each configuration, taken out so that long products do not underflow."""
        largest: Floats = self.log_p.max(axis=1)
        return largest

    @property
    def _weights(self) -> Floats:
        """What p log p of each configuration, its scale taken out, counts in the entropy."""
        if self.drawn_from is None:
            return np.exp(self._scale)
        relative = np.exp(self.log_p - self._scale[:, None]).mean(axis=1)
        weights: Floats = 1.0 / (len(self.log_p) * relative)
        return weights

    @property
    def entropy(self) -> float:
        """H(y_1, ..., y_n) in nats: 0 of no rows, exact of all configurations, an estimate of drawn ones."""
        mean = np.exp(self.log_p - self._scale[:, None]).mean(axis=1)
        return -float((self._weights * mean * (np.log(mean) + self._scale)).sum())

    def entropies_with(self, p: Floats) -> Floats:
        """Return H(y_1, ..., y_n, y) for each candidate, (u,), with probabilities ``p`` of shape (T, u, K)."""
        members, u, k = p.shape
        relative = np.exp(self.log_p - self._scale[:, None]) / members
        weights, scale = self._weights, self._scale[:, None]
        nats = np.empty(u)
        step = max(1, BLOCK // (len(relative) * k))
        for first in range(0, u, step):
            block = p[:, first : first + step]
            q = relative @ block.reshape(members, -1)  # p(configuration, y) less its scale
            q *= np.log(np.where(q > 0, q, 1.0)) + scale
            nats[first : first + step] = -(weights @ q).reshape(-1, k).sum(axis=1)
        return nats

    def add(self, p: Floats) -> None:
        """Add a row with probabilities ``p`` of shape (T, K)."""
        self.rows.append(p)
        if self.drawn_from is None and len(self.log_p) * self.n_classes <= self.most:
            joint = self.log_p[:, None, :] + _log(p).T[None, :, :]
            joint = joint.reshape(-1, self.log_p.shape[1])
            self.log_p = joint[np.isfinite(joint).any(axis=1)]  # those that cannot be, for no member
            return
        new = [p]
        if self.drawn_from is None:
            self.drawn_from = np.arange(self.most) % len(p)
            self.log_p, new = np.zeros((self.most, len(p))), self.rows
        for row in new:
            y = self._drawn(row[self.drawn_from])
            self.log_p = self.log_p + _log(row)[:, y].T

    def _drawn(self, p: Floats) -> Labels:
        """Return one class per row of ``p``, (M, K)."""
        below = np.cumsum(p, axis=1)
        u = self.rng.random((len(p), 1)) * below[:, -1:]
        classes: Labels = (below <= u).sum(axis=1)
        return classes


def _log(p: Floats) -> Floats:
    logs: Floats = np.log(np.where(p > 0, p, 1.0))
    return np.where(p > 0, logs, -np.inf)
