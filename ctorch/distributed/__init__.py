"""Training on several machines, over LibTorch's c10d: joining, collectives, gradients."""
