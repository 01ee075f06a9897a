"""Constants of a program: C expressions for them, and the table from which they are created.

A constant that fits a word is written where it is used.  Strings, symbols, large numbers and quoted
data are created once, before the program runs, and live as long as it does.  `rt_make_literals`
reads them from a table, elements before compound data (runtime/data/literals.c).

    7      =>  rt_of_fixnum(7LL)
    "hi"   =>  text_hi         {RT_LITERAL_STRING, 2, "hi", &text_hi},
    '(a 1) =>  list_1          {RT_LITERAL_SYMBOL, 1, "a", NULL},
                               {RT_LITERAL_FIXNUM, 1, NULL, NULL},
                               {RT_LITERAL_LIST, 2, NULL, &list_1},
"""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import groupby

from lambent.lang.compile.c.c_constants import c_bytes, c_double, c_integer, c_struct
from lambent.lang.compile.c.names import CONSTANT_PREFIXES, Scope, c_suffix
from lambent.lang.compile.ir.anf import Representation, fits_in_word
from lambent.lang.core.ir import Special
from lambent.lang.primitives.ranges import FIXNUMS
from lambent.lang.syntax.datum import (
    Boolean,
    Brackets,
    Bytes,
    Character,
    Datum,
    Keyword,
    Labelled,
    List,
    Number,
    Reference,
    String,
    Symbol,
    Vector,
)
from lambent.lang.syntax.labels import labelled_text
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field

_A_LINE = 10  # numbers


@dataclass(frozen=True, slots=True)
class _Node:
    """A constant or an element of one.

    kind: of its row in the table.  count: its size, or the number or immediate itself.  data: the C
    expression of its contents.  elements: indices of nodes.  location: of constants that programs
    can tell apart (by eq?, or because they are mutable), so that each location has its own.
    """

    kind: str
    count: str
    data: str = "NULL"
    elements: tuple[int, ...] = ()
    location: str = ""


