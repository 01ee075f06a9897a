"""Ports, reading and printing."""
