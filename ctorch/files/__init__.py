"""Files of tensors: safetensors, npy, npz, pt, and the ZIP, pickle and JSON that they use."""
