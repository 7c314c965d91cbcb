"""The strategies of scikit-activeml behind alcore's interface."""

alcore_api = 1
