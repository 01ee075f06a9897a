"""Lisp inside Python programs: values both ways, and whose turn it is."""
