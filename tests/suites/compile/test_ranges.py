"""Ranges of integers hold all that the operations compute; the verifier refuses smaller ones."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from lambent.lang.compile.ir.anf import Anf, Apply, Bind, Function, Loop
from lambent.lang.compile.ir.operands import all_blocks
from lambent.lang.compile.types.check_ranges import RangeError, check_ranges
from lambent.lang.pipeline import compile_source
from lambent.lang.primitives.machine import Machine
from lambent.lang.primitives.ranges import FIXNUMS, NATURAL, Range, machine_range, narrowed
from lambent.lang.syntax.source import Source

SMALL = [Range(low, high) for low in range(-3, 4) for high in range(low, 4)]
DIVISIONS = {
    Machine.I64_QUOTIENT: lambda n, d: abs(n) // abs(d) * (1 if n * d >= 0 else -1),
    Machine.I64_FLOOR_QUOTIENT: lambda n, d: n // d,
    Machine.I64_REMAINDER: lambda n, d: abs(n) % abs(d) * (1 if n >= 0 else -1),
    Machine.I64_MODULO: lambda n, d: n % d,
}
BINARY = {
    Machine.I64_ADD: lambda a, b: a + b,
    Machine.I64_SUBTRACT: lambda a, b: a - b,
    Machine.I64_MULTIPLY: lambda a, b: a * b,
    Machine.I64_MAX: max,
    Machine.I64_MIN: min,
    Machine.I64_AND: lambda a, b: a & b,
    Machine.I64_OR: lambda a, b: a | b,
    Machine.I64_XOR: lambda a, b: a ^ b,
    Machine.I64_SHIFT_LEFT: lambda a, b: a << b,
    Machine.I64_SHIFT_RIGHT: lambda a, b: a >> -b,
    **DIVISIONS,
}
UNARY = {
    Machine.COPY: lambda a: a,
    Machine.I64_NEGATE: lambda a: -a,
    Machine.I64_ABS: abs,
    Machine.I64_NOT: lambda a: ~a,
}
TESTS = {
    Machine.I64_EQUAL: lambda a, b: a == b,
    Machine.I64_LESS: lambda a, b: a < b,
    Machine.I64_LESS_OR_EQUAL: lambda a, b: a <= b,
    Machine.I64_GREATER: lambda a, b: a > b,
    Machine.I64_GREATER_OR_EQUAL: lambda a, b: a >= b,
}
PROGRAM = """
(define (hash text n)
  (let loop ((i 0) (h 7))
    (if (= i n)
        (- (square-of h) 1)
        (loop (+ i 1)
              (modulo (+ (* h 33) (char->integer (string-ref text i))) 1000)))))
