"""Tests of conditionals: Python conditions, without creating Lisp booleans.

    (if (and (pair? x) (not (null? y))) ...)  =>  if x.__class__ is :Pair and y is not :NIL: ...
    (if x ...)  =>  if x is not :FALSE and (x.__class__ is not :Tensor or :truth(x)): ...
"""

from lambent.lang.core.ir import (
    Begin,
    Const,
    Core,
    If,
    Lambda,
    Let,
    Letrec,
    Local,
    PrimCall,
    PrimRef,
)
from lambent.lang.interp.emit import pycode as py
from lambent.lang.interp.emit.base import uses
from lambent.lang.interp.emit.primitives import PrimitiveEmitter
from lambent.lang.interp.emit.record_calls import record_call
from lambent.lang.interp.emit.unit import PRIM
from lambent.lang.primitives.signature import Type
from lambent.lang.syntax.datum import Boolean


class ConditionalEmitter(PrimitiveEmitter):
    def test(self, core: Core, outermost: Core | None = None) -> py.Expr:
        """The condition of a test.  outermost: the test itself, if core is a form within it whose
        value is the test's value."""
        core = record_call(core, self.analysis)
        line = self.line(core)
        outermost = outermost or core
        match core:
            case Const(value):
                return py.constant(not (isinstance(value, Boolean) and not value.value), line)
            case PrimCall(primitive) if primitive.signature.result is Type.BOOLEAN:
                return self.condition(core)
            case If(test, then, orelse):
                return self._conditional_test(core, test, then, orelse, outermost)
            case Let(name, value, If(Local(first), Local(second), orelse)) if (
                name == first == second and not uses(orelse, name)
            ):
                return self._or(core, value, orelse, outermost)
            case Let() | Letrec():
                self.bindings(core)
                return self.test(core.body, outermost)
            case Begin(forms):
                for form in forms[:-1]:
                    self.effect(form)
                return self.test(forms[-1], outermost)
            case Lambda() | PrimRef():
                return py.constant(True, line)
            case _:
                return self.truth(self.expression(core), outermost)

    def truth(self, value: py.Expr, core: Core) -> py.Expr:
        """Whether a value is true: false are #f, and a bool tensor of one element that is false."""
        line = self.locations.add(core.span, PRIM, "if")
        first, again = self.reusable(value)
        is_object = py.is_not(
            py.attribute(again, "__class__", line), py.name(":Tensor", line), line
        )
        as_tensor = py.call_name(":truth", [again], line)
        return py.and_(
            [
                py.is_not(first, py.name(":FALSE", line), line),
                py.or_([is_object, as_tensor], line),
            ],
            line,
        )

    def _conditional_test(
        self, core: If, test: Core, then: Core, orelse: Core, outermost: Core
    ) -> py.Expr:
        line = self.line(core)
        condition = self.test(test)
        with self.block() as yes:
            then_test = self.test(then, outermost)
        with self.block() as no:
            orelse_test = self.test(orelse, outermost)
        if yes or no:
            result = self.temporary()
            yes.append(py.assign(result, then_test, line))
            no.append(py.assign(result, orelse_test, line))
            self.write(py.if_(condition, yes, no, line))
            return py.name(result, line)
        match orelse, then:
            case Const(Boolean(False)), _:
                return py.and_([condition, then_test], line)
            case _, Const(Boolean(True)):
                return py.or_([condition, orelse_test], line)
            case Const(Boolean(True)), Const(Boolean(False)):
                return py.not_(condition, line)
            case _:
                return py.if_else(condition, then_test, orelse_test, line)

    def _or(self, core: Let, value: Core, orelse: Core, outermost: Core) -> py.Expr:
        """`(or a b)` whose value is only tested."""
        line = self.line(core)
        condition = self.test(value)
        with self.block() as no:
            other = self.test(orelse, outermost)
        if not no:
            return py.or_([condition, other], line)
        result = self.temporary()
        no.append(py.assign(result, other, line))
        self.write(py.assign(result, condition, line))
        self.write(py.if_(py.not_(py.name(result, line), line), no, [], line))
        return py.name(result, line)
