"""The verifier of lifted programs: callees exist, and every name and label is in scope.

    (function f (x) (call g x))    LiftedError: f: there is no function g

It runs in tests and where LAMBENT_VERIFY asks for it.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NoReturn, assert_never

from lambent.lang.compile.ir.lifted import (
    Assign,
    AssignGlobal,
    Begin,
    CallFunction,
    CallValue,
    Closure,
    Const,
    Global,
    GradMode,
    If,
    Let,
    Lifted,
    LiftedProgram,
    Local,
    Loop,
    PrimCall,
    PrimRef,
    Recur,
    Storage,
    TensorLiteral,
    Unbound,
)
from lambent.lang.system.dataclass import dataclass, field


class LiftedError(Exception):
    """A lifted program that breaks a rule of lifted.py: a mistake of the compiler."""


def check_lifted(program: LiftedProgram) -> None:
    """Raise LiftedError unless every function of a program is in order."""
    functions = {f.name: (f.captures, len(f.parameters)) for f in program.functions}
    functions |= {f.name: (0, f.parameters) for f in program.externals}
    variables = set(program.variables)
    if len(functions) != len(program.functions) + len(program.externals):
        raise LiftedError("two functions have one name")
    for function in program.functions:
        checker = _Checker(function.name, functions, variables)
        checker.declare(function.parameters, None)
        checker.check(function.body)
    _Checker("main", functions, variables).check(program.main)


@dataclass(slots=True)
class _Checker:
    """functions: how many captures and parameters each has.  storage: of the variables in scope;
    None for a parameter that nothing has used yet, which may hold a cell.  loops: how many
    variables those around have."""

    function: str
    functions: Mapping[str, tuple[int, int]]
    variables: Set[tuple[str, object]]
    storage: dict[str, Storage | None] = field(default_factory=dict)
    loops: dict[str, int] = field(default_factory=dict)

    def fail(self, message: str) -> NoReturn:
        raise LiftedError(f"{self.function}: {message}")

    def declare(self, names: Iterable[str], storage: Storage | None) -> None:
        for name in names:
            if name in self.storage:
                self.fail(f"{name} is bound twice")
            self.storage[name] = storage

    def use(self, name: str, storage: Storage) -> None:
        if name not in self.storage:
            self.fail(f"{name} is not in scope")
        declared = self.storage[name]
        if declared is None and storage is not Storage.SLOT:
            self.storage[name] = declared = storage
        if declared is not storage:
            self.fail(f"{name} is not a {storage.value}")

    def capture(self, function: str, names: Sequence[str]) -> tuple[int, int]:
        """Check the captures of a call or a closure."""
        if function not in self.functions:
            self.fail(f"there is no function {function}")
        for name in names:
            if self.storage.get(name, Storage.SLOT) is Storage.SLOT:
                self.fail(f"{function} cannot capture {name}")
        return self.functions[function]

    def leave_scope(self, outside: int) -> None:
        """Remove from scope the variables bound after the first `outside` ones."""
        for _ in range(len(self.storage) - outside):
            self.storage.popitem()  # the last one first

    def check_all(self, nodes: Iterable[Lifted]) -> None:
        for node in nodes:
            self.check(node)

    def inside(self, *nodes: Lifted) -> None:
        """Check nodes whose variables are visible only inside of them."""
        for node in nodes:
            outside = len(self.storage)
            self.check(node)
            self.leave_scope(outside)

    def check(self, node: Lifted) -> None:
        match node:
            case Const() | PrimRef() | Unbound():
                pass
            case Local(name, storage):
                self.use(name, storage)
            case Global(name, namespace) if (name, namespace) not in self.variables:
                self.fail(f"there is no variable {name}")
            case Global():
                pass
            case If(test, then, orelse):
                self.inside(test, then, orelse)
            case Let(name, storage, value):
                self.inside(value)
                self.declare([name], storage)
            case Assign(name, storage, value):
                self.use(name, storage)
                self.inside(value)
            case AssignGlobal(name, namespace, value):
                if (name, namespace) not in self.variables:
                    self.fail(f"there is no variable {name}")
                self.inside(value)
            case Begin(forms):
                self.check_all(forms)
            case PrimCall(_, arguments) | TensorLiteral(_, arguments):
                self.inside(*arguments)
            case CallFunction(function, captures, arguments):
                _, parameters = self.capture(function, captures)
                if len(captures) + len(arguments) != parameters:
                    self.fail(f"{function} is called with another number of arguments")
                self.inside(*arguments)
            case CallValue(callee_value, arguments):
                self.inside(callee_value, *arguments)
            case Closure(function, captures):
                if len(captures) != self.capture(function, captures)[0]:
                    self.fail(f"a closure of {function} has another number of captures")
            case Loop():
                self.loop(node)
            case Recur(label, arguments):
                if self.loops.get(label) != len(arguments):
                    self.fail(f"recur {label} is in no such loop")
                self.inside(*arguments)
            case GradMode(_, body):
                self.inside(body)
            case _:
                assert_never(node)

    def loop(self, loop: Loop) -> None:
        self.inside(*[variable.value for variable in loop.variables])
        if loop.label in self.loops:
            self.fail(f"two loops are called {loop.label}")
        outside = len(self.storage)
        self.declare([variable.name for variable in loop.variables], Storage.NAME)
        self.loops[loop.label] = len(loop.variables)
        self.check(loop.body)
        del self.loops[loop.label]
        self.leave_scope(outside)
