"""Inlines calls of the procedures that `define-record-type` defines: see `core/record_calls.py`."""

from lambent.lang.core.ir import Call, Core
from lambent.lang.core.record_calls import record_operation
from lambent.lang.interp.emit.procedure_analysis import ProcedureAnalysis


def record_call(core: Core, analysis: ProcedureAnalysis) -> Core:
    """The operation that a call of such a procedure performs; any other form unchanged."""
    if not isinstance(core, Call):
        return core
    return record_operation(analysis.lambdas.get(str(analysis.callee(core.function))), core) or core
