"""From Python exceptions to Lisp errors."""
