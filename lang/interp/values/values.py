"""Lisp values in Python.

Integers are `int`, rationals `rationals.Ratio`, doubles `float`, and procedures are Python
functions; all other values are instances of `Value`.  Python's arithmetic and order raise
`BadOperandError` for a Value, so emitted code can write `a + b` without a check:

    (+ 1 'x)  =>  1 + symbol("x")  =>  BadOperandError(x)  =>  "+: expected a number, got x"

`eq?` is `is`: symbols, keywords, characters and the singletons are interned.
"""

from _weakref import ref
from collections.abc import Callable
from operator import attrgetter
from typing import Any, NoReturn

from lambent.lang.interp.native import NATIVE, atoms, in_native, structure

# Any Lisp value.  Python's number types are among them, so there is no common class.
Lisp = Any


class BadOperandError(Exception):
    """An operand of an operator is not a number.

    own is the value whose method Python called, method that method's name: for `<` and the other
    comparisons, only both together say which operand was on the left.
    """

    def __init__(self, own: Lisp, other: Lisp, method: str) -> None:
        super().__init__()
        self.own = own
        self.other = other
        self.method = method


def _refusal(method: str) -> Callable[..., NoReturn]:
    def refuse(self: Lisp, other: Lisp = None) -> NoReturn:
        raise BadOperandError(self, other, method)

    return refuse


class Value:
    """The base class of all values but numbers and procedures: arithmetic refuses them."""

    __slots__ = ()

    __add__ = __sub__ = __mul__ = _refusal("left")
    __radd__ = __rsub__ = __rmul__ = _refusal("right")
    __neg__ = _refusal("left")
    __lt__ = _refusal("<")
    __gt__ = _refusal(">")
    __le__ = _refusal("<=")
    __ge__ = _refusal(">=")


class Boolean(Value):
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Singleton(Value):
    """A unique value, such as the empty list; name is how it prints."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Symbol(Value):
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Keyword(Value):
    """`:name`, without its colon."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


@atoms
class String(Value):
    """An immutable string."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Char(Value):
    __slots__ = ("char",)

    def __init__(self, char: str) -> None:
        self.char = char


@structure
class Pair(Value):
    __slots__ = ("car", "cdr")

    def __init__(self, car: Lisp, cdr: Lisp) -> None:
        self.car = car
        self.cdr = cdr


@structure
class Vector(Value):
    __slots__ = ("items",)

    def __init__(self, items: list[Lisp]) -> None:
        self.items = items


@structure
class Values(Value):
    """Any number of values but one: the result of `values`."""

    __slots__ = ("items",)

    def __init__(self, items: tuple[Lisp, ...]) -> None:
        self.items = items


@structure
class HashTable(Value):
    """entries: from a Python key for each Lisp key to the Lisp key with its value.

    by_identity: keys are compared by eqv?, not by equal?.
    keying: the library's data about the table's own equivalence; None if it has none.
    equivalence: the library's number of the built-in equivalence that it was made with.
    """

    __slots__ = ("by_identity", "entries", "keying", "equivalence")  # noqa: RUF023 - of native/

    def __init__(
        self,
        by_identity: bool,
        entries: dict[Any, tuple[Lisp, Lisp]],
        keying: Lisp,
        equivalence: int,
    ) -> None:
        self.by_identity = by_identity
        self.entries = entries
        self.keying = keying
        self.equivalence = equivalence


class Record(Value):
    """The base class of all records.  The field at index 0 is the attribute f0, and so on.

    type_: the type of a class's records.
    """

    __slots__ = ()

    type_: "RecordType"


class RecordType(Value):
    """record_class: the Python class of the type's records, which takes a value for each field.

    fields: the names of the fields that are printed, None if records print nothing.
    call: the procedure of applicable records, None for others.  roles: the role of each named field
    of a module, a Vector; None for other records.
    """

    __slots__ = ("call", "fields", "name", "record_class", "roles")

    def __init__(
        self, name: str, fields: tuple[str, ...] | None, record_class: type[Record]
    ) -> None:
        self.name = name
        self.fields = fields
        self.record_class = record_class
        self.call: Any = None
        self.roles: Vector | None = None


class Bytes(Value):
    """A bytevector."""

    __slots__ = ("data",)

    def __init__(self, data: bytearray) -> None:
        self.data = data


class Port(Value):
    """What programs read from or write to: see `input_streams.py` and `output_streams.py`.

    input is None for an output port, output is None for an input port.  put writes text; it is None
    where text cannot be written, also after the port is closed.
    """

    __slots__ = ("binary", "input", "is_open", "output", "put")

    def __init__(self, input_: Any, output: Any, binary: bool) -> None:
        self.input = input_
        self.output = output
        self.binary = binary
        self.is_open = True
        self.put: Callable[[str], object] | None = None if input_ or binary else output.put


@structure
class Condition(Value):
    """An error object.  hint: a string or #f.  category: "file", "read" or "" (see file-error?)."""

    __slots__ = ("category", "hint", "irritants", "message")

    def __init__(self, message: Lisp, irritants: Lisp, hint: Lisp, category: str) -> None:
        self.message = message
        self.irritants = irritants
        self.hint = hint
        self.category = category


