"""Input and output of Lisp values: streams behind ports, `read`, `display` and `write`.

`builtins/ports.py`, `reading.py` and `writing.py` hold the primitives that use this.
"""
