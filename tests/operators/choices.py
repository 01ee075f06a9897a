"""Which overload of an operator a call chooses: in PyTorch's own parser, and in ours.

    torch.conv1d(x, w)   =>   conv1d    (not conv1d.padding, which accepts the call as well)

If several overloads accept a call, the result seldom shows which one was chosen.  So torch's
profiler, which sees the names of overloads, records what the dispatcher is asked for first, and
ctorch only binds its call.

    python -m tests.operators.choices [--sample]    what differs, over all tables and schemas
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import torch
from torch._C._profiler import _ExperimentalConfig
from torch.profiler import ProfilerActivity, profile, record_function

from lambent.ctorch import load
from tests.operators.families import FAMILIES, Row, rows
from tests.operators.lisp_call import (
    Argument,
    Inexpressible,
    Input,
    Symbol,
    aten_names,
    dtype_name,
    lisp_call,
)
from tests.operators.oracle import Function, python_function, quietly
from tests.operators.sweep import is_sampled
from tests.support.ctorch_calls import FailedError, Handle, Keyword, call, check, values
from tests.support.ctorch_calls import Symbol as Name

_LABEL = "choice "
_DANGEROUS = ("set_num_threads",)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of one operator of torch, under ATen's name."""

    label: str
    operator: str
    function: Function
    args: Sequence[Any]
    kwargs: dict[str, Any]


# Pairs of overloads that do the same: those for numbers, which torch converts to tensors (as Lisp
# does with complex ones), and those whose arguments are the defaults of another one.
_NUMBERS = {("Tensor", "Scalar"), ("Tensor_mode", "Scalar_mode"), ("", "Scalar")}
_SAME = {
    "fill": {("Scalar", "Tensor")}, "masked_fill": {("Scalar", "Tensor")},
    "range": {("step", "")}, "to": {("device", "other")},
    **{name: {("correction", "")} for name in ("std", "var", "std_mean", "var_mean")},
}


@dataclass(frozen=True, slots=True)
class Unlike:
    """The overload that torch chooses, and ours."""

    label: str
    torch: str
    ours: str

    def __str__(self) -> str:
        return f"{self.label}: {self.ours!r} instead of {self.torch!r}"


@dataclass(slots=True)
class Compared:
    """elsewhere: calls that go to another operator first in torch, or that do not bind here."""

    alike: int = 0
    elsewhere: int = 0
    unlike: list[Unlike] = field(default_factory=list)


def compare_choices(calls: Iterable[Call]) -> Compared:
    """Compare the overloads that torch and ctorch choose for the calls."""
    found = Compared()
    with quietly():
        all_calls = list(calls)
    chosen = torch_choices(all_calls)
    for k, one in enumerate(all_calls):
        asked, ours = chosen.get(k), our_choice(one)
        if asked is None or ours is None or asked[0] != one.operator:
            found.elsewhere += 1
        elif asked[1] == ours or (asked[1], ours) in _NUMBERS | _SAME.get(one.operator, set()):
            found.alike += 1
        else:
            found.unlike.append(Unlike(one.label, asked[1], ours))
    return found


def torch_choices(calls: Sequence[Call]) -> dict[int, tuple[str, str]]:
    """For each call that torch accepts, the operator and the overload that it asks for first."""
    config = _ExperimentalConfig(capture_overload_names=True)
    with quietly(), profile(
        activities=[ProfilerActivity.CPU], experimental_config=config, acc_events=True
    ) as seen:
        for k, one in enumerate(calls):
            with record_function(f"{_LABEL}{k}"):
                _try(one)
    found: dict[int, tuple[str, str]] = {}
    for event in sorted(seen.events(), key=lambda e: e.time_range.start):
        parent = event.cpu_parent
        if parent is None or not parent.name.startswith(_LABEL):
            continue
        name = event.name.removeprefix("aten::")
        found.setdefault(int(parent.name.removeprefix(_LABEL)), (name, event.overload_name or ""))
    return found


