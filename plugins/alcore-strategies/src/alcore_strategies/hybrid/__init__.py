"""Hybrids: rows that are informative and stand for others."""

from __future__ import annotations

from typing import Any

from alcore_strategies.hybrid.badge import badge
from alcore_strategies.hybrid.bmdr import Bmdr, BmdrPublished
from alcore_strategies.hybrid.clue import clue
from alcore_strategies.hybrid.dwus import dwus
from alcore_strategies.hybrid.dwus_published import DwusPublished
from alcore_strategies.hybrid.hint_svm import hint_svm
from alcore_strategies.hybrid.hint_svm_published import HintSvmPublished
from alcore_strategies.hybrid.info_diverse import info_diverse
from alcore_strategies.hybrid.information_density import information_density
from alcore_strategies.hybrid.mcm import mcm
from alcore_strategies.hybrid.mcm_published import mcm_published
from alcore_strategies.hybrid.quire import Quire
from alcore_strategies.hybrid.quire_published import QuirePublished
from alcore_strategies.hybrid.spal import Spal, SpalPublished

STRATEGIES: list[Any] = [
    Quire,
    QuirePublished,
    dwus,
    DwusPublished,
    hint_svm,
    HintSvmPublished,
    mcm,
    mcm_published,
    info_diverse,
    information_density,
    badge,
    clue,
    Bmdr,
    BmdrPublished,
    Spal,
    SpalPublished,
]
