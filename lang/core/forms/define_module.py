"""Modules, the parts of models: `define-module` becomes a record type whose records are applicable.

    (define-module (scaled width) ((up (linear width width)) (scale (tensor-ones width) :parameter))
      (forward (x) (* scale (up x))))
    =>  (define (scaled.forward self x)
          (let ((up (%record-ref self type 0 "scaled")) (scale ...)) (* scale (up x))))
        (define type (%applicable-type 'scaled '#(up scale #f #f) scaled.forward '#(#f parameter)))
        (define (scaled width)
          (let* ((up (linear width width)) (scale (%parameter "scaled" 'scale (tensor-ones width))))
            (%module (%record type up scale #t #f))))
        (define (scaled? object) ...) (define (scaled-up record) ...) (define (set-scaled-up! ...

The two fields without a name say whether the module is in training, and its name in the module that
holds it (`stdlib/nn/modules.lisp`).
"""

from collections.abc import Iterator

from lambent.lang.core.denotation import key_of
from lambent.lang.core.forms.records import LIBRARY_SPAN, RecordWriter, with_article
from lambent.lang.core.ir import Namespace
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import bad_form, fresh_name, is_form, rewriting_form
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import (
    Boolean,
    Brackets,
    Datum,
    Keyword,
    List,
    Number,
    String,
    Symbol,
    Vector,
)
from lambent.lang.system.dataclass import dataclass

_USAGE = (
    "(define-module (name parameter ...) ((field expression [:parameter | :parameters | "
    ":buffer | :unnamed]) ...) (forward (x ...) body ...))"
)
_ROLES = ("parameter", "parameters", "buffer", "unnamed")
_FIELD = "(field expression), then :parameter, :parameters, :buffer, :unnamed or nothing"


@dataclass(frozen=True, slots=True)
class _Field:
    name: Symbol
    value: Datum
    role: str | None
    spec: List


@rewriting_form("define-module", _USAGE)
def _define_module(form: List, env: Env) -> Datum:
    match form.items:
        case (_, List((Symbol() as name, *_)) as head, String() as doc, List() as specs, *rest):
            pass
        case (_, List((Symbol() as name, *_)) as head, List() as specs, *rest):
            doc = String(f"A new module, {with_article(name.name)}.", form.span)
        case _:
            raise bad_form(form)
    fields = [_field(spec, form) for spec in specs.items]
    _check_distinct(fields)
    write = _ModuleWriter(form, env, fresh_name(env.unit.fresh(f"%type:{name.name}"), form, env))
    hidden = "%" if env.unit.scope.namespace is Namespace.LIBRARY else ""
    forward = fresh_name(env.unit.fresh(f"{hidden}{name.name}.forward"), form, env)
    labels: list[Datum] = [*[field.name for field in fields], *[Boolean(False, form.span)] * 2]
    facts: list[Datum] = [
        Symbol(name.name, form.span),
        Vector(tuple(labels), form.span),
        Vector(tuple([write.role(field) for field in fields]), form.span),
    ]
    shown, names, roles = [write.quoted(fact) for fact in facts]
    write.remark_parameters(head, fields, rest)
    definitions = [
        write.forward(forward, fields, rest, name.name),
        write.define(write.type, write.call("%applicable-type", shown, names, forward, roles)),
        write.constructor(head, doc, fields, name.name),
        write.predicate(name),
    ]
    for position, field in enumerate(fields):
        definitions += write.accessors(name, field, position)
    return write.call("begin", *definitions)


def _field(spec: Datum, form: List) -> _Field:
    match spec:
        case List((Symbol() as name, value), None):
            return _Field(name, value, None, spec)
        case List((Symbol() as name, value, Keyword(role)), None) if role in _ROLES:
            return _Field(name, value, role, spec)
    raise bad_form(form, spec, _FIELD)


def _check_distinct(fields: list[_Field]) -> None:
    seen = set()
    for field in fields:
        if key_of(field.name) in seen:
            message = f"define-module: the field {field.name.name} appears twice"
            raise SyntaxFault(message, field.name.span)
        seen.add(key_of(field.name))


