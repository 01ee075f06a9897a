"""Where the command `lambent` begins, and where it ends.

Python turns Ctrl-C into a traceback from its own start on, and again while it cleans up.  So the
first thing that happens here is that Ctrl-C just ends the process, as it ends programs in C: so far
nothing has been done that anybody would miss.  Code that does something then says itself what
Ctrl-C is to do (`cancelling.py`, `interp/interrupts/ctrl_c.py`); when all is done, the process ends
at once.

Only the command imports this module, because the import changes what Ctrl-C does.
"""

import _signal  # the module signal takes longer to load than a person takes to press Ctrl-C

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:  # not if it is ignored
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
if hasattr(_signal, "pthread_sigmask"):
    # Who starts Python may have held Ctrl-C back until here.
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, [_signal.SIGINT])

import os
import sys
from contextlib import suppress
from typing import NoReturn, TextIO


def main() -> NoReturn:
    """Run the command, and end the process with its exit status."""
    from lambent.lang.cli import main as run

    status = run()
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)  # it comes too late
    _flush(sys.stdout)
    _flush(sys.stderr)
    os._exit(status)  # Python's own clearing up takes time, and changes nothing


def _flush(stream: TextIO) -> None:
    """What cannot be written has been reported, or nobody reads it."""
    with suppress(OSError, ValueError):
        stream.flush()
