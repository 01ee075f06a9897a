"""The .pt files of Python's torch.save, of today and of before PyTorch 1.6."""
