"""Which of many models is best on rows whose labels cost money? Ask for the labels that tell."""

from alcore_modelselection.predictions import Predictions

__all__ = ["Predictions"]
