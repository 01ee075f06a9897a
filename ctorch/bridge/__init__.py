"""C that compiled programs call LibTorch with."""
