"""Files of tensors: safetensors, npy, npz, pt, and what they are made of."""
