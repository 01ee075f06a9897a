"""Names for hints: LibTorch's operators, PyTorch's names, and those of other languages."""
