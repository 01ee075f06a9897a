"""The declarations of all primitive procedures."""
