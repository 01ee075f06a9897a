"""Tests: Python conditions for what stands in an `if`, without making Lisp booleans.

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


class TestEmitter(PrimitiveEmitter):
    def test(self, core: Core, whole: Core | None = None) -> py.Expr:
        """whole: the form that stands as the test, where core is what gives its value."""
        core = record_call(core, self.known)
        line = self.line(core)
        whole = whole or core
        match core:
            case Const(value):
                return py.constant(not (isinstance(value, Boolean) and not value.value), line)
            case PrimCall(primitive) if primitive.signature.result is Type.BOOLEAN:
                return self.condition(core)
            case If(test, then, orelse):
                return self._conditional_test(core, test, then, orelse, whole)
            case Let(name, value, If(Local(first), Local(second), orelse)) if (
                name == first == second and not uses(orelse, name)
            ):
                return self._or(core, value, orelse, whole)
            case Let() | Letrec():
                self.bindings(core)
                return self.test(core.body, whole)
            case Begin(forms):
                for form in forms[:-1]:
                    self.effect(form)
                return self.test(forms[-1], whole)
            case Lambda() | PrimRef():
                return py.constant(True, line)
            case _:
                return self.truth(self.expression(core), whole)

    def truth(self, value: py.Expr, core: Core) -> py.Expr:
        """How any value counts: false is #f, and a bool tensor of one element that is false."""
        line = self.locations.add(core.span, PRIM, "if")
        first, again = self.reusable(value)
        is_object = py.is_other(
            py.attribute(again, "__class__", line), py.name(":Tensor", line), line
        )
        as_tensor = py.call_name(":truth", [again], line)
        return py.both(
            [
                py.is_other(first, py.name(":FALSE", line), line),
                py.either([is_object, as_tensor], line),
            ],
            line,
        )

    def _conditional_test(
        self, core: If, test: Core, then: Core, orelse: Core, whole: Core
    ) -> py.Expr:
        line = self.line(core)
        condition = self.test(test)
        with self.block() as yes:
            then_test = self.test(then, whole)
        with self.block() as no:
            orelse_test = self.test(orelse, whole)
        if yes or no:
            result = self.temporary()
            yes.append(py.assign(result, then_test, line))
            no.append(py.assign(result, orelse_test, line))
            self.write(py.when(condition, yes, no, line))
            return py.name(result, line)
        match orelse, then:
            case Const(Boolean(False)), _:
                return py.both([condition, then_test], line)
            case _, Const(Boolean(True)):
                return py.either([condition, orelse_test], line)
            case Const(Boolean(True)), Const(Boolean(False)):
                return py.negate(condition, line)
            case _:
                return py.choose(condition, then_test, orelse_test, line)

    def _or(self, core: Let, value: Core, orelse: Core, whole: Core) -> py.Expr:
        """`(or a b)`, whose value nobody needs."""
        line = self.line(core)
        condition = self.test(value)
        with self.block() as no:
            other = self.test(orelse, whole)
        if not no:
            return py.either([condition, other], line)
        result = self.temporary()
        no.append(py.assign(result, other, line))
        self.write(py.assign(result, condition, line))
        self.write(py.when(py.negate(py.name(result, line), line), no, [], line))
        return py.name(result, line)
