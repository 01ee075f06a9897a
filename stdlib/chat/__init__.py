"""Training: the loop, and what reports and keeps the work."""
