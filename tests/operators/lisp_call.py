"""A call of Python's torch as a call in Lisp.

    torch.sum(x, dim=(0, 1), dtype=torch.float64)
    =>  (tensor-sum #(0) :dim (0 1) :dtype float64), and x as input 0

The function must be an operator of ATen: torch.add, torch.Tensor.add_, torch.nn.functional.gelu,
torch.ops.aten.add.Tensor, or its ATen name.  `tracing.py` splits Python functions that call several
operators.  A value that Lisp does not have raises Inexpressible.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch


class Inexpressible(Exception):  # noqa: N818 - not a failure: a fact about the call
    """Lisp has no such value; the text says which."""


@dataclass(frozen=True, slots=True)
class Input:
    """A tensor, by its position among the call's tensors."""

    position: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A dtype, a layout, a memory format, or with a colon a keyword."""

    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """The result of an earlier step, or the element of it at the path."""

    step: int
    path: tuple[int, ...]


# Numbers and strings are themselves; None is #f.
Argument = Input | Result | Symbol | bool | int | float | str | None | tuple["Argument", ...]
Step = tuple[str, tuple[Argument, ...]]  # ATen's name of the operator, and its arguments


@dataclass(frozen=True, slots=True)
class LispCall:
    """The call of one operator or several, and which of their results is the final one."""

    steps: tuple[Step, ...]
    result: Argument
    tensors: tuple[torch.Tensor, ...]

    @property
    def operator(self) -> str:
        """The operator that is called; of several, the last one."""
        return self.steps[-1][0] if self.steps else ""


def lisp_call(
    function: Callable[..., Any] | str,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    tensors: list[torch.Tensor] | None = None,
    results: Mapping[int, Result] | None = None,
) -> LispCall:
    """The call in Lisp; raises Inexpressible.  tensors, results: those of earlier steps."""
    name = function if isinstance(function, str) else aten_name(function)
    if name is None:
        raise Inexpressible(f"{function} is not an operator of ATen")
    if name in _CONVERSIONS:
        args, name = (*args, _CONVERSIONS[name]), "to"
    tensors = [] if tensors is None else tensors
    results = {} if results is None else results
    args, kwargs = _without_doubt(name, args, kwargs)
    arguments = [
        _absent(name, k) if x is None else said(x, tensors, results) for k, x in enumerate(args)
    ]
    for key, value in _as_in_schema(name, kwargs).items():
        arguments.append(Symbol(":" + key.replace("_", "-")))
        arguments.append(
            _absent(name, key) if value is None else said(value, tensors, results)
        )
    return LispCall(((name, tuple(arguments)),), Result(0, ()), tuple(tensors))


def _without_doubt(
    name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Sequence[Any], dict[str, Any]]:
    """None by keyword if another overload takes a boolean: (tensor-std x #f) means false.
    out=None is left out."""
    said = {key: value for key, value in kwargs.items() if key != "out" or value is not None}
    for k, value in enumerate(args):
        if value is None and _takes_boolean(name, k):
            names = _names_around(name, k)
            return args[:k], {**dict(zip(names, args[k:], strict=False)), **said}
    return args, said


def _takes_boolean(name: str, position: int) -> bool:
    return any(
        position < len(s.arguments) and str(s.arguments[position].type) == "bool"
        for s in torch._C._jit_get_schemas_for_operator("aten::" + name)
    )


def _names_around(name: str, position: int) -> list[str]:
    """The parameters, from a position on, of the overload in which that one is optional."""
    for s in torch._C._jit_get_schemas_for_operator("aten::" + name):
        if position < len(s.arguments) and str(s.arguments[position].type).startswith("Optional"):
            return [a.name for a in s.arguments[position:]]
    raise Inexpressible("None for a boolean")


def _absent(name: str, position: int | str) -> Argument:
    """None: #f, or the empty list for an optional boolean, where #f is a value."""
    for schema in torch._C._jit_get_schemas_for_operator("aten::" + name):
        for k, parameter in enumerate(schema.arguments):
            if position in (k, parameter.name) and str(parameter.type) == "Optional[bool]":
                return ()
    return None


# Names.


@cache
def aten_names() -> frozenset[str]:
    """The names that the dispatcher knows; TorchScript has more that are not operators."""
    names = torch._C._dispatch_get_all_op_names()
    return frozenset(n[6:].split(".")[0] for n in names if n.startswith("aten::"))


# Python's operators, which are methods under another name.
_METHODS = {
    "__add__": "add", "__radd__": "add", "__iadd__": "add_", "__sub__": "sub", "__isub__": "sub_",
    "__rsub__": "rsub", "__mul__": "mul", "__rmul__": "mul", "__imul__": "mul_",
    "__truediv__": "div", "__div__": "div", "__itruediv__": "div_", "__idiv__": "div_",
    "__mod__": "remainder", "__imod__": "remainder_", "__matmul__": "matmul", "__neg__": "neg",
    "__abs__": "abs", "__invert__": "bitwise_not", "__eq__": "eq", "__ne__": "ne", "__lt__": "lt",
    "__le__": "le", "__gt__": "gt", "__ge__": "ge", "__pow__": "pow", "__ipow__": "pow_",
    "__floordiv__": "floor_divide", "__ifloordiv__": "floor_divide_", "T": "numpy_T",
    "negative": "neg", "absolute": "abs", "__rand__": "bitwise_and", "__ror__": "bitwise_or",
    "__rxor__": "bitwise_xor", "__pos__": "positive",
}  # fmt: skip

# Methods that convert: x.double() is x.to(torch.float64).
_CONVERSIONS = {
    "double": torch.float64, "float": torch.float32, "half": torch.float16, "bool": torch.bool,
    "bfloat16": torch.bfloat16, "long": torch.int64, "int": torch.int32, "short": torch.int16,
    "char": torch.int8, "byte": torch.uint8, "cfloat": torch.complex64,
    "cdouble": torch.complex128,
}  # fmt: skip


def aten_name(function: Callable[..., Any]) -> str | None:
    """ATen's name of a function of torch; None if it is not an operator."""
    if isinstance(function, torch._ops.OpOverload | torch._ops.OpOverloadPacket):
        packet = getattr(function, "overloadpacket", function)
        if getattr(packet, packet.overloads()[0])._defined_in_python:
            return None
        return str(packet._qualified_op_name).removeprefix("aten::")
    name = getattr(function, "__name__", "")
    is_python = hasattr(function, "__code__")
    if name == "__get__":  # of an attribute such as Tensor.mT
        name = getattr(getattr(function, "__self__", None), "__name__", "")
    if (name in aten_names() or name in _CONVERSIONS) and not is_python:
        return name
    return _METHODS.get(name)


@cache
def _parameter_names(name: str) -> frozenset[str]:
    return frozenset(
        a.name for s in torch._C._jit_get_schemas_for_operator("aten::" + name) for a in s.arguments
    )


# Python's parser accepts NumPy's names, too.
_SYNONYMS = {"input": "self", "axis": "dim", "keepdims": "keepdim", "x": "self", "a": "self",
             "x1": "self", "x2": "other"}  # fmt: skip


def _as_in_schema(name: str, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments under the schema's names."""
    known = _parameter_names(name)
    named: dict[str, Any] = {}
    for key, value in kwargs.items():
        if key == "out" and isinstance(value, tuple | list):
            named.update(zip(_out_names(name, len(value)), value, strict=True))
        elif key not in known and _SYNONYMS.get(key) in known:
            named[_SYNONYMS[key]] = value
        else:
            named[key] = value
    return named


def _out_names(name: str, count: int) -> tuple[str, ...]:
    """The schema's names for the results that Python takes as out=(a, b)."""
    for schema in torch._C._jit_get_schemas_for_operator("aten::" + name):
        outs = tuple(a.name for a in schema.arguments if a.is_out)
        if len(outs) == count:
            return outs
    return ("out",)


# Values.


_LAYOUTS = {torch.strided: "strided", torch.sparse_coo: "sparse-coo",
            torch.sparse_csr: "sparse-csr", torch.sparse_csc: "sparse-csc"}  # fmt: skip


def said(value: Any, tensors: list[torch.Tensor], results: Mapping[int, Result]) -> Argument:
    """A Python value as an argument; tensors that are not a step's result become inputs."""
    match value:
        case torch.Tensor() if id(value) in results:
            return results[id(value)]
        case torch.Tensor():
            return _tensor(value, tensors)
        case None | bool() | str() | float() | Symbol():
            return value
        case int():
            return int(value)
        case tuple() | list() | torch.Size():
            return tuple(said(item, tensors, results) for item in value)
        case range():
            return tuple(value)
        case torch.dtype():
            return Symbol(dtype_name(value))
        case torch.device():
            return str(value)
        case torch.layout():
            return _named(_LAYOUTS, value, "layout")
        case torch.memory_format():
            return Symbol(str(value).removeprefix("torch.").replace("_", "-"))
        case complex():
            return _tensor(torch.tensor(value, dtype=torch.complex128), tensors)
        case torch.Generator():
            raise Inexpressible("a generator")
        case _ if type(value).__module__ == "numpy" and hasattr(value, "item"):
            return said(value.item(), tensors, results)
        case _:
            raise Inexpressible(f"a {type(value).__name__}")


def _named(names: Mapping[Any, str], value: Any, what: str) -> Symbol:
    if value not in names:
        raise Inexpressible(f"the {what} {value}")
    return Symbol(names[value])


def _tensor(value: torch.Tensor, tensors: list[torch.Tensor]) -> Input:
    if value.layout is not torch.strided:
        raise Inexpressible(f"a tensor of layout {value.layout}")
    if value.is_quantized:
        raise Inexpressible("a quantized tensor")
    if value.is_nested:
        raise Inexpressible("a nested tensor")
    if value.device.type != "cpu":
        raise Inexpressible(f"a tensor on {value.device}")
    for position, known in enumerate(tensors):
        if known is value:
            return Input(position)
    tensors.append(value)
    return Input(len(tensors) - 1)


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.").replace("_", "-")


# Text.


def as_datum(argument: Argument) -> str:
    """The text for `read`, with inputs as #(k)."""
    match argument:
        case Input(position):
            return f"#({position})"
        case Result(step, path):
            return f"#(result {' '.join(map(str, (step, *path)))})"
        case tuple():
            return "(" + " ".join(map(as_datum, argument)) + ")"
        case _:
            return _atom(argument)


def as_source(argument: Argument) -> str:
    """An expression, with inputs as variables x0, x1 ..."""
    match argument:
        case Input(position):
            return f"x{position}"
        case Result(step, path):
            text = f"r{step}"
            for k in path:
                text = f"(list-ref {text} {k})"
            return text
        case tuple() if _holds_input(argument):
            return "(list " + " ".join(map(as_source, argument)) + ")"
        case tuple():
            return "'" + as_datum(argument)
        case Symbol(text) if not text.startswith(":"):
            return "'" + text
        case _:
            return _atom(argument)


def _holds_input(arguments: Iterable[Argument]) -> bool:
    return any(
        _holds_input(a) if isinstance(a, tuple) else isinstance(a, Input | Result)
        for a in arguments
    )


def _atom(argument: Argument) -> str:
    match argument:
        case None:
            return "#f"
        case bool():
            return "#t" if argument else "#f"
        case float():
            return _float(argument)
        case str():
            return '"' + argument.replace("\\", "\\\\").replace('"', '\\"') + '"'
        case Symbol(text):
            return text
        case _:
            return str(argument)


def _float(x: float) -> str:
    if x != x:
        return "+nan.0"
    if x in (float("inf"), float("-inf")):
        return "+inf.0" if x > 0 else "-inf.0"
    return repr(x)


def step_datum(step: Step) -> str:
    """(operator argument ...), ATen's name first."""
    name, arguments = step
    return "(" + " ".join((name, *map(as_datum, arguments))) + ")"


def source_of(call: LispCall) -> str:
    """A procedure of the inputs that makes the calls."""
    parameters = " ".join(f"x{k}" for k in range(len(call.tensors)))
    calls = [
        "(" + " ".join((lisp_operator(name), *map(as_source, arguments))) + ")"
        for name, arguments in call.steps
    ]
    if len(calls) == 1 and call.result == Result(0, ()):
        return f"(lambda ({parameters}) {calls[0]})"
    bindings = " ".join(f"(r{k} {text})" for k, text in enumerate(calls))
    return f"(lambda ({parameters}) (let* ({bindings}) {as_source(call.result)}))"


SEED = "manual_seed"  # a step that is not an operator


def lisp_operator(name: str) -> str:
    """add_ => tensor-add!, _softmax => tensor-private--softmax"""
    if name == SEED:
        return "manual-seed"
    in_place = len(name) > 1 and name.endswith("_") and not name.endswith("__")
    body = name[:-1] if in_place else name
    private = "private-" if name.startswith("_") or "::_" in name else ""
    return f"tensor-{private}" + body.replace("_", "-") + ("!" if in_place else "")
