"""Vectors of doubles: the verifier refuses what no test allows, and no store is lost.

The random programs store doubles and other values in vectors with several names, in procedures
that read them before and after: a vector that no longer holds doubles only must never be read as
one that does.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lambent.lang.compile.ir.anf import Anf, Apply, Bind, Block, Doubles, HaveTypes, If, Loop
from lambent.lang.compile.ir.operands import all_blocks
from lambent.lang.compile.types.check_doubles import DoublesError, check_doubles
from lambent.lang.compile.types.doubles_facts import learned
from lambent.lang.pipeline import compile_source
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.source import Source
from tests.support.programs_run import command_of, finish

PROGRAM = """
(define (move! v dt)
  (vector-set! v 0 (+ (vector-ref v 0) (* dt (vector-ref v 1))))
  (vector-set! v 1 (* 0.5 (vector-ref v 2))))
(define (sum v n)
  (let loop ((i 0) (found (* 2.0 (vector-ref v 0))))
    (if (= i n) found (loop (+ i 1) (+ found (* (vector-ref v i) (vector-ref v 1)))))))
(define v (vector 1.0 2.0 3.0))
(move! v 0.5)
(move! v 1)
(print (sum v 3))
"""


@pytest.fixture(scope="module")
def program() -> Anf:
    return compile_source(Source("doubles.lisp", PROGRAM))


def binds(anf: Anf) -> Iterator[Bind]:
    for function in anf.functions:
        for block in all_blocks(function.body):
            yield from (s for s in block.statements if isinstance(s, Bind))


def is_of_doubles(bind: Bind) -> bool:
    match bind.operation:
        case Apply(variant=variant) if variant is not None:
            return variant.of_doubles
    return False


def changed(anf: Anf, change: Callable[[Bind], tuple[Bind, ...]]) -> Anf:
    """The program with other statements in place of each Bind."""

    def block(old: Block) -> Block:
        out: list[Bind | If | Loop] = []
        for s in old.statements:
            match s:
                case Bind():
                    out += change(s)
                case If(then=then, orelse=orelse):
                    out.append(replace(s, then=block(then), orelse=block(orelse)))
                case Loop(body=body):
                    out.append(replace(s, body=block(body)))
        return Block(tuple(out), old.end)

    functions = tuple([replace(f, body=block(f.body)) for f in anf.functions])
    return replace(anf, functions=functions)


def test_the_program_has_what_the_tests_change(program: Anf) -> None:
    check_doubles(program)
    found = [b.operation.variant.fails for b in binds(program) if is_of_doubles(b)]
    assert found.count(True) >= 1
    assert found.count(False) >= 5


def test_a_test_of_a_shorter_vector_is_refused(program: Anf) -> None:
    def shorter(bind: Bind) -> tuple[Bind, ...]:
        match bind.operation:
            case HaveTypes(_, types):
                types = tuple([Doubles(1) if isinstance(t, Doubles) else t for t in types])
                return (replace(bind, operation=replace(bind.operation, types=types)),)
        return (bind,)

    with pytest.raises(DoublesError, match="is not below 1"):
        check_doubles(changed(program, shorter))


def test_every_access_without_a_test_is_refused(program: Anf) -> None:
    for access in filter(is_of_doubles, binds(program)):

        def untested(bind: Bind, access: Bind = access) -> tuple[Bind, ...]:
            match bind.operation, access.operation:
                case Apply(), Apply(_, (_, *rest)) if bind is access:
                    arguments = ("another", *rest)
                    return (replace(bind, operation=replace(bind.operation, arguments=arguments)),)
            return (bind,)

        with pytest.raises(DoublesError, match="another may hold other values"):
            check_doubles(changed(program, untested))


def test_what_may_end_that_a_vector_holds_doubles_is_noticed(program: Anf) -> None:
    """Also where it comes later in the loop's body than the access."""
    for access in filter(is_of_doubles, binds(program)):
        assert isinstance(access.operation, Apply)
        name = access.operation.arguments[0]
        store = Apply(TABLE["vector-fill!"], (name, name))

        def stored(bind: Bind, access: Bind = access, store: Apply = store) -> tuple[Bind, ...]:
            return (replace(bind, operation=store), bind) if bind is access else (bind,)

        with pytest.raises(DoublesError, match="may hold other values"):
            check_doubles(changed(program, stored))


