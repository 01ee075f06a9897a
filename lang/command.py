"""The entry point of the command `lambent`, and its end.

Python prints a traceback on Ctrl-C while it starts and while it cleans up.  So this module first
lets Ctrl-C end the process, as in a C program: nothing has been done yet.  Code that does work then
handles Ctrl-C itself (`cancelling.py`, `interp/interrupts/ctrl_c.py`), and the process ends without
Python's clean-up.

Only the command imports this module, because the import changes what Ctrl-C does.
"""

import _signal  # the module signal takes longer to load than a person takes to press Ctrl-C

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:  # not if it is ignored
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
if hasattr(_signal, "pthread_sigmask"):
    # The program that starts Python may have blocked Ctrl-C.
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, [_signal.SIGINT])

import os
import sys
from contextlib import suppress
from typing import NoReturn, TextIO


def main() -> NoReturn:
    """Run the command, and end the process with its exit status."""
    from lambent.lang.cli import main as run

    status = run()
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)  # the work is done
    _flush(sys.stdout)
    _flush(sys.stderr)
    os._exit(status)  # Python's clean-up takes time, and has no effect


def _flush(stream: TextIO) -> None:
    """Flush a stream.  A failure has been reported already, or nobody reads the output."""
    with suppress(OSError, ValueError):
        stream.flush()
