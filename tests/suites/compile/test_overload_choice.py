"""The compiler and a running program choose the same overload for a call.

The compiler chooses by `lang/compile/types/typed_calls.py`, a running program by
`ctorch/dispatch/bind.cpp`.  Both get the same calls here, of all operators that have typed entry
points.  If the compiler leaves the choice to the run time, there is nothing to compare.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from lambent.ctorch import load
from lambent.lang.compile.types.abstract_types import AbstractType, Argument, literal_type
from lambent.lang.compile.types.typed_calls import typed_call
from lambent.lang.primitives.table import operator
from lambent.lang.primitives.typed import TypedOperator, typed_operators
from lambent.lang.syntax.datum import Boolean, Datum, Keyword, List, Number, Symbol
from lambent.lang.syntax.source import Source, Span
from tests.support import ctorch_calls
from tests.support.ctorch_calls import FailedError, check, tensor, values

_SPAN = Span(Source("test", ""), 0, 0)
# Calls without either bound: both overloads refuse them with the same message.
_NO_BOUNDS = re.compile(r"\(clamp_? [xt]( :\w+| #f)*\): ct_aten_clamp_?, Tensor")


@dataclass(frozen=True)
class Sample:
    """An argument as the compiler knows it, and its value when the program runs."""

    text: str
    known: Argument
    value: Any


def constant(text: str, datum: Datum, value: Any) -> Sample:
    return Sample(text, Argument(literal_type(datum), datum), value)


def number(value: int | float) -> Datum:
    return Number(value, _SPAN)


def samples() -> list[Sample]:
    return [
        Sample("x", Argument(AbstractType.TENSOR, name="x"), tensor([[1.0, 2.0], [3.0, 4.0]])),
        Sample("t", Argument(AbstractType.TENSOR, name="t"), tensor(1.0)),
        Sample("n", Argument(AbstractType.FIXNUM, name="n"), 1),
        Sample("f", Argument(AbstractType.FLOAT, name="f"), 0.5),
        Sample("b", Argument(AbstractType.BOOLEAN, name="b"), True),
        constant("2", number(2), 2),
        constant("1.5", number(1.5), 1.5),
        constant("#f", Boolean(False, _SPAN), False),
        constant("'(0)", List((number(0),), None, _SPAN), [0]),
        constant("'none", Symbol("none", _SPAN), ctorch_calls.Symbol("none")),
    ]


def calls(overload: TypedOperator, all_samples: list[Sample]) -> Iterator[list[Sample]]:
    """Positional arguments of every sort, and each parameter by keyword."""
    x = all_samples[0]
    yield from ([one] for one in all_samples)
    for pair in product(all_samples, repeat=2):
        yield list(pair)
        yield [x, *pair]
        yield [x, x, *pair]
    required = [x for p in overload.parameters if p.default is None and p.type == "Tensor"]
    for parameter in overload.parameters:
        name = parameter.name.replace("_", "-")
        keyword = Sample(
            f":{name}",
            Argument(AbstractType.ANYTHING, Keyword(name, _SPAN)),
            ctorch_calls.Keyword(name),
        )
        for sample in all_samples:
            yield [*required, keyword, sample]
            yield [*required, all_samples[2], keyword, sample]


def chosen_by_the_compiler(name: str, call: list[Sample]) -> str | None:
    lisp = name.removesuffix("_").replace("_", "-") + "!" * name.endswith("_")
    found = typed_call(operator(f"tensor-{lisp}"), [sample.known for sample in call])
    return found[0].code if found else None


def chosen_by_a_run(op: Any, call: list[Sample]) -> str:
    lib, ffi = load()
    overload, keep = ffi.new("const char **"), list[Any]()
    try:
        check(lib.ct_op_bind(op, len(call), values([s.value for s in call], keep), overload))
    except FailedError as error:
        return str(error)
    name: str = ffi.string(overload[0]).decode()
    return name


def test_both_choose_the_same_overload() -> None:
    lib, ffi = load()
    all_samples, compared, differing = samples(), 0, []
    for overload in typed_operators():
        op = ffi.new("ct_op **")
        check(lib.ct_op_find(overload.name.encode(), op))
        for call in calls(overload, all_samples):
            compiled = chosen_by_the_compiler(overload.name, call)
            if compiled is None:
                continue
            compared += 1
            run = chosen_by_a_run(op[0], call)
            if compiled != f"ct_aten_{overload.name}{'_' * bool(run)}{run}":
                text = " ".join(sample.text for sample in call)
                differing.append(f"({overload.name} {text}): {compiled}, {run}")
    differing = [line for line in differing if not _NO_BOUNDS.fullmatch(line)]
    assert not differing, "\n".join(differing)
    assert compared > 1000
