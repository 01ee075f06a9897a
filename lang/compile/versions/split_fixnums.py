"""Versions of procedures for fixnums: their parameters are int64_t where a test finds fixnums.

    (define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
    =>  fn fib(n)
          fits = n is fixnum
          split = if fits
            n.known = refine n to fixnum
            return call fib.fixnums(n.known)
          else
            return call fib.others(n)

Both versions have the body of the procedure.  Inference finds better types for that of the first
one: it is called with fixnums only.  Where a call's arguments are certainly fixnums, inference and
`convert` call it directly (`Function.fixnums`), so the tests stand at the outermost call.

Only procedures that call themselves or have a loop get versions, and only for parameters that are
computed with, beside integers.  The library gets none: its code would grow.  Runs before
`type_program`, which infers types again.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    FixnumVersion,
    Function,
    HaveTypes,
    If,
    Refine,
    Representation,
    Yield,
)
from lambent.lang.compile.ir.blocks import binds_in
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.compile.ir.operands import has_loop, statement_count
from lambent.lang.compile.types.abstract_types import INTEGERS, UNKNOWN, AbstractType
from lambent.lang.compile.types.callers import callers_of
from lambent.lang.compile.types.infer import Facts, infer
from lambent.lang.compile.types.unboxing import FlowNode
from lambent.lang.compile.versions.call_version import call_version
from lambent.lang.compile.versions.likely_doubles import is_arithmetic
from lambent.lang.core.strong_components import on_cycles
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.system.dataclass import dataclass, field, replace

_MOST = 80  # statements of a procedure that gets versions
_LEAST_USES = 2
_VALUE, _FIXNUM = Representation.VALUE, Representation.FIXNUM


def split_fixnums(program: Anf) -> Anf:
    """The program with versions for fixnums of the procedures that likely compute with them."""
    own = [f for f in program.functions if not f.owner.is_library]
    repeated = _repeated(own)
    if not repeated:
        return program
    uses = _Uses(infer(program))
    for function in (*own, program.main):
        uses.read(function)
    uses.find_sources()
    likely = {f.name: uses.likely_fixnums(f) for f in own if f.name in repeated}
    if not any(likely.values()):
        return program
    functions: list[Function] = []
    for function in program.functions:
        tested = likely.get(function.name, ())
        functions += _versions(function, tested) if tested else [function]
    return replace(program, functions=tuple(functions))


def _repeated(functions: list[Function]) -> set[str]:
    """The small functions that call themselves, or have a loop.

    Captures belong to the closure, which may die at a tail call, so no other function borrows them.
    """
    by_name = {function.name: function for function in functions}
    callers = callers_of(by_name)
    recursive = on_cycles({name: callers.get(name, ()) for name in by_name})
    return {
        function.name
        for function in functions
        if (function.name in recursive or has_loop(function))
        and not function.captures
        and statement_count(function.body) <= _MOST
    }


def _versions(function: Function, tested: tuple[int, ...]) -> list[Function]:
    """The function that tests its parameters, and its two versions."""
    fixnums = replace(function, name=f"{function.name}.fixnums", escapes=False)
    others = replace(function, name=f"{function.name}.others", escapes=False)
    names = [parameter.name for parameter in function.parameters]
    taken, numbers = set(names), Numbers()
    known = {names[i]: fresh(f"{names[i]}.known", taken, numbers) for i in tested}
    test, result = fresh("fits", taken, numbers), fresh("split", taken, numbers)
    span = function.span
    types = HaveTypes(tuple(known), (_FIXNUM,) * len(tested))
    refined = [Bind(known[name], _VALUE, Refine(name, _FIXNUM), span) for name in known]
    arguments = tuple([known.get(name, name) for name in names])
    then = call_version(function, fixnums, arguments, refined)
    orelse = call_version(function, others, tuple(names))
    branch = If(result, _VALUE, test, then, orelse, span)
    body = Block((Bind(test, _VALUE, types, span), branch), Yield(result))
    version = FixnumVersion(fixnums.name, tested)
    return [replace(function, body=body, fixnums=version), fixnums, others]


@dataclass(slots=True)
class _Uses:
    """What the program does with names of unknown type.

    beside_integers: how often each name is an index, or computed with beside an integer.
    as_doubles: the names that stand beside doubles.  targets: where the values of each name flow.
    to_integers, to_doubles: the names whose values flow to such names, or are such names.
    """

    facts: Facts
    beside_integers: Counter[FlowNode] = field(default_factory=Counter)
    as_doubles: set[FlowNode] = field(default_factory=set)
    targets: dict[FlowNode, list[FlowNode]] = field(default_factory=dict)
    to_integers: set[FlowNode] = field(default_factory=set)
    to_doubles: set[FlowNode] = field(default_factory=set)

    def __post_init__(self) -> None:
        for target, sources in self.facts.flows.sources.items():
            for source in sources:
                self.targets.setdefault(source, []).append(target)

    def likely_fixnums(self, function: Function) -> tuple[int, ...]:
        """The indices of the parameters that are probably fixnums."""
        return tuple(
            [
                index
                for index, parameter in enumerate(function.parameters)
                if self.is_likely((function.name, parameter.name))
            ]
        )

    def is_likely(self, node: FlowNode) -> bool:
        function, name = node
        if self.facts.names[function].get(name) not in UNKNOWN:
            return False
        if node in self.to_doubles:
            return False
        uses = 0
        for other in self.reached(node):
            uses += self.beside_integers[other]
            if uses >= _LEAST_USES:
                return True
        return False

    def reached(self, node: FlowNode) -> Iterator[FlowNode]:
        """The names to which the value of a name flows, itself included, and from which it flows to
        one beside an integer.  Others are left out: a value may flow through the whole program."""
        seen, waiting = {node}, [node]
        while waiting:
            here = waiting.pop()
            yield here
            for target in self.targets.get(here, ()):
                if target in self.to_integers and target not in seen:
                    seen.add(target)
                    waiting.append(target)

    def find_sources(self) -> None:
        """Find what flows to the names that have been read."""
        self.to_integers = self.with_sources(self.beside_integers)
        self.to_doubles = self.with_sources(self.as_doubles)

    def with_sources(self, nodes: Iterable[FlowNode]) -> set[FlowNode]:
        found = set(nodes)
        waiting = list(found)
        while waiting:
            for source in self.facts.flows.sources.get(waiting.pop(), ()):
                if source not in found:
                    found.add(source)
                    waiting.append(source)
        return found

    def read(self, function: Function) -> None:
        types = self.facts.names[function.name]
        for bind in binds_in(function.body):
            if isinstance(bind.operation, Apply):
                self.apply(function.name, bind.operation, types)

    def apply(self, function: str, apply: Apply, types: Mapping[str, AbstractType]) -> None:
        if is_arithmetic(apply.primitive):
            beside = {types.get(name, AbstractType.NOTHING) for name in apply.arguments}
            for name in apply.arguments:
                self.use((function, name), beside)
            return
        parameters = apply.primitive.signature.params
        for name, parameter in zip(apply.arguments, parameters, strict=False):
            if parameter.type is Declared.INDEX:
                self.use((function, name), {AbstractType.COUNTER})

    def use(self, node: FlowNode, beside: set[AbstractType]) -> None:
        if AbstractType.FLOAT in beside:
            self.as_doubles.add(node)
        elif beside & INTEGERS:
            self.beside_integers[node] += 1
