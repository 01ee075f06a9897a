"""The Python extension."""
