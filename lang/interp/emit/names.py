"""The Python names of emitted code.

An `ast` may have any text as a name, so Lisp names are kept.  A prefix says what a name stands for,
so names of different kinds never collide:

    x.2  list->x    a local variable          p:x  l:map     the program's, the library's variables
    :Pair           the interpreter's own     b:rt_car       a primitive's function
    n:rt_length     a primitive's C function, for calls
    v:bridge_ref    a primitive as a value    o:add O:tensor-add   an operator, the same as a value
    r:add           an operator that may reuse the memory of its first argument
    s:a  k:a  h:a   symbol, keyword, char     c:unit:3       another constant
    " 1"            a temporary               =a:b           a local variable with such a name
"""

from types import CodeType

from lambent.lang.core.ir import Namespace

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
    """The variables of the constants that the code of a unit creates."""
    return [name for name in code.co_names if name.startswith(f"c:{unit}:")]


def global_name(name: str, namespace: Namespace) -> str:
    """The Python name of a top-level variable."""
    return f"{'l' if namespace is Namespace.LIBRARY else 'p'}:{name}"
