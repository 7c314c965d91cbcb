"""Representation: rows that stand for many others."""

from __future__ import annotations

from typing import Any

from alcore_strategies.representation.core_set import CoreSet
from alcore_strategies.representation.graph_density import GraphDensity
from alcore_strategies.representation.hierarchical import Hierarchical
from alcore_strategies.representation.k_means import k_means_batch
from alcore_strategies.representation.max_herding import MaxHerding
from alcore_strategies.representation.prob_cover import ProbCover
from alcore_strategies.representation.typiclust import typiclust

STRATEGIES: list[Any] = [CoreSet, GraphDensity, Hierarchical, k_means_batch, typiclust, ProbCover, MaxHerding]
