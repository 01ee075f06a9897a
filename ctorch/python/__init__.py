"""The Python extension, with which the interpreter calls LibTorch."""
