"""Pictures and tables out of a store."""
