"""What is still alive when a program has ended: the check of LAMBENT_CHECK_LEAKS."""

import gc
import sys

from lambent.lang.errors import EXIT_RUNTIME
from lambent.lang.interp.machine import RUNNING, Machine
from lambent.lang.interp.values.values import TAIL, are_there_tensors


def report_leaks(status: int) -> int:
    """Say on stderr how many tensors are left, and fail if there are any.

    Python frees everything else, so what an executable calls live objects is always 0 here.
    """
    live = 0
    TAIL.forget()
    RUNNING.clear()
    if are_there_tensors():
        from lambent.lang.interp.builtins import tensors

        _forget_variables()
        gc.collect()
        live = tensors.library()[0].ct_live_handles()
    print(f"live handles: {live}, live objects: 0", file=sys.stderr)
    return EXIT_RUNTIME if live and status == 0 else status


def _forget_variables() -> None:
    """Let go what global variables hold.

    The graph of a tensor may hold procedures, those of custom gradients, and these all variables.
    Python does not see through the graph, so it would keep such a circle for ever.
    """
    for machine in gc.get_objects():
        if machine.__class__ is Machine:
            machine.globals.clear()
