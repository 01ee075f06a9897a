"""Optimizers, schedules of learning rates, gradients, and averages of parameters."""
