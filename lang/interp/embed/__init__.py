"""Lisp inside Python programs: sessions, conversion of values, threads.

`lang/package` is the public interface on top of this.
"""
