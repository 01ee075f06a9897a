"""Core to Python code objects, through Python's `ast`.

When a program's code comes from the cache, only `unit.py` of this folder is loaded.
"""
