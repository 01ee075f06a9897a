"""Models, initializers and optimizers."""
