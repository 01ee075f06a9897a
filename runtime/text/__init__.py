"""Strings, characters, bytes."""
