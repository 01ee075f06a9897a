"""The forms that create promises: values that are computed when they are forced.

    (delay e)        =>  (%record %promise-type (cons %delayed (lambda () e)))

`stdlib/language/structures.lisp` defines the content of a promise, and forces it.
"""

from lambent.lang.core.expressions import expression
from lambent.lang.core.ir import Const, Core, Global, Lambda, Namespace, PrimCall
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import bad_form, special_form
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import Datum, List, Symbol
from lambent.lang.syntax.source import Span


@special_form("delay", "(delay expression)")
def _delay(form: List, env: Env) -> Core:
    match form.items:
        case (_, datum):
            return _promise("value", datum, form.span, env)
    raise bad_form(form)


@special_form("delay-force", "(delay-force expression)")
def _delay_force(form: List, env: Env) -> Core:
    match form.items:
        case (_, datum):
            return _promise("promise", datum, form.span, env)
    raise bad_form(form)


@special_form("cons-stream", "(cons-stream first rest)")
def _cons_stream(form: List, env: Env) -> Core:
    match form.items:
        case (_, first, rest):
            promise = _promise("value", rest, form.span, env)
            return PrimCall(TABLE["cons"], (expression(first, env), promise), form.span)
    raise bad_form(form)


def _promise(result: str, datum: Datum, span: Span, env: Env) -> Core:
    """result: what the thunk returns, "value" of the promise, or another "promise"."""
    thunk = Lambda("delay", (), (), None, expression(datum, env), span)
    state = PrimCall(TABLE["cons"], (Const(Symbol(result, span), span), thunk), span)
    type_ = Global("%promise-type", Namespace.LIBRARY, span)
    return PrimCall(TABLE["%record"], (type_, state), span)
