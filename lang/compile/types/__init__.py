"""Inference of abstract types and effects, the passes that use them, and the verifier."""
