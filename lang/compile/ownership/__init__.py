"""Borrowing, frees, and the verifier of ownership."""
