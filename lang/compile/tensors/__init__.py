"""Passes and analyses that say where tensors are in a program that uses them."""
