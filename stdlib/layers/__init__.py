"""Layers: the modules of torch.nn."""
