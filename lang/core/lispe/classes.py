"""Classes of LispE: `class@`, their objects, and calls of methods.

    (class@ Counter (count) (defun inc() (setqi count (+ count 1))))
    =>  (define class@Counter (%class 'Counter #f '(count) (list #f)
          (list (cons 'inc (%method Counter (lambda (%self) ...))))))

    (Counter 3)     =>  (%new class@Counter (list 3))
    (c (inc))       =>  (%send c 'inc)            where c is a variable

Within a method, the class's fields are identifiers that stand for their access, and its methods
are forms that stand for messages to the same object.
"""

from collections.abc import Sequence

from lambent.lang.core.denotation import Alias, Denotation, GlobalName, Macro, Variable
from lambent.lang.core.expressions import expression
from lambent.lang.core.ir import Core, Namespace
from lambent.lang.core.lispe.building import (
    MODULE,
    SELF,
    Part,
    assigned,
    head_of,
    lispe_form,
    make,
    nil,
    quoted,
    symbol,
    wrong,
)
from lambent.lang.core.lispe.functions import Field, function
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import fresh_name, special_form
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Datum, List, Symbol
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field

_CLASS = "(class@ Name (field ...) [(from@ Parent)] (defun method (parameter ...) form ...) ...)"


@dataclass(frozen=True, slots=True)
class ClassText:
    """What the text of a class says.  fields and methods include those of its parents."""

    name: str
    parent: str | None
    own_fields: tuple[tuple[Symbol, Datum | None], ...]
    fields: frozenset[str]
    methods: frozenset[str]
    functions: tuple[List, ...] = field(repr=False)
    span: Span = field(repr=False)


def class_text(form: List, classes: "dict[str, ClassText]") -> ClassText:
    """The parts of a `class@` form."""
    match form.items:
        case (_, Symbol(name), List(fields, None), *members):
            functions = tuple([m for m in members if isinstance(m, List) and _is_method(m)])
            parent = next((p for m in members if (p := _parent(m)) is not None), None)
            if parent is not None and parent not in classes:
                raise SyntaxFault(f"class@: {parent} is not a class", form.span)
            own = tuple([_field(item, form) for item in fields])
            names = {symbol.name for symbol, _ in own} | set(assigned(functions, ("setqi",), True))
            methods = {_method_name(function) for function in functions}
            if parent is not None:
                names |= classes[parent].fields
                methods |= classes[parent].methods
            all_members = frozenset(names), frozenset(methods)
            return ClassText(name, parent, own, *all_members, functions, form.span)
    raise wrong(form, _CLASS)


def _is_method(member: List) -> bool:
    return head_of(member) in ("defun", "defpat", "dethread")


def _method_name(function: List) -> str:
    name = function.items[1] if len(function.items) > 1 else None
    if not isinstance(name, Symbol):
        raise wrong(function, "(defun method (parameter ...) form ...)")
    return name.name


def _parent(member: Datum) -> str | None:
    match member:
        case List((Symbol("from@"), Symbol(name)), None):
            return name
    return None


def _field(item: Datum, form: List) -> tuple[Symbol, Datum | None]:
    match item:
        case Symbol():
            return item, None
        case List((Symbol() as name, default), None):
            return name, default
    raise wrong(form, _CLASS)


def variable_of(name: str) -> str:
    """The variable that holds a class."""
    return f"class@{name}"


@lispe_form("class@", _CLASS)
def _class(form: List, env: Env) -> Datum:
    dialect = env.unit.scope.dialect
    assert dialect is not None
    name = form.items[1]
    assert isinstance(name, Symbol)
    text: ClassText = dialect.classes[name.name]
    parent: Part = nil(form) if text.parent is None else symbol(variable_of(text.parent), form)
    names = make(form, env, *[field_name for field_name, _ in text.own_fields])
    defaults = [nil(form) if default is None else default for _, default in text.own_fields]
    methods: list[Part] = [_method_entry(name, function, env) for function in text.functions]
    value = make(
        form, env, "%class", quoted(name, form, env), parent, quoted(names, form, env),
        ("list", *defaults), ("list", *methods),
    )  # fmt: skip
    return make(form, env, "define", symbol(variable_of(text.name), form), value)


def _method_entry(name: Symbol, function: List, env: Env) -> Part:
    method = function.items[1]
    return ("cons", quoted(method, function, env), ("%lispe-method", name, function))


@special_form("%lispe-method", "(%lispe-method class function)")
def _method(form: List, env: Env) -> Core:
    """A method as a procedure of the object and the arguments."""
    dialect = env.unit.scope.dialect
    match form.items:
        case (_, Symbol(name), List((_, Symbol() as method, List() as parameters, *forms)) as code):
            assert dialect is not None
            inner = _inside(dialect.classes[name], env)
            this = symbol(SELF, code)
            # The body must see that %self is bound while its text is prepared.
            bound, _ = inner.bind([this])
            required, lines = function(method.name, parameters, forms, code, bound)
            head = List((this, *required.items), required.tail, parameters.span)
            return expression(make(code, env, "lambda", head, *lines), inner)
    raise wrong(form, _CLASS)


