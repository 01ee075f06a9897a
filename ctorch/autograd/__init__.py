"""Computing gradients."""
