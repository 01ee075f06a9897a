"""`quote` and `quasiquote`.

    `(a ,b ,@c d)   =>  (cons 'a (cons b (append c '(d))))
    `(a `(b ,(c)))  =>  a constant: the unquote belongs to the inner quasiquote
"""

from lambent.lang.core.denotation import SpecialForm
from lambent.lang.core.expressions import constant, expression
from lambent.lang.core.ir import Const, Core, PrimCall
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import bad_form, is_special, special_form
from lambent.lang.errors import SyntaxFault
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import Datum, List, Symbol, Vector
from lambent.lang.syntax.source import Span

_NEW_LEVEL = {"quasiquote": 1, "unquote": -1, "unquote-splicing": -1}


@special_form("quote", "(quote datum)")
def _quote(form: List, env: Env) -> Core:
    match form.items:
        case (_, datum):
            return constant(datum)
    raise bad_form(form)


@special_form("quasiquote", "(quasiquote template)")
def _quasiquote(form: List, env: Env) -> Core:
    match form.items:
        case (_, template):
            return _template(template, 0, env) or constant(template)
    raise bad_form(form)


@special_form("unquote", "(unquote form) inside a quasiquote")
def _unquote(form: List, env: Env) -> Core:
    hint = "elements and arguments are separated by spaces, not by commas"
    raise SyntaxFault("unquote: expected inside a quasiquote", form.span, hint=hint)


@special_form("unquote-splicing", "(unquote-splicing form) inside a list in a quasiquote")
def _unquote_splicing(form: List, env: Env) -> Core:
    raise misplaced_splice(form)


def misplaced_splice(form: List) -> SyntaxFault:
    return SyntaxFault("unquote-splicing: expected in a list inside a quasiquote", form.span)


def _template(datum: Datum, level: int, env: Env) -> Core | None:
    """The expression that builds the datum, or None if the datum is constant.

    level counts the quasiquotes around the datum, without the outermost.
    """
    match datum:
        case List((Symbol() as head, inner), None) if (change := _new_level(head, env)):
            if level + change < 0:
                if is_special(head, "unquote", env):
                    return expression(inner, env)
                raise misplaced_splice(datum)
            # A list of one, because `,,@x` splices into it.
            built = _list(List((inner,), None, datum.span), level + change, env)
            return None if built is None else _cons(constant(head), built, datum.span)
        case List():
            return _list(datum, level, env)
        case Vector(items, span):
            built = _list(List(items, None, span), level, env)
            return None if built is None else PrimCall(TABLE["list->vector"], (built,), span)
    return None


def _new_level(head: Symbol, env: Env) -> int:
    """The change of level that a word causes: 0 for an ordinary word."""
    match env.resolve(head):
        case SpecialForm(name):
            return _NEW_LEVEL.get(name, 0)
    return 0


def _list(datum: List, level: int, env: Env) -> Core | None:
    """Cons the items up to the last one that is not constant on to the constant end."""
    items, tail = _unquoted_tail(datum, env)
    built = [_item(item, level, env) for item in items]
    result = None if tail is None else _template(tail, level, env)
    if result is None and not any(built):
        return None
    if result is None:
        end = len(items)
        while built[end - 1] is None:
            end -= 1
        result = constant(List(items[end:], tail, datum.span)) if end < len(items) else (
            constant(tail) if tail else _empty(datum.span)
        )
        items, built = items[:end], built[:end]
    for item, core in reversed(list(zip(items, built, strict=True))):
        if _is_spliced(item, level, env):
            assert core is not None, item
            result = _append(core, result, item.span)
        else:
            result = _cons(core or constant(item), result, datum.span)
    return result


def _item(item: Datum, level: int, env: Env) -> Core | None:
    match item:
        case List((_, inner), None) if _is_spliced(item, level, env):
            return expression(inner, env)
    return _template(item, level, env)


def _is_spliced(item: Datum, level: int, env: Env) -> bool:
    match item:
        case List((head, _), None) if level == 0:
            return is_special(head, "unquote-splicing", env)
    return False


def _unquoted_tail(datum: List, env: Env) -> tuple[tuple[Datum, ...], Datum | None]:
    """The items and the tail; the reader returns `(a unquote b)` for `(a . ,b)`."""
    match datum:
        case List((_, *_, unquote, last), None) if len(datum.items) > 2 and is_special(
            unquote, "unquote", env
        ):
            tail = List((unquote, last), None, unquote.span.to(last.span))
            return datum.items[:-2], tail
    return datum.items, datum.tail


def _append(spliced: Core, rest: Core, span: Span) -> Core:
    """`,@a` at the end of a list is a itself: R7RS allows them to share it."""
    match rest:
        case Const(List((), None)):
            return spliced
    return PrimCall(TABLE["append"], (spliced, rest), span)


def _cons(car: Core, cdr: Core, span: Span) -> Core:
    return PrimCall(TABLE["cons"], (car, cdr), span)


def _empty(span: Span) -> Const:
    return Const(List((), None, span), span)
