"""The type verifier finds each wrong operand, each wrong result, and each wrong `frees`."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    Convert,
    If,
    Literal,
    Loop,
    Parameter,
    Representation,
    Statement,
    Yield,
)
from lambent.lang.compile.ir.operands import (
    all_blocks,
    end_operands,
    may_free,
    never_returns,
    operands,
    reused,
    with_end_operands,
    with_operands,
)
from lambent.lang.compile.types.check_types import TypesError, check_types
from lambent.lang.pipeline import compile_source
from lambent.lang.syntax.datum import Boolean
from lambent.lang.syntax.source import Source
from tests.support.paths import ROOT

PROGRAMS = (
    "assignment",
    "conditionals",
    "doubles",
    "grad_mode",
    "lists",
    "never_returns",
    "tensor_arithmetic",
)
# Variables that mutations put where another type is expected.
WRONG_BOOLEAN = Parameter("wrong.boolean", Representation.BOOLEAN, own=False)
WRONG_VALUE = Parameter("wrong.value", Representation.VALUE, own=False)


@pytest.fixture(scope="module")
def programs() -> list[Anf]:
    """The mutations change only main: nothing calls it, so no error is found in a caller."""
    found = []
    for name in PROGRAMS:
        path = ROOT / f"tests/programs/{name}.lisp"
        anf = compile_source(Source(path.name, path.read_text(encoding="utf-8")))
        parameters = (*anf.main.parameters, WRONG_BOOLEAN, WRONG_VALUE)
        found.append(replace(anf, main=replace(anf.main, parameters=parameters)))
    return found


def statements(anf: Anf) -> list[Statement]:
    return [s for block in all_blocks(anf.main.body) for s in block.statements]


def types_of(anf: Anf) -> dict[str, Representation]:
    types = {p.name: p.representation for p in anf.main.parameters}
    for statement in statements(anf):
        types[statement.name] = statement.representation
        if isinstance(statement, Loop):
            types.update((v.name, v.representation) for v in statement.variables)
    return types


def edited(block: Block, change: Callable[[Statement | Block], Statement | Block]) -> Block:
    """The block with each statement and each inner block changed."""
    out: list[Statement] = []
    for statement in block.statements:
        match statement:
            case If(then=then, orelse=orelse):
                then, orelse = edited(then, change), edited(orelse, change)
                statement = replace(statement, then=then, orelse=orelse)
            case Loop(body=body):
                statement = replace(statement, body=edited(body, change))
        changed = change(statement) if isinstance(statement, Bind) else statement
        assert not isinstance(changed, Block)
        out.append(changed)
    whole = change(Block(tuple(out), block.end))
    assert isinstance(whole, Block)
    return whole


def spoilt(anf: Anf, target: Bind, put: Bind) -> Anf:
    def change(part: Statement | Block) -> Statement | Block:
        return put if part is target else part

    return replace(anf, main=replace(anf.main, body=edited(anf.main.body, change)))


def binds(anf: Anf, most: int = 60) -> Iterator[Bind]:
    """A choice of the operations of main, from all over it."""
    found = [s for s in statements(anf) if isinstance(s, Bind) and not never_returns(s)]
    yield from found[:: 1 + len(found) // most]


def test_types_of_programs_are_verified(programs: list[Anf]) -> None:
    for anf in programs:
        check_types(anf)


def test_a_wrong_operand_is_found(programs: list[Anf]) -> None:
    count = 0
    for anf in programs:
        types = types_of(anf)
        for bind in binds(anf):
            if isinstance(bind.operation, Convert) and bind.representation is Representation.VALUE:
                continue  # everything can become a value
            names = operands(bind.operation)
            for i, name in enumerate(names):
                wrong = WRONG_VALUE if types[name] is Representation.BOOLEAN else WRONG_BOOLEAN
                other = (*names[:i], wrong.name, *names[i + 1 :])
                put = replace(bind, operation=with_operands(bind.operation, other))
                with pytest.raises(TypesError):
                    check_types(spoilt(anf, bind, put))
                count += 1
    assert count > 200


def test_a_wrong_result_is_found(programs: list[Anf]) -> None:
    count = 0
    for anf in programs:
        for bind in binds(anf):
            if isinstance(bind.operation, Literal | Convert):
                continue  # its type may change, but not the types that its users need
            for representation in {
                Representation.VALUE,
                Representation.FIXNUM,
                Representation.BOOLEAN,
                Representation.VOID,
            } - {bind.representation}:
                with pytest.raises(TypesError):
                    check_types(spoilt(anf, bind, replace(bind, representation=representation)))
                count += 1
    assert count > 500


def test_a_wrong_block_end_is_found(programs: list[Anf]) -> None:
    """The value that leaves a block, a loop or the function has the type that is expected there."""
    found = 0
    for anf in programs:
        for target in all_blocks(anf.main.body):
            if not end_operands(target.end):
                continue
            body = edited(anf.main.body, _with_wrong_end(target))
            try:
                check_types(replace(anf, main=replace(anf.main, body=body)))
            except TypesError:
                found += 1
            else:  # its value is not used, or a boolean is expected
                assert isinstance(target.end, Yield), target
    assert found > 20


def _with_wrong_end(target: Block) -> Callable[[Statement | Block], Statement | Block]:
    def change(part: Statement | Block) -> Statement | Block:
        if not isinstance(part, Block) or part.end is not target.end:
            return part
        names = (WRONG_BOOLEAN.name, *end_operands(part.end)[1:])
        return replace(part, end=with_end_operands(part.end, names))

    return change


def test_operations_that_free_have_a_freeing_variant(programs: list[Anf]) -> None:
    count = 0
    for anf in programs:
        for bind in binds(anf):
            match bind.operation:
                case Apply() as apply if not may_free(apply) and reused(apply) is None:
                    put = replace(bind, operation=replace(apply, frees=(0,)))
                case Apply() as apply if apply.frees:
                    put = replace(bind, operation=replace(apply, frees=(*apply.frees, 7)))
                case _:
                    continue
            with pytest.raises(TypesError):
                check_types(spoilt(anf, bind, put))
            count += 1
    assert count > 50


def test_message_names_the_type_error() -> None:
    anf = compile_source(Source("demo", "(define (f x) (< x 1)) (f 2)"))
    (less,) = [
        s for f in anf.functions for b in all_blocks(f.body) for s in b.statements
        if isinstance(s, Bind) and isinstance(s.operation, Apply)
    ]  # fmt: skip
    wrong = replace(less, representation=Representation.VALUE)
    (function,) = anf.functions
    body = replace(function.body, statements=tuple(
        wrong if s is less else s for s in function.body.statements
    ))  # fmt: skip
    message = "f: .* is a value, but the operation returns a boolean, at: .* = <"
    with pytest.raises(TypesError, match=message):
        check_types(replace(anf, functions=(replace(function, body=body),)))


def test_a_conversion_without_its_test_is_found() -> None:
    text = "(define (f x) (tensor-relu x)) (f (car (list [1.0])))"
    anf = compile_source(Source("f.lisp", text))
    (function,) = (f for f in anf.functions if f.name == "f")
    (test,) = (s.test for s in function.body.statements if isinstance(s, If))
    check_types(anf)

    def untested(statement: Statement | Block) -> Statement | Block:
        if isinstance(statement, Bind) and statement.name == test:
            literal = Literal(Boolean(True, statement.span))
            return replace(statement, operation=literal)
        return statement

    broken = replace(function, body=edited(function.body, untested))
    functions = tuple(broken if f is function else f for f in anf.functions)
    with pytest.raises(TypesError, match="no test has found"):
        check_types(replace(anf, functions=functions))


def test_a_conversion_to_what_its_message_does_not_name_is_found() -> None:
    text = "(define (f x) (tensor-add (tensor 1) x)) (f (car (list 1 [1.0])))"
    anf = compile_source(Source("f.lisp", text))
    (function,) = (f for f in anf.functions if f.name == "f")

    def other(statement: Statement | Block) -> Statement | Block:
        match statement:
            case Bind(representation=Representation.TENSOR, operation=Convert(noun="a tensor")):
                return replace(statement, representation=Representation.BOOLEAN)
        return statement

    broken = replace(function, body=edited(function.body, other))
    assert broken != function
    functions = tuple(broken if f is function else f for f in anf.functions)
    with pytest.raises(TypesError, match="must be a tensor, and becomes a boolean"):
        check_types(replace(anf, functions=functions))


def test_a_field_of_what_may_be_no_pair_is_found() -> None:
    text = "(define (f x) (if (pair? x) (cdr x) (car (list-tail x 1)))) (f (list 1 2))"
    anf = compile_source(Source("f.lisp", text))
    (function,) = (f for f in anf.functions if f.name == "f")
    check_types(anf)
    fields = [
        s
        for block in all_blocks(function.body)
        for s in block.statements
        if isinstance(s, Bind)
        and isinstance(s.operation, Apply)
        and s.operation.primitive.pair_field
    ]
    assert [isinstance(s.operation, Apply) and s.operation.field for s in fields] == ["cdr", None]

    def claimed(statement: Statement | Block) -> Statement | Block:
        if statement is fields[1] and isinstance(statement, Bind):
            assert isinstance(statement.operation, Apply)
            return replace(statement, operation=replace(statement.operation, field="car"))
        return statement

    broken = replace(function, body=edited(function.body, claimed))
    functions = tuple(broken if f is function else f for f in anf.functions)
    with pytest.raises(TypesError, match="not known to have a field"):
        check_types(replace(anf, functions=functions))


def test_an_operand_that_may_be_no_integer_is_found() -> None:
    text = "(define v (make-vector 9 1)) (print (modulo (* (vector-length v) 4611686018427387) 7))"
    anf = compile_source(Source("rest.lisp", text))
    found = [
        bind
        for bind in statements(anf)
        if isinstance(bind, Bind) and isinstance(bind.operation, Apply)
        if bind.operation.variant is not None
        and bind.operation.variant.code == "rt_modulo_integer"
    ]
    assert len(found) == 1
    anf = replace(anf, main=replace(anf.main, parameters=(*anf.main.parameters, WRONG_VALUE)))
    check_types(anf)
    (bind,) = found
    names = ("wrong.value", *operands(bind.operation)[1:])
    put = replace(bind, operation=with_operands(bind.operation, names))
    with pytest.raises(TypesError, match=r"wrong\.value is not known to be an exact integer"):
        check_types(spoilt(anf, bind, put))
