"""The strategies of Google's active-learning playground behind alcore's interface."""

alcore_api = 1
