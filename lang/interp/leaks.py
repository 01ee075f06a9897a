"""Tensors that are alive when a program has ended: the check of LAMBENT_CHECK_LEAKS."""

import gc
import sys

from lambent.lang.errors import EXIT_RUNTIME
from lambent.lang.interp.machine import RUNNING, Machine
from lambent.lang.interp.values.values import TAIL, are_there_tensors


def report_leaks(status: int) -> int:
    """Print to stderr how many tensors are left, and fail if there are any.

    Python frees everything else, so the number of live objects, as in executables, is always 0.
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
    """Clear the global variables.

    A tensor's autograd graph may hold procedures of custom gradients, which hold all variables.
    Python's collector does not see references of the graph, so it would never free such a cycle.
    """
    for machine in gc.get_objects():
        if machine.__class__ is Machine:
            machine.globals.clear()
