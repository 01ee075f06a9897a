"""Quantized matrices and their product: kernels in C++ for each processor."""
