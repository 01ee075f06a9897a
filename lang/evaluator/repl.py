"""The REPL on the evaluator, and entries from a pipe: `lambent`, `lambent -i FILE`.

The terminal, the commands and the messages are those of `interp/repl`.
"""

import re
import sys
from collections.abc import Sequence
from functools import partial

from lambent.lang.errors import EXIT_INTERRUPT, LispError, SyntaxFault, render
from lambent.lang.evaluator.session import EvaluatorSession, Interrupts
from lambent.lang.interp.errors.faults import LispExit
from lambent.lang.interp.repl.line_editor import LineEditor
from lambent.lang.interp.repl.piped import NAME
from lambent.lang.interp.repl.repl import read_entry, run_session
from lambent.lang.interp.repl.terminal import Terminal
from lambent.lang.interp.run import read_text
from lambent.lang.syntax.source import Source
from lambent.lang.system.streams import prepare_output


def run_repl(file: str | None = None, arguments: Sequence[str] = ()) -> int:
    """As `run_repl` of the interpreter's REPL."""
    prepare_output()
    text = None if file is None else read_text(file)
    terminal = Terminal.of_process()
    interrupts = Interrupts()
    words = [] if file is None else [file, *arguments]
    session = EvaluatorSession(print, interrupts, terminal, words)
    editor = LineEditor(session.names)
    program = None if file is None or text is None else Source(file, text)
    read_line = editor.read_line if sys.stdin.isatty() else session.read_line
    return run_session(session, program, interrupts, read_line, editor, terminal)


def run_piped() -> int:
    """Evaluate entries from a pipe as they arrive, up to the first error; the exit status."""
    prepare_output()
    interrupts = Interrupts()
    session = EvaluatorSession(print, interrupts)
    with interrupts.watched():
        try:
            _run_entries(session, interrupts)
            return session.leave(0)
        except LispExit as leaving:
            return session.leave(leaving.status)
        except LispError as error:
            sys.stdout.flush()
            print(render(error), file=sys.stderr)
            return session.leave(error.status)
        except KeyboardInterrupt:
            return session.leave(EXIT_INTERRUPT)


def _run_entries(session: EvaluatorSession, interrupts: Interrupts) -> None:
    first_line = 1

    def read_line(prompt: str) -> str | None:
        try:
            return interrupts.run(lambda: session.read_line(prompt))
        except SyntaxFault as fault:
            where = re.search(r"\(byte \d+\)", fault.message)
            if where is None:
                raise LispError(fault.message) from None
            raise SyntaxFault(f"{NAME}: not UTF-8 text {where[0]}") from None

    while (entry := read_entry(read_line, first_line, session.dialect)) is not None:
        interrupts.run(partial(session.evaluate, Source(NAME, entry, first_line)))
        sys.stdout.flush()
        first_line += entry.count("\n")
