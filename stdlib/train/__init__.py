"""Training: datasets, loaders, and what reports and keeps the work."""
