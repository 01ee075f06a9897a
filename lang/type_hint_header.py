"""Makes the executables' table of hints for wrong types from the interpreter's.

    python -m lambent.lang.type_hint_header > runtime/errors/type_hint_rows.h
"""

import sys

from lambent.lang.compile.c.c_constants import c_string
from lambent.lang.interp.errors.type_hints import ROWS

_HEAD = """\
/* The hints for values of the wrong type: `python -m lambent.lang.type_hint_header` wrote it, from
 * lang/interp/errors/type_hints.py. */

static const row rows[] = {
"""
_LINE = 94  # characters
_INDENTED = " " * 5


def header() -> str:
    """The text of `runtime/errors/type_hint_rows.h`."""
    return _HEAD + "".join(f"    {{{_fields(row)}}},\n" for row in ROWS) + "};\n"


def _fields(row: tuple[str, ...]) -> str:
    """A row's types and literals, on as many lines as they need."""
    names, nouns, types, hint = row
    text = " | ".join(types.upper().split()) + ","
    width = len(text)
    for piece in (piece for field in (names, nouns, hint) for piece in _literals(field)):
        if width and width + len(piece) >= _LINE:
            text, width = f"{text}\n{_INDENTED}", 0
        elif width:
            text, width = f"{text} ", width + 1
        text, width = text + piece, width + len(piece)
    return text.removesuffix(",")


def _literals(field: str) -> list[str]:
    """The literals that C joins into a field, and the comma after it."""
    parts, most = [field], _LINE - len(_INDENTED) - len('"",')
    while len(parts[-1]) > most:
        end = parts[-1].rindex(" ", 0, most) + 1
        parts[-1:] = parts[-1][:end], parts[-1][end:]
    literals = [c_string(part) for part in parts]
    return [*literals[:-1], f"{literals[-1]},"]


if __name__ == "__main__":
    sys.stdout.write(header())
