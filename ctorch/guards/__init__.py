"""What is checked before LibTorch is called, where LibTorch does not check."""
