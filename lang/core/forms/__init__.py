"""The special forms, grouped by topic."""