@dataclass(slots=True)
class Literals:
    """The constants that have been asked for, each created once.

    names: the C variables of the constants in the program's code, by the index of the node.
    """

    _nodes: list[_Node] = field(default_factory=list)
    _indices: dict[_Node, int] = field(default_factory=dict)
    _names: dict[int, str] = field(default_factory=dict)
    _elements: set[int] = field(default_factory=set)  # of all constants so far
    _scope: Scope = field(default_factory=Scope)

    def expression(self, value: Datum | Special, representation: Representation) -> str:
        """The C expression of a constant in a representation."""
        match representation, value:
            case Representation.BOOLEAN, Boolean(truth):
                return "true" if truth else "false"
            case Representation.FIXNUM, Number(int(number)):
                return c_integer(number)
            case Representation.FLOAT, Number(number):
                return c_double(float(number))
            case Representation.VALUE, Number(int(number)) if number in FIXNUMS:
                return f"rt_of_fixnum({c_integer(number)})"
            case Representation.VALUE, Number(float(number)) if fits_in_word(number):
                return f"rt_of_double({c_double(number)})"
            case Representation.VALUE, _:
                return _immediate(value) or self._name(self._index(value), *_words(value))
        raise AssertionError((value, representation))

    def string(self, text: str, location: str = "") -> str:
        """The C expression of a constant string."""
        return self._name(self._string(text, location), "text", text)

    def declarations(self) -> Iterator[str]:
        """The variables that hold the constants."""
        for name in self._names.values():
            yield f"static rt_value {name};"

    def table(self) -> Iterator[str]:
        """The rows of the table."""
        made: set[int] = set()
        for index, name in self._names.items():
            if index not in made:
                yield from self._rows(index, made)
                yield self._row(index, name)

    # Nodes.

    def _index(self, value: Datum | Special) -> int:
        """The node of a constant, after those of its elements."""
        return number_after_elements(value, self._made)

    def _made(self, value: Datum | Special, elements: tuple[int, ...]) -> int:
        """The node of a constant with the nodes of its elements."""
        if (immediate := _immediate(value)) is not None:
            return self._node(_Node("WORD", f"(int64_t){immediate}"))
        match value:
            case Number(number):
                return self._node(_number(number))
            case String(text, span):
                return self._string(text, location_of(value, span))
            case Symbol(name):
                return self._node(_of_text("SYMBOL", name))
            case Keyword(name):
                return self._node(_of_text("KEYWORD", name))
            case List(_, tail, span):
                kind = "LIST" if tail is None else "LIST_ON"
                return self._compound(kind, elements, location_of(value, span))
            case Vector(_, span):
                return self._compound("VECTOR", elements, location_of(value, span))
            case Bytes(data, span):
                return self._node(
                    _Node(
                        "BYTES", str(len(data)), c_bytes(data), location=location_of(value, span)
                    )
                )
            case Labelled(_, _, span):
                text = labelled_text(value)
                cycle = c_struct(read="rt_literal_read", text=c_bytes(text.encode()))
                made = f"&(const rt_cycle){cycle}"
                return self._node(
                    _Node("CYCLE", str(len(text.encode())), made, location=location_key(span))
                )
            case Reference():
                raise AssertionError("references stand in the data that they lead to")
        raise AssertionError(f"{value}: no constant")

    def _compound(self, kind: str, elements: tuple[int, ...], location: str) -> int:
        count = len(elements) - (kind == "LIST_ON")
        before = len(self._nodes)
        index = self._node(_Node(kind, str(count), elements=elements, location=location))
        for element in elements if index == before else ():
            # An element that occurs twice is one object: it needs a variable.
            if self._nodes[element].location and element in self._elements:
                self._name(element, "element", "")
            self._elements.add(element)
        return index

    def _string(self, text: str, location: str) -> int:
        return self._node(_of_text("STRING", text, location))

    def _node(self, node: _Node) -> int:
        index = self._indices.setdefault(node, len(self._nodes))
        if index == len(self._nodes):
            self._nodes.append(node)
        return index

    def _name(self, index: int, kind: str, text: str) -> str:
        """The variable of a constant, named by its text if that is short."""
        assert kind in CONSTANT_PREFIXES, kind
        if index not in self._names:
            words = re.sub(r"[^A-Za-z0-9]+", "_", text[:99])
            ending = (words if kind == "text" or not text else c_suffix(text))[:24].strip("_")
            self._names[index] = self._scope.fresh(f"{kind}_{ending}" if ending else f"{kind}_1")
        return self._names[index]

    # Rows.

    def _row(self, index: int, name: str | None) -> str:
        """The row of a constant whose elements have rows: for a variable, or as an element of a
        later row."""
        node = self._nodes[index]
        return _row(node.kind, node.count, node.data, f"&{name}" if name else "NULL")

    def _rows(self, index: int, made: set[int]) -> Iterator[str]:
        """The rows of the elements of a constant, and of their elements.

        Data may be nested far deeper than forms, so `waiting` replaces recursion: each constant
        with its remaining elements.
        """
        made.add(index)
        waiting = [(index, self._runs(index))]
        while waiting:
            compound, runs = waiting[-1]
            element = next(runs, None)
            if element is None:
                waiting.pop()
                if waiting:
                    yield self._row(compound, None)
                    if compound in self._names:
                        yield _row("NAMED", "0", "NULL", f"&{self._names[compound]}")
            elif isinstance(element, list):
                yield from _rows_of_numbers(element)
            elif element in made and element in self._names:
                yield _row("MADE", "0", f"&{self._names[element]}")
            else:
                made.add(element)
                waiting.append((element, self._runs(element)))

    def _runs(self, index: int) -> Iterator[int | list[_Node]]:
        """The elements of a constant; adjacent numbers of one kind are one item."""
        elements = self._nodes[index].elements
        for kind, run in groupby(elements, lambda element: self._nodes[element].kind):
            if kind in _RUNS:
                yield [self._nodes[element] for element in run]
            else:
                yield from run


def _row(kind: str, count: str, data: str, name: str = "NULL") -> str:
    """A row of the table."""
    return f"    {c_struct(kind=f'RT_LITERAL_{kind}', count=count, data=data, name=name)},"


