"""The C face of LibTorch, and its two doors for Python.

Nothing here imports Python's torch, and LibTorch is loaded by the first call of `load` or
`extension`, not by importing this package.  Both build the library when there is none yet for
the LibTorch that is installed (`build.py`); what goes wrong then is a `UsageFault`.

    load() -> (lib, ffi)     ctorch.h as it stands, through cffi: counters, seeds, names, tests
    extension()              a C module for the evaluator, with the functions below

The extension speaks in the evaluator's own values, which `configure` tells it once:

    configure(tensor=, true=, false=, nil=, unspecified=, pair=, vector=, string=, symbol=,
              keyword=, shown=, generator_state=, intern=)
        tensor: the class of the tensors that are made, a subclass of `extension().Tensor` without
        fields.  pair, vector, string, symbol, keyword: classes with the fields car and cdr,
        items, text, name, name; pair and string are also called to make results.  shown(value) is
        the text of a value that no operator takes; generator_state(value) the tensor that a
        generator holds, anything else for other values; intern(name) a symbol.  Integers are
        int, doubles float, rationals anything with __float__.  An absent result is `false`.

Values in, values out; every failure raises `TensorError(message, hint)` (hint may be None), which
has these as attributes too, and whose message lacks the name of the operation:

    operator(name) -> Operator     "softmax", "add_": call it with Lisp values, keywords among
                                   them; tensors alone take the typed way in where there is one
    Tensor: + - * / and unary -    in Python's syntax, with tensors and numbers; what is no number
                                   gives NotImplemented.  Freed with its last Python reference.
    arithmetic(name, *operands)    "+", "expt", "exp" ... as ct_arithmetic
    compare(name, a, b) -> bool    "=", "<", ">", "<=", ">="
    make(data, dtype or None, device or None, requires_grad: bool)
    literal(shape: tuple, elements: list or tuple)
    rank(x) shape(x) -> tuple      dtype(x) device(x) -> str      describe(x) -> str
    text(x, mode) -> str           mode: DISPLAY, WRITE or REPL
    item(x) to_list(x)             Lisp values
    truth(x) -> bool               equal(a, b) -> bool
    to(x, *targets)                slice(x, dim, start, end or None, step)
    ref(x, *indices)               set(x, *indices, value)
    requires_grad(x, on)           backward(x, gradient or None, retain_graph, create_graph)
    grad(x) -> Tensor or None      zero_grad(x)      detach(x)      retain_grad(x)
    is_recorded(x) -> bool         is_leaf(x) -> bool
    grad_mode() -> bool            set_grad_mode(on) -> bool: the mode before
    detect_anomaly(on)
    gradients(ys, weights, xs, retain_graph, create_graph, allow_unused) -> list
        lists of Tensor; weights may be empty; None for what was not used
    needs_others(ys, xs) -> bool
    custom_gradient(inputs, results, procedure) -> list of Tensor, the results
        procedure(gradients, inputs, results) -> list of Tensor or None, as long as inputs
"""

from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from lambent.ctorch import build
from lambent.lang.errors import UsageFault


class Interface(NamedTuple):
    lib: Any
    ffi: Any


@cache
def load() -> Interface:
    """ctorch.h through cffi; loads LibTorch."""
    module = _module("_lambent_ctorch")
    return Interface(module.lib, module.ffi)


def operator_usage(name: str) -> str | None:
    """How one of LibTorch's operators may be called, an overload a line; None for an unknown one.

    operator_usage("relu")  =>  "(tensor-relu self)"
    """
    lib, ffi = load()
    operator = ffi.new("ct_op **")
    if lib.ct_op_find(name.encode(), operator):
        return None
    usage: str = ffi.string(lib.ct_op_usage(operator[0])).decode()
    return usage


def operator_names() -> list[str]:
    """The Lisp names of all operators, sorted."""
    lib, ffi = load()
    names: str = ffi.string(lib.ct_op_names()).decode()
    return names.split()


def operator_schemas() -> list[str]:
    """All schemas as LibTorch writes them, each with a tab and why no program can call it."""
    lib, ffi = load()
    schemas: str = ffi.string(lib.ct_op_schemas()).decode()
    return schemas.splitlines()


def script_schemas() -> list[str]:
    """The same of what only LibTorch's scripting language registers."""
    lib, ffi = load()
    schemas: str = ffi.string(lib.ct_script_schemas()).decode()
    return schemas.splitlines()


def form_usages() -> list[str]:
    """How calls of ctorch's own forms of operators look, in the order of their names."""
    lib, ffi = load()
    usages: str = ffi.string(lib.ct_form_usages()).decode()
    return usages.splitlines()


@cache
def extension() -> ModuleType:
    """The evaluator's functions; loads LibTorch."""
    return _module("lambent_tensors")


def _module(name: str) -> ModuleType:
    """One of the two modules that the file holds."""
    from importlib.machinery import ExtensionFileLoader
    from importlib.util import module_from_spec, spec_from_loader

    path = build.built() / build.MODULE
    loader = ExtensionFileLoader(name, str(path))
    spec = spec_from_loader(name, loader)
    assert spec is not None
    try:
        module = module_from_spec(spec)
        loader.exec_module(module)
    except ImportError as error:  # a device without programs, or a LibTorch that lacks a part
        raise UsageFault(
            f"cannot load {path}: {error}", hint="lambent doctor says what is wrong"
        ) from None
    return module


def library_path() -> Path:
    """The library that executables link, built now if it has to be."""
    return build.built() / build.LIBRARY


def include_dir() -> Path:
    """Where ctorch.h is."""
    return build.HERE


def torch_lib_dir() -> Path:
    """Where LibTorch's own libraries are, for the linker and the loader."""
    return build.find_torch().lib
