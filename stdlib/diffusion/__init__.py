"""Diffusion models: how noise is removed step by step."""
