"""Expressions: names, calls, constants, and the way into the special forms.

    car         =>  PrimRef, a Global or a Local, whichever hides the others
    (f x)       =>  Call, or PrimCall if f is a primitive that nothing hides
    (if a b c)  =>  whatever the special form makes of it
"""

from lambent.lang.core.forms import SPECIAL_FORMS, is_hidden
from lambent.lang.core.ir import (
    Begin,
    Call,
    Const,
    Core,
    Global,
    Home,
    Lambda,
    Let,
    Local,
    PrimRef,
    Special,
    TensorLiteral,
    Unbound,
)
from lambent.lang.core.primitive_calls import FOLDED, primitive_call, primitive_value
from lambent.lang.core.scope import Env, Unit, suggestion
from lambent.lang.core.tensor_literals import Grid, grid
from lambent.lang.errors import SyntaxFault
from lambent.lang.primitives.library import TABLE
from lambent.lang.primitives.table import Primitive, operator
from lambent.lang.syntax.datum import (
    Boolean,
    Brackets,
    Character,
    Datum,
    Keyword,
    List,
    Number,
    String,
    Symbol,
    Vector,
)
from lambent.lang.syntax.source import Span


def expression(datum: Datum, env: Env) -> Core:
    """The Core of an expression."""
    match datum:
        case Symbol():
            return reference(datum, env)
        case Number() | Boolean() | String() | Character() | Keyword():
            return Const(datum, datum.span)
        case Vector():
            return constant(datum)
        case Brackets():
            return _tensor(grid(datum), datum.span, env)
        case List((), None):
            raise SyntaxFault("expected an expression, got ()", datum.span, "'() is the empty list")
        case List(_, tail) if tail is not None:
            raise SyntaxFault("a call cannot end in a dot", datum.span)
        case List((Symbol(name), *_)) if name in SPECIAL_FORMS and not is_hidden(name, env):
            return SPECIAL_FORMS[name].handler(datum, env)
    return _call(datum, env)


def constant(datum: Datum) -> Core:
    """A quoted datum.  Tensor expressions in it have no meaning: they are to be evaluated."""
    waiting = [datum]
    while waiting:
        match waiting.pop():
            case Brackets(_, span):
                raise SyntaxFault("a tensor expression cannot be quoted", span)
            case List(items, tail):
                waiting.extend(items if tail is None else (*items, tail))
            case Vector(items):
                waiting.extend(items)
    return Const(datum, datum.span)


def unspecified(span: Span) -> Core:
    return Const(Special.UNSPECIFIED, span)


def sequence(forms: list[Core], span: Span) -> Core:
    """The forms one after another; unspecified if there is none."""
    flat: list[Core] = []
    for form in forms:
        flat.extend(form.forms if isinstance(form, Begin) else (form,))
    if not flat:
        return unspecified(span)
    return flat[0] if len(flat) == 1 else Begin(tuple(flat), span)


# Names.


def reference(symbol: Symbol, env: Env) -> Core:
    """What a name stands for where it is not called."""
    name, span, unit = symbol.name, symbol.span, env.unit
    if (local := env.lookup(name)) is not None:
        unit.mentioned.append(local)
        return Local(local, span)
    if unit.is_global(name):
        return Global(name, unit.scope.home, span)
    if (known := ambient(name, span, unit)) is not None:
        return known
    if name in SPECIAL_FORMS:
        usage = SPECIAL_FORMS[name].usage
        raise SyntaxFault(f"{name} is a special form, not a value", span, f"usage: {usage}")
    return Unbound(name, suggestion(name, env, SPECIAL_FORMS), span)


def ambient(name: str, span: Span, unit: Unit) -> Core | None:
    """What a name means that neither the program nor a local variable defines."""
    if name in unit.scope.library:
        return Global(name, Home.LIBRARY, span)
    if (primitive := _primitive(name)) is not None:
        return primitive_value(primitive, span, unit)
    return Const(Boolean(True, span), span) if name == "t" else None


def _primitive(name: str) -> Primitive | None:
    if name in TABLE:
        return TABLE[name]
    # LibTorch's own table says, when the program runs, whether there is such an operator.
    return operator(name) if name.startswith("tensor-") and name != "tensor-" else None


# Calls.


def _call(form: List, env: Env) -> Core:
    head = form.items[0]
    arguments = tuple([expression(item, env) for item in form.items[1:]])
    if isinstance(head, Symbol) and head.name in FOLDED and _means_primitive(head.name, env):
        return primitive_call(TABLE[head.name], arguments, form.span, env.unit)
    return call_of(expression(head, env), arguments, form.span, env)


def call_of(function: Core, arguments: tuple[Core, ...], span: Span, env: Env) -> Core:
    """A call of an analysed procedure."""
    if isinstance(function, PrimRef):
        return primitive_call(function.primitive, arguments, span, env.unit)
    if isinstance(function, Lambda) and _is_let(function, arguments):
        return _let(function, arguments)
    return Call(function, arguments, span)


def _means_primitive(name: str, env: Env) -> bool:
    """Whether a folded primitive's name is nobody else's.

    The library defines the procedures that stand for these names as values; its calls by name are
    calls of the primitives all the same.
    """
    unit = env.unit
    ours = unit.is_global(name) and unit.scope.home is Home.PROGRAM
    return not ours and env.lookup(name) is None


def _is_let(function: Lambda, arguments: tuple[Core, ...]) -> bool:
    plain = not function.keywords and function.rest is None
    return plain and len(function.parameters) == len(arguments)


def _let(function: Lambda, arguments: tuple[Core, ...]) -> Core:
    """`((lambda (x) body) value)` binds a variable and no procedure."""
    body = function.body
    for name, value in reversed(list(zip(function.parameters, arguments, strict=True))):
        body = Let(name, value, body, function.span)
    return body


def _tensor(block: Grid, span: Span, env: Env) -> Core:
    elements: list[Core] = []
    for element in block.elements:
        if isinstance(element, Grid):
            elements.append(_tensor(element, span, env))
        else:
            elements.append(expression(element, env))
    return TensorLiteral(block.shape, tuple(elements), span)
