"""Split a long top level into chunks, each a C function: C compilers take more than linear time for
one long function.

    main, 6000 operations   =>   main.1, main.2, ... main.20, which run one after the other

A chunk ends where no local name of main is in use, so chunks share only global variables.  Runs on
owned ANF as the last pass: every other pass sees one main.
"""

from collections.abc import Container, Iterator
from itertools import chain, count

from lambent.lang.compile.ir.anf import (
    Bind,
    Block,
    Free,
    Function,
    Literal,
    Representation,
    Statement,
    Yield,
)
from lambent.lang.compile.ir.blocks import ends_in, statements_in
from lambent.lang.compile.ir.operands import (
    end_operands,
    inner_blocks,
    statement_count,
    statement_operands,
)
from lambent.lang.core.ir import Special
from lambent.lang.system.dataclass import replace

_CHUNK_SIZE = 300  # operations


def split_top_level(main: Function, taken: Container[str]) -> tuple[Function, ...]:
    """The chunks of main, in order; main alone if it is short or cannot be split.

    taken: the names of the other functions: a program's own `main` is `main.2`.
    """
    statements, end = main.body.statements, main.body.end
    ends = list(_ends(main.body))
    if not ends:
        return (main,)
    blocks = [
        _chunk(main, statements[start:stop])
        for start, stop in zip([0, *ends[:-1]], ends, strict=True)
    ]
    blocks.append(Block(statements[ends[-1] :], end))
    names = _free_names(main.name, taken)
    return tuple([replace(main, name=next(names), body=block) for block in blocks])


def _free_names(main: str, taken: Container[str]) -> Iterator[str]:
    for index in count(1):
        if (name := f"{main}.{index}") not in taken:
            yield name


def _ends(body: Block) -> Iterator[int]:
    """How many statements come before the end of each chunk except the last."""
    last_use = _last_uses(body)
    operations, open_until = 0, -1
    for index, statement in enumerate(body.statements[:-1]):
        operations += _size(statement)
        if not isinstance(statement, Free):
            open_until = max(open_until, last_use.get(statement.name, index))
        if operations >= _CHUNK_SIZE and open_until <= index:
            yield index + 1
            operations = 0


def _last_uses(body: Block) -> dict[str, int]:
    """The index of the last statement of the body that mentions a name, the end included."""
    last = {
        name: index
        for index, statement in enumerate(body.statements)
        for name in _mentioned(statement)
    }
    return last | dict.fromkeys(end_operands(body.end), len(body.statements))


def _mentioned(statement: Statement) -> Iterator[str]:
    yield from statement_operands(statement)
    for inner in inner_blocks(statement):
        yield from chain.from_iterable(map(end_operands, ends_in(inner)))
        yield from chain.from_iterable(map(statement_operands, statements_in(inner)))


def _size(statement: Statement) -> int:
    return 1 + sum(map(statement_count, inner_blocks(statement)))


def _chunk(main: Function, statements: tuple[Statement, ...]) -> Block:
    """The statements with an unspecified value, since a body must yield one."""
    name = f"{main.name}.value"
    unspecified = Bind(name, Representation.VALUE, Literal(Special.UNSPECIFIED), main.span)
    return Block((*statements, unspecified), Yield(name))
