"""Core to Python: one walk that writes a program as a Python `ast`.

Python separates statements from expressions; Lisp does not.  `expression` returns the Python
expression of a form.  What must be statements, it first writes into the current block: the
procedures that the form creates, the variables that it binds, branches that contain such things.

    (define (f x) (let ((y (g x))) (+ y 1)))

    def p:f(x, /):
        y = :trampoline() if (" r" := p:g(x)) is :TAIL else " r"
        return y + 1
"""

import ast
from dataclasses import dataclass, field
from typing import assert_never

from lambent.lang.core.ir import (
    Begin,
    Call,
    Const,
    Core,
    Define,
    Global,
    GradMode,
    If,
    Lambda,
    Let,
    Letrec,
    Local,
    Namespace,
    PrimCall,
    PrimRef,
    SetGlobal,
    SetLocal,
    Special,
    TensorLiteral,
    Unbound,
)
from lambent.lang.core.usage import plain_name
from lambent.lang.interp.emit import pycode as py
from lambent.lang.interp.emit.calls import CallEmitter
from lambent.lang.interp.emit.conditionals import ConditionalEmitter
from lambent.lang.interp.emit.constants import ConstantPool
from lambent.lang.interp.emit.forward_substitution import forwarded
from lambent.lang.interp.emit.guards import GuardEmitter
from lambent.lang.interp.emit.lifetimes import Scope, drop_dead
from lambent.lang.interp.emit.locations import LocationTable
from lambent.lang.interp.emit.names import global_name, local_name
from lambent.lang.interp.emit.procedure_analysis import Procedure, ProcedureAnalysis
from lambent.lang.interp.emit.record_calls import record_call
from lambent.lang.interp.emit.unit import BIND, CALL, HIDDEN, PRIM, VARIABLE


@dataclass
class FunctionState:
    """The Python function that is being written.  procedure is None for a top-level form."""

    procedure: Procedure | None
    body: list[py.Stmt] = field(default_factory=list)
    outer: list[str] = field(default_factory=list)  # variables of outer functions that it assigns
    globals: set[str] = field(default_factory=set)  # top-level variables that it assigns
    bound: set[str] = field(default_factory=set)
    temporaries: int = 0


