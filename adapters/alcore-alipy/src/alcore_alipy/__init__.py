"""The strategies of ALiPy behind alcore's interface."""

alcore_api = 1
