"""Language models: attention, caches, steps, files, and the parts of architectures."""
