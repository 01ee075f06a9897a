"""Expressions: names, calls and constants; special forms are dispatched to their handlers.

    car         =>  PrimRef, a Global or a Local: the innermost binding counts
    (f x)       =>  Call, or PrimCall if f is a primitive that is not shadowed
    (if a b c)  =>  what the special form's handler returns
    (swap! a b) =>  the Core of the macro's expansion
"""

import re
from typing import assert_never

from lambent.lang.core.check.tensor_literals import Grid, grid
from lambent.lang.core.denotation import (
    Alias,
    AliasKeyword,
    Constant,
    Denotation,
    GlobalName,
    Macro,
    SpecialForm,
    Variable,
    plain,
)
from lambent.lang.core.ir import (
    Begin,
    Call,
    Const,
    Core,
    Global,
    Lambda,
    Let,
    Local,
    Namespace,
    PrimRef,
    Special,
    TensorLiteral,
    Unbound,
)
from lambent.lang.core.primitive_calls import FOLDED, primitive_call, primitive_value
from lambent.lang.core.scope import Env, unbound_hint
from lambent.lang.errors import SyntaxFault
from lambent.lang.primitives.library import TABLE
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import (
    Boolean,
    Brackets,
    Bytes,
    Character,
    Datum,
    Keyword,
    Labelled,
    List,
    Number,
    Reference,
    String,
    Symbol,
    Vector,
)
from lambent.lang.syntax.source import Span

_DEEPEST_EXPANSION = 10_000
_LONGEST_NAME = 60  # that a hint repeats
_CALLED = re.compile(r"[^\s()\[\]'\"`,;#]+\Z")  # a name directly before ()


def _meant_empty(span: Span) -> str:
    """The hint for (), which may belong to a call `f()` of other languages."""
    if called := _CALLED.search(span.source.text, max(0, span.start - _LONGEST_NAME), span.start):
        return f"write ({called[0]}); '() is the empty list"
    return "'() is the empty list"


def expression(datum: Datum, env: Env) -> Core:
    """The Core of an expression."""
    match datum:
        case Symbol():
            return reference(datum, env)
        case Number() | Boolean() | String() | Character() | Bytes():
            return Const(datum, datum.span)
        case Keyword():
            return constant(datum)
        case Vector():
            return constant(datum)
        case Brackets() | List((), None) if (literal := _literal(datum, env)) is not None:
            return expression(literal, env)
        case Brackets():
            return _tensor(grid(datum), datum.span, env)
        case List((), None):
            hint = _meant_empty(datum.span)
            raise SyntaxFault("expected an expression, got ()", datum.span, hint)
        case List(_, tail) if tail is not None:
            # Only a macro may have such a use.
            if (macro := macro_use(datum, env)) is None:
                raise SyntaxFault("a call cannot end in a dot", datum.span)
            return expression(expanded(datum, macro, env), env)
        case List((Symbol() as head, *_)):
            meaning = env.resolve(head)
            match meaning:
                case SpecialForm(name, _, handler):
                    return handler(_headed(datum, name), env)
                case Macro():
                    return expression(expanded(datum, meaning, env), env)
            return _call_by_name(datum, head, meaning, env)
        case Labelled() | Reference():
            raise SyntaxFault("a circular datum can only be quoted", datum.span)
        case _:
            if (literal := _literal(datum, env)) is not None:
                return expression(literal, env)
            arguments = tuple([expression(item, env) for item in datum.items[1:]])
            return call_of(expression(datum.items[0], env), arguments, datum.span, env)


def _literal(datum: Brackets | List, env: Env) -> Datum | None:
    """What stands for a form without a name at its head, if the program's dialect says."""
    dialect = env.unit.scope.dialect
    return None if dialect is None else dialect.literal(datum, env)


def macro_use(datum: Datum, env: Env) -> Macro | None:
    """The macro of which a datum is a use."""
    match datum:
        case List((Symbol() as head, *_)):
            meaning = env.resolve(head)
            return meaning if isinstance(meaning, Macro) else None
    return None


def expanded(form: List, macro: Macro, env: Env) -> Datum:
    """The expansion of a use of a macro."""
    within = form.span.within
    if within is not None and within.depth > _DEEPEST_EXPANSION:
        message = f"{macro.name}: the expansion is {_DEEPEST_EXPANSION} uses of macros deep"
        raise SyntaxFault(message, form.span, "does it end?")
    result = macro.expand(_headed(form, macro.name), env)
    if macro.visible:
        env.unit.expansions[id(form)] = (form, result)
    return result


