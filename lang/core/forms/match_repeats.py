"""The ellipses of `match`: loops that match each item and collect the variables in lists.

    (match x ((a ... 1) body))
    =>  (letrec ((loop (lambda (rest left as)
                         (if (= left 0)
                             (let ((a (reverse as))) (if (eqv? (car rest) 1) body (fail)))
                             (loop (cdr rest) (- left 1) (cons (car rest) as))))))
          (loop x (- (length x) 1) '()))
"""

from collections.abc import Callable

from lambent.lang.core.denotation import key_of
from lambent.lang.core.forms.match_patterns import (
    Anything,
    Literal,
    Pattern,
    Repeat,
    VectorRepeat,
    variables,
)
from lambent.lang.core.forms.match_rows import (
    Bindings,
    Decider,
    Failure,
    Leaf,
    Row,
    library,
    name_of,
    number,
)
from lambent.lang.core.forms.match_tests import Facts, Is
from lambent.lang.core.ir import Call, Const, Core, If, Let, Letrec, Local, PrimCall
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import List
from lambent.lang.system.dataclass import replace


def repeat(
    d: Decider, position: str, repeat: Repeat, row: Row, facts: Facts, failure: Failure
) -> Core:
    """A loop over the pairs of a list, up to those that the patterns after it match."""
    value, span = Local(position, d.span), d.span
    count, left = d.env.unit.fresh("count"), d.env.unit.fresh("left")

    def next_item(state: Local) -> tuple[Core, Core]:
        return (
            PrimCall(TABLE["car"], (state,), span),
            PrimCall(TABLE["cdr"], (state,), span),
        )

    def finish(state: Local) -> tuple[list[tuple[str, Core, Pattern]], str]:
        reads: list[tuple[str, Core, Pattern]] = []
        where = state.name
        for pattern in repeat.after:
            item, rest = d.env.unit.fresh("item"), d.env.unit.fresh("rest")
            here = Local(where, span)
            reads.append((item, PrimCall(TABLE["car"], (here,), span), pattern))
            reads.append((rest, PrimCall(TABLE["cdr"], (here,), span), Anything()))
            where = rest
        return reads, where

    is_proper = repeat.tail == Literal(List((), None, span))
    tail = Anything() if is_proper else repeat.tail
    loop = _loop(d, repeat, row, value, left, facts, failure, next_item, finish, tail)
    after = len(repeat.after)
    if is_proper:
        counted: Core = PrimCall(TABLE["length"], (value,), span)
    else:
        counted = library("%run-of-pairs", span, value)
    inside = loop
    if after or repeat.least or repeat.most is not None or not is_proper:
        inside = _bounds(d, Local(left, span), repeat, loop, facts, failure)
    taken: Core = Local(count, span)
    if after:
        taken = PrimCall(TABLE["-"], (taken, number(after, span)), span)
    result: Core = Let(count, counted, Let(left, taken, inside, span), span)
    if is_proper and facts.value(position, Is("list?")) is not True:
        test = PrimCall(TABLE["list?"], (value,), span)
        result = If(test, result, failure.core(facts), span)
    return result


def vector_repeat(
    d: Decider, position: str, pattern: VectorRepeat, row: Row, facts: Facts, failure: Failure
) -> Core:
    value, span = Local(position, d.span), d.span
    before, repeat = pattern.before, pattern.repeat
    left = d.env.unit.fresh("left")

    def at(index: Core) -> Core:
        return PrimCall(TABLE["vector-ref"], (value, index), span)

    def next_item(state: Local) -> tuple[Core, Core]:
        return at(state), PrimCall(TABLE["+"], (state, number(1, span)), span)

    def finish(state: Local) -> tuple[list[tuple[str, Core, Pattern]], str]:
        reads = []
        for k, inner in enumerate(repeat.after):
            index = PrimCall(TABLE["+"], (state, number(k, span)), span)
            reads.append((d.env.unit.fresh("item"), at(index), inner))
        return reads, state.name

    first = [
        (d.env.unit.fresh("item"), at(number(k, span)), inner)
        for k, inner in enumerate(before)
    ]

    def looped(bindings: Bindings, facts: Facts, failure: Failure) -> Core:
        start = number(len(before), span)
        after = replace(row, bindings=bindings)
        return _loop(d, repeat, after, start, left, facts, failure, next_item, finish, Anything()
        )

    pending = Row((), row.bindings, Leaf(looped, may_fail=False))
    matched = d.read(first, pending, (), facts, failure)
    length = PrimCall(TABLE["vector-length"], (value,), span)
    fixed = number(len(before) + len(repeat.after), span)
    taken = PrimCall(TABLE["-"], (length, fixed), span)
    inside = _bounds(d, Local(left, span), repeat, matched, facts, failure)
    return Let(left, taken, inside, span)


def _bounds(
    d: Decider, left: Local, repeat: Repeat, loop: Core, facts: Facts, failure: Failure
) -> Core:
    """The loop, if it runs as often as the ellipsis allows."""
    span = d.span
    if repeat.most is not None:
        few = PrimCall(TABLE["<="], (left, number(repeat.most, span)), span)
        loop = If(few, loop, failure.core(facts), span)
    enough = PrimCall(TABLE[">="], (left, number(repeat.least, span)), span)
    return If(enough, loop, failure.core(facts), span)


def _loop(
    d: Decider,
    repeat: Repeat,
    row: Row,
    start: Core,
    left: str,
    facts: Facts,
    failure: Failure,
    next_item: Callable[[Local], tuple[Core, Core]],
    finish: Callable[[Local], tuple[list[tuple[str, Core, Pattern]], str]],
    tail: Pattern,
) -> Core:
    """A procedure that matches `left` items and collects the variables in lists."""
    span, fresh = d.span, d.env.unit.fresh
    keys = [key_of(symbol) for symbol in variables(repeat.item)]
    loop, item = fresh("loop"), fresh("item")
    state, again = Local(fresh("rest"), span), Local(fresh("left"), span)
    lists = [fresh(name_of(key)) for key in keys]
    read, following = next_item(state)

    def collect(bindings: Bindings, _: Facts, __: Failure) -> Core:
        longer = [
            PrimCall(TABLE["cons"], (Local(bindings[key], span), Local(name, span)), span)
            for key, name in zip(keys, lists, strict=True)
        ]
        fewer = PrimCall(TABLE["-"], (again, number(1, span)), span)
        return Call(Local(loop, span), (following, fewer, *longer), span)

    d.origins[item] = read
    inner = Row(((item, repeat.item),), row.bindings, Leaf(collect, may_fail=False))
    iteration = Let(item, read, d.decide([inner], facts, failure), span)
    collected = [
        (fresh(name_of(key)), PrimCall(TABLE["reverse"], (Local(name, span),), span), Anything())
        for key, name in zip(keys, lists, strict=True)
    ]
    bound = {key: place for key, (place, _, _) in zip(keys, collected, strict=True)}
    reads, end = finish(state)
    done = d.read(
        [*collected, *reads],
        replace(row, bindings={**row.bindings, **bound}),
        [(end, tail), *row.pending],
        facts,
        failure,
    )
    test = PrimCall(TABLE["="], (again, number(0, span)), span)
    body = If(test, done, iteration, span)
    parameters = (state.name, again.name, *lists)
    empty = Const(List((), None, span), span)
    call = Call(Local(loop, span), (start, Local(left, span), *[empty for _ in keys]), span)
    return Letrec(((loop, d.procedure(parameters, body)),), call, span)
