"""Language models: attention, caches, and an architecture a file."""
