"""The REPL: `lambent` without arguments.

    > (define (square x)
    .   (* x x))
    > (square 12)
    144

Whatever goes wrong is shown, and the session goes on; Ctrl-C stops what runs, Ctrl-D leaves.  When
the input is no terminal, entries are read from it all the same, and nothing but output is written.
"""

import sys
from collections.abc import Callable

from lambent.lang.errors import IncompleteInput, LispError, render
from lambent.lang.interp.deep_thread import Worker
from lambent.lang.interp.faults import LispExit
from lambent.lang.interp.line_editor import LineEditor
from lambent.lang.interp.run import leave, prepare_output
from lambent.lang.interp.session import Session
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source

PROMPT = "> "
CONTINUATION = ". "
NAME = "repl"  # what messages call the source


def run_repl() -> int:
    """Read, evaluate and print until the input ends; the exit status."""
    prepare_output()
    session = Session(print)
    worker = Worker()
    editor = LineEditor(session.names)
    first_line = 1
    try:
        while True:
            try:
                entry = read_entry(editor.read_line, first_line)
            except KeyboardInterrupt:
                print()
                continue
            except LispError as error:  # what is typed is no text
                _complain(render(error))
                return leave(error.status)
            if entry is None:
                editor.end()
                return leave(0)
            first_line += entry.count("\n")
            editor.remember(entry)
            _run_entry(session, worker, Source(NAME, entry, first_line - entry.count("\n")))
    except LispExit as leaving:
        editor.save()
        return leave(leaving.status)


def read_entry(read_line: Callable[[str], str | None], first_line: int) -> str | None:
    """The lines of one entry: more are read as long as a form in it is not complete.

    None at the end of the input, unless there is a beginning of an entry to report.
    """
    text = ""
    while True:
        line = read_line(CONTINUATION if text else PROMPT)
        if line is None:
            return text or None
        text += line + "\n"
        if not _is_incomplete(text, first_line):
            return text


def _is_incomplete(text: str, first_line: int) -> bool:
    try:
        read(Source(NAME, text, first_line))
    except IncompleteInput:
        return True
    except LispError:
        return False  # the evaluation says what is wrong
    return False


def _run_entry(session: Session, worker: Worker, source: Source) -> None:
    """Evaluate an entry, and show what goes wrong."""
    try:
        worker.run(lambda: session.evaluate(source))
    except LispError as error:
        _complain(render(error))
    except KeyboardInterrupt:
        _complain("interrupted")
    sys.stdout.flush()


def _complain(text: str) -> None:
    sys.stdout.flush()
    print(text, file=sys.stderr, flush=True)
