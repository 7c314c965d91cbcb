"""Committees and ensembles: rows on which models disagree."""

from __future__ import annotations

from typing import Any

from alcore_strategies.committee.bald import Bald
from alcore_strategies.committee.batch_bald import BatchBald
from alcore_strategies.committee.published import BaldPublished, QbcPublished
from alcore_strategies.committee.qbc import QueryByCommittee

STRATEGIES: list[Any] = [QueryByCommittee, QbcPublished, Bald, BaldPublished, BatchBald]
