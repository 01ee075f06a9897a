"""Hash tables: Python dictionaries whose keys are equal in Python if the Lisp keys are equal?.

    "a" => the str a    1 => 1    1.0 => (float, "1.0")    (1 2) => a _CompoundKey

A table with its own equivalence is searched by the library (stdlib/language/hash-keying.lisp),
since primitives do not call procedures.  The library passes the hash with each key, and only asks
for keys that the table contains, which are compared by eqv?.
"""

from collections.abc import Callable
from itertools import count
from operator import attrgetter, itemgetter

from lambent.lang.errors import LispError
from lambent.lang.interp.builtins.arguments import text_of
from lambent.lang.interp.builtins.equality import equal_values
from lambent.lang.interp.errors.faults import no_room, shown, wrong_type
from lambent.lang.interp.values.values import (
    ABSENT,
    FALSE,
    NUMBERS,
    TRUE,
    UNSPECIFIED,
    Boolean,
    Bytes,
    Char,
    HashTable,
    Lisp,
    Pair,
    String,
    Symbol,
    Tensor,
    Vector,
    boolean,
    list_of,
)

_HASH_MODULUS = 4294967291  # %hash-modulus of the library
_LOOSE_EQUALITY = 7  # %loose-equality of the library: equal?, while all keys are plain
_PLAIN = {String, Symbol, Char, int}  # on which all equalities agree
_HASHED_ELEMENTS = 64  # of a key, so that circular keys have a hash as well

Key = object


class _CompoundKey:
    """A key with elements.  It is hashed once, when it is inserted; executables do the same."""

    __slots__ = ("hash", "value")

    def __init__(self, value: Lisp) -> None:
        self.value = value
        self.hash = hash(tuple(_atoms(value)))

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _CompoundKey) and equal_values(self.value, other.value)


def _atoms(value: Lisp) -> list[Key]:
    """The first atoms of a key in order, and where pairs and vectors begin."""
    atoms: list[Key] = []
    waiting = [value]
    left = _HASHED_ELEMENTS
    while waiting and left > 0:
        value = waiting.pop()
        left -= 1
        kind = value.__class__
        if kind is Pair:
            atoms.append("(")
            waiting.append(value.cdr)
            waiting.append(value.car)
        elif kind is Vector:
            atoms.append("#")
            waiting.extend(reversed(value.items[:left]))
        elif isinstance(value, Tensor):
            atoms.append("tensor")
        elif kind is Bytes:
            atoms.append(bytes(value.data))
        else:
            atoms.append(_key(value))
    return atoms


def _key(value: Lisp) -> Key:
    kind = value.__class__
    if kind is String:
        return value.text
    if kind is int:
        return value
    if kind is Pair or kind is Vector or kind is Bytes:
        return _CompoundKey(value)
    if kind in NUMBERS:
        # Equal numbers may differ in exactness, and 0.0 is not -0.0.
        return (kind, repr(value))
    if isinstance(value, Tensor):
        return (Tensor, id(value))
    return value


def _identity_key(value: Lisp) -> Key:
    """The Python key for eqv?.  Python compares objects of these classes by identity."""
    return value if value.__class__ in _WITH_IDENTITY else _key(value)


_WITH_IDENTITY = {String, Pair, Vector, Bytes}


def _key_in(name: str, table: HashTable, value: Lisp) -> Key:
    """The Python key of a key, for a procedure that takes only tables by equal? or eqv?."""
    if not table.by_identity:
        if table.equivalence != _LOOSE_EQUALITY or value.__class__ in _PLAIN:
            return _key(value)
    elif table.keying is None:
        return _identity_key(value)
    raise LispError(
        f"{name}: expected a hash table by equal? or eqv?, got {shown(table)}",
        hint="hash-table-ref, hash-table-set! and the other procedures of SRFI 69 take all tables",
    )


def _entries(name: str, table: Lisp) -> dict[Key, tuple[Lisp, Lisp]]:
    if table.__class__ is not HashTable:
        wrong_type(name, "a hash table", table)
    return table.entries


def make_hash_table() -> HashTable:
    return HashTable(False, {}, None, 0)


def make_identity_table() -> HashTable:
    return HashTable(True, {}, None, 0)


def note_equivalence(table: Lisp, number: Lisp) -> Lisp:
    _entries("%note-equivalence!", table)
    table.equivalence = number
    return UNSPECIFIED


def noted_equivalence(table: Lisp) -> Lisp:
    _entries("hash-table-equivalence-function", table)
    return table.equivalence


def is_identity_table(table: Lisp) -> Boolean:
    _entries("hash-table-equivalence-function", table)
    return boolean(table.by_identity and table.keying is None)


def is_hash_table(x: Lisp) -> Boolean:
    return boolean(x.__class__ is HashTable)


def hash_ref(table: Lisp, key: Lisp, default: Lisp = ABSENT) -> Lisp:
    entry = _entries("hash-ref", table).get(_key_in("hash-ref", table, key))
    if entry is not None:
        return entry[1]
    if default is ABSENT:
        raise LispError(f"hash-ref: no such key: {shown(key)}")
    return default


def hash_set(table: Lisp, key: Lisp, value: Lisp) -> Lisp:
    entries = _entries("hash-set!", table)
    python_key = _key_in("hash-set!", table, key)
    entry = entries.get(python_key)
    try:  # an existing key stays the same object
        entries[python_key] = (key if entry is None else entry[0], value)
    except MemoryError:
        no_room("hash-set!", len(entries) + 1, "keys")
    return UNSPECIFIED


