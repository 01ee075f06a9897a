"""LibTorch's schemas, read from their text, and arguments that fit them.

This reader is deliberately independent of ctorch's own: the tests compare the two.

    aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None)
    =>  Schema("aten::sum", "dim_IntList", (Parameter("Tensor", "self", True, False), ...))
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from lambent.ctorch import load
from tests.support.ctorch_calls import Keyword, Symbol, tensor


@dataclass(frozen=True)
class Parameter:
    type: str  # without the alias marks
    name: str
    required: bool
    keyword_only: bool


@dataclass(frozen=True)
class Schema:
    text: str
    operator: str  # "aten::sum"
    overload: str
    parameters: tuple[Parameter, ...]
    refusal: str  # why ctorch says that no program can call it; empty if one can

    @property
    def full_name(self) -> str:
        return f"{self.operator}.{self.overload}" if self.overload else self.operator

    @property
    def aten_name(self) -> str:
        """The name for ctorch: without the namespace if that is aten."""
        return self.operator.removeprefix("aten::")


@cache
def all_schemas() -> tuple[Schema, ...]:
    lib, ffi = load()
    lines = ffi.string(lib.ct_op_schemas()).decode().splitlines()
    return tuple(_schema(line) for line in lines)


@cache
def script_schemas() -> tuple[Schema, ...]:
    """The operators that only the scripting language registers."""
    lib, ffi = load()
    lines = ffi.string(lib.ct_script_schemas()).decode().splitlines()
    return tuple(_schema(line) for line in lines if "\t" in line and not line.split("\t")[1])


def _schema(line: str) -> Schema:
    text, refusal = line.split("\t")
    found = re.fullmatch(r"([\w:]+)(?:\.(\w+))?\((.*)\) -> .*", text)
    assert found, text
    operator, overload, inside = found.groups()
    parameters, keyword_only = [], False
    for part in _split(inside):
        if part == "...":
            continue
        if part == "*":
            keyword_only = True
        else:
            parameters.append(_parameter(part, keyword_only))
    return Schema(text, operator, overload or "", tuple(parameters), refusal)


def _split(text: str) -> list[str]:
    """Splits at the commas outside of brackets and strings."""
    return re.findall(r"(?:\([^()]*\)|\[[^\[\]]*\]|\"[^\"]*\"|[^,])+", text.replace(", ", ","))


def _parameter(text: str, keyword_only: bool) -> Parameter:
    found = re.fullmatch(r"(.*) (\w+)(=.*)?", text)
    assert found, text
    kind = re.sub(r"\([^()]*\)", "", found[1]) if "(" in found[1] else found[1]
    return Parameter(kind, found[2], found[3] is None, keyword_only)


_EXAMPLES: dict[str, Any] = {
    "int": 1, "SymInt": 1, "float": 0.5, "SymFloat": 0.5, "bool": True, "SymBool": True,
    "Scalar": 2, "str": "text", "ScalarType": Symbol("float32"), "Layout": Symbol("strided"),
    "MemoryFormat": Symbol("contiguous-format"), "Device": "cpu", "Any": "text",
    "Generator": None,
}


class UnsupportedTypeError(Exception):
    """Only operators return values of that type."""


def example(kind: str) -> Any:
    """A value of a type, such as Tensor?[] or int[2]."""
    kind = kind.removesuffix("?")
    if kind.endswith("]"):
        return [example(kind[: kind.rindex("[")])] * 2
    if kind == "Tensor":
        return tensor([[1.0, 2.0], [3.0, 4.0]])
    if kind not in _EXAMPLES:
        raise UnsupportedTypeError(kind)
    return _EXAMPLES[kind]


def arguments_for(schema: Schema, *, full: bool) -> list[Any]:
    """Arguments by position, then by keyword; full: also those that have defaults."""
    given: list[Any] = []
    for p in schema.parameters:
        if full or p.required:
            by_name = [Keyword(p.name.replace("_", "-"))] if p.keyword_only else []
            given += [*by_name, example(p.type)]
    return given
