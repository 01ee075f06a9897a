"""Calls of procedures, and tail calls.

A call of a procedure that may return TAIL is followed by a test whether it did:

    (g (f x))  =>  g's argument:  :trampoline() if (" r" := f(x)) is :TAIL else " r"

A call in tail position (`finish_call`) is written in one of three ways, which
`emit/procedure_analysis.py` decides:

    a self call that may reuse the frame    n, sum = n - 1, sum + n; continue
    a call that may be part of a cycle      :TAIL.function, ... = f, (x,), location; return :TAIL
    any other                               return f(x)
"""

import ast
from collections.abc import Sequence

from lambent.lang.core.ir import Call, Core, Local, PrimCall, PrimRef
from lambent.lang.interp.emit import pycode as py
from lambent.lang.interp.emit.base import RESULT, EmitterBase
from lambent.lang.interp.emit.names import local_name
from lambent.lang.interp.emit.procedure_analysis import goes_through_trampoline
from lambent.lang.interp.emit.unit import CALL, TAIL_CALL


class CallEmitter(EmitterBase):
    def call(self, core: Call) -> py.Expr:
        """A call that is not in tail position."""
        value, line = self._plain_call(core, CALL)
        if isinstance(core.function, PrimRef) or not self._may_return_tail(core.function):
            return value
        return self._with_trampoline(value, line)

    def effect_call(self, core: Call) -> None:
        """A call whose result is not used: no variable keeps it."""
        value, line = self._plain_call(core, CALL)
        if isinstance(core.function, PrimRef) or not self._may_return_tail(core.function):
            self.write(py.effect(value, line))
            return
        run = py.effect(py.call_name(":trampoline", [], line), line)
        self.write(py.if_(py.is_(value, py.name(":TAIL", line), line), [run], [], line))

    def finish_call(self, core: Call) -> None:
        procedure = self.function_state.procedure
        if procedure is None or isinstance(core.function, PrimRef):
            self.write(py.return_(self.call(core), self.line(core)))
            return
        key = self.analysis.callee(core.function)
        if key == procedure.key and procedure.loops:
            parameters = procedure.code.parameters
            if len(parameters) == len(core.arguments):
                self._next_iteration(parameters, core)
                return
        if goes_through_trampoline(self.analysis, procedure, key):
            function, *values = self.expressions([core.function, *core.arguments])
            self._return_tail(core, function, py.tuple_of(values, self.line(core)))
        else:
            value, line = self._plain_call(core, TAIL_CALL)
            self.write(py.return_(value, line))

    def apply(self, core: PrimCall) -> py.Expr:
        """`(apply f a b items)` that is not in tail position."""
        line, call = self._spread_call(core)
        return self._with_trampoline(call, line)

    def finish_apply(self, core: PrimCall) -> None:
        if self.function_state.procedure is None:
            self.write(py.return_(self.apply(core), self.line(core)))
            return
        function, arguments, _ = self._spread(core)
        self._return_tail(core, function, arguments)

    def _plain_call(self, core: Call, kind: str) -> tuple[py.Expr, int]:
        function, *values = self.expressions([core.function, *core.arguments])
        function, where = self._findable(function)
        line = self.locations.add(core.span, kind, (where, len(values)))
        return py.call(function, values, line), line

    def _findable(self, function: py.Expr) -> tuple[py.Expr, tuple[str, str]]:
        """The callee in a variable, where the code for error messages finds it."""
        match function:
            case ast.Name(identifier) if ":" in identifier and identifier[0] != "=":
                return function, ("globals", identifier)
            case ast.Name(identifier) if self.is_stable(function):
                return function, ("locals", identifier)
            case _:
                temporary = self.temporary()
                held = py.bind(temporary, function, function.lineno)
                return held, ("locals", temporary)

    def _may_return_tail(self, function: Core) -> bool:
        return self.analysis.may_return_tail(self.analysis.callee(function))

    def _with_trampoline(self, value: py.Expr, line: int) -> py.Expr:
        test = py.is_(py.bind(RESULT, value, line), py.name(":TAIL", line), line)
        return py.if_else(test, py.call_name(":trampoline", [], line), py.name(RESULT, line), line)

    def _next_iteration(self, parameters: Sequence[str], core: Call) -> None:
        """Set the parameters that change, all at once, and continue the loop."""
        line = self.line(core)
        changes = [
            (local_name(p), a)
            for p, a in zip(parameters, core.arguments, strict=True)
            if not (isinstance(a, Local) and a.name == p)
        ]
        values = self.expressions([a for _, a in changes])
        names = [name for name, _ in changes]
        if len(names) == 1:
            self.write(py.assign(names[0], values[0], line))
        elif names:
            self.write(py.assign_all(names, py.tuple_of(values, line), line))
        self.write(py.continue_(line))

    def _return_tail(self, core: Core, function: py.Expr, arguments: py.Expr) -> None:
        """Return TAIL, so that the trampoline makes the call."""
        line = self.locations.add(core.span, TAIL_CALL)
        location = py.constant((self.unit, line), line)
        fields = ["function", "arguments", "at"]
        self.write(py.assign_fields(":TAIL", fields, [function, arguments, location], line))
        self.write(py.return_(py.name(":TAIL", line), line))

    def _spread(self, core: PrimCall) -> tuple[py.Expr, py.Expr, str]:
        """The callee, the tuple of the arguments, and the callee's variable."""
        line = self.locations.add(core.span, CALL)
        function, *values = self.expressions(core.arguments)
        callee = self.temporary()
        function = py.bind(callee, function, line)
        items = py.call_name(":spread", [py.tuple_of(values, line)], line)
        return function, items, callee

    def _spread_call(self, core: PrimCall) -> tuple[int, py.Expr]:
        function, items, callee = self._spread(core)
        arguments = self.temporary()
        line = self.locations.add(core.span, CALL, (("locals", callee), ("locals", arguments)))
        held = py.bind(arguments, items, line)
        return line, py.call(function, [py.spread(held, line)], line)


