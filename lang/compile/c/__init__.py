"""Owned ANF to C99 that a person can read."""
