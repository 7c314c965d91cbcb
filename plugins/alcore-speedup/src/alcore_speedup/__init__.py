"""The speed-up factor of learning curves, and every metric it is compared with."""
