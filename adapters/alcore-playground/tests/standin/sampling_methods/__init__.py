"""A stand-in for the playground: its modules, classes, attributes and faults as the adapter meets them, and no more."""
