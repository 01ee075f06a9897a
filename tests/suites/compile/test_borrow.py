"""Borrowing: `check_owned` proves what `borrow` decides in random functions, and refuses decisions
that were changed by hand."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    Free,
    Function,
    If,
    Loop,
    Raise,
    Recur,
    Statement,
)
from lambent.lang.compile.ir.check_anf import check_anf
from lambent.lang.compile.ir.operands import all_blocks, may_yield, never_returns
from lambent.lang.compile.ir.text import function_text, to_text
from lambent.lang.compile.ownership.borrow import borrow
from lambent.lang.compile.ownership.check_owned import OwnershipError, check_owned
from lambent.lang.compile.ownership.insert_frees import insert_frees
from tests.support.random_programs.random_anf import random_anf

_DEFAULT_COUNT, _FULL_COUNT, _MUTATED = 400, 5_000, 200


def functions_of(program: Anf) -> tuple[Function, ...]:
    return (*program.functions, program.main)


def statements_of(function: Function) -> Iterator[Statement]:
    for block in all_blocks(function.body):
        yield from block.statements


def is_borrowed_part(statement: Statement) -> bool:
    return (
        isinstance(statement, Bind)
        and isinstance(statement.operation, Apply)
        and statement.operation.borrows
    )


def test_borrowed_programs_pass_the_verifier(all_random: bool) -> None:
    parameters = parts = variables = 0
    for seed in range(_FULL_COUNT if all_random else _DEFAULT_COUNT):
        program = random_anf(seed, read_only=seed % 4 != 0)
        check_anf(program)
        borrowed = borrow(program)
        check_anf(borrowed)
        try:
            check_owned(insert_frees(borrowed))
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}\n{to_text(borrowed)}") from error
        for function in functions_of(borrowed):
            own = function.parameters[function.captures :]
            parameters += sum(not p.own for p in own)
            for statement in statements_of(function):
                parts += is_borrowed_part(statement)
                if isinstance(statement, Loop):
                    variables += sum(not v.own for v in statement.variables)
    # Otherwise the test would prove nothing.
    assert min(parameters, parts, variables) > 100


def test_borrowing_twice_changes_nothing_more() -> None:
    for seed in range(100):
        once = borrow(random_anf(seed, read_only=True))
        assert to_text(borrow(once)) == to_text(once)


# ---- Changed decisions are refused ---------------------------------------------------------------

Change = Callable[[Function], Iterator[Function]]


def changed_parameters(function: Function) -> Iterator[Function]:
    """An owned parameter becomes borrowed, or a borrowed one owned."""
    for index, parameter in enumerate(function.parameters):
        if parameter.representation.on_heap and index >= function.captures:
            flipped = replace(parameter, own=not parameter.own)
            own = (*function.parameters[:index], flipped, *function.parameters[index + 1 :])
            yield replace(function, parameters=own)


def parts_owned(function: Function) -> Iterator[Function]:
    """A borrowed projection becomes an owned reference, which nothing frees."""
    for statement in statements_of(function):
        if is_borrowed_part(statement):
            assert isinstance(statement, Bind) and isinstance(statement.operation, Apply)
            owned = replace(statement, operation=replace(statement.operation, borrows=False))
            yield with_body(function, statement, owned)


def freed_parts(function: Function) -> Iterator[Function]:
    """A borrowed projection is freed, although nothing owns it."""
    for statement in statements_of(function):
        if is_borrowed_part(statement):
            free = Free(statement.name, statement.representation, None)
            yield with_body(function, statement, statement, free)


def early_frees(function: Function) -> Iterator[Function]:
    """The container of a borrowed projection is freed before the projection is used."""
    for block in all_blocks(function.body):
        for at, statement in enumerate(block.statements):
            if not is_borrowed_part(statement):
                continue
            assert isinstance(statement, Bind) and isinstance(statement.operation, Apply)
            whole = statement.operation.arguments[0]
            later = block.statements[at + 1 :]
            frees = [s for s in later if isinstance(s, Free) and s.name == whole]
            if frees:
                rest = [s for s in later if s is not frees[0]]
                moved = (*block.statements[: at + 1], frees[0], *rest)
                changed = replace(block, statements=moved)
                yield replace(function, body=edited(function.body, block, changed))


def owned_variables(function: Function) -> Iterator[Function]:
    """A borrowed variable of a loop becomes owned."""
    for block in all_blocks(function.body):
        for at, statement in enumerate(block.statements):
            if isinstance(statement, Loop) and is_repeated(statement):
                for index, variable in enumerate(statement.variables):
                    if not variable.own:
                        own = replace(variable, own=True)
                        variables = (
                            *statement.variables[:index], own, *statement.variables[index + 1 :]
                        )  # fmt: skip
                        changed = put(block, at, replace(statement, variables=variables))
                        yield replace(function, body=edited(function.body, block, changed))


def is_repeated(loop: Loop) -> bool:
    ends = [block.end for block in all_blocks(loop.body)]
    return any(isinstance(end, Recur) and end.label == loop.label for end in ends)


def with_body(function: Function, statement: Statement, *others: Statement) -> Function:
    """The function with a statement replaced by others."""
    for block in all_blocks(function.body):
        for at, one in enumerate(block.statements):
            if one is statement:
                return replace(function, body=edited(function.body, block, put(block, at, *others)))
    raise AssertionError(statement)


def put(block: Block, at: int, *statements: Statement) -> Block:
    """The block with one statement replaced by others."""
    rest = block.statements[at + 1 :]
    return replace(block, statements=(*block.statements[:at], *statements, *rest))


def edited(block: Block, old: Block, new: Block) -> Block:
    """The block with an inner block replaced by another one."""
    if block is old:
        return new
    out: list[Statement] = []
    for statement in block.statements:
        match statement:
            case If(then=then, orelse=orelse):
                then, orelse = edited(then, old, new), edited(orelse, old, new)
                out.append(replace(statement, then=then, orelse=orelse))
            case Loop(body=body):
                out.append(replace(statement, body=edited(body, old, new)))
            case _:
                out.append(statement)
    return Block(tuple(out), block.end)


def always_returns(function: Function) -> bool:
    """Whether every path leads to the function's end, where all owned values must be freed."""
    blocks = list(all_blocks(function.body))
    return may_yield(function.body) and not any(
        isinstance(block.end, Raise) or any(map(never_returns, block.statements))
        for block in blocks
    )


