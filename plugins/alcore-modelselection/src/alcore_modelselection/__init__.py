"""Which of many models is best on rows whose labels cost money? Ask for the labels that tell."""

from alcore_modelselection.files import read_predictions
from alcore_modelselection.losses import Loss, make_loss
from alcore_modelselection.predictions import Predictions
from alcore_modelselection.protocols import HasPosterior, Selector
from alcore_modelselection.selection import Best, Selection
from alcore_modelselection.simulation import Trace, simulate

__all__ = [
    "Predictions",
    "read_predictions",
    "Selection",
    "Best",
    "simulate",
    "Trace",
    "Selector",
    "HasPosterior",
    "Loss",
    "make_loss",
]
