"""Checks before the run: what is likely to be a mistake, and what will certainly fail."""
