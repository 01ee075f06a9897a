"""The language, in Python.  It imports nothing from torch; `passes` lists the passes in order.

From the repository root `import lang` would find this folder by accident and make a second copy of
every class, so the package insists on its real name.
"""

if not __name__.endswith(".lang"):
    raise ImportError("import lambent.lang, not lang")