def _try(one: Call) -> None:
    """The choice is recorded even if the call fails."""
    with suppress(RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
        one.function(*one.args, **one.kwargs)


def our_choice(one: Call) -> str | None:
    """The overload that ctorch binds the call to; None if Lisp has no such call."""
    try:
        said = lisp_call(one.operator, one.args, one.kwargs)
    except Inexpressible:
        return None
    inputs = [_like(x) for x in said.tensors]
    arguments = [_value(a, inputs) for a in said.steps[0][1]]
    lib, ffi = load()
    op, overload, keep = ffi.new("ct_op **"), ffi.new("const char **"), list[Any]()
    try:
        check(lib.ct_op_find(one.operator.encode(), op))
        check(lib.ct_op_bind(op[0], len(arguments), values(arguments, keep), overload))
    except FailedError:
        return None
    name: str = ffi.string(overload[0]).decode()
    return name


def _like(x: torch.Tensor) -> Handle:
    """A tensor that binds as x does."""
    dtype = Name(dtype_name(x.dtype))
    made: Handle = call("ones", Keyword("size"), list(x.shape), Keyword("dtype"), dtype)
    if x.requires_grad:
        check(load().lib.ct_requires_grad(made.pointer, True))
    return made


def _value(argument: Argument, inputs: list[Handle]) -> Any:
    match argument:
        case Input(position):
            return inputs[position]
        case Symbol(text):
            return Keyword(text[1:]) if text.startswith(":") else Name(text)
        case None:
            return False
        case tuple():
            return [_value(a, inputs) for a in argument]
        case _:
            return argument


def table_calls(wanted: Callable[[Row], bool]) -> Iterator[Call]:
    """The calls in the tables of operators whose arguments Python's torch parses."""
    for family in FAMILIES:
        if family.python or family.by_schema:
            continue
        for row in filter(wanted, rows(family)):
            args, kwargs = row.arguments()
            yield Call(row.name, row.operator, python_function(row.operator), args, kwargs)


# Calls made from schemas: each overload with its required arguments, and with each keyword.

_SAMPLES: dict[str, tuple[Any, ...]] = {
    "Tensor": (torch.ones(2, 2), torch.tensor(1.0), torch.tensor(1), 2, 1.5),
    "number": (1, 1.5, True, torch.tensor(1), torch.tensor(1.5)),
    "int": (1, torch.tensor(1)),
    "float": (1.5, 1, torch.tensor(1.5)),
    "bool": (True, False),
    "str": ("mean",),
    "List[int]": ((1,), (1, 1), 1),
    "List[Tensor]": ([torch.ones(2, 2), torch.ones(2, 2)],),
}


def schema_calls() -> Iterator[Call]:
    """For each operator with several overloads, calls made from its schemas."""
    for name in sorted(aten_names()):
        if name in _DANGEROUS or name.startswith("_") or name.endswith("_"):
            continue
        schemas = [s for s in torch._C._jit_get_schemas_for_operator("aten::" + name)
                   if not any(a.is_out for a in s.arguments)]
        function = python_function(name)
        if len(schemas) < 2 or isinstance(function, torch._ops.OpOverloadPacket):
            continue
        for schema in schemas:
            for args, kwargs in _arguments(schema):
                shown = [*map(_shown, args), *(f"{k}={_shown(v)}" for k, v in kwargs.items())]
                yield Call(f"{name}({', '.join(shown)})", name, function, args, kwargs)


def _shown(x: Any) -> str:
    return f"{dtype_name(x.dtype)}{tuple(x.shape)}" if isinstance(x, torch.Tensor) else str(x)


def _arguments(schema: Any) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """The required arguments, one of them varied at a time; then with each other one by keyword."""
    needed = [a for a in schema.arguments if not a.has_default_value() and not a.kwarg_only]
    choices = [_SAMPLES.get(_type(a), ()) for a in needed]
    if not all(choices):
        return
    first = [c[0] for c in choices]
    yield first, {}
    for k, choice in enumerate(choices):
        for value in choice[1:]:
            yield [*first[:k], value, *first[k + 1 :]], {}
    for a in schema.arguments:
        if a not in needed and _SAMPLES.get(_type(a)):
            for value in _SAMPLES[_type(a)]:
                yield first, {a.name: value}


def _type(argument: Any) -> str:
    text = str(argument.type)
    return text.removeprefix("Optional[").removesuffix("]") if "Optional[" in text else text


def main(arguments: list[str]) -> int:
    wanted = is_sampled if "--sample" in arguments else lambda row: True
    found = compare_choices(chain(table_calls(wanted), schema_calls()))
    print("\n".join(map(str, found.unlike)))
    print(f"{found.alike} alike, {len(found.unlike)} unlike, {found.elsewhere} not to compare")
    return bool(found.unlike)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
