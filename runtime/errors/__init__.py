"""Errors, hints, and failures as values."""
