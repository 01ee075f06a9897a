"""Ctrl-C: where Lisp runs, and when an interrupt may reach it."""
