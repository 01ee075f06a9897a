"""Tensors: handles, creation, elements, indexing, text."""
