"""Data for training: datasets, loaders, splits and scalers."""
