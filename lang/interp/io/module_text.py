"""How modules print: a summary with shapes and counts, not their elements.

    #<sequential 26 parameters, 104 bytes
      0: #<linear weight: float32 (4 3) bias: float32 (4)>
      1: #<relu>
      2: #<linear weight: float32 (2 4) bias: float32 (2)>>

A module without submodules takes one line.  In lists, equal neighbours share an entry: `0-11: ...`
The tensors of a record are shown as those of modules are.
`runtime/ports/module_text.c` is the counterpart.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from math import prod
from typing import Any

from lambent.lang.interp.values.values import (
    Lisp,
    Pair,
    Record,
    String,
    Symbol,
    Tensor,
    Vector,
    items_of,
)

_UNITS = ("KiB", "MiB", "GiB", "TiB")
_DEEPEST = 64  # modules inside each other that are printed


def is_module(value: Lisp) -> bool:
    return isinstance(value, Record) and value.type_.roles is not None


def module_text(module: Any) -> str:
    parameters, size = _measure(module)
    return _text(module, "", _counts(parameters, size))


def size_text(size: float) -> str:
    """A number of bytes: `104 bytes`, `397.5 KiB`."""
    if size < 1024:
        return f"{size} byte{'' if size == 1 else 's'}"
    unit = -1
    while size >= 1024 and unit + 1 < len(_UNITS):
        size, unit = size / 1024, unit + 1
    return f"{size:.1f} {_UNITS[unit]}"


def _counts(parameters: int, size: int) -> str:
    if parameters:
        return f" {parameters:,} parameter{'' if parameters == 1 else 's'}, {size_text(size)}"
    return f" {size_text(size)}" if size else ""


def _fields(module: Any) -> Iterator[tuple[str, str | None, Any]]:
    """Name, role and value of each field."""
    for k, (name, role) in enumerate(
        zip(module.type_.fields, module.type_.roles.items, strict=True)
    ):
        yield name, role.name if role.__class__ is Symbol else None, getattr(module, f"f{k}")


def _elements(value: Lisp) -> list[Lisp]:
    """The elements of a proper list or a vector."""
    return value.items if value.__class__ is Vector else items_of(value) or []


# Counting.


def _measure(module: Any) -> tuple[int, int]:
    """The elements of all parameters, and the bytes of parameters and buffers, each tensor once."""
    seen: set[int] = set()
    parameters = size = 0
    for role, tensor in _tensors(module, 0):
        if id(tensor) in seen:
            continue
        seen.add(id(tensor))
        dtype, shape = _dtype_and_shape(tensor)
        if role == "parameter":
            parameters += prod(shape)
        size += prod(shape) * _item_size(dtype)
    return parameters, size


def _tensors(module: Any, depth: int) -> Iterator[tuple[str, Lisp]]:
    for _, role, value in _fields(module):
        yield from _tensors_in(value, role, depth)


def _tensors_in(value: Lisp, role: str | None, depth: int) -> Iterator[tuple[str, Lisp]]:
    if isinstance(value, Tensor):
        if role in ("parameter", "buffer"):
            yield role, value
    elif depth == _DEEPEST:
        return
    elif role == "parameters":
        yield from (("parameter", entry.cdr) for entry in _elements(value) if _is_named(entry))
    elif is_module(value):
        yield from _tensors(value, depth + 1)
    else:
        for item in _elements(value):
            yield from _tensors_in(item, role, depth + 1)


def _is_named(entry: Lisp) -> bool:
    """Whether it is a name and a tensor, as in a field of :parameters."""
    return (
        isinstance(entry, Pair) and isinstance(entry.car, String) and isinstance(entry.cdr, Tensor)
    )


def _dtype_and_shape(tensor: Lisp) -> tuple[str, list[int]]:
    from lambent.lang.interp.builtins.tensors import extension

    return extension().dtype(tensor), extension().shape(tensor)


def _item_size(dtype: str) -> int:
    """The bytes of an element, from the number in a dtype's name: bool has none."""
    bits = re.search(r"\d+", dtype)
    return int(bits[0]) // 8 if bits else 1


# The text.


def _text(module: Any, indent: str, counts: str) -> str:
    """indent: the spaces before the line in which it begins."""
    inner = indent + "  "
    head = f"#<{module.type_.name}{counts}"
    if len(inner) > 2 * _DEEPEST:
        return f"{head} ...>"
    if not any(_holds_modules(value) for _, _, value in _fields(module)):
        pieces = [f" {name}: {_value(value, indent)}" for name, _, value in _fields(module)]
        return "".join([head, *pieces, ">"])
    return "".join([head, *(_line(*field, inner) for field in _fields(module)), ">"])


def _line(name: str, role: str | None, value: Lisp, indent: str) -> str:
    if is_module(value) or not _holds_modules(value):
        return f"\n{indent}{name}: {_value(value, indent)}"
    if role == "unnamed":
        return _entries(value, indent)
    return f"\n{indent}{name}:{_entries(value, indent + '  ')}"


def _entries(items: Lisp, indent: str) -> str:
    """A line for each element; equal neighbours share one."""
    texts = enumerate(_value(item, indent) for item in _elements(items))
    lines = []
    for text, group in groupby(texts, key=lambda entry: entry[1]):
        indices = [index for index, _ in group]
        label = str(indices[0]) if len(indices) == 1 else f"{indices[0]}-{indices[-1]}"
        lines.append(f"\n{indent}{label}: {text}")
    return "".join(lines)


def _holds_modules(value: Lisp) -> bool:
    return is_module(value) or any(_holds_modules(item) for item in _elements(value))


def _named(entry: Any, indent: str) -> str:
    return f"{entry.car.text}: {_value(entry.cdr, indent)}"


def _value(value: Lisp, indent: str) -> str:
    if is_module(value):
        return _text(value, indent, "")
    if _holds_modules(value):
        return "list" + _entries(value, indent + "  ")
    if isinstance(value, Record) and any(isinstance(item, Tensor) for item in _held(value)):
        pieces = [f" {name}: {_without_modules(item, indent)}"
                  for name, item in zip(value.type_.fields or (), _held(value), strict=True)]
        return "".join([f"#<{value.type_.name}", *pieces, ">"])
    return _without_modules(value, indent)


def _held(record: Any) -> list[Lisp]:
    """The values of a record's fields."""
    return [getattr(record, f"f{k}") for k in range(len(record.type_.fields or ()))]


def _without_modules(value: Lisp, indent: str) -> str:
    from lambent.lang.interp.builtins.tensors import describe
    from lambent.lang.interp.io.printing import written

    if isinstance(value, Tensor):
        return describe(value).removeprefix("a tensor ")
    elements = _elements(value)
    if elements and all(isinstance(item, Tensor) for item in elements):
        return f"({', '.join(_value(item, indent) for item in elements)})"
    if elements and all(_is_named(item) for item in elements):
        return f"({', '.join(_named(item, indent) for item in elements)})"
    return written(value)
