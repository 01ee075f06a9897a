"""A field that is read and then replaced moves out of its pair.

The field that `cdr` reads gets a reference for its name, and `set-cdr!` frees the reference of the
pair's: a count goes up and down for nothing, in each iteration of a loop that turns a list round.

    x = cdr(p)
    t1 = '()                    =>      t1 = '()
    set-cdr!(p, own t1)                 x = %exchange-cdr!(p, own t1)

What stands between the two may neither use x nor do anything besides computing its result.  If p is
not a pair, the error is that of `cdr`, at its location; `set-cdr!` of what has a cdr never fails.

Runs before `borrow`, so that the passes of ownership see one operation that takes a value and
returns another.
"""

from collections.abc import Sequence

from lambent.lang.compile.ir.anf import Anf, Apply, Bind, Block, Function, Representation, Statement
from lambent.lang.compile.ir.blocks import (
    map_blocks,
    map_body,
    map_functions,
    statements_in,
    with_statements,
)
from lambent.lang.compile.ir.operands import statement_operands
from lambent.lang.compile.ir.operation_effects import is_pure
from lambent.lang.primitives.library import TABLE
from lambent.lang.system.dataclass import replace

# By the symbol of what reads a field: that of what replaces it, and what does both.
_EXCHANGES = {
    TABLE[read].symbol: (TABLE[store].symbol, TABLE[exchange])
    for read, store, exchange in (
        ("car", "set-car!", "%exchange-car!"),
        ("cdr", "set-cdr!", "%exchange-cdr!"),
    )
}
_STORES = {store for store, _ in _EXCHANGES.values()}
# Most stores follow at once.  The limit keeps the pass linear.
_FARTHEST = 20


def exchange_fields(program: Anf) -> Anf:
    """The program in which fields that are replaced move to the names that hold them."""
    return map_functions(program, _exchanging)


def _exchanging(function: Function) -> Function:
    if not any(map(_is_store, statements_in(function.body))):
        return function
    return map_body(function, lambda body: map_blocks(body, _exchanged))


def _is_store(statement: Statement) -> bool:
    match statement:
        case Bind(operation=Apply(primitive)):
            return primitive.symbol in _STORES
    return False


def _exchanged(block: Block) -> Block:
    statements = list(block.statements)
    for index in range(len(statements) - 1, -1, -1):  # of two reads, the second is moved
        match statements[index]:
            case Bind(_, Representation.VALUE, Apply(variant=None) as apply) as read:
                if (found := _exchange(read, apply, statements, index + 1)) is not None:
                    at, exchange = found
                    statements[index : at + 1] = [*statements[index + 1 : at], exchange]
    return with_statements(block, statements)


def _exchange(
    read: Bind, apply: Apply, statements: Sequence[Statement], start: int
) -> tuple[int, Bind] | None:
    """Where the field that an operation reads is replaced, and what does both; None if it is not,
    or something needs the field before."""
    if apply.primitive.symbol not in _EXCHANGES:
        return None
    store, exchange = _EXCHANGES[apply.primitive.symbol]
    for at in range(start, min(start + _FARTHEST, len(statements))):
        statement = statements[at]
        if not isinstance(statement, Bind) or read.name in statement_operands(statement):
            return None
        match statement:
            case Bind(_, Representation.VOID, Apply(primitive, (pair, value))) if (
                primitive.symbol == store and pair == apply.arguments[0]
            ):
                return at, replace(read, operation=Apply(exchange, (pair, value)))
        if not is_pure(statement):
            return None
    return None
