"""CODA: consensus-driven active model selection, in the symbols of its paper."""
