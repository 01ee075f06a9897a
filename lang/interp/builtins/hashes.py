"""Hash tables: a Python dictionary, by keys that are equal in Python when they are equal?.

    "a" => the str a     1 => 1     1.0 => (float, "1.0")     (1 2) => a _Part that hashes its parts
"""

from lambent.lang.errors import LispError
from lambent.lang.interp.builtins.equality import equal_values
from lambent.lang.interp.faults import shown, wrong_type
from lambent.lang.interp.values import (
    ABSENT,
    NUMBERS,
    UNSPECIFIED,
    Boolean,
    Bytes,
    HashTable,
    Lisp,
    Pair,
    String,
    Tensor,
    Vector,
    boolean,
    list_of,
)

_HASHED_PARTS = 64  # of a key; so a circular one has a hash, too

Key = object


class _Part:
    """A key that has parts.  It is hashed when it is put in; executables do the same."""

    __slots__ = ("hash", "value")

    def __init__(self, value: Lisp) -> None:
        self.value = value
        self.hash = hash(tuple(_atoms(value)))

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Part) and equal_values(self.value, other.value)


def _atoms(value: Lisp) -> list[Key]:
    """The first parts of a key in order, and where parts of parts begin."""
    atoms: list[Key] = []
    waiting = [value]
    left = _HASHED_PARTS
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
        return _Part(value)
    if kind in NUMBERS:
        # Equal numbers may differ in exactness, and 0.0 is not -0.0.
        return (kind, repr(value))
    if isinstance(value, Tensor):
        return (Tensor, id(value))
    return value


def _key_in(table: Lisp, value: Lisp) -> Key:
    """What a key of a table is in Python.  These of Lisp's classes compare by identity there."""
    if table.__class__ is HashTable and table.by_identity and value.__class__ in _WITH_IDENTITY:
        return value
    return _key(value)


_WITH_IDENTITY = {String, Pair, Vector, Bytes}


def _entries(name: str, table: Lisp) -> dict[Key, tuple[Lisp, Lisp]]:
    if table.__class__ is not HashTable:
        wrong_type(name, "a hash table", table)
    return table.entries


def make_hash_table() -> HashTable:
    return HashTable()


def make_identity_table() -> HashTable:
    table = HashTable()
    table.by_identity = True
    return table


def is_identity_table(table: Lisp) -> Boolean:
    _entries("hash-table-equivalence-function", table)
    return boolean(table.by_identity)


def is_hash_table(x: Lisp) -> Boolean:
    return boolean(x.__class__ is HashTable)


def hash_ref(table: Lisp, key: Lisp, default: Lisp = ABSENT) -> Lisp:
    entry = _entries("hash-ref", table).get(_key_in(table, key))
    if entry is not None:
        return entry[1]
    if default is ABSENT:
        raise LispError(f"hash-ref: no such key: {shown(key)}")
    return default


def hash_set(table: Lisp, key: Lisp, value: Lisp) -> Lisp:
    entries = _entries("hash-set!", table)
    known = _key_in(table, key)
    entry = entries.get(known)
    # A key that is there stays the object that it was.
    entries[known] = (key if entry is None else entry[0], value)
    return UNSPECIFIED


def hash_delete(table: Lisp, key: Lisp) -> Lisp:
    _entries("hash-delete!", table).pop(_key_in(table, key), None)
    return UNSPECIFIED


def hash_has_key(table: Lisp, key: Lisp) -> Boolean:
    return boolean(_key_in(table, key) in _entries("hash-has-key?", table))


def hash_size(table: Lisp) -> int:
    return len(_entries("hash-size", table))


def hash_keys(table: Lisp) -> Lisp:
    return list_of([key for key, _ in _entries("hash-keys", table).values()])


def hash_values(table: Lisp) -> Lisp:
    return list_of([value for _, value in _entries("hash-values", table).values()])


def hash_to_list(table: Lisp) -> Lisp:
    return list_of([Pair(*entry) for entry in _entries("hash->list", table).values()])


def hash_clear(table: Lisp) -> Lisp:
    _entries("hash-clear!", table).clear()
    return UNSPECIFIED


def hash_copy(table: Lisp) -> HashTable:
    copy = HashTable()
    copy.entries = dict(_entries("hash-copy", table))
    copy.by_identity = table.by_identity
    return copy
