"""Calls of primitives: from what a program writes to the arguments of the signature.

    (+ a b c)              =>  (+ (+ a b) c)
    (< a b c)              =>  (let a, b, c: (if (< a b) (< b c) #f))
    (tensor 1 :dtype 'x)   =>  tensor of 1, 'x, #f
    (car 1 2)              =>  Call of PrimRef car, which reports the mistake at run time
"""

from functools import cache
from itertools import pairwise

from lambent.lang.core.ir import (
    Begin,
    Call,
    Const,
    Core,
    Global,
    If,
    Let,
    Local,
    Namespace,
    PrimCall,
    PrimRef,
    Special,
)
from lambent.lang.core.scope import Unit
from lambent.lang.primitives.library import TABLE
from lambent.lang.primitives.signature import Param, Signature
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Boolean, Datum, Keyword, List, Number
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source, Span

# The value of a folded primitive without arguments, and what goes before a single argument.
_NONE = {
    "+": 0, "*": 1, "gcd": 0, "lcm": 1, "bitwise-and": -1, "bitwise-ior": 0, "bitwise-xor": 0,
}
_BEFORE_ONE = {**_NONE, "/": 1}
_NUMBER_COMPARISONS = ("=", "<", ">", "<=", ">=")
_COMPARISONS = (
    *_NUMBER_COMPARISONS,
    *(f"{type_}{order}?" for type_ in ("char", "string") for order in _NUMBER_COMPARISONS),
    "symbol=?", "symbol<?", "boolean=?",
)  # fmt: skip

# As values, these are procedures of the library, because the primitives take two arguments.
# Those of _OPTIONAL are primitives with that many arguments; the library's procedures take more.
_OPTIONAL = {"member": 2, "assoc": 2, "make-hash-table": 0}
FOLDED = frozenset({*_BEFORE_ONE, "-", "max", "min", *_COMPARISONS, *_OPTIONAL})


def primitive_call(
    primitive: Primitive, arguments: tuple[Core, ...], span: Span, unit: Unit
) -> Core:
    """A call by the name of a primitive that is in the table."""
    if primitive.name in FOLDED and not primitive.operator:
        return _folded_call(primitive, arguments, span, unit)
    if primitive is TABLE["values"] and len(arguments) == 1:
        return arguments[0]
    return _plain_call(primitive, arguments, span, unit)


def primitive_value(primitive: Primitive, span: Span, unit: Unit) -> Core:
    """A primitive where it is not called."""
    if primitive.name in FOLDED and primitive.name in unit.scope.library:
        return Global(primitive.name, Namespace.LIBRARY, span)
    return PrimRef(primitive, span)


def primitive_of_two(name: str) -> Primitive | None:
    """The primitive that does what the library's procedure of that name does with two arguments:
    `+` as a value, called as `(f a b)`."""
    if name not in FOLDED:
        return None
    signature = TABLE[name].signature
    return TABLE[name] if len(signature.params) == 2 and signature.least == 2 else None


# Folding.


def _folded_call(
    primitive: Primitive, arguments: tuple[Core, ...], span: Span, unit: Unit
) -> Core:
    name = primitive.name
    if len(arguments) == _OPTIONAL.get(name):
        return PrimCall(primitive, arguments, span)
    if name in _OPTIONAL:
        return Call(primitive_value(primitive, span, unit), arguments, span)
    match arguments:
        case ():
            if name in _NONE:
                return Const(Number(_NONE[name], span), span)
            return Call(primitive_value(primitive, span, unit), (), span)
        case (argument,):
            return _single(primitive, argument, span, unit)
    if name in _COMPARISONS:
        return _chain(primitive, arguments, span, unit)
    result = arguments[0]
    for argument in arguments[1:]:
        result = PrimCall(primitive, (result, argument), span)
    return result


def _single(primitive: Primitive, argument: Core, span: Span, unit: Unit) -> Core:
    """The call with one argument, which is still checked: `(+ 'a)` is an error."""
    name = primitive.name
    if name == "-":
        return PrimCall(TABLE["%negate"], (argument,), span)
    if name in _BEFORE_ONE:
        return PrimCall(primitive, (Const(Number(_BEFORE_ONE[name], span), span), argument), span)
    if name in _NUMBER_COMPARISONS:
        checked = PrimCall(primitive, (argument, Const(Number(0, span), span)), span)
        return Begin((checked, Const(Boolean(True, span), span)), span)
    local = unit.fresh("argument")
    twice = (Local(local, span), Local(local, span))
    result: Core = PrimCall(primitive, twice, span)
    if name in _COMPARISONS:  # a single argument is in order: only its type is checked
        result = Begin((result, Const(Boolean(True, span), span)), span)
    return Let(local, argument, result, span)


