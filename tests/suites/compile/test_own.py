"""Ownership: every random function passes `check_owned` after `insert_frees`, and functions that
were changed by hand do not."""

import os
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    DirectTailCall,
    Dup,
    Free,
    Function,
    If,
    Kept,
    Literal,
    Loop,
    Parameter,
    Raise,
    Recur,
    Representation,
    Statement,
    Yield,
)
from lambent.lang.compile.ir.operands import all_blocks, never_returns
from lambent.lang.compile.ir.text import to_text
from lambent.lang.compile.ownership.check_owned import OwnershipError, check_owned
from lambent.lang.compile.ownership.insert_frees import insert_frees
from lambent.lang.compile.ownership.move_fields import move_fields
from lambent.lang.compile.ownership.place_cleanups import place_cleanups
from lambent.lang.deep import call_deep
from lambent.lang.primitives.library import TABLE
from lambent.lang.primitives.table import Container
from lambent.lang.syntax.datum import String
from lambent.lang.syntax.source import Source, Span
from tests.support.random_programs.random_anf import random_anf

_DEFAULT_COUNT, _FULL_COUNT = 2_000, 10_000
_SPAN = Span(Source("test", "test"), 0, 4)


@pytest.fixture
def count(request: pytest.FixtureRequest) -> int:
    """How many random programs: more with --all-random or LAMBENT_RANDOM=10000."""
    if "LAMBENT_RANDOM" in os.environ:
        return int(os.environ["LAMBENT_RANDOM"])
    return _FULL_COUNT if request.config.getoption("--all-random") else _DEFAULT_COUNT


def test_random_functions_own_each_value_once(count: int) -> None:
    functions = 0
    seed = 0
    while functions < count:
        program = random_anf(seed)
        try:
            check_owned(place_cleanups(move_fields(insert_frees(program))))
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}\n{to_text(program)}") from error
        functions += len(program.functions) + 1
        seed += 1


def test_ownership_is_the_same_every_time() -> None:
    for seed in range(50):
        assert to_text(insert_frees(random_anf(seed))) == to_text(insert_frees(random_anf(seed)))


def test_deep_nesting_is_no_problem() -> None:
    block = Block((), Yield("x"))
    for depth in range(5_000):
        test = Bind(f"t{depth}", Representation.BOOLEAN, Literal(String("", _SPAN)), _SPAN)
        name = f"r{depth}"
        statements = (test, If(name, Representation.VALUE, test.name, block, block, _SPAN))
        # Both branches may not hold the same statements: names are bound once.
        other = Block((), Yield("x"))
        statements = (test, replace(statements[1], orelse=other))
        block = Block(statements, Yield(name))
    program = _program(block, Parameter("x", Representation.VALUE, own=True))
    call_deep(lambda: check_owned(insert_frees(program)))


# ---- The verifier finds errors ------------------------------------------------------------------


def test_a_second_free_is_found() -> None:
    found = 0
    for owned, free in _samples():
        spoilt = replace(owned.main, body=_edited(owned.main.body, free, free, free))
        with pytest.raises(OwnershipError):
            check_owned(replace(owned, main=spoilt))
        found += 1
    assert found > 100


def test_a_lost_free_is_found() -> None:
    """Except on the way to an error, whose cleanup releases what is live, or in endless loops."""
    found = 0
    for owned, free in _samples():
        blocks = list(all_blocks(owned.main.body))
        if any(isinstance(block.end, Raise) for block in blocks) or any(
            never_returns(statement) for block in blocks for statement in block.statements
        ):
            continue
        spoilt = replace(owned.main, body=_edited(owned.main.body, free))
        with pytest.raises(OwnershipError):
            check_owned(replace(owned, main=spoilt))
        found += 1
    assert found > 30


