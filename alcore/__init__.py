"""One small core, one interface, and every pool-based active-learning strategy behind it."""
