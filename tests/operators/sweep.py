"""From tables to cases, with torch's result of each: the input of the programs."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any
from zlib import crc32

import torch

from lambent.lang.core.names.pytorch_names import different_orders, lisp_name
from lambent.lang.primitives.table import operator_name
from tests.operators.families import Family, Row, rows
from tests.operators.lisp_call import Inexpressible, aten_names
from tests.operators.oracle import Case, Function, by_schema, observe, python_function
from tests.operators.outcome import tensors_in


@dataclass(slots=True)
class Gathered:
    """refused: cases that torch itself refuses.  inexpressible: those without a call in Lisp."""

    cases: list[tuple[Family, Case]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    inexpressible: list[tuple[str, str]] = field(default_factory=list)


def gather(families: Iterable[Family], wanted: Callable[[Row], bool]) -> Gathered:
    """The cases of the wanted rows."""
    found = Gathered()
    for family in families:
        for row in filter(wanted, rows(family)):
            for case in _cases(row, found):
                found.cases.append((family, case))
    return found


def is_sampled(row: Row) -> bool:
    """A case of every operator and a few more, which the tests run every time."""
    return row.number == 0 or crc32(row.name.encode()) % 16 == 0


def _cases(row: Row, found: Gathered) -> Iterator[Case]:
    """The row's case, and its variants."""
    args, kwargs = row.arguments()
    reasons = []
    for function in _functions(row, args):
        try:
            name = None if row.family.python else row.operator
            case = observe(row.name, function, args, kwargs, row.family.gradients, name)
        except Inexpressible as why:
            named = _named_only(row, function, args, kwargs)
            if not named:
                found.inexpressible.append((row.name, str(why)))
            yield from named
            return
        if case.expected.refused is None:
            break
        reasons.append(case.expected.refused)
    else:
        found.refused.append((row.name, reasons[0]))
        return
    yield case
    if row.family.python:
        yield from _by_own_name(row, function, args, kwargs)
    if row.number < row.family.variants:
        yield from _other_variants(row, function, args, kwargs)


def _named_only(
    row: Row, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[Case]:
    """For a Python function that creates tensors itself, which a list of calls cannot express."""
    if not row.family.python:
        return []
    try:
        return list(_by_own_name(row, function, args, kwargs))
    except Inexpressible:
        return []


def _by_own_name(
    row: Row, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[Case]:
    """The call of the Lisp procedure with the function's name, and the function's arguments."""
    python = row.operator.replace("nn.functional.", "F.")
    space, _, base = python.rpartition(".")
    differs = f"{space or 'torch'}.{base}" in different_orders()
    if differs or base.startswith("__") or "inplace" in kwargs:
        return
    name = operator_name(lisp_name(f"torch.{python}" if space in ("linalg", "fft") else python))
    yield observe(f"{row.name}/named", function, args, kwargs, row.family.gradients, name)


def _other_variants(
    row: Row, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[Case]:
    """The in-place variant and the one with out=, if torch accepts the arguments that way, too."""
    family, name = row.family, row.operator
    if family.in_place and f"{name}_" in aten_names() and isinstance(args[0], torch.Tensor):
        yield from _accepted(f"{row.name}!", f"{name}_", args, kwargs)
    if family.out and _writes_to_out(name):
        results = tuple(_result(function, args, kwargs))
        for label, outs in (("out", _like(results)), ("out-resized", _empty(results))):
            given = outs[0] if len(outs) == 1 else outs
            yield from _accepted(f"{row.name}/{label}", name, args, {**kwargs, "out": given})


def _functions(row: Row, args: tuple[Any, ...]) -> Iterator[Function]:
    """The function, and failing that the method, which takes loose integers."""
    if row.family.python:
        yield attrgetter(row.operator)(torch)
        return
    yield by_schema(row.operator) if row.family.by_schema else python_function(row.operator)
    if args and isinstance(args[0], torch.Tensor):
        method = getattr(torch.Tensor, row.operator, None)
        if callable(method) and not hasattr(method, "__code__"):
            yield method


def _accepted(
    label: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[Case]:
    try:
        case = observe(label, python_function(name), args, kwargs, False, name)
    except (Inexpressible, ValueError):
        return
    if case.expected.refused is None:
        yield case


def _writes_to_out(name: str) -> bool:
    schemas = torch._C._jit_get_schemas_for_operator("aten::" + name)
    return any(a.is_out for s in schemas for a in s.arguments)


def _result(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Any]:
    with torch.no_grad():
        yield from tensors_in(function(*args, **kwargs))


def _like(results: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    return tuple(torch.zeros_like(x, memory_format=torch.contiguous_format) for x in results)


def _empty(results: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    return tuple(x.new_empty(0) for x in results)

