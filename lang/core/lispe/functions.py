"""Variables and functions of LispE.

    (defun f(x (y 2)) (setq z (+ x y)) z)
    =>  (define (f x . more)
          (let* ((y (if (pair? more) (car more) 2)) ...) (let ((z #f)) (set! z (+ x y)) z)))

`setq` in a function makes a variable of the function, which begins with the value of the global
variable of that name; `setg` changes the global variable.  At the top level `setq` makes a global
variable, which `dialect.py` has defined by then.
"""

from collections.abc import Sequence

from lambent.lang.core.denotation import GlobalName, Macro, Variable
from lambent.lang.core.ir import Namespace
from lambent.lang.core.lispe.building import (
    RETURN,
    SELF,
    Part,
    assigned,
    body,
    lispe_form,
    make,
    mentions,
    nil,
    quoted,
    symbol,
    text,
    wrong,
)
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import bad_form, fresh_name
from lambent.lang.errors import SyntaxFault
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Datum, List, Number, String, Symbol
from lambent.lang.system.dataclass import dataclass

_SETQ = "(setq name value)"
_DEFUN = "(defun name (parameter ... (optional default) ... (rest)) form ...)"
_LAMBDA = "(lambda (parameter ...) form ...)"


@dataclass(frozen=True, slots=True)
class Field(Macro):
    """A field of the object whose method is being analysed."""


# Variables.


@lispe_form("setq", _SETQ)
def _setq(form: List, env: Env) -> Datum:
    match form.items:
        case (_, Symbol() as name, value):
            return assignment(name, value, form, env)
    raise wrong(form, _SETQ)


for _other in ("setqv", "seth", "set@q"):
    lispe_form(_other, _SETQ)(_setq)


def assignment(name: Symbol, value: Datum, form: List, env: Env) -> List:
    """The form that gives a variable, or a field of this object, a value, and returns it."""
    if isinstance(env.resolve(name), Field):
        return field_assignment(name, value, form, env)
    return make(form, env, "begin", ("set!", name, value), name)


def field_assignment(name: Symbol, value: Datum, form: List, env: Env) -> List:
    this = symbol(SELF, form)
    if env.resolve(this) is None:
        raise SyntaxFault("setqi: expected within a method of a class", form.span)
    return make(form, env, "%set-field!", this, quoted(name, form, env), value)


@lispe_form("setqi", "(setqi field value)")
def _setqi(form: List, env: Env) -> Datum:
    match form.items:
        case (_, Symbol() as name, value):
            return field_assignment(name, value, form, env)
    raise wrong(form, "(setqi field value)")


@lispe_form("setg", "(setg name value)")
def _setg(form: List, env: Env) -> Datum:
    """The assignment of the global variable, even where a function has one of that name."""
    match form.items:
        case (_, Symbol() as name, value):
            outer = env.unit.scope
            meaning = outer.meaning(name.name)
            if isinstance(meaning, GlobalName):
                target = Symbol(name.name, name.span)
                hidden = env.resolve(name)
                if hidden is meaning:
                    return make(form, env, "begin", ("set!", target, value), target)
                from lambent.lang.core.denotation import Alias

                alias = Alias(name.name, name.span, target, Env(env.unit))
                return make(form, env, "begin", ("set!", alias, value), alias)
    raise wrong(form, "(setg name value)")


for _sign in ("+", "-", "*", "/", "%"):

    @lispe_form(f"{_sign}=", f"({_sign}= name value ...)")
    def _change(form: List, env: Env, sign: str = _sign) -> Datum:
        match form.items:
            case (_, Symbol() as name, _, *_):
                value = make(form, env, symbol(sign, form), *form.items[1:])
                return assignment(name, value, form, env)
        raise wrong(form, f"({sign}= name value ...)")


# Functions.


@lispe_form("defun", _DEFUN)
def defun(form: List, env: Env) -> Datum:
    match form.items:
        case (_, Symbol() as name, List() as parameters, *forms):
            required, inner = function(name.name, parameters, forms, form, env)
            head = List((name, *required.items), required.tail, parameters.span)
            return make(form, env, "define", head, *inner)
    raise wrong(form, _DEFUN)


