"""The primitives in Python, one function for each entry of `lang/primitives/`.

The C symbol without its prefix names the function: `rt_vector_ref` is `vector_ref`, in one of the
modules here.  A name that Python keeps for itself gets an underscore: `rt_list` is `list_`.
Functions take Lisp values and give Lisp values; their errors are LispErrors without a place.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

Function = Callable[..., Any]

# In the order in which they are searched: tensors last, for most programs have none.
_MODULES = (
    "data", "symbols", "vectors", "text", "numbers", "functions", "system", "tensors", "autograd",
)
_PREFIXES = ("rt_", "bridge_", "ct_")


def find(symbol: str) -> Function | None:
    """The function of a primitive, by its C symbol."""
    name = symbol
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    for module_name in _MODULES:
        module = import_module(f"lambent.lang.interp.builtins.{module_name}")
        found = getattr(module, f"{name}_", None) or getattr(module, name, None)
        if found is not None and getattr(found, "__module__", None) == module.__name__:
            return found  # type: ignore[no-any-return]
    return None


def builtin(symbol: str) -> Function:
    """The function of a primitive that is called with all its arguments in order."""
    found = find(symbol)
    assert found is not None, symbol
    return found
