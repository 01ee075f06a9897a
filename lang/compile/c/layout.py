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
C_LINES = "#line"  # from here on, lines are those of the C text itself

# Lines are broken at blanks outside of strings.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^" ]+|.')
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


def directed(lines: Iterable[str], first: str) -> Iterator[str]:
    """The same lines, each with the #line directive that holds for it, first for those before any.

    A C compiler counts on from a directive, so without this the third C line of an operation would
    be two Lisp lines below it.
    """
    directive = first
    for line in lines:
        if line.startswith("#line"):
            directive = line
        else:
            yield directive
            yield line


def with_own_lines(text: str) -> str:
    """The text with numbers in the directives after which C has no Lisp source."""
    lines = text.split("\n")
    return "\n".join(
        f'#line {number + 1} "program.c"' if line == C_LINES else line
        for number, line in enumerate(lines, 1)
    )


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
        may_break = token == " " and here.endswith((",", " ="))
        if may_break and not re.search(r"\.\w+ =$", here):
            yield f"{here} "
            here = ""
        else:
            here += token
    yield here