def test_a_lost_cleanup_is_found() -> None:
    found = 0
    for seed in range(60):
        anf = place_cleanups(insert_frees(random_anf(seed)))
        failing = [
            s
            for block in all_blocks(anf.main.body)
            for s in block.statements
            if isinstance(s, Bind) and s.cleanup
        ]
        for bind in failing[:3]:
            assert bind.cleanup is not None
            for cleanup in (bind.cleanup[1:], (*bind.cleanup, bind.cleanup[0]), None):
                body = _edited(anf.main.body, bind, replace(bind, cleanup=cleanup))
                with pytest.raises(OwnershipError, match="cleanup"):
                    check_owned(replace(anf, main=replace(anf.main, body=body)))
                found += 1
    assert found > 100


def _samples() -> Iterator[tuple[Anf, Statement]]:
    """Owned programs, each with some of the frees of its main."""
    rng = random.Random(0)
    for seed in range(150):
        owned = move_fields(insert_frees(random_anf(seed)))
        frees = [s for b in all_blocks(owned.main.body) for s in b.statements if _is_free(s)]
        for free in rng.sample(frees, min(3, len(frees))):
            yield owned, free


def _is_free(statement: Statement) -> bool:
    return isinstance(statement, Free)


def _edited(block: Block, target: Statement, *put: Statement) -> Block:
    """The block with other statements instead of one."""
    out: list[Statement] = []
    for statement in block.statements:
        if statement is target:
            out += put
            continue
        match statement:
            case If(then=then, orelse=orelse):
                then, orelse = _edited(then, target, *put), _edited(orelse, target, *put)
                out.append(replace(statement, then=then, orelse=orelse))
            case Loop(body=body):
                out.append(replace(statement, body=_edited(body, target, *put)))
            case _:
                out.append(statement)
    return Block(tuple(out), block.end)


def _program(body: Block, *parameters: Parameter) -> Anf:
    function = _function("f", body, *parameters)
    main = _function("main", Block((_bind("r", "list"),), Yield("r")))
    return Anf((function,), (), main, uses_tensors=False)


def _function(name: str, body: Block, *parameters: Parameter) -> Function:
    return Function(
        name, name, 0, len(parameters), (), False, parameters, Representation.VALUE, body,
        escapes=False, may_tail=False, may_fail=True, checks_stack=False, span=_SPAN,
    )  # fmt: skip


def _bind(name: str, primitive: str, *arguments: str) -> Bind:
    return Bind(name, Representation.VALUE, Apply(TABLE[primitive], arguments), _SPAN)


_X = Parameter("x", Representation.VALUE, own=True)
_BORROWED = Parameter("b", Representation.VALUE, own=False)
_FREE_X = Free("x", Representation.VALUE, None)
_DUP_X = Bind("y", Representation.VALUE, Dup("x"), _SPAN)


def _borrowed(name: str, primitive: str, *arguments: str) -> Bind:
    apply = Apply(TABLE[primitive], arguments, borrows=True)
    return Bind(name, Representation.VALUE, apply, _SPAN)


_CAR = _borrowed("y", "car", "x")
_SET_B = Bind("set", Representation.VOID, Apply(TABLE["set-car!"], ("b", "z")), _SPAN)
_KEPT_CAR, _KEPT_CDR = (Kept("y", Container.PAIR, part) for part in ("car", "cdr"))
_KEEP_CAR = replace(_FREE_X, kept=(_KEPT_CAR,))
_TEST = Bind("t", Representation.BOOLEAN, Apply(TABLE["null?"], ("b",)), _SPAN)


def _if(then: Block, orelse: Block) -> If:
    return If("i", Representation.VALUE, "t", then, orelse, _SPAN)


