"""Memory of tensors: the allocator, limits, reports and profiles."""
