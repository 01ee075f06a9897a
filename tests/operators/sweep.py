"""From tables to cases, with torch's word on each: what the programs are made of."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from tests.operators.lisp_call import Unsayable, aten_names
from tests.operators.oracle import Case, Function, observe, python_function
from tests.operators.outcome import tensors_in
from tests.operators.tables import Family, Row, rows


@dataclass(slots=True)
class Gathered:
    """refused: cases that torch itself refuses.  unsayable: those that Lisp has no call for."""

    cases: list[tuple[Family, Case]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    unsayable: list[tuple[str, str]] = field(default_factory=list)


def gather(families: Iterable[Family], only: frozenset[str] = frozenset()) -> Gathered:
    """All cases, or those of some operators."""
    found = Gathered()
    for family in families:
        for row in rows(family):
            if only and row.operator not in only:
                continue
            for case in _cases(row, found):
                found.cases.append((family, case))
    return found


def _cases(row: Row, found: Gathered) -> Iterator[Case]:
    """The row's case, and its other forms."""
    function = python_function(row.operator)
    args, kwargs = row.arguments()
    try:
        case = observe(row.name, function, args, kwargs, row.family.gradients, row.operator)
    except Unsayable as why:
        found.unsayable.append((row.name, str(why)))
        return
    if case.expected.refused is not None:
        found.refused.append((row.name, case.expected.refused))
        return
    yield case
    if row.number < row.family.forms:
        yield from _other_forms(row, args, kwargs, case)


def _other_forms(
    row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], case: Case
) -> Iterator[Case]:
    """The in-place form and the one with out=, where torch takes the arguments that way, too."""
    family, name = row.family, row.operator
    if family.in_place and f"{name}_" in aten_names() and isinstance(args[0], torch.Tensor):
        yield from _accepted(f"{row.name}!", f"{name}_", args, kwargs)
    if family.out and _writes_to_out(name):
        results = tuple(_result(python_function(name), args, kwargs))
        for label, outs in (("out", _like(results)), ("out-resized", _empty(results))):
            given = outs[0] if len(outs) == 1 else outs
            yield from _accepted(f"{row.name}/{label}", name, args, {**kwargs, "out": given})


def _accepted(
    label: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[Case]:
    try:
        case = observe(label, python_function(name), args, kwargs, False, name)
    except (Unsayable, ValueError):
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


__all__ = ["Gathered", "gather", "replace"]