def test_what_follows_an_access_in_a_loop_counts_for_the_next_iteration(program: Anf) -> None:
    """A store at the end of the loop's body."""
    [*_, last] = [b for b in binds(program) if is_of_doubles(b) and b.operation.variant.fails]
    assert isinstance(last.operation, Apply)
    name = last.operation.arguments[0]
    store = Apply(TABLE["vector-fill!"], (name, name))

    def after(bind: Bind) -> tuple[Bind, ...]:
        is_sum = isinstance(bind.operation, Apply) and bind.operation.primitive.name == "+"
        return (bind, replace(bind, operation=store)) if is_sum else (bind,)

    with pytest.raises(DoublesError, match="may hold other values"):
        check_doubles(changed(program, after))


def test_a_second_test_takes_nothing_away() -> None:
    longer, shorter = HaveTypes(("v",), (Doubles(7),)), HaveTypes(("v",), (Doubles(3),))
    assert learned(learned({}, longer), shorter) == {"v": 7}
    assert learned(learned({}, shorter), longer) == {"v": 7}


# Random programs.

NUMBERS = ("0.5", "2.0", "-1.5", "1e-200", "-0.0", "(/ 1.0 0.0)", "1.25", "3.0")
OTHERS = ("'a", "7", "\"s\"", "1/2", "u", "#t")


def number(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(("x", *NUMBERS))
    if rng.random() < 0.5:
        return f"(vector-ref {rng.choice('uvw')} {rng.choice(('0', '1', '2', 'i'))})"
    return f"({rng.choice('+-*')} {number(rng, depth - 1)} {number(rng, depth - 1)})"


def action(rng: random.Random, depth: int) -> str:
    place = f"{rng.choice('uvw')} {rng.choice(('0', '1', '2', 'i'))}"
    body = " ".join(action(rng, depth - 1) for _ in range(2)) if depth else "(show u)"
    choice = rng.random()
    if choice < 0.5:
        return f"(vector-set! {place} {number(rng, 2)})"
    if choice < 0.6:
        return f"(vector-set! {place} {rng.choice(OTHERS)})"
    if choice < 0.7:
        return f"(vector-set! {rng.choice('uvw')} 1 (* 2.0 {number(rng, 1)}))"
    if choice < 0.8:
        return f"(show (+ {number(rng, 2)} {number(rng, 2)}))"
    if choice < 0.9:
        return f"(if (< {number(rng, 1)} x) (begin {body}) (show {number(rng, 1)}))"
    return f"(do ((i 0 (+ i 1))) ((= i 3)) {body})"


def random_program(seed: int) -> str:
    """Procedures that are called with vectors of doubles, of which two may be one."""
    rng = random.Random(seed)
    lines = [
        "(define (show x) (display x) (newline))",
        "(define (try thunk) (guard (e (#t (show (error-object-message e)))) (thunk)))",
    ]
    for k in range(8):
        actions = "\n  ".join(action(rng, 2) for _ in range(rng.randint(2, 6)))
        lines.append(f"(define (f{k} u v w x i)\n  {actions})")
        for _ in range(3):
            lines.append("(let ((a (vector 1.0 2.0 3.0)) (b (make-vector 3 0.5))")
            lines.append("      (c (vector 1.5 2)))")
            for _ in range(3):
                names = " ".join(rng.choice(("a", "b", "c", "a")) for _ in range(3))
                x, i = rng.choice((*NUMBERS, "2", "1/3")), rng.choice("0123")
                lines.append(f"  (try (lambda () (f{k} {names} {x} {i})))")
            lines.append("  (try (lambda () (show (vector-length a)) (show a) (show b) (show c))))")
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(3))
def test_random_stores(tmp_path: Path, seed: int) -> None:
    text = random_program(seed)
    runs = [finish(command_of(text, b, tmp_path), tmp_path) for b in ("script", "executable")]
    assert runs[0].stdout == runs[1].stdout
    assert runs[0].stderr == runs[1].stderr
    assert runs[0].returncode == runs[1].returncode == 0
    assert len(runs[0].stdout.splitlines()) > 100
