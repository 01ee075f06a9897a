"""Files of tensors: safetensors, npy, npz, and the ZIP, pickle and JSON that they and pt use."""
