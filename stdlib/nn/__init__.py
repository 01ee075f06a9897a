"""Models, initializers and losses."""
