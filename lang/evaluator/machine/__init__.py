"""The C that runs code."""
