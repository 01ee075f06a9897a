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
    "control", "data", "equality", "symbols", "vectors", "text", "characters", "numbers",
    "integers", "functions", "writing", "ports", "system", "structures", "hashes", "bytes",
    "reading", "chance", "evaluation", "tensors", "autograd", "memory", "devices",
)
_PREFIXES = ("rt_", "bridge_", "ct_")


def find(symbol: str) -> Function | None:
    """The function of a primitive, by its C symbol."""
    for module_name in _MODULES:
        found = _function(symbol, module_name)
        if found is not None:
            return found
    return None


def builtin(symbol: str, home: str | None = None) -> Function:
    """The function of a primitive that is called with all its arguments in order.

    home, if it is known, is what `home_of` says: then no other module is loaded.
    """
    found = _function(symbol, home) if home else find(symbol)
    assert found is not None, symbol
    return found


def home_of(symbol: str) -> str:
    """The module that holds a primitive's function."""
    return builtin(symbol).__module__.rpartition(".")[2]


def _function(symbol: str, module_name: str) -> Function | None:
    name = symbol
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    module = import_module(f"lambent.lang.interp.builtins.{module_name}")
    found = getattr(module, f"{name}_", None) or getattr(module, name, None)
    if found is not None and getattr(found, "__module__", None) == module.__name__:
        return found  # type: ignore[no-any-return]
    return None
