"""The C interface of LibTorch, and its two entry points for Python.

Nothing here imports Python's torch, and LibTorch is loaded by the first call of `load` or
`extension`, not by importing this package.  Both build the library if there is none yet for the
installed LibTorch (`build.py`); a failure of the build is a `UsageFault`.

    load() -> (lib, ffi)     ctorch.h, through cffi: counters, seeds, names, tests
    extension()              a C module for the evaluator, with the functions below

The extension uses the evaluator's own classes of values, which `configure` sets once:

    configure(tensor=, true=, false=, nil=, unspecified=, pair=, vector=, string=, symbol=,
              keyword=, shown=, generator_state=, intern=)
        tensor: the class of the tensors that are made, a subclass of `extension().Tensor` without
        fields.  pair, vector, string, symbol, keyword: classes with the fields car and cdr,
        items, text, name, name; pair and string are also called to make results.  shown(value) is
        the text of a value that no operator takes; generator_state(value) the tensor of a
        generator, or another value if it is not a generator; intern(name) a symbol.  Integers are
        int, doubles float, rationals anything with __float__.  An absent result is `false`.

The functions take and return values.  Every failure raises `TensorError(message, hint)` (hint may
be None), which has these as attributes, too; the message does not name the operation:

    operator(name) -> Operator     "softmax", "add_": call it with Lisp values, keywords among
                                   them; if all are tensors, through the typed entry point
    Tensor: + - * / and unary -    in Python's syntax, with tensors and numbers; other operands
                                   return NotImplemented.  Freed with its last Python reference.
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
    exchange_gradients() -> bool: whether that has ended; call it after backward until it has
    grad(x) -> Tensor or None      zero_grad(x)      detach(x)      retain_grad(x)
    is_recorded(x) -> bool         is_leaf(x) -> bool
    handle(x) -> int               the address of its handle, which is borrowed
    adopt(address) -> Tensor       one that owns the handle at an address
    drop_with(function)            function(address) frees a handle, when its Tensor is freed
    grad_mode() -> bool            set_grad_mode(on) -> bool: the mode before
    detect_anomaly(on)
    gradients(ys, weights, xs, retain_graph, create_graph, allow_unused) -> list
        lists of Tensor; weights may be empty; None for an x that was not used
    needs_others(ys, xs) -> bool
    custom_gradient(inputs, results, procedure) -> list of Tensor, the results
        procedure(gradients, inputs, results) -> list of Tensor or None, as long as inputs
"""

import os
from contextlib import suppress
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
    """ctorch.h through cffi; this loads LibTorch."""
    module = _module("_lambent_ctorch")
    return Interface(module.lib, module.ffi)


def operator_usage(name: str) -> str | None:
    """The usages of an operator, one overload a line; None for an unknown operator.

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
    """LibTorch's schemas, each followed by a tab and the reason why no program can call it."""
    lib, ffi = load()
    schemas: str = ffi.string(lib.ct_op_schemas()).decode()
    return schemas.splitlines()


def script_schemas() -> list[str]:
    """The same for the schemas that only TorchScript registers."""
    lib, ffi = load()
    schemas: str = ffi.string(lib.ct_script_schemas()).decode()
    return schemas.splitlines()


def overload_usages() -> list[str]:
    """The usages of Lambent's own overloads of operators, in the order of their names."""
    lib, ffi = load()
    usages: str = ffi.string(lib.ct_overload_usages()).decode()
    return usages.splitlines()


@cache
def extension() -> ModuleType:
    """The evaluator's functions; this loads LibTorch."""
    return _module("lambent_tensors")


def _module(name: str) -> ModuleType:
    """One of the two modules that the file holds."""
    from importlib.machinery import ExtensionFileLoader
    from importlib.util import module_from_spec, spec_from_loader

    path = build.built() / build.MODULE
    _share_cxx_library()
    loader = ExtensionFileLoader(name, str(path))
    spec = spec_from_loader(name, loader)
    assert spec is not None
    try:
        module = module_from_spec(spec)
        loader.exec_module(module)
    except ImportError as error:  # a device mounted noexec, or an incomplete LibTorch
        raise UsageFault(
            f"cannot load {path}: {error}", hint="lambent doctor says what is wrong"
        ) from None
    return module


@cache
def _share_cxx_library() -> None:
    """Load the C++ library before LibTorch, for the whole process.

    LibTorch's libraries, and some of CUDA's, such as libcufile, export parts of a C++ library of
    their own.  The real one calls its own functions through the loader: loaded because LibTorch
    needs it, it would get theirs, and a GPU's process crashes.  `import torch` has the same order.
    """
    import _ctypes  # without ctypes, which takes longer to load

    with suppress(OSError):  # LibTorch may have another one
        _ctypes.dlopen("libstdc++.so.6", os.RTLD_NOW | os.RTLD_GLOBAL)


def library_path() -> Path:
    """The library that executables load, built now if necessary."""
    return build.built() / build.LIBRARY


def include_dir() -> Path:
    """The folder of ctorch.h."""
    return build.HERE


def torch_lib_dir() -> Path:
    """The folder of LibTorch's own libraries, for the linker and the loader."""
    return build.find_torch().lib
