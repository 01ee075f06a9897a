"""The language, in Python.  It imports nothing from torch; `passes` lists the passes in order.

From the repository root, `import lang` would import this folder a second time and duplicate every
class, so the package refuses any other name than its own.
"""

if not __name__.endswith(".lang"):
    raise ImportError("import lambent.lang, not lang")
