"""The published tables, and the same tables made anew."""
