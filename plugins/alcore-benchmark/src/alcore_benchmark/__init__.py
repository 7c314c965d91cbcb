"""The published benchmark: data sets, protocol, tables, and what holds of it."""
