"""Record types: `define-record-type` becomes the definitions of its procedures.

    (define-record-type <point> (make-point x y) point? (x point-x) (y point-y set-point-y!))
    =>  (define type (%record-type 'point '#(x y)))
        (define <point> type)
        (define (make-point x y) (%record type x y))
        (define (point? object) (%record? object type))
        (define (point-x record) (%record-ref record type 0 "point-x"))
        (define (set-point-y! record value) (%record-set! record type 1 value "set-point-y!")) ...

`(<circle> <point>)` for the name makes a type that extends another one (SRFI 131): its records have
the fields of `<point>` first, and are points.

    (record-update p <point> (x 5))
    =>  (let* ((record p) (x 5))
          (let ((copy (%record-copy record <point> "record-update")))
            (%record-set! copy <point> 0 x "record-update") copy))

`:call expression` at the end makes the records applicable: a call of one calls that procedure with
the record before the arguments.  For errors, the procedures count as library code: a mistake is
reported where they are called.
"""

from collections.abc import Sequence

from lambent.lang.core.denotation import Key, key_of
from lambent.lang.core.scope import Env, RecordTypeFacts
from lambent.lang.core.special_forms import (
    bad_form,
    core_name,
    fresh_name,
    rewriting_form,
)
from lambent.lang.core.special_forms import shown as shown_form
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
    "[:call procedure]); (name parent) for the name extends a type"
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
        case (_, Symbol() | List() as head, constructor, predicate, *specs):
            name, parent = _name_and_parent(head, form, env)
        case (_, Keyword(text, span), constructor, predicate, *specs):
            name = Symbol(f":{text}", span)  # SRFI 9 writes types so, and nothing can mention it
            parent = None
        case _:
            raise bad_form(form)
    call, specs = _split_call(specs, form)
    fields = [_field(spec, form) for spec in specs]
    inherited = () if parent is None else parent.fields
    names = (*inherited, *[field.name for field in fields])
    positions = _positions(inherited, fields)
    env.unit.scope.record_types.add(RecordTypeFacts(name, env, names))
    held = env.unit.fresh(f"%type:{name.name}")
    write = RecordWriter(form, env, fresh_name(held, form, env))
    shown = _without_brackets(name.name)
    labels = Vector(names, LIBRARY_SPAN)
    facts = (write.quoted(Symbol(shown, LIBRARY_SPAN)), write.quoted(labels))
    record_type = write.call("%record-type", *facts)
    if parent is not None:
        assert isinstance(head, List)
        applied = Boolean(False, LIBRARY_SPAN) if call is None else call
        maker = core_name("%record-subtype", form, env)
        record_type = List((maker, *facts, head.items[1], applied), None, head.span)
    elif call is not None:
        record_type = write.call("%applicable-type", *facts, call, Boolean(False, LIBRARY_SPAN))
    definitions = [write.define(write.type, record_type), write.define(name, write.type)]
    definitions += _constructor(constructor, names, positions, shown, write)
    match predicate:
        case Symbol():
            test = write.call("%record?", write.object, write.type)
            doc = f"Whether it is {with_article(shown)}."
            definitions.append(write.procedure(predicate, (write.object,), doc, test))
        case Boolean(False):
            pass
        case _:
            raise bad_form(form, predicate, "a name for the predicate, or #f")
    for position, field in enumerate(fields, len(inherited)):
        definitions += _access(field, position, shown, write)
    return write.call("begin", *definitions)


def _name_and_parent(head: Datum, form: List, env: Env) -> tuple[Symbol, RecordTypeFacts | None]:
    """The name of the type, and what is known of the type that it extends."""
    match head:
        case Symbol():
            return head, None
        case List((Symbol() as name, Boolean(False)), None):
            return name, None
        case List((Symbol() as name, parent), None):
            return name, _known_type(parent, "define-record-type", env)
    raise bad_form(form, head, "a name, or (name parent)")


def _known_type(name: Datum, who: str, env: Env) -> RecordTypeFacts:
    known = env.unit.scope.record_types.of(env.resolve(name)) if isinstance(name, Symbol) else None
    if known is None:
        message = f"{who}: expected the name of a record type, got {shown_form(name)}"
        raise SyntaxFault(message, name.span, hint="define it before with define-record-type")
    return known


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


def _positions(inherited: Sequence[Symbol], fields: list[_Field]) -> dict[Key, int]:
    """The index of each field.  A field hides an inherited one of the same name."""
    positions: dict[Key, int] = {}
    for position, field in enumerate(fields, len(inherited)):
        if key_of(field.name) in positions:
            raise SyntaxFault(
                f"define-record-type: the field {field.name.name} appears twice", field.name.span
            )
        positions[key_of(field.name)] = position
    for position, name in enumerate(inherited):
        positions.setdefault(name.name, position)  # a template may name it, too
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
    spec: Datum,
    fields: Sequence[Symbol],
    positions: dict[Key, int],
    shown: str,
    write: RecordWriter,
) -> list[Datum]:
    """The constructor: #f for none; a name alone takes all fields."""
    match spec:
        case Boolean(False):
            return []
        case Symbol() as name:
            parameters = tuple(fields)
        case List((Symbol() as name, *names), None):
            parameters = tuple([item for item in names if isinstance(item, Symbol)])
            if len(parameters) != len(names):
                raise bad_form(write.form, spec, "(constructor field ...)")
        case _:
            raise bad_form(write.form, spec, "(constructor field ...), a name, or #f")
    values: list[Datum] = [Boolean(False, LIBRARY_SPAN)] * len(fields)
    for symbol in parameters:
        position = positions.get(key_of(symbol), positions.get(symbol.name))
        if position is None:
            message = f"define-record-type: {shown} has no field {symbol.name}"
            raise SyntaxFault(message, symbol.span)
        values[position] = symbol
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


# Functional update.


@rewriting_form("record-update", "(record-update record type (field value) ...)")
def _record_update(form: List, env: Env) -> Datum:
    """A new record of the record's type, with other values in some fields (SRFI 57)."""
    match form.items:
        case (_, record, Symbol() as type_, *pairs) if form.tail is None:
            pass
        case _:
            raise bad_form(form)
    known = _known_type(type_, "record-update", env)
    values: list[tuple[int, Symbol, Datum]] = []
    for pair in pairs:
        match pair:
            case List((Symbol() as field, value), None):
                index = _index_of(field, known)
                values.append((index, fresh_name(field.name, form, env), value))
            case _:
                raise bad_form(form, pair, "(field value)")

    def call(name: str, *items: Datum) -> List:
        return List((core_name(name, form, env), *items), None, form.span)

    who = String("record-update", form.span)
    old, new = fresh_name("record", form, env), fresh_name("copy", form, env)
    bound = [(old, record), *[(name, value) for _, name, value in values]]
    bindings = [List(pair, None, form.span) for pair in bound]
    copied = List((new, call("%record-copy", old, type_, who)), None, form.span)
    changes = [
        call("%record-set!", new, type_, Number(index, form.span), name, who)
        for index, name, _ in values
    ]
    body = call("let", List((copied,), None, form.span), *changes, new)
    return call("let*", List(tuple(bindings), None, form.span), body)


def _index_of(field: Symbol, type_: RecordTypeFacts) -> int:
    """The last field of that name: a type's own fields hide those that it inherits."""
    for index in reversed(range(len(type_.fields))):
        if type_.fields[index].name == field.name:
            return index
    names = ", ".join(name.name for name in type_.fields)
    hint = f"its fields are {names}" if names else "it has no fields"
    message = f"record-update: {type_.name.name} has no field {field.name}"
    raise SyntaxFault(message, field.span, hint)
