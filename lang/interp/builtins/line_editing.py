"""Lines that the user of a program types, with the editing and the history of the REPL's editor.

The counterpart of `runtime/ports/edit_line.c`.  Lisp's thread waits while the main thread reads,
because only there Ctrl-C interrupts the reading.
"""

import sys
from functools import cache

from lambent.lang.interp.builtins.arguments import text_of
from lambent.lang.interp.builtins.ports import STANDARD_INPUT
from lambent.lang.interp.interrupts.ctrl_c import WATCHING
from lambent.lang.interp.interrupts.masking import frame_masked
from lambent.lang.interp.io.output_streams import StandardError, StandardOutput
from lambent.lang.interp.io.status_line import end as end_status_line
from lambent.lang.interp.repl.line_editor import LineEditor
from lambent.lang.interp.values.values import (
    EOF,
    FALSE,
    UNSPECIFIED,
    Boolean,
    Lisp,
    Port,
    String,
    boolean,
)


@cache
def _editor() -> LineEditor:
    return LineEditor(lambda _: [], keeps=False)


def is_terminal_port(port: Lisp) -> Boolean:
    if port.__class__ is not Port or not port.is_open:
        return FALSE
    if port is STANDARD_INPUT:
        return boolean(sys.stdin.isatty())
    streams = {StandardOutput: sys.stdout, StandardError: sys.stderr}
    stream = streams.get(port.output.__class__)
    return boolean(stream is not None and stream.isatty())


@frame_masked
def edit_line(prompt: Lisp) -> Lisp:
    shown = text_of("%edit-line", prompt)
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or not WATCHING:
        from lambent.lang.interp.builtins.reading import read_line

        return read_line()
    sys.stdout.flush()
    end_status_line()
    try:
        line = WATCHING[-1].read_for_lisp(lambda: _editor().read_line(shown))
    except KeyboardInterrupt:
        print(flush=True)
        return FALSE
    return EOF if line is None else String(line)


def remember_line(line: Lisp) -> Lisp:
    if sys.stdin.isatty():
        _editor().remember(text_of("%remember-line", line))
    return UNSPECIFIED
