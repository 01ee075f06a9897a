"""The compiler's passes as machine code, made by mypyc.

    python -m lambent.lang.mypyc      compile them, once, into the cache (two or three minutes)

`lambent compile`, `check` and `show` then load the compiled modules in place of the Python ones,
which takes a third of the time in the passes.  Without them, or after any source has changed, the
same modules run as Python.  mypyc comes with mypy, which only developers need, so nothing here is
imported unless compiled modules exist or are made.
"""