def _chain(primitive: Primitive, arguments: tuple[Core, ...], span: Span, unit: Unit) -> Core:
    if len(arguments) == 2:
        return PrimCall(primitive, arguments, span)
    temporaries, simple = _name_arguments(arguments, unit)
    result: Core = PrimCall(primitive, simple[-2:], span)
    no = Const(Boolean(False, span), span)
    for pair in reversed(list(pairwise(simple[:-1]))):
        result = If(PrimCall(primitive, pair, span), result, no, span)
    return _bind(temporaries, result, span)


# Keywords.


def _plain_call(
    primitive: Primitive, arguments: tuple[Core, ...], span: Span, unit: Unit
) -> Core:
    signature = primitive.signature
    if not signature.takes_keywords:
        most = signature.most
        if len(arguments) < signature.least or (most is not None and len(arguments) > most):
            return Call(PrimRef(primitive, span), arguments, span)
        missing = signature.params[len(arguments) :]
        return PrimCall(primitive, (*arguments, *[_default(p, span) for p in missing]), span)
    slots = _match_keywords(signature, arguments)
    if slots is None:
        return Call(PrimRef(primitive, span), arguments, span)
    positions = [index for index in slots if index is not None]
    temporaries: list[tuple[str, Core]] = []
    if positions != sorted(positions):  # the signature's order is not the order of evaluation
        temporaries, arguments = _name_arguments(arguments, unit)
    filled = [
        _default(param, span) if index is None else arguments[index]
        for param, index in zip(signature.params, slots, strict=True)
    ]
    return _bind(temporaries, PrimCall(primitive, tuple(filled), span), span)


def _match_keywords(signature: Signature, arguments: tuple[Core, ...]) -> list[int | None] | None:
    """For each parameter the index of its argument, or None for its default.

    None instead of the list if arguments and parameters do not match.
    """
    assert signature.rest is None, signature
    named: dict[str, int] = {}
    positional: list[int] = []
    index = 0
    while index < len(arguments):
        keyword = _keyword(arguments[index])
        if keyword is None or index < signature.least:
            positional.append(index)
            index += 1
            continue
        if keyword in named or index + 1 == len(arguments):
            return None
        named[keyword] = index + 1
        index += 2
    if len(positional) > len(signature.positional):
        return None
    slots: list[int | None] = []
    for position, param in enumerate(signature.params):
        by_name = named.pop(param.name, None) if param.default is not None else None
        by_position = positional[position] if position < len(positional) else None
        if (by_name is not None and by_position is not None) or (
            by_name is None and by_position is None and param.default is None
        ):
            return None
        slots.append(by_position if by_name is None else by_name)
    return None if named else slots


def _keyword(argument: Core) -> str | None:
    """The parameter that a keyword argument names: `create_graph` of `:create-graph`."""
    match argument:
        case Const(Keyword(name)):
            return name.replace("-", "_")
    return None


def _default(param: Param, span: Span) -> Core:
    assert param.default is not None, param
    return Const(default_datum(param.default), span)


@cache
def default_datum(text: str) -> Datum | Special:
    """The constant of a default in a signature."""
    if text == "absent":
        return Special.ABSENT
    datum = read(Source("default", text))[0]
    assert not isinstance(datum, List), text
    return datum


# Order of evaluation.


def _name_arguments(
    arguments: tuple[Core, ...], unit: Unit
) -> tuple[list[tuple[str, Core]], tuple[Core, ...]]:
    """Temporaries for the arguments that must be evaluated once and in order, and the arguments."""
    if all(isinstance(argument, Const | Local | PrimRef) for argument in arguments):
        return [], arguments
    temporaries: list[tuple[str, Core]] = []
    simple: list[Core] = []
    for argument in arguments:
        if isinstance(argument, Const):
            simple.append(argument)
        else:
            local = unit.fresh("argument")
            temporaries.append((local, argument))
            simple.append(Local(local, argument.span))
    return temporaries, tuple(simple)


def _bind(temporaries: list[tuple[str, Core]], body: Core, span: Span) -> Core:
    for name, value in reversed(temporaries):
        body = Let(name, value, body, span)
    return body
