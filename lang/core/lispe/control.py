"""The control forms of LispE: conditionals, loops, errors, time.

    (check c a b)      =>  (if (%true? c) (begin a b) #f)
    (loop x items a)   =>  (let ((v (%loop-items items))) (dotimes (k (vector-length v)) ...))

`nil`, 0, the empty string and empty containers are false (stdlib/lispe/truth.lisp).
"""

from collections.abc import Sequence

from lambent.lang.core.lispe.building import (
    BREAK,
    Part,
    body,
    lispe_form,
    make,
    mentions,
    nil,
    symbol,
    wrong,
)
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import fresh_name
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Boolean, Datum, List, Symbol

_IF = "(if test then [else ...])"
_LOOP = "(loop name items form ...)"
_COUNT = "(loopcount count name form ...)"


@lispe_form("if", _IF)
def _if(form: List, env: Env) -> Datum:
    match form.items:
        case (_, test, then, *otherwise):
            return make(form, env, "if", ("%true?", test), then, _all(otherwise, form))
    raise wrong(form, _IF)


@lispe_form("ife", "(ife test then else ...)")
def _ife(form: List, env: Env) -> Datum:
    return _if(form, env)


def _all(data: Sequence[Datum], form: List) -> Part:
    """The forms in sequence."""
    return ("let", (), *body(data, form)) if len(data) != 1 else data[0]


@lispe_form("check", "(check test form ...)")
def _check(form: List, env: Env) -> Datum:
    match form.items:
        case (_, test, *forms):
            return make(form, env, "if", ("%true?", test), _all(forms, form), nil(form))
    raise wrong(form, "(check test form ...)")


@lispe_form("ncheck", "(ncheck test otherwise form ...)")
def _ncheck(form: List, env: Env) -> Datum:
    match form.items:
        case (_, test, otherwise, *forms):
            return make(form, env, "if", ("%true?", test), _all(forms, form), otherwise)
    raise wrong(form, "(ncheck test otherwise form ...)")


@lispe_form("cond", "(cond (test form ...) ...)")
def _cond(form: List, env: Env) -> Datum:
    result: Part = nil(form)
    for clause in reversed(form.items[1:]):
        match clause:
            case List((test, *forms), None) if forms:
                result = ("if", ("%true?", test), _all(forms, form), result)
            case List((test,), None):
                value = fresh_name("value", form, env)
                result = ("let", ((value, test),), ("if", ("%true?", value), value, result))
            case _:
                raise wrong(form, "(cond (test form ...) ...)")
    return make(form, env, "let", (), result)


@lispe_form("switch", "(switch value (literal form ...) ... (true form ...))")
def _switch(form: List, env: Env) -> Datum:
    match form.items:
        case (_, value, *clauses):
            chosen = fresh_name("value", form, env)
            result: Part = nil(form)
            for clause in reversed(clauses):
                match clause:
                    case List((Symbol("true"), *forms), None):
                        result = _all(forms, form)
                    case List((literal, *forms), None):
                        result = ("if", ("%same?", chosen, literal), _all(forms, form), result)
                    case _:
                        raise wrong(form, "(switch value (literal form ...) ...)")
            return make(form, env, "let", ((chosen, value),), result)
    raise wrong(form, "(switch value (literal form ...) ...)")


@lispe_form("and", "(and test ...)")
def _and(form: List, env: Env) -> Datum:
    tests = form.items[1:] or (Boolean(True, form.span),)
    result: Part = tests[-1]
    for test in reversed(tests[:-1]):
        result = ("if", ("%true?", test), result, nil(form))
    return make(form, env, "let", (), result)


@lispe_form("or", "(or test ...)")
def _or(form: List, env: Env) -> Datum:
    tests = form.items[1:] or (nil(form),)
    result: Part = tests[-1]
    for test in reversed(tests[:-1]):
        value = fresh_name("value", form, env)
        result = ("let", ((value, test),), ("if", ("%true?", value), value, result))
    return make(form, env, "let", (), result)


@lispe_form("select", "(select form ...)")
def _select(form: List, env: Env) -> Datum:
    """The first value that is not nil; an error, such as a missing key, counts as nil."""
    result: Part = nil(form)
    for test in reversed(form.items[1:]):
        value, error = fresh_name("value", form, env), fresh_name("error", form, env)
        yes = Boolean(True, form.span)
        guarded = ("guard", (error, (yes, nil(form))), test)
        result = ("let", ((value, guarded),), ("if", value, value, result))
    return make(form, env, "let", (), result)


