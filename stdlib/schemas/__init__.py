"""JSON schemas: what their keywords say, as expressions of a grammar."""
