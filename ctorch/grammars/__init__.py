"""Grammars: what a text may be, and which tokens may come next."""
