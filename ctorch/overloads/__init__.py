"""Overloads of our own, for functions of PyTorch's that are not operators."""
