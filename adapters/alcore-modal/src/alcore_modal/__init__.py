"""The strategies of modAL behind alcore's interface."""

alcore_api = 1
