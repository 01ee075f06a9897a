"""Lisp values in Python, and what characters are."""
