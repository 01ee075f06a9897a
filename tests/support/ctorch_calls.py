"""Calling ctorch.h from Python tests, through cffi and no other layer.

    call("sum", tensor([[1.0, 2.0]]), 1, Keyword("keepdim"), True)  =>  a Handle

Results are Python values: Handle, int, float, bool, str, list, None.
"""

from dataclasses import dataclass
from typing import Any

from lambent.ctorch import load


@dataclass(frozen=True)
class Keyword:
    name: str


@dataclass(frozen=True)
class Symbol:
    name: str


class FailedError(Exception):
    """The message and the hint of ctorch."""

    def __init__(self) -> None:
        lib, ffi = load()
        hint = lib.ct_last_hint()
        self.message = ffi.string(lib.ct_last_error()).decode()
        self.hint = ffi.string(hint).decode() if hint else None
        super().__init__(self.message)


class Handle:
    """One owned reference."""

    def __init__(self, pointer: Any) -> None:
        self.pointer = pointer

    def __del__(self) -> None:
        load().lib.ct_free(self.pointer)

    def __repr__(self) -> str:
        return self.text()

    def text(self, mode: str = "DISPLAY") -> str:
        lib, ffi = load()
        out = ffi.new("char **")
        check(lib.ct_to_text(self.pointer, getattr(lib, f"CT_{mode}"), out))
        text: str = ffi.string(out[0]).decode()
        lib.ct_free_text(out[0])
        return text

    def to_list(self) -> Any:
        return _result("ct_to_list", self)

    @property
    def shape(self) -> tuple[int, ...]:
        lib = load().lib
        return tuple(lib.ct_size(self.pointer, k) for k in range(lib.ct_rank(self.pointer)))

    @property
    def dtype(self) -> str:
        lib, ffi = load()
        text: str = ffi.string(lib.ct_dtype(self.pointer)).decode()
        return text


class Object:
    """An owned ct_object."""

    def __init__(self, pointer: Any) -> None:
        self.pointer = pointer

    def __del__(self) -> None:
        load().lib.ct_object_free(self.pointer)

    def __repr__(self) -> str:
        lib, ffi = load()
        text: str = ffi.string(lib.ct_object_text(self.pointer)).decode()
        return text


def check(status: int) -> None:
    if status:
        raise FailedError


def tensor(data: Any, dtype: str | None = None, requires_grad: bool = False) -> Handle:
    lib, ffi = load()
    keep: list[Any] = []
    text = ffi.NULL if dtype is None else dtype.encode()
    return made(lib.ct_make, values([data], keep), text, ffi.NULL, requires_grad)


def made(function: Any, *arguments: Any) -> Handle:
    """The tensor that a function returns through its last parameter."""
    out = load().ffi.new("ct_tensor **")
    check(function(*arguments, out))
    return Handle(out[0])


def call(name: str, *arguments: Any) -> Any:
    """An operator through its schema."""
    lib, ffi = load()
    op = ffi.new("ct_op **")
    check(lib.ct_op_find(name.encode(), op))
    keep: list[Any] = []
    return _result("ct_op_call", op[0], len(arguments), values(arguments, keep))


def arithmetic(name: str, *operands: Any) -> Handle:
    keep: list[Any] = []
    return made(load().lib.ct_arithmetic, name.encode(), len(operands), values(operands, keep))


def ref(x: Handle, *indices: Any) -> Handle:
    keep: list[Any] = []
    return made(load().lib.ct_ref, x.pointer, len(indices), values(indices, keep))


def put(x: Handle, *indices_then_value: Any) -> None:
    *indices, value = indices_then_value
    keep: list[Any] = []
    check(load().lib.ct_set(x.pointer, len(indices), values(indices, keep), values([value], keep)))


def procedure(name: str, *arguments: Any) -> Any:
    """A procedure of ctorch/files/files.cpp, which is not an operator."""
    keep: list[Any] = []
    return _result("ct_procedure", name.encode(), len(arguments), values(arguments, keep))


def values(items: Any, keep: list[Any]) -> Any:
    """An array of ct_value; it borrows from the objects in `keep`."""
    ffi = load().ffi
    array = ffi.new("ct_value[]", max(len(items), 1))
    keep.append(array)
    for value, item in zip(array, items, strict=False):
        _fill(value, item, keep)
    return array


def _fill(value: Any, item: Any, keep: list[Any]) -> None:
    lib = load().lib
    match item:
        case None:
            value.kind = lib.CT_NONE
        case bool():
            value.kind, value.i = lib.CT_BOOL, item
        case int():
            value.kind, value.i = lib.CT_INT, item
        case float():
            value.kind, value.f = lib.CT_FLOAT, item
        case Handle():
            value.kind, value.tensor = lib.CT_TENSOR, item.pointer
        case Object():
            value.kind, value.object = lib.CT_OBJECT, item.pointer
        case str():
            value.kind, value.text = lib.CT_STRING, _text(item, keep)
        case Symbol(name):
            value.kind, value.text = lib.CT_SYMBOL, _text(name, keep)
        case Keyword(name):
            value.kind, value.text = lib.CT_KEYWORD, _text(name, keep)
        case dict():
            both = [x for entry in item.items() for x in entry]
            value.kind, value.count = lib.CT_TABLE, len(both)
            value.items = values(both, keep)
        case list() | tuple() | range():
            value.kind, value.count = lib.CT_LIST, len(item)
            value.items = values(list(item), keep)
        case _:
            value.kind, value.text = lib.CT_OTHER, _text(str(item), keep)


def _text(text: str, keep: list[Any]) -> Any:
    array = load().ffi.new("char[]", text.encode())
    keep.append(array)
    return array


def _result(function: str, *arguments: Any) -> Any:
    lib, ffi = load()
    out = ffi.new("ct_value *")
    if isinstance(arguments[0], Handle):
        arguments = (arguments[0].pointer, *arguments[1:])
    check(getattr(lib, function)(*arguments, out))
    found = _of_value(out)
    lib.ct_value_clear(out)
    return found


def _of_value(value: Any) -> Any:
    lib, ffi = load()
    match value.kind:
        case lib.CT_BIG:
            return int(ffi.string(value.text))
        case lib.CT_INT:
            return value.i
        case lib.CT_FLOAT:
            return value.f
        case lib.CT_BOOL:
            return bool(value.i)
        case lib.CT_TENSOR:
            return Handle(lib.ct_clone(value.tensor))
        case lib.CT_STRING:
            return ffi.string(value.text).decode()
        case lib.CT_LIST:
            return [_of_value(value.items + k) for k in range(value.count)]
        case lib.CT_TABLE:
            both = [_of_value(value.items + k) for k in range(value.count)]
            return dict(zip(both[::2], both[1::2], strict=True))
        case lib.CT_OBJECT:
            return Object(lib.ct_object_clone(value.object))
        case _:
            return None