@pytest.fixture(scope="module")
def programs() -> list[Anf]:
    return [insert_frees(borrow(random_anf(seed, read_only=True))) for seed in range(_MUTATED)]


@pytest.mark.parametrize(
    ("change", "must_return"),
    [(changed_parameters, True), (parts_owned, True), (freed_parts, False), (early_frees, False),
     (owned_variables, False)],
)  # fmt: skip
def test_a_changed_ownership_annotation_is_refused(
    programs: list[Anf], change: Change, must_return: bool
) -> None:
    """must_return: a missing free is an error only in a function that returns."""
    tried = 0
    rng = random.Random(0)
    for seed, owned in enumerate(programs):
        for index, function in enumerate(functions_of(owned)):
            if must_return and not always_returns(function):
                continue
            found = list(change(function))
            for changed in rng.sample(found, min(2, len(found))):
                *functions, main = (*functions_of(owned)[:index], changed,
                                    *functions_of(owned)[index + 1 :])
                tried += 1
                with refused(seed, changed):
                    check_owned(replace(owned, functions=tuple(functions), main=main))
    assert tried > 10


@contextmanager
def refused(seed: int, function: Function) -> Iterator[None]:
    try:
        yield
    except OwnershipError:
        return
    raise AssertionError(f"seed {seed}: not refused\n{function_text(function)}")
