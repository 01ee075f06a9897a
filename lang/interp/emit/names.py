"""The Python names of emitted code.

Python lets any text be a name in an `ast`, so Lisp names are kept.  What a name stands for shows in
its form, and no two kinds can meet:

    x.2  list->x    a local variable          p:x  l:map     the program's, the library's variables
    :Pair           of the evaluator itself   b:rt_car       a primitive's function
    v:bridge_ref    a primitive as a value    o:add O:tensor-add   an operator, the same as a value
    r:add           an operator whose first argument is of no further use
    s:a  k:a  h:a   symbol, keyword, char     c:unit:3       another constant
    " 1"            a temporary               =a:b           a local variable named like such
"""

from types import CodeType

from lambent.lang.core.ir import Home

_PYTHON_KEEPS = {"None", "True", "False", "__debug__"}


def local_name(name: str) -> str:
    """The Python name of a local variable."""
    if not name or name[0] == "=" or ":" in name or " " in name or name in _PYTHON_KEEPS:
        return "=" + name
    return name


def constant_name(unit: str, number: int) -> str:
    """The Python name of a constant of a unit."""
    return f"c:{unit}:{number}"


def constants_in(code: CodeType, unit: str) -> list[str]:
    """The constants that the code of a unit makes."""
    return [name for name in code.co_names if name.startswith(f"c:{unit}:")]


def global_name(name: str, home: Home) -> str:
    """The Python name of a top-level variable."""
    return f"{'l' if home is Home.LIBRARY else 'p'}:{name}"