class Emitter(CallEmitter, ConditionalEmitter, GuardEmitter):
    """Writes one unit.  Its base classes write one kind of form each."""

    def __init__(self, unit: str, analysis: ProcedureAnalysis, within: str | None = None) -> None:
        self.analysis = analysis
        self.mutable = {local_name(n) for n in analysis.assigned}
        self.locations = LocationTable(within)
        self.constants = ConstantPool(unit)
        self.builtins: dict[str, None] = {}  # in order of first use
        self.function_state = FunctionState(None)
        self.unit = unit
        self.scopes: dict[int, Scope] = {}  # of the Python functions of a top-level form

    # Top level.

    def top_level(self, form: Core, result: str | None) -> list[py.Stmt]:
        """The statements that run one form; result names a global variable for its value."""
        match form:
            case Define(name, namespace, Lambda() as code) if result is None:
                written = self.function(global_name(name, namespace), code)
                self.scopes.clear()
                return [written]
            case Const() | Lambda() if result is None:
                return []
        line = self.locations.add(form.span, HIDDEN)
        self.function_state = FunctionState(None)
        self.finish(form)
        body = self.function_state.body
        assigned = self.function_state.globals
        if isinstance(form, Define):
            assigned.add(global_name(form.name, form.namespace))
        body[:0] = [py.global_(variable, line) for variable in sorted(assigned)]
        run = py.call_name(":form", [], line)
        last = py.assign(result, run, line) if result else py.effect(run, line)
        function = py.function(":form", [], None, body, line)
        drop_dead(function, self.scopes)
        self.scopes.clear()
        return [function, last]

    # Procedures.

    def function(self, identifier: str, code: Lambda) -> ast.FunctionDef:
        """The Python function of a Lambda."""
        outer = self.function_state
        procedure = self.analysis.by_lambda[id(code)]
        outside, line = self.locations.enter(code)
        self.function_state = FunctionState(procedure, bound=procedure.bound)
        parameters = [local_name(p) for p in code.parameters]
        rest = None
        if code.keywords:
            parameters, rest = [], " arguments"
            self._bind_keywords(code)
        elif code.rest:
            rest = local_name(code.rest)
            self.write(py.assign(rest, py.call_name(":list", [py.name(rest, line)], line), line))
        if procedure.loops:
            with self.block() as iteration:
                self.finish(code.body)
            self.write(py.while_true(iteration, line))
        else:
            self.finish(code.body)
        body = self.function_state.body
        body[:0] = [py.global_(name, line) for name in sorted(self.function_state.globals)]
        if self.function_state.outer:
            body.insert(0, py.nonlocals(sorted(set(self.function_state.outer)), line))
        self.function_state = outer
        self.locations.leave(outside)
        function = py.function(identifier, parameters, rest, body, line)
        drop_dead(function, self.scopes)
        return function

    def _bind_keywords(self, code: Lambda) -> None:
        """`x, dim, rest = :bind(arguments, ...)`; its errors are the caller's."""
        line = self.locations.add(code.span, BIND)
        names = [*code.parameters, *(k.name for k in code.keywords)]
        facts = [
            py.constant(tuple(k.keyword for k in code.keywords), line),
            py.constant(len(code.parameters), line),
            py.constant(code.rest is not None, line),
            py.constant(code.name or "lambda", line),
            py.constant(self.locations.usage_here(), line),
        ]
        value = py.call_name(":bind", [py.name(" arguments", line), *facts], line)
        names += [code.rest] if code.rest else []
        self.write(py.assign_all([local_name(n) for n in names], value, line))

    def closure(self, code: Lambda, identifier: str | None = None) -> py.Expr:
        """Write a procedure as a Python function, and return the function's name."""
        identifier = identifier or self.temporary()
        self.write(self.function(identifier, code))
        return py.name(identifier, self.line(code))

    def prepared(self, core: Core) -> Core:
        """The simplified form that is written instead of a form."""
        core = record_call(core, self.analysis)
        while isinstance(core, Let) and (shorter := forwarded(core, self.analysis)):
            core = shorter
        return core

    # Forms whose value is the function's result: every path returns or continues the loop.

    def finish(self, core: Core) -> None:
        core = self.prepared(core)
        match core:
            case If(test, then, orelse):
                condition = self.test(test)
                with self.block() as branch:
                    self.finish(then)
                self.write(py.if_(condition, branch, [], self.line(core)))
                self.finish(orelse)  # the branch never falls through
            case Let() | Letrec():
                self.bindings(core)
                self.finish(core.body)
            case Begin(forms):
                for form in forms[:-1]:
                    self.effect(form)
                self.finish(forms[-1])
            case Call():
                self.finish_call(core)
            case PrimCall(primitive) if primitive.symbol == "rt_apply":
                self.finish_apply(core)
            case _:
                self.write(py.return_(self.expression(core), self.line(core)))

    # Forms for their effect.

    def effect(self, core: Core) -> None:
        core = self.prepared(core)
        match core:
            case Const() | Local() | Lambda() | PrimRef():
                pass
            case If(test, then, orelse):
                condition = self.test(test)
                with self.block() as yes:
                    self.effect(then)
                with self.block() as no:
                    self.effect(orelse)
                self.write(py.if_(condition, yes, no, self.line(core)))
            case Let() | Letrec():
                self.bindings(core)
                self.effect(core.body)
            case Begin(forms):
                for form in forms:
                    self.effect(form)
            case Call():
                self.effect_call(core)
            case SetLocal() | SetGlobal() | Define():
                self.assignment(core)
            case _:
                self.write(py.effect(self.expression(core), self.line(core)))

    # Forms as expressions.

    def expression(self, core: Core) -> py.Expr:
        core = self.prepared(core)
        line = self.line(core)
        match core:
            case Const(value):
                return self.constants.value(value, line)
            case Local(name):
                return py.name(local_name(name), line)
            case Global(name, namespace):
                location = self.locations.add(core.span, VARIABLE, (plain_name(name), None))
                return py.name(global_name(name, namespace), location)
            case Unbound(name, hint):
                # A REPL may define the variable before this code runs.
                location = self.locations.add(core.span, VARIABLE, (name, hint))
                return py.name(global_name(name, Namespace.PROGRAM), location)
            case PrimRef(primitive):
                return self.builtin(primitive, as_value=True, line=line)
            case If():
                return self.conditional(core)
            case Let() | Letrec():
                self.bindings(core)
                return self.expression(core.body)
            case Lambda():
                return self.closure(core)
            case Call():
                return self.call(core)
            case PrimCall():
                return self.primitive_call(core)
            case TensorLiteral():
                return self.tensor_literal(core)
            case Begin(forms):
                for form in forms[:-1]:
                    self.effect(form)
                return self.expression(forms[-1])
            case GradMode():
                return self.grad_mode(core)
            case SetLocal() | SetGlobal() | Define():
                self.assignment(core)
                return self.constants.value(Special.UNSPECIFIED, line)
        assert_never(core)

    def conditional(self, core: If) -> py.Expr:
        """A Python conditional, or an if statement that sets a temporary."""
        line = self.line(core)
        condition = self.test(core.test)
        with self.block() as yes:
            then = self.expression(core.then)
        with self.block() as no:
            orelse = self.expression(core.orelse)
        if not yes and not no:
            return py.if_else(condition, then, orelse, line)
        result = self.temporary()
        yes.append(py.assign(result, then, line))
        no.append(py.assign(result, orelse, line))
        self.write(py.if_(condition, yes, no, line))
        return py.name(result, line)

    def bindings(self, core: Let | Letrec) -> None:
        """Bind the variables of a form as variables of the Python function: names are unique."""
        match core:
            case Let(name, Lambda() as code) if name in self.analysis.lambdas:
                self.bound_here(name)
                self.closure(code, local_name(name))
            case Let(name, Call(_, (*record, Lambda() as code))) if (
                id(code) in self.analysis.inlined
            ):
                self.bound_here(name)
                self.guarded(local_name(name), record[0] if record else None, code)
            case Let(name, PrimCall(primitive)) if (
                primitive.name == "%caught-payload"
                and not self.analysis.mentions[name]
                and name not in self.analysis.assigned
            ):
                pass  # the clauses of a guard do not look at what they have caught
            case Let(name, value):
                self.bound_here(name)
                bound = self.expression(value)
                self.write(py.assign(local_name(name), bound, self.line(core)))
            case Letrec(pairs):
                for name, code in pairs:
                    self.bound_here(name)
                    self.closure(code, local_name(name))

    def assignment(self, core: SetLocal | SetGlobal | Define) -> None:
        line = self.line(core)
        value = self.expression(core.value)
        match core:
            case SetLocal(name):
                if name not in self.function_state.bound:
                    self.function_state.outer.append(local_name(name))
                self.write(py.assign(local_name(name), value, line))
            case SetGlobal(name, namespace):
                # Reading the variable first is the check that it has a value.
                temporary = self.temporary()
                variable = global_name(name, namespace)
                location = self.locations.add(core.span, VARIABLE, (plain_name(name), None))
                self.write(py.assign(temporary, value, line))
                self.write(py.effect(py.name(variable, location), location))
                self.function_state.globals.add(variable)
                self.write(py.assign(variable, py.name(temporary, line), line))
            case Define(name, namespace):
                self.write(py.assign(global_name(name, namespace), value, line))

    def tensor_literal(self, core: TensorLiteral) -> py.Expr:
        line = self.locations.add(core.span, PRIM, "tensor")
        shape = py.constant(core.shape, line)
        elements = py.tuple_of(self.expressions(core.elements), line)
        return py.call(self.support("b:bridge_literal", line), [shape, elements], line)

    def grad_mode(self, core: GradMode) -> py.Expr:
        """Switch the mode, run the body, and restore the mode on every exit."""
        line = self.locations.add(core.span, CALL)
        before, result = self.temporary(), self.temporary()
        switch = self.support("b:bridge_set_grad_mode", line)
        switched = py.call(switch, [py.constant(core.enabled, line)], line)
        self.write(py.assign(before, switched, line))
        with self.block() as body:
            body_value = self.expression(core.body)
            self.write(py.assign(result, body_value, line))
        restore = py.effect(py.call(switch, [py.name(before, line)], line), line)
        self.write(py.try_finally(body, [restore], line))
        return py.name(result, line)
