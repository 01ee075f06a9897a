"""Core to Python code objects."""
