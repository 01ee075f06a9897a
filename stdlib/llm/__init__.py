"""Language models and encoders: attention, caches, and an architecture a file."""