# How several numbers are written as one row: the kind of the row, and the C type.
_RUNS = {"FIXNUM": ("FIXNUMS", "int64_t"), "DOUBLE": ("DOUBLES", "double")}


def _rows_of_numbers(nodes: list[_Node]) -> Iterator[str]:
    kind = nodes[0].kind
    if len(nodes) == 1:
        yield _row(kind, nodes[0].count, nodes[0].data)
        return
    row_kind, representation = _RUNS[kind]
    numbers = [node.count if kind == "FIXNUM" else _within(node.data) for node in nodes]
    head = f".kind = RT_LITERAL_{row_kind}, .count = {len(nodes)}"
    yield f"    {{{head}, .data = (const {representation}[]){{"
    for start in range(0, len(numbers), _A_LINE):
        yield f"        {', '.join(numbers[start : start + _A_LINE])},"
    yield "    }},"


def _within(data: str) -> str:
    """The number of `(const double[]){1.5}`."""
    return data[data.index("{") + 1 : -1]


def _number(number: int | Fraction | float) -> _Node:
    match number:
        case int() if number in FIXNUMS:
            return _Node("FIXNUM", c_integer(number))
        case float():
            return _Node("DOUBLE", "0", f"(const double[]){{{c_double(number)}}}")
    return _of_text("NUMBER", number_text(number))


def number_text(number: int | Fraction) -> str:
    """A number beyond a word, as it is read."""
    return f"{number.numerator}/{number.denominator}".removesuffix("/1")


def number_after_elements(
    value: Datum | Special, number: Callable[[Datum | Special, tuple[int, ...]], int]
) -> int:
    """The number of a constant, which depends on those of its elements; data may be nested
    deeply."""
    made: dict[int, int] = {}  # by the identity of the element
    waiting = [value]
    while waiting:
        here = waiting[-1]
        elements = _elements(here)
        ahead = [element for element in elements if id(element) not in made]
        if ahead and id(here) not in made:
            waiting.extend(reversed(ahead))
            continue
        waiting.pop()
        if id(here) not in made:
            made[id(here)] = number(here, tuple([made[id(element)] for element in elements]))
    return made[id(value)]


def _of_text(kind: str, text: str, location: str = "") -> _Node:
    data = text.encode()
    return _Node(kind, str(len(data)), c_bytes(data), location=location)


def _elements(value: Datum | Special) -> tuple[Datum | Special, ...]:
    """The elements of a constant."""
    match value:
        case List(items, None) | Vector(items):
            return items
        case List(items, tail):
            assert tail is not None
            return (*items, tail)
    return ()


def _immediate(value: Datum | Special) -> str | None:
    """The C expression of an immediate that is not a number."""
    match value:
        case Special.UNSPECIFIED:
            return "RT_UNSPECIFIED"
        case Special.ABSENT:
            return "RT_ABSENT"
        case Boolean(truth):
            return "RT_TRUE" if truth else "RT_FALSE"
        case Character(char):
            return f"RT_CHAR({ord(char)}U)"
        case List((), _):
            return "RT_NIL"
    return None


def _words(value: Datum | Special) -> tuple[str, str]:
    """The name of a constant's variable: a word for its type, and its text."""
    match value:
        case String(text):
            return "text", text
        case Symbol(name):
            return "symbol", name
        case Keyword(name):
            return "keyword", name
        case List():
            return "list", ""
        case Vector():
            return "vector", ""
        case Bytes():
            return "bytes", ""
        case Labelled():
            return "cycle", ""
        case Number():
            return "number", ""
        case Special() | Boolean() | Character() | Reference() | Brackets():
            raise AssertionError(value)
    raise AssertionError(value)


def location_of(value: Datum | Special, span: Span) -> str:
    """What distinguishes a constant from equal ones.

    All data of a macro's template have the span of the use, so the identity of the datum
    distinguishes these: passes copy code, but not data, which the program keeps alive.
    """
    return location_key(span) if span.within is None else f"{location_key(span)}:{id(value)}"


def location_key(span: Span) -> str:
    return f"{span.source.name}:{span.start}:{span.end}"
