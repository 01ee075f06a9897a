"""The standard library, in Lisp: one source for both back ends.  Data only."""
