"""What `match` does for one row at a time: patterns whose tests have effects, or need a loop.

    (? even?)  =>  a call of even?        (or (a 1) (1 a))  =>  a procedure of a
    (get! x)   =>  a procedure that reads the place from which the value came
"""

from collections.abc import Sequence

from lambent.lang.core.denotation import key_of
from lambent.lang.core.expressions import call_of, expression
from lambent.lang.core.forms.match_patterns import (
    Apply,
    Entries,
    Getter,
    NamedFields,
    Not,
    Or,
    Pattern,
    Predicate,
    Repeat,
    Same,
    Search,
    Setter,
    VectorRepeat,
    variables,
)
from lambent.lang.core.forms.match_repeats import repeat, vector_repeat
from lambent.lang.core.forms.match_rows import (
    Bindings,
    Decider,
    Error,
    Failure,
    Leaf,
    Row,
    library,
    name_of,
    number,
)
from lambent.lang.core.forms.match_tests import Facts
from lambent.lang.core.ir import (
    Call,
    Const,
    Core,
    Global,
    If,
    Let,
    Letrec,
    Local,
    PrimCall,
    Special,
)
from lambent.lang.errors import SyntaxFault
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import Boolean, Datum, List, Symbol
from lambent.lang.system.dataclass import replace


def special(d: Decider, row: Row, facts: Facts, failure: Failure) -> Core:
    (position, pattern), *others = row.pending
    rest = replace(row, pending=tuple(others))
    value, span = Local(position, d.span), d.span
    match pattern:
        case Predicate(procedure):
            test = _called(d, procedure, value)
            matched = d.decide([rest], facts, failure)
            return If(test, matched, failure.core(facts), span)
        case Apply(procedure, inner):
            result = d.env.unit.fresh("result")
            code = _called(d, procedure, value)
            after = replace(row, pending=((result, inner), *others))
            return Let(result, code, d.decide([after], facts, failure), span)
        case Same(symbol):
            before = Local(row.bindings[key_of(symbol)], span)
            test = PrimCall(TABLE["equal?"], (value, before), span)
            matched = d.decide([rest], facts, failure)
            return If(test, matched, failure.core(facts), span)
        case Not(inner):
            refused = Leaf(lambda _, facts, __: failure.core(facts), may_fail=False)
            return d.with_continuation(
                lambda otherwise: d.decide(
                    [Row(((position, inner),), row.bindings, refused)], facts, otherwise
                ),
                lambda facts: d.decide([rest], facts, failure),
                facts,
            )
        case Or(patterns):
            return _or(d, position, patterns, row, rest, facts, failure)
        case NamedFields(fields):
            reads = [
                (d.env.unit.fresh(name.name), _field(d, value, name), inner)
                for name, inner in fields
            ]
            return d.read(reads, row, others, facts, failure)
        case Entries(entries):
            return _entries(d, value, list(entries), row, others, facts, failure)
        case Getter(symbol) | Setter(symbol):
            name = d.env.unit.fresh(symbol.name)
            bound = replace(rest, bindings={**row.bindings, key_of(symbol): name})
            code = _accessor(d, pattern, position)
            return Let(name, code, d.decide([bound], facts, failure), span)
        case Search():
            return _search(d, position, pattern, rest, facts, failure)
        case Repeat():
            return repeat(d, position, pattern, rest, facts, failure)
        case VectorRepeat():
            return vector_repeat(d, position, pattern, rest, facts, failure)
    raise AssertionError(pattern)


def _called(d: Decider, procedure: Datum, value: Local) -> Core:
    """A call of a procedure of a pattern; its errors are reported there."""
    function = expression(procedure, d.env)
    return call_of(function, (value,), procedure.span, d.env)


def _field(d: Decider, record: Local, name: Symbol) -> Core:
    field = Const(Symbol(name.name, name.span), name.span)
    return library("record-ref", d.span, record, field)


def _entries(
    d: Decider,
    table: Local,
    entries: Sequence[tuple[Datum, Pattern]],
    row: Row,
    others: Sequence[tuple[str, Pattern]],
    facts: Facts,
    failure: Failure,
) -> Core:
    """One entry of a hash table after the other."""
    if not entries:
        return d.decide([replace(row, pending=tuple(others))], facts, failure)
    (datum, inner), *following = entries
    key, item = d.env.unit.fresh("key"), d.env.unit.fresh("item")
    rest = Entries(tuple(following))
    after = replace(row, pending=((item, inner), (table.name, rest), *others))
    operands = (table, Local(key, d.span))
    read = PrimCall(TABLE["hash-ref"], (*operands, Const(Special.ABSENT, d.span)), d.span)
    d.origins[item] = read
    matched = Let(item, read, d.decide([after], facts, failure), d.span)
    test = PrimCall(TABLE["hash-has-key?"], operands, d.span)
    choice = If(test, matched, failure.core(facts), d.span)
    return Let(key, expression(datum, d.env), choice, d.span)


def _or(
    d: Decider,
    position: str,
    patterns: Sequence[Pattern],
    row: Row,
    rest: Row,
    facts: Facts,
    failure: Failure,
) -> Core:
    """The rest of the row is a procedure of the variables that the alternatives bind."""
    keys = [key_of(symbol) for symbol in variables(patterns[0])]
    names = [d.env.unit.fresh(name_of(key)) for key in keys]
    chosen = d.env.unit.fresh("chosen")

    def leaf(bindings: Bindings, _: Facts, __: Failure) -> Core:
        operands = tuple([Local(bindings[key], d.span) for key in keys])
        return Call(Local(chosen, d.span), operands, d.span)

    bound = {**row.bindings, **dict(zip(keys, names, strict=True))}
    matched = d.decide([replace(rest, bindings=bound)], facts, failure)
    alternative = Leaf(leaf, may_fail=False)
    rows = [Row(((position, inner),), row.bindings, alternative) for inner in patterns]
    code = d.decide(rows, facts, failure)
    return Letrec(((chosen, d.procedure(names, matched)),), code, d.span)


