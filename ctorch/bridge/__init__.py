"""Between compiled programs and LibTorch."""