lispe_form("dethread", "(dethread name (parameter ...) form ...)")(defun)


def lambda_(form: List, env: Env) -> Datum:
    match form.items:
        case (_, List() as parameters, *forms):
            required, inner = function("lambda", parameters, forms, form, env)
            return make(form, env, "lambda", required, *inner)
    raise wrong(form, _LAMBDA)


for _name in ("lambda", "λ", "\\"):
    lispe_form(_name, _LAMBDA)(lambda_)


def function(
    name: str, parameters: List, forms: Sequence[Datum], form: List, env: Env
) -> tuple[List, tuple[Datum, ...]]:
    """The parameter list and the body of a function, as `lambda` takes them."""
    required: list[Symbol] = []
    optional: list[List] = []
    for parameter in parameters.items:
        match parameter:
            case Symbol() if not optional:
                required.append(parameter)
            case List((Symbol(), *_), None):
                optional.append(parameter)
            case _:
                raise wrong(form, "parameters: names, then (name default), then (name)")
    names = [item.name for item in required]
    for item in optional:
        assert isinstance(item.items[0], Symbol)
        names.append(item.items[0].name)
    inner = function_body(forms, names, form, env)
    if not optional:
        return List(tuple(required), None, parameters.span), inner
    rest = fresh_name("more", form, env)
    bound = _with_optional(name, optional, rest, inner, form)
    return List(tuple(required), rest, parameters.span), (make(form, env, *bound),)


def _with_optional(
    name: str, optional: Sequence[List], rest: Symbol, inner: tuple[Datum, ...], form: List
) -> tuple[Part, ...]:
    """The body where the optional parameters have the values that are left, or their defaults."""
    bindings: list[Part] = []
    count = 0
    for item in optional:
        target, *default = item.items
        if not default:  # (rest): a list of everything that is left
            bindings.append((target, ("%rest", rest, Number(count, form.span))))
            return ("let*", tuple(bindings), *inner)
        given: Part = ("%given?", rest, Number(count, form.span))
        value: Part = ("list-ref", rest, Number(count, form.span))
        bindings.append((target, ("if", given, value, default[-1])))
        count += 1
    check: Part = ("%no-more", text(name, form), rest, Number(count, form.span))
    return ("let*", tuple(bindings), check, *inner)


def function_body(
    forms: Sequence[Datum], parameters: Sequence[str], form: List, env: Env
) -> tuple[Datum, ...]:
    """The body with the variables that its `setq` forms make, and a way out for `return`."""
    bindings: list[Part] = []
    for name, target in assigned(forms, ("setq", "setqv")).items():
        if name in parameters:
            continue
        meaning = env.resolve(target)
        if isinstance(meaning, Variable):
            continue
        is_variable = isinstance(meaning, Field) or is_global_variable(meaning)
        bindings.append((target, target if is_variable else nil(form)))
    inner = body(forms, form)
    if mentions(forms, "return"):
        inner = (make(form, env, "let/cc", symbol(RETURN, form), *inner),)
    if bindings:
        inner = (make(form, env, "let", tuple(bindings), *inner),)
    return inner


def is_global_variable(meaning: object) -> bool:
    return isinstance(meaning, GlobalName) and meaning.namespace is Namespace.PROGRAM


@lispe_form("return", "(return [value])")
def _return(form: List, env: Env) -> Datum:
    leave = symbol(RETURN, form)
    if env.resolve(leave) is None:
        raise SyntaxFault("return: expected within a function", form.span)
    return make(form, env, leave, *(form.items[1:] or (nil(form),)))


# Quotations.


@lispe_form("quote", "(quote datum)")
def _quote(form: List, env: Env) -> Datum:
    """A datum; the name of a function stands for the function where one is called."""
    match form.items:
        case (_, Symbol() as name):
            meaning = env.resolve(name)
            if isinstance(meaning, GlobalName | Primitive):
                return make(form, env, "%function-name", quoted(name, form, env), name)
            return quoted(name, form, env)
        case (_, Number() | String() as datum):
            return datum
        case (_, datum):
            return make(form, env, "%quoted", quoted(datum, form, env))
    raise bad_form(form)
