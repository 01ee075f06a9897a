"""The language's procedures that Lisp expresses."""