def _headed(form: List, name: str) -> List:
    """The form with its own name as head, also if a module imported it under another name."""
    head = form.items[0]
    if isinstance(head, Symbol) and head.name != name:
        return List((Symbol(name, head.span), *form.items[1:]), form.tail, form.span)
    return form


def constant(datum: Datum) -> Core:
    """A quoted datum.  It cannot contain tensor expressions, which must be evaluated."""
    waiting = [datum]
    aliased = False
    while waiting:
        match waiting.pop():
            case Brackets(_, span):
                raise SyntaxFault("a tensor expression cannot be quoted", span)
            case List(items, tail):
                waiting.extend(items if tail is None else (*items, tail))
            case Vector(items):
                waiting.extend(items)
            case Labelled(_, labelled):
                waiting.append(labelled)
            case Alias() | AliasKeyword():
                aliased = True
    return Const(plain(datum) if aliased else datum, datum.span)


def unspecified(span: Span) -> Core:
    return Const(Special.UNSPECIFIED, span)


def sequence(forms: list[Core], span: Span) -> Core:
    """The forms one after another; unspecified if there are none."""
    flat: list[Core] = []
    for form in forms:
        flat.extend(form.forms if isinstance(form, Begin) else (form,))
    if not flat:
        return unspecified(span)
    return flat[0] if len(flat) == 1 else Begin(tuple(flat), span)


# Names.


def reference(symbol: Symbol, env: Env) -> Core:
    """The value of a name that is not called."""
    meaning = env.resolve(symbol)
    if meaning is None:
        return Unbound(symbol.name, unbound_hint(symbol, env), symbol.span)
    if isinstance(meaning, Macro) and meaning.value is not None:
        return expression(meaning.value(symbol, env), env)
    return value_of(meaning, symbol, env)


def value_of(meaning: Denotation, symbol: Symbol, env: Env) -> Core:
    """The value of a name with a given meaning."""
    span = symbol.span
    match meaning:
        case Variable(local):
            env.unit.mentioned.append(local)
            return Local(local, span)
        case GlobalName(name, namespace):
            return Global(name, namespace, span)
        case Primitive():
            return primitive_value(meaning, span, env.unit)
        case Constant(value):
            return Const(Boolean(value.value, span), span)
        case SpecialForm(_, usage):
            message = f"{symbol.name} is a special form, not a value"
            raise SyntaxFault(message, span, f"usage: {usage}")
        case Macro(_, _, usage):
            raise SyntaxFault(f"{symbol.name} is a macro, not a value", span, f"usage: {usage}")
    assert_never(meaning)


# Calls.


def _call_by_name(form: List, head: Symbol, meaning: Denotation | None, env: Env) -> Core:
    dialect = env.unit.scope.dialect
    if dialect is not None and (call := dialect.call(form, head, meaning, env)) is not None:
        return expression(call, env)
    if meaning is None and env.later_macro(head) is not None:
        return reference(head, env)  # its arguments need not be expressions
    arguments = tuple([expression(item, env) for item in form.items[1:]])
    if meaning is None:
        return call_of(reference(head, env), arguments, form.span, env)
    if (primitive := _folded(meaning)) is not None:
        return primitive_call(primitive, arguments, form.span, env.unit)
    return call_of(value_of(meaning, head, env), arguments, form.span, env)


def _folded(meaning: Denotation) -> Primitive | None:
    """The primitive that a call of `+` calls, although its value is a procedure of the library.

    This also holds in the library itself.
    """
    match meaning:
        case GlobalName(name, Namespace.LIBRARY) | Primitive(name) if name in FOLDED:
            return TABLE[name]
    return None


def call_of(function: Core, arguments: tuple[Core, ...], span: Span, env: Env) -> Core:
    """A call of an analysed procedure."""
    if isinstance(function, PrimRef):
        return primitive_call(function.primitive, arguments, span, env.unit)
    if _is_call_with_values(function) and len(arguments) == 2:
        from lambent.lang.core.forms.multiple_values import call_with_values

        received = call_with_values(*arguments, span, env.unit)
        if received is not None:
            return received
    if isinstance(function, Lambda) and _is_let(function, arguments):
        return _let(function, arguments)
    return Call(function, arguments, span)


def _is_call_with_values(function: Core) -> bool:
    match function:
        case Global("call-with-values", Namespace.LIBRARY):
            return True
    return False


def _is_let(function: Lambda, arguments: tuple[Core, ...]) -> bool:
    plain = not function.keywords and function.rest is None
    return plain and len(function.parameters) == len(arguments)


def _let(function: Lambda, arguments: tuple[Core, ...]) -> Core:
    """`((lambda (x) body) value)` binds a variable and creates no procedure."""
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
