"""The strategies of libact behind alcore's interface."""

alcore_api = 1
