"""Clones: procedures, a second time for calls whose arguments are doubles.

    (define (scale k x) (* k x))          fn scale(k, x)          for calls of other numbers
    (scale 2.0 (f y))  (scale 1/2 3)  =>  fn scale.doubles(k, x)  where k is a double

Inference joins what all calls pass, so one call with a number of unknown type would take the
doubles of all others away.  A call within a clone may want a clone, too: a recursion on doubles
then stays among them.

Runs after `split_doubles`, whose tests make doubles known, and before `type_program`, which finds
the types of the clones' parameters.  The library has no clones: it passes doubles in few places.
"""

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Function,
    HaveTypes,
    Literal,
    Loop,
    MakeClosure,
    Refine,
)
from lambent.lang.compile.ir.blocks import Use, binds_in, map_calls, statements_in
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.compile.ir.operands import statement_count
from lambent.lang.compile.types.abstract_types import UNKNOWN, AbstractType
from lambent.lang.compile.types.callers import mentioned
from lambent.lang.compile.types.infer import Facts, infer
from lambent.lang.compile.versions.likely_doubles import is_arithmetic
from lambent.lang.compile.versions.split_doubles import split_functions
from lambent.lang.syntax.datum import Number
from lambent.lang.system.dataclass import dataclass, field, replace

_MOST = 200  # statements of a function that is cloned
_CLONES = 2  # of one function
_ROUNDS = 4  # how deep calls of clones within clones are followed

# A function, and the indices of the parameters that are doubles.
Key = tuple[str, frozenset[int]]


def clone_procedures(program: Anf) -> Anf:
    """The program with clones of its procedures for the calls that pass doubles."""
    if not any(map(_mentions_doubles, program.own_functions)):
        return program
    cloner = _Cloner(program.by_name)
    facts = infer(program)
    for _ in range(_ROUNDS):
        if not cloner.run(facts):
            break
        program = cloner.program(program)
        facts = infer(program)
    if not cloner.clones:
        return program
    clones = [f for f in program.functions if f.name in cloner.clones.values()]
    return split_functions(clones, program, facts)


@dataclass(slots=True)
class _Cloner:
    """functions: those of the program and all clones, by name.  clones: their names by what they
    are for."""

    functions: dict[str, Function]
    clones: dict[Key, str] = field(default_factory=dict)
    numbers: Numbers = field(default_factory=dict)

    def program(self, program: Anf) -> Anf:
        """The program with the functions that are still called."""
        reached = self.reached()
        others = {"main", *(external.name for external in program.externals)}
        functions = [f for n, f in self.functions.items() if n in reached and n not in others]
        return replace(program, functions=tuple(functions), main=self.functions["main"])

    def reached(self) -> set[str]:
        """The functions that are values or called; all but originals whose calls call clones."""
        cloned = {function for function, _ in self.clones}
        reached = {name for name, f in self.functions.items() if name not in cloned or f.escapes}
        waiting = list(reached)
        while waiting:
            for callee in mentioned(self.functions[waiting.pop()]):
                if callee not in reached:
                    reached.add(callee)
                    waiting.append(callee)
        return reached

    def run(self, facts: Facts) -> bool:
        """Redirect the calls that pass doubles to clones; whether there was one."""
        found = False
        for function in list(facts.functions.values()):
            if function.owner.is_library:
                continue
            redirect = _Redirect(self, facts, function.name)
            body = map_calls(function.body, redirect.callee)
            if body is not function.body:
                self.functions[function.name] = replace(function, body=body)
                found = True
        return found

    def clone(self, callee: str, doubles: frozenset[int]) -> str | None:
        """The name of the clone for a call, None if none pays."""
        key = callee, doubles
        if key in self.clones:
            return self.clones[key]
        function = self.functions[callee]
        others = sum(cloned == callee for cloned, _ in self.clones)
        if others == _CLONES or not _pays(function, doubles):
            return None
        name = fresh(f"{callee}.doubles", self.functions, self.numbers)
        self.functions[name] = replace(function, name=name, escapes=False)
        self.clones[key] = name
        return name


@dataclass(slots=True)
class _Redirect:
    """Redirects calls of one function."""

    cloner: _Cloner
    facts: Facts
    caller: str

    def callee(self, use: Use) -> str:
        """What is called instead: a clone, or the same function."""
        callee = use.function
        if isinstance(use, MakeClosure) or self.facts.functions[callee].owner.is_library:
            return callee
        types, expected = self.facts.names[self.caller], self.facts.parameters[callee]
        doubles = frozenset(
            index
            for index, name in enumerate(use.arguments)
            if types.get(name) is AbstractType.FLOAT and expected[index] in UNKNOWN
        )
        clone = self.cloner.clone(callee, doubles) if doubles else None
        return callee if clone is None else clone


def _mentions_doubles(function: Function) -> bool:
    """Whether it is the program's, and has constants that are doubles, or tests for doubles."""
    if function.owner.is_library:
        return False
    for bind in binds_in(function.body):
        match bind.operation:
            case Literal(Number(float())) | HaveTypes():
                return True
    return False


def _pays(function: Function, doubles: frozenset[int]) -> bool:
    """Whether the function is short, and computes with one of these parameters."""
    names = {function.parameters[index].name for index in doubles}
    computes = False
    for statement in statements_in(function.body):
        match statement:
            case Loop(variables=variables):
                names |= {v.name for v in variables if v.initial in names}
            case Bind(name, operation=Refine(operand)) if operand in names:
                names.add(name)
            case Bind(operation=Apply(primitive, arguments)):
                computes |= is_arithmetic(primitive) and not names.isdisjoint(arguments)
    return computes and statement_count(function.body) <= _MOST
