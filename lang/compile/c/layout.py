"""The layout of C: the emitter writes each statement on one line, and this breaks long lines.

    if (very long test) { rt_at(&locations[2]); goto free_x; }
    =>
    if (very long test) {
        rt_at(&locations[2]);
        goto free_x;
    }
"""

import re
from collections.abc import Iterable, Iterator

WIDTH = 100

# Lines are not broken inside of strings; everything else is read by characters.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|.')
_GUARDED = re.compile(r"( *)(if \(.*\)) \{ (.*;) \}")


def wrapped(lines: Iterable[str]) -> Iterator[str]:
    """The same statements, the long ones on several lines."""
    for line in lines:
        if len(line) <= WIDTH or line.startswith("#"):
            yield line
        elif guarded := _GUARDED.fullmatch(line):
            indent, test, statements = guarded.groups()
            yield from _broken(f"{indent}{test} {{")
            yield from (f"{indent}    {statement};" for statement in statements[:-1].split("; "))
            yield f"{indent}}}"
        else:
            yield from _broken(line)


def _broken(line: str) -> Iterator[str]:
    """The line broken after commas; the other lines are indented twice."""
    indent = " " * (len(line) - len(line.lstrip()))
    here = ""
    for piece in _pieces(line):
        if here.strip() and len(here) + len(piece.rstrip()) > WIDTH:
            yield here.rstrip()
            here = f"{indent}        "
        here += piece
    yield here.rstrip()


def _pieces(line: str) -> Iterator[str]:
    """The pieces between which the line may be broken, each with the blank at its end."""
    here = ""
    for token in _TOKEN.findall(line):
        if token == " " and here.endswith((",", " =")):
            yield f"{here} "
            here = ""
        else:
            here += token
    yield here
