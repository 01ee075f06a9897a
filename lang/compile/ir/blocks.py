"""Walks over the blocks of a function, and copies of them with some statements changed.

    map_statements(body, change)

        if t1 ... then: t2 = f(x)         if t1 ... then: what change(t2 = f(x)) returns
        t3 = g(t2)                   =>   what change(t3 = g(t2)) returns

A pass that decides statement by statement is such a `change`.  What a walk does not change stays
the same object, so passes know that a body is as it was, and answers about it are still right.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from itertools import chain
from operator import is_
from typing import TypeVar, assert_never

from lambent.lang.compile.ir.anf import (
    Anf,
    Bind,
    Block,
    DirectCall,
    DirectTailCall,
    Free,
    Function,
    If,
    Literal,
    Loop,
    LoopVariable,
    MakeClosure,
    Recur,
    Statement,
    Terminator,
    Yield,
)
from lambent.lang.compile.ir.operands import (
    all_blocks,
    bound_names,
    end_operands,
    operands,
    with_end_operands,
    with_operands,
)
from lambent.lang.system.dataclass import replace


def statements_in(body: Block) -> Iterator[Statement]:
    """All statements of a block and of the blocks inside it; those of outer blocks come first."""
    return chain.from_iterable([block.statements for block in all_blocks(body)])


def binds_in(body: Block) -> Iterator[Bind]:
    """The operations among them, with their names."""
    return (s for s in statements_in(body) if isinstance(s, Bind))


def ends_in(body: Block) -> Iterator[Terminator]:
    """The ends of a block and of the blocks inside it."""
    return (block.end for block in all_blocks(body))


# What gets the value of another name: a loop's variable; a test or a loop, whose block yields it;
# None: the function's result.
Target = If | Loop | LoopVariable | None


def moves_in(body: Block) -> Iterator[tuple[str, Target]]:
    """Each name of a function whose value is moved to its target, outer blocks first."""
    loops: dict[str, Loop] = {}
    targets: dict[int, If | Loop] = {}  # by the identity of the block whose value they get
    for block in all_blocks(body):
        for statement in block.statements:
            match statement:
                case If(then=then, orelse=orelse):
                    targets[id(then)] = targets[id(orelse)] = statement
                case Loop(label=label, variables=variables, body=inner):
                    loops[label] = targets[id(inner)] = statement
                    yield from ((variable.initial, variable) for variable in variables)
        match block.end:
            case Yield(name):
                yield name, targets.get(id(block))
            case Recur(label, arguments):
                yield from zip(arguments, loops[label].variables, strict=True)


def names_in(function: Function) -> set[str]:
    """The names of the parameters of a function and of all that its body binds."""
    names = {parameter.name for parameter in function.parameters}
    return names.union(*map(bound_names, statements_in(function.body)))


def straight(loop: Loop, repeating: Container[str]) -> tuple[list[Bind], str] | None:
    """The statements of the body of an inlined procedure of the program's that has no branches, and
    its value.  repeating: the labels of loops that may have a second iteration."""
    if loop.inlined is None or loop.variables or loop.label in repeating:
        return None
    found: list[Bind] = []
    for inner in loop.body.statements:
        if not isinstance(inner, Bind):
            return None
        if inner.span.source.library and not isinstance(inner.operation, Literal):
            return None
        found.append(replace(inner, inlined=(loop.inlined, *inner.inlined)))
    end = loop.body.end
    if not found or not isinstance(end, Yield):
        return None
    last = found[-1]
    if last.name != end.name or last.representation is not loop.representation:
        return found, end.name
    return [*found[:-1], replace(last, name=loop.name)], loop.name


# Copies.


def map_functions(program: Anf, change: Callable[[Function], Function]) -> Anf:
    """The program with what `change` returns for each function that has a body."""
    *functions, main = map(change, program.own_functions)
    if all(map(is_, (*functions, main), program.own_functions)):
        return program  # itself: what passes before have found of it still holds
    return replace(program, functions=tuple(functions), main=main)


def map_body(function: Function, change: Callable[[Block], Block]) -> Function:
    """The function with what `change` returns for its body."""
    body = change(function.body)
    return function if body is function.body else replace(function, body=body)


def map_blocks(block: Block, change: Callable[[Block], Block]) -> Block:
    """What `change` returns for a block, after it has changed each block inside."""
    statements = [
        s if isinstance(s, Bind) else with_inner(s, lambda inner: map_blocks(inner, change))
        for s in block.statements
    ]
    return change(with_statements(block, statements))


def map_statements(block: Block, change: Callable[[Statement], Sequence[Statement]]) -> Block:
    """The block with what `change` returns in place of each statement in it and inside it.

    It is given branches and loops after what is inside of them has been changed.
    """

    def changed(inner: Block) -> Block:
        return with_statements(inner, list(chain.from_iterable(map(change, inner.statements))))

    return map_blocks(block, changed)


def map_operations(block: Block, change: Callable[[Bind], Bind]) -> Block:
    """The block with what `change` returns in place of each operation in it and inside it."""
    return map_statements(block, lambda s: (change(s) if isinstance(s, Bind) else s,))


# What mentions a function: a call of it, or a value made of it.
Use = DirectCall | MakeClosure | DirectTailCall


def map_calls(block: Block, name_of: Callable[[Use], str]) -> Block:
    """The block with the functions that `name_of` returns in place of those that it uses.

    It is asked about the end of a block first, and then about its statements in order.
    """
    end = _with_function(block.end, name_of) if isinstance(block.end, DirectTailCall) else block.end
    statements: list[Statement] = []
    for statement in block.statements:
        match statement:
            case Bind(operation=DirectCall() | MakeClosure() as use):
                new = _with_function(use, name_of)
                statements.append(statement if new is use else replace(statement, operation=new))
            case _:
                statements.append(with_inner(statement, lambda inner: map_calls(inner, name_of)))
    block = with_statements(block, statements)
    return block if end is block.end else Block(block.statements, end)


_U = TypeVar("_U", DirectCall, MakeClosure, DirectTailCall, DirectCall | MakeClosure)


def _with_function(use: _U, name_of: Callable[[Use], str]) -> _U:
    name = name_of(use)
    return use if name == use.function else replace(use, function=name)


def with_statements(block: Block, statements: Sequence[Statement]) -> Block:
    """The block with other statements; itself if they are the same objects."""
    before = block.statements
    if len(statements) == len(before) and all(map(is_, statements, before)):
        return block
    return Block(tuple(statements), block.end)


def with_inner(statement: Statement, change: Callable[[Block], Block]) -> Statement:
    """The statement with what `change` returns in place of the blocks directly inside it."""
    match statement:
        case If(then=then, orelse=orelse):
            new = change(then), change(orelse)
            if new[0] is then and new[1] is orelse:
                return statement
            return replace(statement, then=new[0], orelse=new[1])
        case Loop(body=body):
            inner = change(body)
            return statement if inner is body else replace(statement, body=inner)
        case Bind() | Free():
            return statement
        case _:
            assert_never(statement)


# Other operands.


def with_names(statement: Statement, name_of: Callable[[str], str]) -> Statement:
    """The statement before ownership with other operands; the blocks inside stay as they are."""
    match statement:
        case Bind(operation=operation):
            new = with_operands(operation, tuple([name_of(name) for name in operands(operation)]))
            return replace(statement, operation=new)
        case If(test=test):
            return replace(statement, test=name_of(test))
        case Loop(variables=variables):
            new_variables = [replace(v, initial=name_of(v.initial)) for v in variables]
            return replace(statement, variables=tuple(new_variables))
        case Free(name):
            raise AssertionError(f"{name}: operands are replaced before ownership")
        case _:
            assert_never(statement)


def end_with_names(end: Terminator, name_of: Callable[[str], str]) -> Terminator:
    """The end of a block with other operands."""
    names = tuple([name_of(name) for name in end_operands(end)])
    return with_end_operands(end, names) if names else end
