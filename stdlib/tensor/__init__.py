"""Tensors: gradients, devices, files."""
