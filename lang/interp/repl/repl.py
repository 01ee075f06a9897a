"""The REPL: `lambent` without arguments.

    > (define (square x)
    .   (* x x))
    > (square 12)
    144

Errors are shown, and the session continues; Ctrl-C stops the evaluation, Ctrl-D leaves.  If the
input is not a terminal, as in `lambent -i FILE < entries`, there are no prompts, and the first
error ends the session, with the status that a program would have.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Protocol, TypeVar

from lambent.lang.errors import EXIT_INTERRUPT, IncompleteInput, LispError, render
from lambent.lang.interp.errors.faults import LispExit
from lambent.lang.interp.interrupts.ctrl_c import CtrlC
from lambent.lang.interp.io.status_line import end as end_status_line
from lambent.lang.interp.repl.line_editor import LineEditor
from lambent.lang.interp.repl.session import Entries, Session
from lambent.lang.interp.repl.terminal import Terminal
from lambent.lang.interp.run import read_text
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source
from lambent.lang.system.streams import prepare_output

T = TypeVar("T")

PROMPT = "> "
CONTINUATION = ". "
NAME = "repl"  # the name of the input in messages
_BANNER = """\
Lambent {version}, a Scheme with tensors
Type help for help; Ctrl-D or exit leaves."""


class Interrupts(Protocol):
    """The handler of Ctrl-C, as `CtrlC`."""

    def watched(self) -> AbstractContextManager[None]: ...
    def run(self, function: Callable[[], T]) -> T: ...
    def read(self, function: Callable[[], T]) -> T: ...


def run_repl(file: str | None = None, arguments: Sequence[str] = ()) -> int:
    """Read, evaluate and print until the input ends; the exit status.

    file: a program to run before the first entry; the session has its definitions.
    """
    prepare_output()
    text = None if file is None else read_text(file)
    terminal = Terminal.of_process()
    if file is not None:
        _set_command_line(file, arguments)
    session = Session(print, interactive=terminal is not None)
    editor = LineEditor(session.names)
    program = None if file is None or text is None else Source(file, text)
    return run_session(session, program, CtrlC(ends=False), editor.read_line, editor, terminal)


def run_session(
    session: Entries,
    program: Source | None,
    ctrl_c: Interrupts,
    read_line: Callable[[str], str | None],
    editor: LineEditor,
    terminal: Terminal | None,
) -> int:
    """Run a program, then the entries; the exit status.  read_line: as that of the editor."""
    with ctrl_c.watched():  # before that, Ctrl-C ends the process
        if terminal:
            _greet()
        try:
            if program is not None:
                _run(session, lambda: session.load(program), ctrl_c, terminal)
            _read_entries(session, ctrl_c, read_line, editor, terminal)
            return session.leave(0)
        except LispExit as leaving:
            editor.save()
            return session.leave(leaving.status)
        except LispError as error:  # the input is not text, or the input is not a terminal
            _complain(render(error))
            return session.leave(error.status)
        except KeyboardInterrupt:
            return session.leave(EXIT_INTERRUPT)


def _read_entries(
    session: Entries,
    ctrl_c: Interrupts,
    read_line: Callable[[str], str | None],
    editor: LineEditor,
    terminal: Terminal | None,
) -> None:
    """Run entry after entry until the input ends."""
    first_line = 1
    while True:
        try:
            if terminal:
                terminal.begin_line()
            entry = ctrl_c.read(partial(read_entry, read_line, first_line, session.dialect))
        except KeyboardInterrupt:
            if not sys.stdin.isatty():
                raise
            print()
            continue
        if entry is None:
            editor.save()
            return
        source = Source(NAME, entry, first_line)
        first_line += entry.count("\n")
        editor.remember(entry)
        _run(session, partial(session.evaluate, source), ctrl_c, terminal)


def read_entry(
    read_line: Callable[[str], str | None], first_line: int, dialect: str = ""
) -> str | None:
    """The lines of one entry: reads lines until all its forms are complete.

    None at the end of the input; an incomplete entry there is returned, and its evaluation fails.
    """
    text = ""
    while True:
        line = read_line(CONTINUATION if text else PROMPT)
        if line is None:
            return text or None
        text += line + "\n"
        if not _is_incomplete(text, first_line, dialect):
            return text


def _is_incomplete(text: str, first_line: int, dialect: str) -> bool:
    try:
        read(Source(NAME, text, first_line, dialect=dialect))
    except IncompleteInput:
        return True
    except LispError:
        return False  # the evaluation will report it
    return False


def _run(
    session: Entries, job: Callable[[], None], ctrl_c: Interrupts, terminal: Terminal | None
) -> None:
    """Run a job, and show its error; if the input is not a terminal, the caller handles errors."""
    if not sys.stdin.isatty():
        ctrl_c.run(job)
        sys.stdout.flush()
        return
    try:
        ctrl_c.run(job)
    except LispError as error:
        _begin_line(terminal)
        _complain(render(error))
        if terminal and (left := session.forms_left):
            forms = "form that follows was" if left == 1 else f"{left} forms that follow were"
            _complain(f"(the {forms} not evaluated)")
    except KeyboardInterrupt:
        _begin_line(terminal)
        _complain("interrupted")
    sys.stdout.flush()
    end_status_line()


def _begin_line(terminal: Terminal | None) -> None:
    if terminal:
        terminal.begin_line()


def _complain(text: str) -> None:
    sys.stdout.flush()
    end_status_line()
    print(text, file=sys.stderr, flush=True)


def _greet() -> None:
    from importlib.metadata import version

    print(_BANNER.format(version=version("lambent")))


def _set_command_line(file: str, arguments: Sequence[str]) -> None:
    from lambent.lang.interp.builtins import system

    system.COMMAND_LINE[:] = [file, *arguments]