class Environment(Value):
    """An argument of `eval`: the top level of a module, a `core.scope.Scope`."""

    __slots__ = ("scope",)

    def __init__(self, scope: Any) -> None:
        self.scope = scope


class Tensor(Value):
    """The base class of tensors; `builtins/tensors.py` creates the class that has a handle."""

    __slots__ = ()


class Foreign(Value):
    """An object of LibTorch that is not a tensor, such as a module; its repr is how it prints."""

    __slots__ = ()


FALSE = Boolean("#f")
TRUE = Boolean("#t")
NIL = Singleton("()")
UNSPECIFIED = Singleton("#<unspecified>")
ABSENT = Singleton("#<absent>")  # the value of a keyword parameter without an argument
EOF = Singleton("#<eof>")

Procedure = type(_refusal)
NUMBERS: set[type] = {int, float}  # `rationals.py` adds its class when it is loaded
NUMERIC: set[type] = {int, float}  # numbers, and the class of tensors when it is loaded

# The exceptions of LibTorch and the exact class of tensors: empty until LibTorch is loaded.
TENSOR_ERRORS: list[type[Exception]] = []
_tensor_watchers: "list[ref[TensorWatcher]]" = []  # notified when LibTorch is loaded
_tensor_classes: list[type] = []

_symbols: dict[str, Symbol] = {}
_keywords: dict[str, Keyword] = {}


class _Characters(dict[str, Char]):
    """The characters that exist, by their text."""

    def __missing__(self, text: str) -> Char:
        character = self[text] = Char(text)
        return character


# The one character value of a string of length 1: CHARS[text], or char(text).
CHARS = _Characters()
char: Callable[[str], Char] = CHARS.__getitem__


def symbol(name: str) -> Symbol:
    """The one symbol of that name."""
    symbol = _symbols.get(name)
    if symbol is None:
        symbol = _symbols[name] = Symbol(name)
    return symbol


def keyword(name: str) -> Keyword:
    """The one keyword of that name, without its colon."""
    keyword = _keywords.get(name)
    if keyword is None:
        keyword = _keywords[name] = Keyword(name)
    return keyword


def is_numeric(x: Lisp) -> bool:
    """Whether arithmetic takes it: a number or a tensor."""
    return x.__class__ in NUMERIC


def is_number(x: Lisp) -> bool:
    return x.__class__ in NUMBERS


def is_procedure(x: Lisp) -> bool:
    """Whether it can be called: a procedure or an applicable record."""
    return x.__class__ is Procedure or call_procedure(x) is not None


def call_procedure(x: Lisp) -> Any:
    """The procedure that a call of an applicable record runs; None for other values."""
    return x.type_.call if isinstance(x, Record) else None


@in_native
def list_of(items: "list[Lisp] | tuple[Lisp, ...]", tail: Lisp = NIL) -> Lisp:
    """The Lisp list of the items."""
    result = tail
    for item in reversed(items):
        result = Pair(item, result)
    return result


@in_native
def items_of(lisp_list: Lisp) -> list[Lisp] | None:
    """The elements of a proper list; None for other values.

    One of the list's pairs is remembered, each time twice as far; meeting it again means a cycle.
    """
    items: list[Lisp] = []
    remembered, next_count = None, 64
    while lisp_list.__class__ is Pair:
        items.append(lisp_list.car)
        lisp_list = lisp_list.cdr
        if lisp_list is remembered:
            return None
        if len(items) == next_count:
            remembered, next_count = lisp_list, 2 * next_count
    return items if lisp_list is NIL else None


