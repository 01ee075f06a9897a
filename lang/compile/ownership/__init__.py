"""Borrow inference, frees, and the verifier of ownership."""