@pytest.mark.parametrize(
    ("message", "body"),
    [
        ("never consumed: y", Block((_CAR, _KEEP_CAR, _bind("r", "list")), Yield("r"))),
        (
            "y is kept but not the borrowed cdr",
            Block((_CAR, replace(_FREE_X, kept=(_KEPT_CDR,))), Yield("y")),
        ),
        (
            "y is used after it was consumed",
            Block((_CAR, replace(_FREE_X, kept=(_KEPT_CAR, _KEPT_CDR))), Yield("y")),
        ),
        (
            "y is kept but not the borrowed car of x",
            Block((_borrowed("y", "car", "b"), _KEEP_CAR), Yield("y")),
        ),
        ("y is kept but not the borrowed car", Block((_DUP_X, _KEEP_CAR), Yield("y"))),
        (
            "y is used when its container, x, may have changed",
            Block((_CAR, _bind("z", "list-copy", "b"), _SET_B, _KEEP_CAR), Yield("y")),
        ),
        (
            "it keeps a field twice, or fields of different objects",
            Block((_CAR, replace(_FREE_X, kept=(_KEPT_CAR, _KEPT_CAR))), Yield("y")),
        ),
        (
            "y is kept but not the borrowed 0 of x",
            Block((_CAR, replace(_FREE_X, kept=(Kept("y", Container.VECTOR, 0),))), Yield("y")),
        ),
        (
            "consumed in one branch only: y",
            Block(
                (
                    _CAR,
                    _TEST,
                    _if(
                        Block((_KEEP_CAR, _bind("r", "list")), Yield("r")),
                        Block((_FREE_X, _bind("s", "list")), Yield("s")),
                    ),
                ),
                Yield("i"),
            ),
        ),
        (
            "y is used after it was consumed",
            Block(
                (
                    _CAR,
                    _TEST,
                    _if(
                        Block((_KEEP_CAR,), Yield("y")),
                        Block((_FREE_X, _bind("s", "list")), Yield("s")),
                    ),
                    _bind("z", "list", "y", "i"),
                ),
                Yield("z"),
            ),
        ),
        (
            "y is used when its container, x, may have changed",
            Block(
                (
                    _CAR,
                    _TEST,
                    _bind("z", "list-copy", "b"),
                    _if(
                        Block((_SET_B, _bind("r", "list")), Yield("r")),
                        Block(
                            (Free("z", Representation.VALUE, None), _bind("s", "list")), Yield("s")
                        ),
                    ),
                    _KEEP_CAR,
                ),
                Yield("y"),
            ),
        ),
        (
            "y is used when its container, x, may have changed",
            Block(
                (
                    _CAR,
                    Loop(
                        "w",
                        Representation.VALUE,
                        "next",
                        (),
                        Block(
                            (
                                _bind("n", "null?", "y"),
                                _TEST,
                                _if(Block((), Recur("next", ())), Block((), Yield("n"))),
                            ),
                            Yield("i"),
                        ),
                        _SPAN,
                    ),
                    _FREE_X,
                ),
                Yield("w"),
            ),
        ),
        (
            "z comes from y, which is a short borrow itself",
            Block(
                (_CAR, _borrowed("z", "car", "y"), _bind("n", "null?", "z"), _KEEP_CAR),
                Yield("y"),
            ),
        ),
        ("never consumed: x", Block((_bind("r", "list"),), Yield("r"))),
        ("x is used after it was consumed", Block((_FREE_X,), Yield("x"))),
        ("x is used after it was consumed", Block((_bind("r", "cons", "x", "x"),), Yield("r"))),
        ("b is consumed but not owned", Block((_FREE_X,), Yield("b"))),
        (
            "b is freed but not owned",
            Block((_FREE_X, Free("b", Representation.VALUE, None)), Yield("x")),
        ),
        ("y is not in scope", Block((_FREE_X,), Yield("y"))),
        (
            "y is bound twice",
            Block((_DUP_X, Free("y", Representation.VALUE, None), _DUP_X), Yield("y")),
        ),
        ("live across a tail call: x", Block((_DUP_X,), DirectTailCall("f", ("y", "b"), _SPAN))),
    ],
)
def test_message_names_the_ownership_error(message: str, body: Block) -> None:
    with pytest.raises(OwnershipError, match=message):
        check_owned(_program(body, _X, _BORROWED))
