"""Record types: `define-record-type` becomes the definitions of its procedures.

    (define-record-type <point> (make-point x y) point? (x point-x) (y point-y set-point-y!))
    =>  (define type (%record-type 'point '#(x y)))
        (define <point> type)
        (define (make-point x y) (%record type x y))
        (define (point? object) (%record? object type))
        (define (point-x record) (%record-ref record type 0 "point-x"))
        (define (set-point-y! record value) (%record-set! record type 1 value "set-point-y!")) ...

`:call expression` at the end makes the records applicable: a call of one calls that procedure with
the record before the arguments.  For errors, the procedures count as library code: a mistake is
reported where they are called.
"""

from lambent.lang.core.denotation import Key, key_of
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import bad_form, core_name, fresh_name, rewriting_form
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import (
    Boolean,
    Datum,
    Keyword,
    List,
    Number,
    String,
    Symbol,
    Vector,
)
from lambent.lang.syntax.source import Source, Span
from lambent.lang.system.dataclass import dataclass

_USAGE = (
    "(define-record-type name (constructor field ...) predicate (field accessor [modifier]) ... "
    "[:call procedure])"
)
_TEXT = "(define-record-type)"
LIBRARY_SPAN = Span(Source("define-record-type", _TEXT, library=True), 0, len(_TEXT))


@dataclass(frozen=True, slots=True)
class _Field:
    name: Symbol
    accessor: Symbol | None
    modifier: Symbol | None


@rewriting_form("define-record-type", _USAGE)
def _define_record_type(form: List, env: Env) -> Datum:
    match form.items:
        case (_, Symbol() as name, constructor, predicate, *specs):
            pass
        case (_, Keyword(text, span), constructor, predicate, *specs):
            name = Symbol(f":{text}", span)  # SRFI 9 writes types so, and nothing can mention it
        case _:
            raise bad_form(form)
    call, specs = _split_call(specs, form)
    fields = [_field(spec, form) for spec in specs]
    positions = _positions(fields)
    held = env.unit.fresh(f"%type:{name.name}")
    write = RecordWriter(form, env, fresh_name(held, form, env))
    shown = _without_brackets(name.name)
    labels = Vector(tuple([field.name for field in fields]), LIBRARY_SPAN)
    facts = (write.quoted(Symbol(shown, LIBRARY_SPAN)), write.quoted(labels))
    record_type = write.call("%record-type", *facts)
    if call is not None:
        record_type = write.call("%applicable-type", *facts, call, Boolean(False, LIBRARY_SPAN))
    definitions = [write.define(write.type, record_type), write.define(name, write.type)]
    definitions += _constructor(constructor, fields, positions, shown, write)
    match predicate:
        case Symbol():
            test = write.call("%record?", write.object, write.type)
            doc = f"Whether it is {with_article(shown)}."
            definitions.append(write.procedure(predicate, (write.object,), doc, test))
        case Boolean(False):
            pass
        case _:
            raise bad_form(form, predicate, "a name for the predicate, or #f")
    for position, field in enumerate(fields):
        definitions += _access(field, position, shown, write)
    return write.call("begin", *definitions)


def _split_call(specs: list[Datum], form: List) -> tuple[Datum | None, list[Datum]]:
    """The procedure after :call, if there is one, and the fields."""
    match specs:
        case [*fields, Keyword("call"), procedure]:
            return procedure, fields
    for spec in specs:
        if isinstance(spec, Keyword):
            raise bad_form(form, spec, ":call and a procedure at the end")
    return None, specs


def _field(spec: Datum, form: List) -> _Field:
    match spec:
        case Symbol() as name:
            return _Field(name, None, None)
        case List((Symbol() as name,), None):
            return _Field(name, None, None)
        case List((Symbol() as name, Symbol() as accessor), None):
            return _Field(name, accessor, None)
        case List((Symbol() as name, Symbol() as accessor, Symbol() as modifier), None):
            return _Field(name, accessor, modifier)
    raise bad_form(form, spec, "(field accessor [modifier])")


def _positions(fields: list[_Field]) -> dict[Key, int]:
    positions: dict[Key, int] = {}
    for position, field in enumerate(fields):
        if key_of(field.name) in positions:
            raise SyntaxFault(
                f"define-record-type: the field {field.name.name} appears twice", field.name.span
            )
        positions[key_of(field.name)] = position
    return positions


def _without_brackets(name: str) -> str:
    """The name of the type's records: `point` of `<point>`."""
    bracketed = len(name) > 2 and name.startswith("<") and name.endswith(">")
    return name[1:-1] if bracketed else name


def with_article(name: str) -> str:
    return f"{'an' if name[:1].lower() in tuple('aeiou') else 'a'} {name}"


# The definitions.


class RecordWriter:
    """Builds the data of the definitions of one form."""

    def __init__(self, form: List, env: Env, type_: Symbol) -> None:
        self.form = form
        self.env = env
        self.type = type_
        self.object = Symbol("object", LIBRARY_SPAN)
        self.record = Symbol("record", LIBRARY_SPAN)
        self.value = Symbol("value", LIBRARY_SPAN)

    def call(self, name: str, *items: Datum) -> List:
        return List((core_name(name, self.form, self.env), *items), None, LIBRARY_SPAN)

    def quoted(self, datum: Datum) -> Datum:
        return self.call("quote", datum)

    def define(self, name: Symbol, value: Datum) -> Datum:
        return self.call("define", name, value)

    def procedure(self, name: Symbol, parameters: tuple[Symbol, ...], doc: str, body: Datum
                  ) -> Datum:
        head = List((name, *parameters), None, LIBRARY_SPAN)
        return self.call("define", head, String(doc, LIBRARY_SPAN), body)


def _constructor(
    spec: Datum, fields: list[_Field], positions: dict[Key, int], shown: str, write: RecordWriter
) -> list[Datum]:
    """The constructor: #f for none; a name alone takes all fields."""
    match spec:
        case Boolean(False):
            return []
        case Symbol() as name:
            parameters = tuple([field.name for field in fields])
        case List((Symbol() as name, *names), None):
            parameters = tuple([item for item in names if isinstance(item, Symbol)])
            if len(parameters) != len(names):
                raise bad_form(write.form, spec, "(constructor field ...)")
        case _:
            raise bad_form(write.form, spec, "(constructor field ...), a name, or #f")
    values: list[Datum] = [Boolean(False, LIBRARY_SPAN)] * len(fields)
    for symbol in parameters:
        if key_of(symbol) not in positions:
            message = f"define-record-type: {shown} has no field {symbol.name}"
            raise SyntaxFault(message, symbol.span)
        values[positions[key_of(symbol)]] = symbol
    doc = f"A new {shown}."
    return [write.procedure(name, parameters, doc, write.call("%record", write.type, *values))]


def _access(field: _Field, position: int, shown: str, write: RecordWriter) -> list[Datum]:
    definitions: list[Datum] = []
    where = (write.record, write.type, Number(position, LIBRARY_SPAN))
    if field.accessor:
        who = String(field.accessor.name, LIBRARY_SPAN)
        doc = f"The field {field.name.name} of {with_article(shown)}."
        read = write.call("%record-ref", *where, who)
        definitions.append(write.procedure(field.accessor, (write.record,), doc, read))
    if field.modifier:
        who = String(field.modifier.name, LIBRARY_SPAN)
        doc = f"Replace the field {field.name.name} of {with_article(shown)}."
        change = write.call("%record-set!", *where, write.value, who)
        parameters = (write.record, write.value)
        definitions.append(write.procedure(field.modifier, parameters, doc, change))
    return definitions
