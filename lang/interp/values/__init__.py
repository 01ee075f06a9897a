"""Lisp values in Python, the facts about procedures, Unicode properties of characters."""