class _ModuleWriter(RecordWriter):
    """Builds the definitions of one `define-module`."""

    def role(self, field: _Field) -> Datum:
        span = self.form.span
        return Symbol(field.role, span) if field.role else Boolean(False, span)

    def at(self, span_of: List, name: str, *items: Datum) -> List:
        """A call whose errors are located at a form of the user."""
        return List(self.call(name, *items).items, None, span_of.span)

    def record_ref(self, record: Datum, position: int, who: str) -> Datum:
        number = Number(position, LIBRARY_SPAN)
        return self.call("%record-ref", record, self.type, number, String(who, LIBRARY_SPAN))

    def remark_parameters(self, head: List, fields: list[_Field], rest: list[Datum]) -> None:
        """The hint for a parameter of the constructor that forward mentions."""
        if not rest:
            return
        own = {field.name.name for field in fields}
        for parameter in (*head.items[1:], *([head.tail] if head.tail else ())):
            if isinstance(parameter, Symbol | Keyword) and parameter.name not in own:
                name = parameter.name
                self.env.unit.remarks.append((
                    name, rest[-1].span,
                    f"forward sees fields, not the parameters of the constructor; "
                    f"add the field ({name} {name})"))  # fmt: skip

    def forward(
        self, procedure: Symbol, fields: list[_Field], clauses: list[Datum], who: str
    ) -> Datum:
        """The procedure that a call of the module runs."""
        own = Symbol("self", self.form.span)
        match clauses:
            case []:
                missing = self.call("%no-forward", String(who, LIBRARY_SPAN))
                rest = Symbol("arguments", LIBRARY_SPAN)
                return self.call("define", List((procedure, own), rest, LIBRARY_SPAN), missing)
            case [List((Symbol("forward"), parameters, *body), None) as clause] if body:
                pass
            case _:
                raise bad_form(self.form, clauses[-1], "(forward (x ...) body ...) at the end")
        if not isinstance(parameters, List):
            raise bad_form(self.form, parameters, "a parameter list after forward")
        doc = [body.pop(0)] if len(body) > 1 and isinstance(body[0], String) else []
        bindings = self._bindings(fields, parameters, body, own, who)
        head = List((procedure, own, *parameters.items), parameters.tail, clause.span)
        inner = self.at(clause, "let", List(tuple(bindings), None, clause.span), *body)
        return self.at(clause, "define", head, *doc, inner)

    def _bindings(
        self, fields: list[_Field], parameters: List, body: list[Datum], own: Symbol, who: str
    ) -> Iterator[Datum]:
        """A variable for each field that the body mentions."""
        used = {key_of(symbol) for datum in body for symbol in _symbols(datum)}
        parameter_keys = {key_of(symbol) for symbol in _symbols(parameters)}
        for position, field in enumerate(fields):
            key = key_of(field.name)
            if key in parameter_keys:
                message = f"define-module: {field.name.name} is a field and a parameter of forward"
                raise SyntaxFault(message, parameters.span)
            self._refuse_assignment(field, body, who)
            if key in used:
                yield List((field.name, self.record_ref(own, position, who)), None, LIBRARY_SPAN)

    def _refuse_assignment(self, field: _Field, body: list[Datum], who: str) -> None:
        for form in (form for datum in body for form in _forms(datum)):
            match form:
                case List((_, Symbol() as target, *_)) if key_of(target) == key_of(
                    field.name
                ) and is_form(form, "set!", self.env):
                    raise SyntaxFault(
                        f"define-module: the field {target.name} cannot be set in forward; write "
                        f"(set-{who}-{target.name}! self value)", form.span)

    def constructor(self, head: List, doc: Datum, fields: list[_Field], who: str) -> Datum:
        bindings = tuple([
            List((field.name, self._checked(field, who)), None, field.spec.span)
            for field in fields
        ])
        values = [field.name for field in fields]
        state = (Boolean(True, LIBRARY_SPAN), Boolean(False, LIBRARY_SPAN))
        record = self.call("%record", self.type, *values, *state)
        body = self.call("let*", List(bindings, None, LIBRARY_SPAN), self.call("%module", record))
        return self.at(self.form, "define", head, doc, body)

    def _checked(self, field: _Field, who: str) -> Datum:
        """The field's expression; parameters and buffers are checked."""
        if field.role not in ("parameter", "parameters", "buffer"):
            return field.value
        return self.at(field.spec, f"%{field.role}", String(who, LIBRARY_SPAN),
                       self.quoted(Symbol(field.name.name, LIBRARY_SPAN)), field.value)

    def predicate(self, name: Symbol) -> Datum:
        test = self.call("%record?", self.object, self.type)
        doc = f"Whether it is {with_article(name.name)}."
        return self.procedure(_derived(f"{name.name}?", name), (self.object,), doc, test)

    def accessors(self, name: Symbol, field: _Field, position: int) -> list[Datum]:
        reader = _derived(f"{name.name}-{field.name.name}", name)
        writer = _derived(f"set-{name.name}-{field.name.name}!", name)
        read = self.record_ref(self.record, position, reader.name)
        change = self.call(
            "%set-module-field!", self.record, self.type, Number(position, LIBRARY_SPAN),
            self.value, String(writer.name, LIBRARY_SPAN))
        what = f"the field {field.name.name} of {with_article(name.name)}"
        return [
            self.procedure(reader, (self.record,), f"{what[0].upper()}{what[1:]}.", read),
            self.procedure(writer, (self.record, self.value), f"Replace {what}.", change),
        ]


def _derived(text: str, name: Symbol) -> Symbol:
    """A name that the form defines beside the module's."""
    return Symbol(text, name.span)


def _symbols(datum: Datum) -> Iterator[Symbol]:
    match datum:
        case Symbol():
            yield datum
        case List(items, tail):
            for item in (*items, *([tail] if tail else [])):
                yield from _symbols(item)
        case Vector(items) | Brackets(items):
            for item in items:
                yield from _symbols(item)


def _forms(datum: Datum) -> Iterator[List]:
    match datum:
        case List(items):
            yield datum
            for item in items:
                yield from _forms(item)
        case Vector(items) | Brackets(items):
            for item in items:
                yield from _forms(item)
