"""The special forms, a file for those that belong together."""
