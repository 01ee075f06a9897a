"""Code as a file, in the order in which `lang/evaluator/machine/load_code.c` reads it.

Everything is aligned to eight bytes.
"""

import struct
from array import array
from collections.abc import Sequence

from lambent.lang.compile.c.entry_points import takes_captures
from lambent.lang.evaluator.code import (
    IS_OPEN,
    MAGIC,
    NEEDS_TENSORS,
    Code,
    CodeTables,
    Constant,
    Location,
    kind_number,
)


def code_file(
    tables: CodeTables,
    functions: Sequence[Code],
    main: int,
    literals: Sequence[str],
    needs_tensors: bool,
    source: str | None = None,
) -> bytes:
    """The bytes of a program's code.  main: the number of the function of its top level.  literals:
    the imports that are the constants of the library's code.  source: of a program that evaluates
    data, its text."""
    writer = MessageWriter()
    writer.number(IS_OPEN * tables.is_open | NEEDS_TENSORS * needs_tensors)
    writer.optional(source)
    writer.number(len(literals))
    for name in literals:
        writer.text(name)
    writer.number(len(tables.imports))
    for name in tables.imports:
        writer.text(name)
    writer.number(len(tables.operators))
    for texts in tables.operators:
        for text in texts:
            writer.text(text)
    writer.number(len(tables.globals))
    for name, is_library in tables.globals:
        writer.number(is_library)
        writer.text(name)
    writer.number(len(tables.texts))
    for text in tables.texts:
        writer.text(text)
    _write_locations(writer, tables)
    writer.number(len(functions))
    writer.number(len(tables.constants))
    for code in functions:
        _write_function(writer, code)
    writer.number(main)
    for constant in tables.constants:
        _write_constant(writer, constant)
    return MAGIC + b"".join(writer.parts)


class MessageWriter:
    """Writes numbers and texts as C reads them.  aligned: texts fill words."""

    def __init__(self, aligned: bool = True) -> None:
        self.parts: list[bytes] = []
        self._aligned = aligned

    def number(self, number: int) -> None:
        self.parts.append(struct.pack("<Q", number))

    def data(self, data: bytes) -> None:
        self.parts.append(data + bytes(-len(data) % 8) if self._aligned else data)

    def text(self, text: str) -> None:
        """A C string; a NUL in it as rt.h says."""
        data = text.encode("utf-8", "surrogateescape").replace(b"\0", b"\xc0\x80")
        self.number(len(data))
        self.data(data + b"\0")

    def optional(self, text: str | None) -> None:
        self.number(text is not None)
        if text is not None:
            self.text(text)


def _write_locations(writer: MessageWriter, tables: CodeTables) -> None:
    writer.number(len(tables.locations))
    for location in tables.locations:
        write_location(writer, location)


def write_location(writer: MessageWriter, location: Location) -> None:
    file, line, column, width, one_line, text, procedure, expansion = location
    writer.text(file)
    for number in (line, column, width, int(one_line)):
        writer.number(number)
    writer.text(text)
    writer.optional(procedure)
    writer.optional(expansion)


def _write_function(writer: MessageWriter, code: Code) -> None:
    function = code.function
    writer.optional(function.lisp_name)
    writer.text(function.usage)
    for number in (
        function.required, function.captures, len(function.parameters), int(function.has_rest),
        len(function.keywords),
    ):  # fmt: skip
        writer.number(number)
    for keyword in function.keywords:
        writer.text(keyword.keyword)
        writer.number(keyword.index)
    writer.number(takes_captures(function))
    writer.number(function.span.source.library and function.may_fail)
    writer.number(code.registers)
    writer.number(len(code.borrowed))
    writer.data(array("H", code.borrowed).tobytes())
    writer.number(len(code.words))
    writer.data(array("Q", code.words).tobytes())
    _write_failures(writer, code)


def _write_failures(writer: MessageWriter, code: Code) -> None:
    rows, data = array("I"), array("I")
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    for pc, freed, notes in code.failures:
        start = known.setdefault((freed, notes), len(data))
        if start == len(data):
            data.extend((len(freed), *freed, len(notes), *notes))
        rows.extend((pc, start))
    writer.number(len(code.failures))
    writer.data(rows.tobytes())
    writer.number(len(data))
    writer.data(data.tobytes())


def _write_constant(writer: MessageWriter, constant: Constant) -> None:
    writer.number(kind_number(constant))
    writer.number(constant.count)
    elements = constant.elements
    if constant.kind == "LIST_ON":
        writer.number(elements[-1])
        elements = elements[:-1]
    if constant.kind == "OBJECT":
        assert constant.data is not None
        writer.data(constant.data + b"\0")
    elif constant.data is not None:
        writer.data(constant.data)
    for element in elements:
        writer.number(element)
