"""From LibTorch's exceptions to Lambent's messages."""
