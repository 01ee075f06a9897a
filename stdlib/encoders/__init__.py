"""Encoders: texts to vectors, the heads on top, and folders of sentence-transformers."""