# The procedures that read and replace what stands where a pattern stands.

# For each primitive that reads a place: the one that replaces what is there.
_SETTERS = {
    "car": "set-car!",
    "cdr": "set-cdr!",
    "vector-ref": "vector-set!",
    "%record-slot": "%set-record-slot!",
    "hash-ref": "hash-set!",
}


def _accessor(d: Decider, pattern: Getter | Setter, position: str) -> Core:
    """A procedure of the place from which a position was read."""
    read = d.origins.get(position)
    if isinstance(pattern, Getter):
        return d.procedure((), Local(position, d.span) if read is None else read)
    value = d.env.unit.fresh("value")
    match read:
        case PrimCall(primitive, operands) if primitive.name in _SETTERS:
            place = operands[:2]  # without the default of hash-ref
            setter = TABLE[_SETTERS[primitive.name]]
            code: Core = PrimCall(setter, (*place, Local(value, d.span)), d.span)
        case Call(Global("record-ref"), operands):
            code = library("record-set!", d.span, *operands, Local(value, d.span))
        case _:
            raise SyntaxFault(
                "match: (set! name) must stand for a part of a pair, vector, record or hash table",
                pattern.symbol.span,
            )
    return d.procedure((value,), code)


def _search(
    d: Decider, position: str, pattern: Search, row: Row, facts: Facts, failure: Failure
) -> Core:
    """`(head *** found)`: two procedures, one for a tree and one for the items of a list.

        (letrec ((try (lambda (tree heads) found or (if (pair? tree) (search (cdr tree) ...) #f)))
                 (search (lambda (items heads)
                           (if (pair? items)
                               (let result (try (car items) heads)
                                 (if result result (search (cdr items) heads)))
                               #f))))
          (try value '()))

    The result is a vector of the variables of both patterns, or #f.
    """
    span, fresh = d.span, d.env.unit.fresh
    heads = [key_of(symbol) for symbol in variables(pattern.head)]
    found = [key_of(symbol) for symbol in variables(pattern.found)]
    attempt, tree, result = fresh("try"), fresh("tree"), fresh("result")
    lists = [fresh(name_of(key)) for key in heads]
    none = Const(Boolean(False, span), span)

    def answer(bindings: Bindings, _: Facts, __: Failure) -> Core:
        reversed_lists = [
            PrimCall(TABLE["reverse"], (Local(name, span),), span) for name in lists
        ]
        places = [Local(bindings[key], span) for key in found]
        return PrimCall(TABLE["vector"], (*reversed_lists, *places), span)

    def deeper(facts: Facts) -> Core:
        items = PrimCall(TABLE["cdr"], (Local(tree, span),), span)
        head, read = fresh("head"), PrimCall(TABLE["car"], (Local(tree, span),), span)
        d.origins[head] = read

        def search(bindings: Bindings, _: Facts, __: Failure) -> Core:
            longer = tuple([
                PrimCall(TABLE["cons"], (Local(bindings[key], span), Local(name, span)), span)
                for key, name in zip(heads, lists, strict=True)
            ])
            return _among_items(d, attempt, items, longer)

        inner = Row(((head, pattern.head),), row.bindings, Leaf(search, may_fail=False))
        below = Let(head, read, d.decide([inner], facts, Error(lambda: none)), span)
        return If(PrimCall(TABLE["pair?"], (Local(tree, span),), span), below, none, span)

    here = Row(((tree, pattern.found),), row.bindings, Leaf(answer, may_fail=False))
    body = d.with_continuation(
        lambda otherwise: d.decide([here], facts, otherwise), deeper, facts
    )
    places = [fresh(name_of(key)) for key in (*heads, *found)]
    bound = {**row.bindings, **dict(zip((*heads, *found), places, strict=True))}
    matched = d.decide([replace(row, bindings=bound)], facts, failure)
    for k, place in reversed(list(enumerate(places))):
        read = PrimCall(TABLE["vector-ref"], (Local(result, span), number(k, span)), span)
        matched = Let(place, read, matched, span)
    choice = If(Local(result, span), matched, failure.core(facts), span)
    empty = Const(List((), None, span), span)
    arguments: tuple[Core, ...] = (Local(position, span), *[empty for _ in lists])
    call = Call(Local(attempt, span), arguments, span)
    procedure = d.procedure((tree, *lists), body)
    return Letrec(((attempt, procedure),), Let(result, call, choice, span), span)


def _among_items(d: Decider, attempt: str, items: Core, lists: tuple[Core, ...]) -> Core:
    """The first result of a procedure on the items of a list; #f if there is none."""
    span, fresh = d.span, d.env.unit.fresh
    loop, left, result = fresh("search"), fresh("items"), fresh("result")
    names = [fresh("heads") for _ in lists]
    heads: list[Core] = [Local(name, span) for name in names]
    first = PrimCall(TABLE["car"], (Local(left, span),), span)
    rest = PrimCall(TABLE["cdr"], (Local(left, span),), span)
    tried = Call(Local(attempt, span), (first, *heads), span)
    again = Call(Local(loop, span), (rest, *heads), span)
    choice = If(Local(result, span), Local(result, span), again, span)
    none = Const(Boolean(False, span), span)
    test = PrimCall(TABLE["pair?"], (Local(left, span),), span)
    body = If(test, Let(result, tried, choice, span), none, span)
    procedure = d.procedure((left, *names), body)
    operands: tuple[Core, ...] = (items, *lists)
    call = Call(Local(loop, span), operands, span)
    return Letrec(((loop, procedure),), call, span)
