"""Record fields: the abstract types of the fields of the program's own record types.

    (define-record-type point (make-point x y) point? (x point-x) (y point-y))
    (make-point 1.0 2.0)     =>  both fields hold doubles, wherever a point comes from

A field holds what `%record` and `%record-set!` store in it, and nothing else: these name the type
by its variable, which the expansion of `define-record-type` alone uses.  Where code stores into
records of types that it does not name, nothing is known of any field; that does the library for
modules, and a program whose types extend others.  The library's own types are left out, because
its code is compiled once for all programs.
"""

from collections.abc import Iterable, Mapping, Sequence

from lambent.lang.compile.ir.anf import Apply, Function, GlobalGet, Literal, PrimitiveValue
from lambent.lang.compile.ir.blocks import binds_in
from lambent.lang.compile.types.abstract_types import AbstractType
from lambent.lang.core.ir import Namespace
from lambent.lang.primitives.effects import EVERYTHING, Memory
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Number
from lambent.lang.system.dataclass import dataclass, field

# The variable of a record type: a top-level one, or one of a function.  And the index of a field.
Variable = tuple[Namespace | str, str]
Field = tuple[Variable, int]

_TYPE, _NEW, _REF, _SET = "rt_record_type", "rt_record", "rt_record_ref", "rt_record_set"
_SUBTYPE = "rt_record_subtype"


@dataclass(slots=True)
class RecordFields:
    """variables: by function, the names that hold variables of record types.  types: of the fields,
    so far.  readers: the functions that have read a field.  known: whether all stores are seen."""

    variables: Mapping[str, Mapping[str, Variable]]
    literals: Mapping[str, Mapping[str, Literal]]
    known: bool = True
    types: dict[Field, AbstractType] = field(default_factory=dict)
    readers: dict[Field, set[str]] = field(default_factory=dict)

    def read(self, function: str, apply: Apply) -> AbstractType | None:
        """The type of the field that an operation reads; None if it reads none, or an unknown one.
        The function is walked through again when that changes."""
        if apply.primitive.symbol != _REF or not self.known:
            return None
        read = self.field(function, apply.arguments[1], apply.arguments[2])
        if read is None:
            return None
        self.readers.setdefault(read, set()).add(function)
        return self.types.get(read, AbstractType.NOTHING)

    def store(
        self, function: str, apply: Apply, types: Sequence[AbstractType]
    ) -> Iterable[str]:
        """An operation stores what its arguments hold, of these types; the functions for which
        that changes something."""
        if not self.known:
            return ()
        arguments = apply.arguments
        if apply.primitive.symbol == _NEW:
            key = self.variable(function, arguments[0])
            if key is not None:
                return [
                    reader
                    for index, type_ in enumerate(types[1:])
                    for reader in self.join((key, index), type_)
                ]
        elif apply.primitive.symbol == _SET:
            written = self.field(function, arguments[1], arguments[2])
            if written is not None:
                return self.join(written, types[3])
        return ()

    def join(self, stored: Field, type_: AbstractType) -> Iterable[str]:
        before = self.types.get(stored, AbstractType.NOTHING)
        after = before.join(type_)
        if after is before:
            return ()
        self.types[stored] = after
        return self.readers.get(stored, ())

    def fill_empty(self) -> list[str]:
        """Let the fields hold anything that are read, but in which nothing is stored: what follows
        such a read never runs, but is compiled.  The functions for which that changes something."""
        empty = [read for read in self.readers if read not in self.types]
        self.types.update(dict.fromkeys(empty, AbstractType.ANYTHING))
        return sorted({reader for read in empty for reader in self.readers[read]})

    def variable(self, function: str, name: str) -> Variable | None:
        variable = self.variables[function].get(name)
        return None if variable is not None and variable[0] is Namespace.LIBRARY else variable

    def field(self, function: str, type_: str, index: str) -> Field | None:
        key = self.variable(function, type_)
        literal = self.literals[function].get(index)
        match literal:
            case Literal(Number(int() as number)) if key is not None:
                return key, number
        return None


def find_record_fields(
    functions: Mapping[str, Function], literals: Mapping[str, Mapping[str, Literal]]
) -> RecordFields:
    """What a program says of its record types before inference."""
    variables: dict[str, dict[str, Variable]] = {}
    fields = RecordFields(variables, literals)
    for name, function in functions.items():
        found = variables[name] = {}
        fields.known &= function.interface is None or not function.interface.stores_records
        for bind in binds_in(function.body):
            match bind.operation:
                case GlobalGet(variable, namespace):
                    found[bind.name] = namespace, variable
                case Apply(primitive, arguments):
                    if primitive.symbol == _TYPE:
                        found[bind.name] = name, bind.name
                    fields.known &= _names_its_type(primitive, arguments, found)
                case PrimitiveValue(primitive):
                    fields.known &= not _stores(primitive)
    return fields


def stores_unnamed(function: Function) -> bool:
    """Whether a function stores into records of types that it does not name by their variables."""
    return not find_record_fields({function.name: function}, {}).known


def _names_its_type(
    primitive: Primitive, arguments: tuple[str, ...], variables: Mapping[str, Variable]
) -> bool:
    """Whether an operation stores nothing in records, or names their type by its variable.  It
    names one type only, if types extend others."""
    if primitive.symbol == _SUBTYPE:
        return False
    if not _stores(primitive):
        return True
    type_ = {_NEW: 0, _SET: 1}.get(primitive.symbol)
    return type_ is not None and arguments[type_] in variables


def _stores(primitive: Primitive) -> bool:
    """Whether it stores values in records, new ones or those that exist.  What may write anything
    calls procedures, or uses tensors."""
    writes = primitive.effects.writes
    return primitive.symbol == _NEW or (Memory.RECORD in writes and writes != EVERYTHING)