def boolean(test: bool) -> Boolean:
    return TRUE if test else FALSE


def announce_tensors(tensor_class: type, error_class: type[Exception]) -> None:
    """Called when LibTorch is loaded, with the class of all tensors and that of its exceptions."""
    NUMERIC.add(tensor_class)
    TENSOR_ERRORS.append(error_class)
    _tensor_classes.append(tensor_class)
    for watcher in [reference() for reference in _tensor_watchers]:
        if watcher is not None:
            watcher.set_tensor_class(tensor_class)
    _tensor_watchers.clear()


class TensorWatcher:
    """An object that needs the exact class of tensors."""

    def set_tensor_class(self, tensor_class: type) -> None:
        raise NotImplementedError


def watch_tensors(watcher: TensorWatcher) -> None:
    """Call `set_tensor_class` when the class of tensors exists, if the watcher is still alive."""
    for tensor_class in _tensor_classes:
        watcher.set_tensor_class(tensor_class)
    if not _tensor_classes:
        _tensor_watchers.append(ref(watcher, _tensor_watchers.remove))


def are_there_tensors() -> bool:
    """Whether LibTorch is loaded."""
    return bool(_tensor_classes)


class Tail:
    """A tail call that a function returned to the trampoline: see `run_trampoline`.

    There is one object for all: between the return of the function and the trampoline's reading of
    the object, no other code runs.
    """

    __slots__ = ("arguments", "at", "function")

    function: Callable[..., Lisp]
    arguments: tuple[Lisp, ...]
    at: tuple[str, int]  # the code unit, and the number of the location in it

    def forget(self) -> None:
        """Drop the references of a call that is done."""
        self.function = self.nothing
        self.arguments = ()

    @staticmethod
    def nothing() -> Lisp:
        raise AssertionError("no tail call is waiting")


TAIL = Tail()
TAIL.forget()
TAIL.at = "", 0


def held_tail() -> tuple[Callable[..., Lisp], tuple[Lisp, ...], tuple[str, int]]:
    """The waiting tail call, if any, so that code that interrupts Lisp can restore it."""
    return TAIL.function, TAIL.arguments, TAIL.at


def run_trampoline() -> Lisp:
    """Make the waiting tail calls until one returns a value.

    trace.py recognizes this function's frames, and reads `at` from them.
    """
    while True:
        at = TAIL.at  # noqa: F841 - trace.py reads it
        result = TAIL.function(*TAIL.arguments)
        if result is not TAIL:
            TAIL.function = TAIL.nothing  # as `forget` does, without a call
            TAIL.arguments = ()
            return result


def _bad_call(procedure: Lisp, count: int, traceback: Any) -> None:
    """Raise the error for a call from C that failed before any code of the procedure ran."""
    from lambent.lang.interp.errors.messages import bad_call
    from lambent.lang.interp.values.module_calls import is_module_frame

    while traceback is not None:
        if not is_module_frame(traceback.tb_frame):
            return
        traceback = traceback.tb_next
    raise bad_call(procedure, count)


def enter_python() -> None:
    """Called now and then by loops in C that call no other Python code."""


def _find_function(module: str, name: str) -> Any:
    from importlib import import_module

    return getattr(import_module(f"lambent.lang.interp.{module}"), name)


def _equal_values(a: Lisp, b: Lisp) -> bool:
    from lambent.lang.interp.builtins.equality import equal_values

    return equal_values(a, b)


TEXT_OF_STRING = attrgetter("text")  # the key by which C sorts strings

if NATIVE is not None:
    NATIVE.configure({
        "String": String, "Vector": Vector, "Char": Char, "Symbol": Symbol,
        "HashTable": HashTable, "Foreign": Foreign, "ABSENT": ABSENT, "null": symbol("null"),
        "NIL": NIL, "FALSE": FALSE, "TRUE": TRUE, "EOF": EOF,
        "UNSPECIFIED": UNSPECIFIED, "TAIL": TAIL, "CHARS": CHARS, "run_trampoline": run_trampoline,
        "bad_call": _bad_call, "enter_python": enter_python, "equal_values": _equal_values,
        "find_function": _find_function,
    })
