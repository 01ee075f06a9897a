"""The verifier of ANF's structure, for the passes before ownership: names, callees, loops, ends.

    t1 = car(x)        right
    t1 = cdr(t1)       AnfError: f: t1 is bound twice, at: t1 = cdr(t1)

`check_owned` and `check_types` prove more, later.  This runs in tests and where LAMBENT_VERIFY asks
for it.
"""

from collections.abc import Mapping, Set
from typing import NoReturn, assert_never

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    DirectCall,
    DirectTailCall,
    Dup,
    Free,
    Function,
    GlobalGet,
    GlobalSet,
    If,
    IndirectTailCall,
    Loop,
    MakeClosure,
    Raise,
    Recur,
    Statement,
    Terminator,
    Yield,
)
from lambent.lang.compile.ir.operands import end_operands, never_returns, operands
from lambent.lang.compile.ir.proved import unproved
from lambent.lang.compile.ir.text import place_text
from lambent.lang.system.dataclass import dataclass, field


class AnfError(Exception):
    """ANF that breaks a rule of anf.py: a mistake of the compiler."""


def check_anf(program: Anf, proved: Anf | None = None) -> None:
    """Raise AnfError unless every function of a program before ownership is in order.

    proved: the program before the last pass, if that has been proved.
    """
    functions = program.by_name
    if len(functions) != len(program.functions) + 1 + len(program.externals):
        raise AnfError("two functions have one name")
    variables = {(variable.name, variable.namespace) for variable in program.globals}
    for function in unproved(program, proved):
        checker = _Checker(function.name, functions, variables)
        for parameter in function.parameters:
            checker.bind(parameter.name)
        checker.block(function.body, tail=True)


@dataclass(slots=True)
class _Checker:
    """One walk through one function.  loops: how many variables those around have."""

    function: str
    functions: Mapping[str, Function]
    variables: Set[tuple[str, object]]
    where: Statement | Terminator | None = None  # None for the parameters
    bound: set[str] = field(default_factory=set)
    scope: set[str] = field(default_factory=set)
    order: list[str] = field(default_factory=list)  # what is in scope, as it was bound
    loops: dict[str, int] = field(default_factory=dict)

    def fail(self, message: str) -> NoReturn:
        raise AnfError(f"{self.function}: {message}, at: {place_text(self.where)}")

    def bind(self, name: str) -> None:
        if name in self.bound:
            self.fail(f"{name} is bound twice")
        self.bound.add(name)
        self.scope.add(name)
        self.order.append(name)

    def leave_scope(self, outside: int) -> None:
        """Remove from scope the names bound after the first `outside` ones."""
        self.scope.difference_update(self.order[outside:])
        del self.order[outside:]

    def use(self, names: tuple[str, ...]) -> None:
        for name in names:
            if name not in self.scope:
                self.fail(f"{name} is not in scope")

    def block(self, block: Block, *, tail: bool) -> None:
        outside = len(self.order)
        ended = False
        for index, statement in enumerate(block.statements):
            self.where = statement
            if ended:
                self.fail("control never comes here")
            last = index == len(block.statements) - 1
            self.statement(statement, tail and last and block.end == Yield(statement.name))
            ended = never_returns(statement)
        self.where = block.end
        self.end(block, tail, ended)
        self.leave_scope(outside)

    def statement(self, statement: Statement, tail: bool) -> None:
        match statement:
            case Bind():
                self.operation(statement)
                self.bind(statement.name)
            case If(name, _, test, then, orelse):
                self.use((test,))
                self.block(then, tail=tail)
                self.block(orelse, tail=tail)
                self.bind(name)
            case Loop(name, _, label, variables, body):
                self.use(tuple([variable.initial for variable in variables]))
                outside = len(self.order)
                for variable in variables:
                    self.bind(variable.name)
                if label in self.loops:
                    self.fail(f"two loops are called {label}")
                self.loops[label] = len(variables)
                self.block(body, tail=tail)
                del self.loops[label]
                self.leave_scope(outside)
                self.bind(name)
            case Free():
                self.fail("a free before ownership is decided")
            case _:
                assert_never(statement)

    def operation(self, bind: Bind) -> None:
        self.use(operands(bind.operation))
        match bind.operation:
            case DirectCall(callee, arguments):
                self.call(callee, len(arguments))
            case MakeClosure(callee, captures):
                if callee not in self.functions or not self.functions[callee].escapes:
                    self.fail(f"there are no closures of {callee}")
                if len(captures) != self.functions[callee].captures:
                    self.fail(f"{callee} has another number of captures")
            case GlobalGet(name, namespace) | GlobalSet(name, namespace):
                if (name, namespace) not in self.variables:
                    self.fail(f"there is no variable {name}")
            case Dup():
                self.fail("an operation of ownership before it is decided")
            case Apply(frees=frees) if frees:
                self.fail("an operation of ownership before it is decided")

    def call(self, callee: str, arguments: int) -> None:
        if callee not in self.functions:
            self.fail(f"there is no function {callee}")
        if arguments != len(self.functions[callee].parameters):
            self.fail(f"{callee} has another number of parameters")

    def end(self, block: Block, tail: bool, ended: bool) -> None:
        end = block.end
        if not (ended and isinstance(end, Yield)):  # then its name has no value, and needs none
            self.use(end_operands(end))
        match end:
            case Recur(label, arguments):
                if self.loops.get(label) != len(arguments):
                    self.fail(f"recur {label} is in no such loop")
            case DirectTailCall(callee, arguments):
                self.call(callee, len(arguments))
            case Raise() if not ended:
                self.fail("raise after a statement that comes back")
        if isinstance(end, DirectTailCall | IndirectTailCall) and not tail:
            self.fail("a tail call that is not the last thing its function does")
