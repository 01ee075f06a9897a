"""Lifted expressions to A-normal form: one operation a statement, in the order of evaluation.

    (f (+ x 1) y)   =>   t1 = 1
                         t2 = +(x, t1)
                         return call f(t2, y)

Every name except tests is still a VALUE; inference finds better representations.  Operations after
one that never returns are not written.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import assert_never

from lambent.lang.compile.ir import lifted
from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    CellGet,
    CellSet,
    DirectCall,
    DirectTailCall,
    Fail,
    Function,
    GlobalGet,
    GlobalSet,
    GlobalVariable,
    If,
    IndirectCall,
    IndirectTailCall,
    Inlined,
    IsAbsent,
    Literal,
    Loop,
    LoopVariable,
    MakeClosure,
    MakeTensor,
    NewCell,
    NewSlot,
    Operation,
    Parameter,
    PrimitiveValue,
    Raise,
    Recur,
    Representation,
    RestoreGradMode,
    SetGradMode,
    SlotGet,
    SlotSet,
    Statement,
    Terminator,
    Truth,
    Yield,
)
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.compile.ir.lifted import Lifted, LiftedFunction, LiftedProgram, Storage
from lambent.lang.compile.ir.operands import never_returns
from lambent.lang.core.ir import Special
from lambent.lang.primitives import signature
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Boolean, Datum, Number, Vector
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field, replace


class Mode(Enum):
    """What ends with a block."""

    INNER = "inner"  # a subexpression; more follows it
    LOCAL = "local"  # an inlined local procedure: calls are tail calls only in traces
    TAIL = "tail"  # the function


# The interface of a function of the library, by the name of its definition, for programs with
# tensors or without.
Library = Callable[[str, bool], Function]


def to_anf(program: LiftedProgram, library: Library) -> Anf:
    """The program in A-normal form, before inference."""
    variables = tuple([GlobalVariable(name, namespace) for name, namespace in program.variables])
    externals = tuple(
        [
            replace(library(external.library_name, program.tensors), name=external.name)
            for external in program.externals
        ]
    )
    typed = frozenset([f.name for f in externals if f.result is not Representation.VALUE])
    functions = tuple([_function(function, typed) for function in program.functions])
    main = _main(program)
    return Anf(
        functions, variables, main, program.tensors, externals, program.exports,
        is_open=program.is_open,
    )  # fmt: skip


def _function(function: LiftedFunction, typed: frozenset[str]) -> Function:
    """typed: the functions elsewhere that return no values, but numbers, booleans or tensors."""
    writer = _Writer(typed)
    parameters = tuple(
        [
            Parameter(writer.bind_local(name), Representation.VALUE, own=i >= function.captures)
            for i, name in enumerate(function.parameters)
        ]
    )
    body = writer.block(function.body, Mode.TAIL)
    return Function(
        function.name,
        function.lisp_name,
        function.captures,
        function.required,
        function.keywords,
        function.has_rest,
        parameters,
        Representation.VALUE,
        body,
        function.escapes,
        may_tail=True,
        may_fail=True,
        checks_stack=True,
        span=function.span,
        usage=function.usage,
        owner=function.owner,
    )


def _main(program: LiftedProgram) -> Function:
    body = _Writer().block(program.main, Mode.INNER)
    return Function(
        "main", None, 0, 0, (), False, (), Representation.VALUE, body,
        escapes=False, may_tail=False, may_fail=True, checks_stack=False, span=program.span,
    )  # fmt: skip


@dataclass(slots=True)
class _Writer:
    """Writes one function.  typed: as above.  names: the ANF name of each local variable."""

    typed: frozenset[str] = frozenset()
    out: list[Statement] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    numbers: Numbers = field(default_factory=dict)
    temporaries: int = 0
    is_unreachable: bool = False  # after an operation that never returns

    # Names and statements.

    def bind_local(self, name: str) -> str:
        """A new ANF name for a local variable."""
        self.names[name] = self.fresh(name)
        return self.names[name]

    def fresh(self, preferred: str) -> str:
        name = fresh(preferred, self.taken, self.numbers)
        self.taken.add(name)
        return name

    def temporary(self) -> str:
        self.temporaries += 1
        name = f"t{self.temporaries}"
        if name in self.taken:
            return self.temporary()
        self.taken.add(name)
        return name

    def write(self, statement: Statement) -> None:
        if not self.is_unreachable:
            self.out.append(statement)
            self.is_unreachable = never_returns(statement)

    def bind(
        self,
        operation: Operation,
        span: Span,
        *,
        local: str | None = None,
        representation: Representation = Representation.VALUE,
        tail: bool = False,
    ) -> str:
        """Bind an operation to a local variable's name, or to a temporary."""
        name = self.temporary() if local is None else self.bind_local(local)
        self.write(Bind(name, representation, operation, span, tail))
        return name

    def unspecified(self, span: Span) -> str:
        return self.bind(Literal(Special.UNSPECIFIED), span)

    # Blocks.

    def block(self, code: Lifted, mode: Mode) -> Block:
        with self._inner() as statements:
            end = self.end(code, mode)
        return Block(tuple(statements), end)

    def effect_block(self, code: Lifted) -> Block:
        """A block whose value is not used."""
        with self._inner() as statements:
            self.effect(code)
            end = Raise() if self.is_unreachable else Yield(self.unspecified(code.span))
        return Block(tuple(statements), end)

    def truth_block(self, code: Lifted, span: Span) -> Block:
        """A block that yields whether a value is true."""
        with self._inner() as statements:
            end = self._yielded(self.truth(code, span))
        return Block(tuple(statements), end)

    def _yielded(self, name: str) -> Terminator:
        if self.out and isinstance(self.out[-1], If | Loop) and self.out[-1].name == name:
            return Yield(name)  # also where no branch yields a value
        return Raise() if self.is_unreachable else Yield(name)

    @contextmanager
    def _inner(self) -> Iterator[list[Statement]]:
        outside = self.out, self.is_unreachable
        self.out, self.is_unreachable = [], False
        yield self.out
        self.out, self.is_unreachable = outside

    def end(self, code: Lifted, mode: Mode) -> Terminator:
        """Write an expression whose value is the block's."""
        match code:
            case lifted.Begin(forms):
                for form in forms[:-1]:
                    self.effect(form)
                return self.end(forms[-1], mode)
            case lifted.Recur(label, arguments):
                names = self.all(arguments)
                return Raise() if self.is_unreachable else Recur(label, names)
            case lifted.CallFunction() if mode is Mode.TAIL:
                return self.tail_function(code)
            case lifted.CallValue(callee, arguments, spread, span) if mode is Mode.TAIL:
                procedure = self.value(callee)
                names = self.all(arguments)
                return (
                    Raise()
                    if self.is_unreachable
                    else IndirectTailCall(procedure, names, span, spread)
                )
            case lifted.If() if (chosen := _chosen(code)) is not None:
                return self.end(chosen, mode)
            case lifted.If():
                name = self.branches(code, mode)
            case lifted.Loop():
                name = self.loop(code, mode)
            case _:
                name = self.value(code, tail=mode is Mode.LOCAL)
        return self._yielded(name)

    def tail_function(self, call: lifted.CallFunction) -> Terminator:
        captures = tuple([self.names[name] for name in call.captures])
        if call.through_trampoline:
            closure = self.bind(MakeClosure(call.function, captures), call.span)
            names = self.all(call.arguments)
            return Raise() if self.is_unreachable else IndirectTailCall(closure, names, call.span)
        names = self.all(call.arguments)
        if self.is_unreachable:
            return Raise()
        if call.function in self.typed:
            # This function may return another type.  Such a callee never calls back in tail
            # position, so waiting for it costs one frame of the stack.
            waiting = DirectCall(call.function, (*captures, *names), is_tail=True)
            return Yield(self.bind(waiting, call.span))
        return DirectTailCall(call.function, (*captures, *names), call.span)

    # Expressions.

    def all(self, expressions: tuple[Lifted, ...]) -> tuple[str, ...]:
        return tuple([self.value(expression) for expression in expressions])

    def effect(self, code: Lifted) -> None:
        """Write an expression whose value is not used."""
        match code:
            case lifted.Const() | lifted.PrimRef() | lifted.Local():
                pass
            case lifted.Closure() | lifted.Global(checked=False):
                pass
            case lifted.Begin(forms):
                for form in forms:
                    self.effect(form)
            case lifted.If(test, then, orelse, span):
                if (chosen := _chosen(code)) is not None:
                    self.effect(chosen)
                    return
                tested, then, orelse = self.test(test, then, orelse)
                name = self.temporary()
                blocks = self.effect_block(then), self.effect_block(orelse)
                self.write(If(name, Representation.VOID, tested, *blocks, span))
            case lifted.PrimCall(primitive, arguments, span) if _returns_nothing(primitive):
                names = self.all(arguments)
                self.bind(Apply(primitive, names), span, representation=Representation.VOID)
            case lifted.Let() | lifted.Assign() | lifted.AssignGlobal():
                self.assignment(code)
            case _:
                self.value(code)

    def value(self, code: Lifted, *, local: str | None = None, tail: bool = False) -> str:
        """Write an expression; the name of its value.

        local: the variable that the value is bound to, if any.  tail: the expression is in tail
        position of a local procedure.
        """
        match code:
            case lifted.Const(value, span):
                return self.bind(Literal(value), span, local=local)
            case lifted.Local():
                return self.variable(code, local)
            case lifted.Global(name, namespace, owned, checked, span):
                return self.bind(GlobalGet(name, namespace, owned, checked), span, local=local)
            case lifted.PrimRef(primitive, span):
                return self.bind(PrimitiveValue(primitive), span, local=local)
            case lifted.Unbound(name, hint, span):
                return self.bind(Fail(f"unbound variable: {name}", hint), span, local=local)
            case lifted.Closure(function, captures, span):
                names = tuple([self.names[name] for name in captures])
                return self.bind(MakeClosure(function, names), span, local=local)
            case lifted.PrimCall():
                return self.primitive(code, local)
            case lifted.CallFunction(function, captures, arguments, _, span, caught):
                names = tuple([self.names[name] for name in captures])
                operation = DirectCall(function, (*names, *self.all(arguments)), caught)
                return self.bind(operation, span, local=local, tail=tail)
            case lifted.CallValue(callee, arguments, spread, span):
                procedure = self.value(callee)
                call = IndirectCall(procedure, self.all(arguments), spread)
                return self.bind(call, span, local=local, tail=tail)
            case lifted.TensorLiteral(shape, elements, span) if (data := _data(code)) is not None:
                vector = self.bind(Literal(data), span)
                return self.bind(MakeTensor(shape, (vector,), spread=True), span, local=local)
            case lifted.TensorLiteral(shape, elements, span):
                return self.bind(MakeTensor(shape, self.all(elements)), span, local=local)
            case lifted.GradMode(enabled, body, span):
                mode = self.bind(
                    SetGradMode(enabled), span, representation=Representation.GRAD_MODE
                )
                name = self.value(body, local=local)
                self.bind(RestoreGradMode(mode), span, representation=Representation.VOID)
                return name
            case lifted.Begin(forms):
                for form in forms[:-1]:
                    self.effect(form)
                return self.value(forms[-1], local=local, tail=tail)
            case lifted.If() if (chosen := _chosen(code)) is not None:
                return self.value(chosen, local=local, tail=tail)
            case lifted.If():
                return self.branches(code, Mode.INNER, local)
            case lifted.Loop():
                return self.loop(code, Mode.INNER, local)
            case lifted.Let() | lifted.Assign() | lifted.AssignGlobal():
                self.assignment(code)
                return self.value(lifted.Const(Special.UNSPECIFIED, code.span), local=local)
            case lifted.Recur():
                raise AssertionError(f"a jump to {code.label} that is not at an end")
            case _:
                assert_never(code)

    def variable(self, code: lifted.Local, local: str | None) -> str:
        name = self.names[code.name]
        match code.storage:
            case Storage.NAME:
                if local is not None:
                    self.names[local] = name
                return name
            case Storage.SLOT:
                return self.bind(SlotGet(name), code.span, local=local)
            case Storage.CELL:
                return self.bind(CellGet(name), code.span, local=local)

    def primitive(self, code: lifted.PrimCall, local: str | None) -> str:
        primitive, span = code.primitive, code.span
        names = self.all(code.arguments)
        if primitive.symbol == "rt_not":
            span = code.arguments[0].span  # errors of a test are reported at the tested expression
        if primitive.symbol == "rt_is_absent":
            return self.bind(
                IsAbsent(names[0]), span, local=local, representation=Representation.BOOLEAN
            )
        if not _returns_nothing(primitive):
            return self.bind(Apply(primitive, names), span, local=local)
        self.bind(Apply(primitive, names), span, representation=Representation.VOID)
        return self.value(lifted.Const(Special.UNSPECIFIED, span), local=local)

    def assignment(self, code: lifted.Let | lifted.Assign | lifted.AssignGlobal) -> None:
        match code:
            case lifted.Let(name, Storage.NAME, value):
                self.value(value, local=name)
            case lifted.Let(name, storage, value, span):
                making = NewSlot if storage is Storage.SLOT else NewCell
                self.bind(making(self.value(value)), span, local=name)
            case lifted.Assign(name, storage, value, span):
                new = self.value(value)
                setting = SlotSet if storage is Storage.SLOT else CellSet
                self.bind(setting(self.names[name], new), span, representation=Representation.VOID)
            case lifted.AssignGlobal(name, namespace, value, checked, span):
                new = self.value(value)
                self.bind(
                    GlobalSet(name, namespace, new, checked),
                    span,
                    representation=Representation.VOID,
                )
            case _:
                assert_never(code)

    # Branches and loops.

    def branches(self, code: lifted.If, mode: Mode, local: str | None = None) -> str:
        tested, then, orelse = self.test(code.test, code.then, code.orelse)
        blocks = self.block(then, mode), self.block(orelse, mode)
        name = self.temporary() if local is None else self.bind_local(local)
        self.write(If(name, Representation.VALUE, tested, *blocks, code.span))
        return name

    def test(self, test: Lifted, then: Lifted, orelse: Lifted) -> tuple[str, Lifted, Lifted]:
        """A BOOLEAN name and the branches; a `not` swaps them."""
        match test:
            case lifted.PrimCall(primitive, (inner,)) if primitive.symbol == "rt_not":
                return self.test(inner, orelse, then)
        return self.truth(test, test.span), then, orelse

    def truth(self, code: Lifted, span: Span) -> str:
        """A BOOLEAN name: whether a value is true.  Branches yield that, and not their values,
        which would have to live until they are tested.  span: of the whole test."""
        match code:
            case lifted.If() if (chosen := _chosen(code)) is not None:
                return self.truth(chosen, span)
            case lifted.If():
                tested, then, orelse = self.test(code.test, code.then, code.orelse)
                blocks = self.truth_block(then, span), self.truth_block(orelse, span)
                name = self.temporary()
                self.write(If(name, Representation.BOOLEAN, tested, *blocks, code.span))
                return name
            case lifted.Begin(forms):
                for form in forms[:-1]:
                    self.effect(form)
                return self.truth(forms[-1], span)
        return self.bind(Truth(self.value(code)), span, representation=Representation.BOOLEAN)

    def loop(self, code: lifted.Loop, mode: Mode, local: str | None = None) -> str:
        starts = [self.value(variable.value) for variable in code.variables]
        variables = tuple(
            [
                LoopVariable(self.bind_local(variable.name), Representation.VALUE, start)
                for variable, start in zip(code.variables, starts, strict=True)
            ]
        )
        is_inner = mode is Mode.INNER
        inlined = Inlined(code.lisp_name, code.span, is_inner) if code.is_call else None
        inner = Mode.LOCAL if is_inner and code.is_call else mode
        body = self.block(code.body, inner)
        name = self.temporary() if local is None else self.bind_local(local)
        span = code.span
        self.write(Loop(name, Representation.VALUE, code.label, variables, body, span, inlined))
        return name


def _chosen(code: lifted.If) -> Lifted | None:
    """The branch of a test that is a constant."""
    match code.test:
        case lifted.Const(Boolean(False)):
            return code.orelse
        case lifted.Const():
            return code.then
    return None


_MOST_NAMES = 16  # of a tensor's elements; more constants than that are data


def _data(code: lifted.TensorLiteral) -> Vector | None:
    """The elements of a large tensor literal, if all of them are constants."""
    found: list[Datum] = []
    for element in code.elements:
        match element:
            case lifted.Const(Number() | Boolean() as value):
                found.append(value)
            case _:
                return None
    return Vector(tuple(found), code.span) if len(found) > _MOST_NAMES else None


def _returns_nothing(primitive: Primitive) -> bool:
    return primitive.signature.result is signature.Type.VOID