def hash_delete(table: Lisp, key: Lisp) -> Lisp:
    _entries("hash-delete!", table).pop(_key_in("hash-delete!", table, key), None)
    return UNSPECIFIED


def hash_has_key(table: Lisp, key: Lisp) -> Boolean:
    entries = _entries("hash-has-key?", table)
    return boolean(_key_in("hash-has-key?", table, key) in entries)


def hash_size(table: Lisp) -> int:
    return len(_entries("hash-size", table))


def _listed(name: str, table: Lisp, item: Callable[[tuple[Lisp, Lisp]], Lisp]) -> Lisp:
    """The list of what `item` makes of each key and value."""
    entries = _entries(name, table)
    try:
        return list_of([item(entry) for entry in entries.values()])
    except MemoryError:
        return no_room(name, len(entries), "elements")


def hash_keys(table: Lisp) -> Lisp:
    return _listed("hash-keys", table, itemgetter(0))


def hash_values(table: Lisp) -> Lisp:
    return _listed("hash-values", table, itemgetter(1))


def hash_to_list(table: Lisp) -> Lisp:
    return _listed("hash->list", table, lambda entry: Pair(*entry))


def hash_clear(table: Lisp) -> Lisp:
    _entries("hash-clear!", table).clear()
    return UNSPECIFIED


def hash_copy(table: Lisp) -> HashTable:
    copy = make_hash_table()
    entries = _entries("hash-copy", table)
    try:
        copy.entries = dict(entries)
    except MemoryError:
        no_room("hash-copy", len(entries), "keys")
    copy.by_identity = table.by_identity
    copy.keying = table.keying
    copy.equivalence = table.equivalence
    return copy


# Many keys at once, for sets.


def is_searchable(table: Lisp, key: Lisp) -> Boolean:
    return boolean(
        table.__class__ is HashTable
        and table.keying is None
        and (table.equivalence != _LOOSE_EQUALITY or key.__class__ in _PLAIN)
    )


def add_keys(table: Lisp, keys: Lisp, value: Lisp) -> Lisp:
    while keys.__class__ is Pair and is_searchable(table, keys.car) is TRUE:
        hash_set(table, keys.car, value)
        keys = keys.cdr
    return keys


def _are_alike(table: HashTable, other: HashTable) -> bool:
    return (
        table.by_identity == other.by_identity
        and table.equivalence == other.equivalence
        and table.keying is None
        and other.keying is None
    )


def unite_tables(table: HashTable, other: HashTable) -> Boolean:
    if not _are_alike(table, other):
        return FALSE
    own = table.entries
    try:
        own.update({key: entry for key, entry in other.entries.items() if key not in own})
    except MemoryError:
        no_room("hash-table-set!", len(own) + 1, "keys")
    return TRUE


def selected_keys(table: HashTable, other: HashTable, kept: Lisp) -> Lisp:
    if not _are_alike(table, other):
        return FALSE
    have = other.entries
    if kept is FALSE:
        entries = {key: entry for key, entry in table.entries.items() if key not in have}
    else:
        entries = {key: entry for key, entry in table.entries.items() if key in have}
    return HashTable(table.by_identity, entries, None, table.equivalence)


# Tables with their own equivalence.

_numbers = count()


class _Keyed:
    """A key with a hash from the library.  number: orders the keys of one hash by creation."""

    __slots__ = ("hash", "key", "number", "value")

    def __init__(self, hash_: int, value: Lisp) -> None:
        self.hash = hash_
        self.value = value
        self.key = _identity_key(value)
        self.number = next(_numbers)

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _Probe):
            other.met.append(self)
            return False
        return isinstance(other, _Keyed) and self.key == other.key


class _Probe:
    """Looked up in a dictionary, it collects all keys with its hash, since it is equal to none."""

    __slots__ = ("hash", "met")

    def __init__(self, hash_: int) -> None:
        self.hash = hash_
        self.met: list[_Keyed] = []

    def __hash__(self) -> int:
        return self.hash


def make_keyed_table(keying: Lisp) -> HashTable:
    table = make_identity_table()
    table.keying = keying
    return table


def set_keying(table: Lisp, keying: Lisp) -> Lisp:
    _entries("%set-keying!", table)
    table.by_identity = True
    table.keying = keying
    return UNSPECIFIED


def hash_text(text: Lisp) -> int:
    value = 0
    for char in text_of("hash", text):
        value = (31 * value + ord(char) + 7) % _HASH_MODULUS
    return value


def table_keying(table: Lisp) -> Lisp:
    if table.__class__ is not HashTable or table.keying is None:
        return FALSE
    return table.keying


def keys_of_hash(table: HashTable, hash_: int) -> Lisp:
    probe = _Probe(hash_)
    table.entries.get(probe)
    return list_of([key.value for key in sorted(probe.met, key=attrgetter("number"))])


def keyed_ref(table: HashTable, hash_: int, key: Lisp, default: Lisp) -> Lisp:
    entry = table.entries.get(_Keyed(hash_, key))
    return default if entry is None else entry[1]


def keyed_set(table: HashTable, hash_: int, key: Lisp, value: Lisp) -> Lisp:
    keyed = _Keyed(hash_, key)
    entry = table.entries.get(keyed)
    try:
        table.entries[keyed] = (key if entry is None else entry[0], value)
    except MemoryError:
        no_room("hash-table-set!", len(table.entries) + 1, "keys")
    return UNSPECIFIED


def keyed_delete(table: HashTable, hash_: int, key: Lisp) -> Lisp:
    table.entries.pop(_Keyed(hash_, key), None)
    return UNSPECIFIED
