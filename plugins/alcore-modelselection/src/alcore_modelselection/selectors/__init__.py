"""The selectors that CODA is compared with."""