(define (square-of h) (if (> h 100) 100 (+ (* h h) (fact h 1))))
(define (fact n product) (if (= n 0) product (fact (- n 1) (modulo (* n product) 97))))
(print (hash "abc" (string-length "abc")))
"""


def numbers(range_: Range) -> Iterator[int]:
    yield from range(range_.low, range_.high + 1)


@pytest.mark.parametrize("code", BINARY, ids=str)
def test_ranges_hold_all_results_of_two_operands(code: Machine) -> None:
    for a, b in product(SMALL, SMALL):
        if (found := machine_range(code, (a, b))) is not None:
            for x, y in product(numbers(a), numbers(b)):
                assert BINARY[code](x, y) in found, (a, b, found)


@pytest.mark.parametrize("code", UNARY, ids=str)
def test_ranges_hold_all_results_of_one_operand(code: Machine) -> None:
    for a in SMALL:
        found = machine_range(code, (a,))
        assert found is not None
        assert all(UNARY[code](x) in found for x in numbers(a))


def test_what_may_leave_the_fixnums_or_divide_by_zero_has_no_range() -> None:
    one, zero = Range(1, 1), Range(0, 0)
    assert machine_range(Machine.I64_ADD, (FIXNUMS, one)) is None
    assert machine_range(Machine.I64_SUBTRACT, (FIXNUMS, one)) is None
    assert machine_range(Machine.I64_MULTIPLY, (FIXNUMS, Range(-1, -1))) is None
    assert machine_range(Machine.I64_NEGATE, (FIXNUMS,)) is None
    assert machine_range(Machine.I64_ABS, (FIXNUMS,)) is None
    assert machine_range(Machine.I64_QUOTIENT, (FIXNUMS, Range(-1, -1))) is None
    assert machine_range(Machine.I64_SHIFT_LEFT, (one, Range(62, 62))) is None
    assert all(machine_range(code, (one, zero)) is None for code in DIVISIONS)


@pytest.mark.parametrize("code", TESTS, ids=str)
@pytest.mark.parametrize("holds", [True, False])
def test_a_test_leaves_all_numbers_for_which_it_holds(code: Machine, holds: bool) -> None:
    for a, b in product(SMALL, SMALL):
        left, right = narrowed(code, (a, b), holds)
        assert left.within(a)
        assert right.within(b)
        for x, y in product(numbers(a), numbers(b)):
            if TESTS[code](x, y) is holds:
                assert x in left, (a, b)
                assert y in right, (a, b)


def test_rounding_is_alike_for_natural_numbers() -> None:
    for code, natural in NATURAL.items():
        for x, y in product(range(5), range(1, 5)):
            assert DIVISIONS[code](x, y) == DIVISIONS[natural](x, y)


@pytest.fixture(scope="module")
def program() -> Anf:
    return compile_source(Source("ranges.lisp", PROGRAM))


def smaller(range_: Range) -> list[Range]:
    """Ranges that lack one end."""
    if range_.low == range_.high:
        return []
    return [replace(range_, low=range_.low + 1), replace(range_, high=range_.high - 1)]


def mutants(function: Function) -> Iterator[Function]:
    """The function with one range smaller than it is: of what is not a counter, whose own limit
    is not reached."""
    for i, parameter in enumerate(function.parameters):
        if parameter.range != FIXNUMS and not parameter.range.is_counter:
            for range_ in smaller(parameter.range):
                changed = list(function.parameters)
                changed[i] = replace(parameter, range=range_)
                yield replace(function, parameters=tuple(changed))
    if function.result_range != FIXNUMS:
        for range_ in smaller(function.result_range):
            yield replace(function, result_range=range_)


def test_a_smaller_range_is_refused(program: Anf) -> None:
    check_ranges(program)
    count = 0
    for function in program.functions:
        for mutant in mutants(function):
            others = tuple([mutant if f is function else f for f in program.functions])
            with pytest.raises(RangeError):
                check_ranges(replace(program, functions=others))
            count += 1
    assert count >= 4


def test_an_operation_that_needs_a_check_is_refused(program: Anf) -> None:
    """Without what is known of a loop's variables, its sums and products may be too large."""
    refused = 0
    for function in program.functions:
        for block in all_blocks(function.body):
            for statement in block.statements:
                if isinstance(statement, Loop) and any(
                    v.range != FIXNUMS and not v.range.is_counter for v in statement.variables
                ):
                    variables = tuple([replace(v, range=FIXNUMS) for v in statement.variables])
                    loop = replace(statement, variables=variables)
                    body = replace_statement(function, statement, loop)
                    others = tuple([body if f is function else f for f in program.functions])
                    with pytest.raises(RangeError):
                        check_ranges(replace(program, functions=others))
                    refused += 1
    assert refused


def replace_statement(function: Function, old: Loop, new: Loop) -> Function:
    statements = tuple([new if s is old else s for s in function.body.statements])
    assert new in statements
    return replace(function, body=replace(function.body, statements=statements))


def test_another_operation_than_the_primitives_is_refused(program: Anf) -> None:
    hash_ = next(f for f in program.functions if f.name == "hash")
    binds = [s for b in all_blocks(hash_.body) for s in b.statements if isinstance(s, Bind)]
    codes = [
        s.operation.variant.code
        for s in binds
        if isinstance(s.operation, Apply) and s.operation.variant is not None
    ]
    assert Machine.I64_REMAINDER in codes  # of natural numbers, for `modulo`