def _inside(text: ClassText, env: Env) -> Env:
    """The environment of the methods of a class."""
    inner = Env(env.unit, {}, env)
    for name in sorted(text.methods):
        inner.enter(Symbol(name, text.span), _own_method(name, env))
    for name in sorted(text.fields):
        inner.enter(Symbol(name, text.span), _own_field(name))
    return inner


def _own_field(name: str) -> Field:
    def access(use: Symbol, env: Env) -> Datum:
        form = List((use,), None, use.span)
        return make(form, env, "%field", symbol(SELF, form), quoted(use, form, env))

    def call(form: List, env: Env) -> Datum:
        head = form.items[0]
        assert isinstance(head, Symbol)
        return call_value(access(head, env), form, env)

    return Field(name, call, name, visible=False, value=access)


def _own_method(name: str, outer: Env) -> Macro:
    def send(form: List, env: Env) -> Datum:
        head = form.items[0]
        return make(
            form, env, "%send", symbol(SELF, form), quoted(head, form, env), *form.items[1:]
        )

    def value(use: Symbol, env: Env) -> Datum:
        return Alias(use.name, use.span, use, outer)

    return Macro(name, send, f"({name} ...)", visible=False, value=value)


@lispe_form("from@", "(from@ Parent (method argument ...))")
def _from(form: List, env: Env) -> Datum:
    match form.items:
        case (_, Symbol(parent), List((method, *arguments), None)):
            this, cls = symbol(SELF, form), symbol(variable_of(parent), form)
            return make(form, env, "%send-as", cls, this, quoted(method, form, env), *arguments)
    raise wrong(form, "(from@ Parent (method argument ...))")


@lispe_form("toclean", "(toclean 'method)")
def _toclean(form: List, env: Env) -> Datum:
    match form.items:
        case (_, List((Symbol("quote"), Symbol() as method), None)):
            return make(form, env, "%clean", symbol(SELF, form), quoted(method, form, env))
    raise wrong(form, "(toclean 'method)")


def constructor(name: str) -> Macro:
    """What a use of a class's name stands for: a new object, and the methods called at once."""

    def expand(form: List, env: Env) -> Datum:
        dialect = env.unit.scope.dialect
        methods = frozenset() if dialect is None else dialect.classes[name].methods
        calls = [a for a in form.items[1:] if isinstance(a, List) and head_of(a) in methods]
        values = [a for a in form.items[1:] if a not in calls]
        new: Part = ("%new", symbol(variable_of(name), form), ("list", *values))
        instance = fresh_name("object", form, env)
        sends = [_send(instance, call, env) for call in calls]
        return make(form, env, "let", ((instance, new),), *sends, instance)

    def value(use: Symbol, env: Env) -> Datum:
        return Symbol(variable_of(name), use.span)

    return Macro(name, expand, f"({name} value ...)", visible=False, value=value)


def _send(target: Datum, call: List, env: Env) -> Part:
    method = call.items[0]
    return make(call, env, "%send", target, quoted(method, call, env), *call.items[1:])


def call_value(function: Datum, form: List, env: Env) -> Datum:
    """What a call of a variable's value stands for.

    The value may be an object, and the argument a message to it: `(c (inc))`, `(c Counter (inc))`.
    """
    dialect = env.unit.scope.dialect
    arguments: Sequence[Datum] = form.items[1:]
    match arguments:
        case (Symbol(name), List() as message) if dialect and name in dialect.classes:
            return make(form, env, *_tuple(_send(function, message, env)))
        case (List((Symbol() as method, *values), None) as message,):
            if dialect is None or method.name not in dialect.methods():
                return make(form, env, "%call", function, message)
            if not _is_function(env.resolve(method)):
                return make(form, env, *_tuple(_send(function, message, env)))
            target = fresh_name("target", form, env)
            names = [fresh_name("value", form, env) for _ in values]
            bindings = tuple(zip(names, values, strict=True))
            send: Part = ("%send", target, quoted(method, form, env), *names)
            call: Part = ("%call", target, (method, *names))
            choice: Part = ("if", ("%object?", target), send, call)
            return make(form, env, "let", ((target, function), *bindings), choice)
    return make(form, env, "%call", function, *arguments)


def _is_function(meaning: Denotation | None) -> bool:
    """Whether a LispE program would call it: a function of its own or of LispE, or a variable."""
    match meaning:
        case Variable():
            return True
        case GlobalName(name, namespace):
            return namespace is Namespace.PROGRAM or name.endswith(f"{{{MODULE}}}")
    return False


def _tuple(part: Part) -> tuple[Part, ...]:
    assert isinstance(part, List)
    return part.items
