"""The primitives in Python, one function for each entry of `lang/primitives/`.

A function has the name of the C symbol without its prefix: `rt_vector_ref` is `vector_ref`, in one
of the modules here.  Names that Python already uses end with an underscore: `rt_list` is `list_`.
Functions take and return Lisp values; their errors are LispErrors without a location.
`arguments.py` checks arguments; `calls/` has what the library asks of the system.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

Function = Callable[..., Any]

# In the order of the search: tensors last, since most programs use none.
_MODULES = (
    "control", "lists", "equality", "symbols", "vectors", "strings", "characters", "numbers",
    "integers", "number_functions", "writing", "ports", "system", "records", "hashes", "bytes",
    "reading", "random_numbers", "plots", "evaluation", "line_editing",
    "regexps", "json_texts", "calls.bytes", "calls.files", "calls.processes",
    "tensors", "autograd", "memory", "devices",
)
_PREFIXES = ("rt_", "bridge_", "ct_")


def find(symbol: str) -> Function | None:
    """The function of a primitive, by its C symbol."""
    for module_name in _MODULES:
        function = _function(symbol, module_name)
        if function is not None:
            return function
    return None


def builtin(symbol: str, module_name: str | None = None) -> Function:
    """The function of a primitive that is called with all its arguments in order.

    module_name, if known, is what `module_of` returns: then no other module is loaded.
    """
    function = _function(symbol, module_name) if module_name else find(symbol)
    assert function is not None, symbol
    return function


def module_of(symbol: str) -> str:
    """The module that holds a primitive's function."""
    return builtin(symbol).__module__.removeprefix(f"{__name__}.")


def _function(symbol: str, module_name: str) -> Function | None:
    name = symbol
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    module = import_module(f"lambent.lang.interp.builtins.{module_name}")
    function = getattr(module, f"{name}_", None) or getattr(module, name, None)
    if function is not None and getattr(function, "__module__", None) == module.__name__:
        return function  # type: ignore[no-any-return]
    return None