@lispe_form("block", "(block form ...)")
def _block(form: List, env: Env) -> Datum:
    return make(form, env, "begin", *body(form.items[1:], form))


for _name in ("threadspace", "lock", "withclass"):

    @lispe_form(_name, f"({_name} ... form ...)")
    def _within(form: List, env: Env) -> Datum:
        head = form.items[0]
        assert isinstance(head, Symbol), head
        skipped = 1 if head.name == "threadspace" else 2  # a lock's name, a class
        return make(form, env, "begin", *body(form.items[skipped:], form))


@lispe_form("let", "(let ((name value) ...) form ...)")
def _let(form: List, env: Env) -> Datum:
    match form.items:
        case (_, List(bindings, None), *forms):
            pairs = [b if isinstance(b, List) else make(form, env, b, nil(form)) for b in bindings]
            return make(form, env, "let*", tuple(pairs), *body(forms, form))
    raise wrong(form, "(let ((name value) ...) form ...)")


# Loops.


@lispe_form("loop", _LOOP)
def _loop(form: List, env: Env) -> Datum:
    match form.items:
        case (_, Symbol() as name, items, *forms):
            vector, k = fresh_name("items", form, env), fresh_name("k", form, env)
            step: Part = ("let", ((name, ("vector-ref", vector, k)),), *body(forms, form))
            count: Part = ("vector-length", vector)
            loop: Part = ("dotimes", (k, count), step)
            bound: Part = ("let", ((vector, ("%loop-items", items)),), loop, nil(form))
            return _breakable(bound, forms, form, env)
    raise wrong(form, _LOOP)


@lispe_form("loopcount", _COUNT)
def _loopcount(form: List, env: Env) -> Datum:
    match form.items:
        case (_, count, Symbol() as name, *forms):
            k = fresh_name("k", form, env)
            step: Part = ("let", ((name, k),), *body(forms, form))
            return _breakable(
                ("begin", ("dotimes", (k, ("%count", count)), step), nil(form)), forms, form, env
            )
        case (_, count, *forms):
            k = fresh_name("k", form, env)
            step = ("let", (), *body(forms, form))
            return _breakable(
                ("begin", ("dotimes", (k, ("%count", count)), step), nil(form)), forms, form, env
            )
    raise wrong(form, _COUNT)


@lispe_form("while", "(while test form ...)")
def _while(form: List, env: Env) -> Datum:
    match form.items:
        case (_, test, *forms):
            loop: Part = ("while", ("%true?", test), ("let", (), *body(forms, form)))
            return _breakable(("begin", loop, nil(form)), forms, form, env)
    raise wrong(form, "(while test form ...)")


def _breakable(loop: Part, forms: Sequence[Datum], form: List, env: Env) -> Datum:
    """The loop, which `(break)` leaves if it is in one of the forms."""
    if mentions(forms, "break"):
        return make(form, env, "let/cc", symbol(BREAK, form), loop)
    return make(form, env, "let", (), loop)


@lispe_form("break", "(break)")
def _break(form: List, env: Env) -> Datum:
    leave = symbol(BREAK, form)
    if env.resolve(leave) is None:
        raise SyntaxFault("break: expected within a loop", form.span)
    return make(form, env, leave, nil(form))


# Errors and time.


@lispe_form("catch", "(catch form ...)")
def _catch(form: List, env: Env) -> Datum:
    error = fresh_name("error", form, env)
    clause: Part = (Boolean(True, form.span), ("%caught", error))
    return make(form, env, "guard", (error, clause), *body(form.items[1:], form))


@lispe_form("maybe", "(maybe form ... otherwise)")
def _maybe(form: List, env: Env) -> Datum:
    """The value of the forms, or of the last one if there is an error in the others.

    With one form: whether its value is an error that `catch` returned.
    """
    match form.items:
        case (_, value):
            return make(form, env, "%error?", value)
        case (_, *forms, otherwise) if forms:
            clause: Part = (Boolean(True, form.span), otherwise)
            return make(form, env, "guard", (fresh_name("error", form, env), clause), *forms)
    raise wrong(form, "(maybe form ... otherwise)")


@lispe_form("elapse", "(elapse form ...)")
def _elapse(form: List, env: Env) -> Datum:
    start = fresh_name("start", form, env)
    forms = body(form.items[1:], form)
    timed: Part = ("let", (), *forms)
    return make(form, env, "let", ((start, ("current-jiffy",)),), timed, ("%since", start))
