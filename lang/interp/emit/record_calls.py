"""Calls of the procedures of `define-record-type` do without a call: see `core/record_calls.py`."""

from lambent.lang.core.ir import Call, Core
from lambent.lang.core.record_calls import record_operation
from lambent.lang.interp.emit.procedure_analysis import Knowledge


def record_call(core: Core, known: Knowledge) -> Core:
    """What a call of such a procedure does; anything else as it is."""
    if not isinstance(core, Call):
        return core
    return record_operation(known.lambdas.get(str(known.callee(core.function))), core) or core
