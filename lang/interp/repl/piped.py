"""A program on the standard input: `lambent < prog.lisp`, `cat prog.lisp | lambent -`.

    echo '(print 1) (car 5) (print 2)' | lambent    =>  prints 1, shows the error, exits with 70

Without arguments, entries are evaluated as they arrive, and their results are printed: a program
that writes the input can wait for an answer, and `(read-line)` reads what follows the entry.  With
`-`, the whole input is one program, like a file: it is read before it runs, so `(read-line)` in it
is at the end of the file.  Both stop at the first error, with the same status as for a file.
"""

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lambent.lang.errors import LispError, ReadFault, SyntaxFault
from lambent.lang.interp.run import run_guarded, run_program

if TYPE_CHECKING:
    from lambent.lang.interp.values.values import Lisp

NAME = "stdin"  # the name of the input in messages


def run_piped() -> int:
    """Evaluate one entry after the other, up to the first error; the exit status."""
    return run_guarded(_run_entries)


def run_input(arguments: Sequence[str]) -> int:
    """Run the whole input as one program; arguments are what it finds in `(command-line)`."""
    return run_guarded(lambda: run_program(whole_input(), NAME, ["-", *arguments]))


def _run_entries() -> None:
    from lambent.lang.interp.repl.repl import read_entry
    from lambent.lang.interp.repl.session import Session
    from lambent.lang.syntax.source import Source

    session = Session(print)
    first_line = 1
    while (entry := read_entry(_read_line, first_line, session.dialect)) is not None:
        session.evaluate(Source(NAME, entry, first_line))
        sys.stdout.flush()
        first_line += entry.count("\n")


def _read_line(_prompt: str) -> str | None:
    """The next line; None at the end.  Entries and the program's input share one buffer."""
    from lambent.lang.interp.builtins.ports import STANDARD_INPUT
    from lambent.lang.interp.builtins.reading import read_line
    from lambent.lang.interp.values.values import EOF

    try:
        line: Lisp = read_line(STANDARD_INPUT)
    except ReadFault as fault:
        raise _not_text(fault) from None
    return None if line is EOF else line.text


def whole_input() -> str:
    """The text of the whole input."""
    from lambent.lang.interp.builtins.ports import text_input
    from lambent.lang.interp.values.values import ABSENT

    stream = text_input("read", ABSENT)
    try:
        while stream.fill("read"):
            pass
    except ReadFault as fault:
        raise _not_text(fault) from None
    text, stream.at = stream.text, len(stream.text)
    return text


def _not_text(fault: LispError) -> SyntaxFault:
    """The error for a source file that is not text."""
    where = re.search(r"\(byte \d+\)", fault.message)
    return SyntaxFault(f"{NAME}: not UTF-8 text {where[0] if where else ''}")
