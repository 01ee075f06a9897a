"""Splits: code that computes with numbers of unknown type, a second time for doubles.

    (define (energy m v) (* 0.5 m (* v v)))
    =>  fn energy(m, v)
          fits = m is float and v is float
          split = if fits
            m.known = refine m to float
            v.known = refine v to float
            ...                             the body, which tests nothing
          else
            ...                             the body
          yield split

Parameters are tested where the function begins, local variables after the binding where that saves
most.  `likely_doubles` guesses which names to test.  The library is not split, because its code is
compiled once for all programs.

Runs before `type_program`, which infers types again and so finds the better ones.
"""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from operator import is_

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    DirectCall,
    DirectTailCall,
    Function,
    HaveTypes,
    If,
    Loop,
    Refine,
    Representation,
    Statement,
    Terminator,
    Yield,
)
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.compile.ir.operands import (
    all_blocks,
    bound_names,
    end_operands,
    inner_blocks,
    statement_count,
    statement_operands,
)
from lambent.lang.compile.ir.rename import renamed
from lambent.lang.compile.types.abstract_types import UNKNOWN, AbstractType
from lambent.lang.compile.types.infer import Facts, infer
from lambent.lang.compile.types.likely_doubles import is_arithmetic, likely_doubles, stores_number
from lambent.lang.compile.types.unboxing import FlowNode
from lambent.lang.syntax.source import Span

_MOST = 200  # statements of the code that a split doubles
_LEAST_GAIN = 3  # tests that it saves
_VALUE, _FLOAT = Representation.VALUE, Representation.FLOAT


def split_doubles(program: Anf) -> Anf:
    """The program with a version for doubles of the code that likely computes with them."""
    own = [f for f in (*program.functions, program.main) if not f.span.source.library]
    split = split_functions(own, program, infer(program))
    if all(split.get(function.name, function) is function for function in own):
        return program
    functions = tuple([split.get(f.name, f) for f in program.functions])
    return replace(program, functions=functions, main=split.get("main", program.main))


def split_functions(
    functions: Iterable[Function], program: Anf, facts: Facts
) -> dict[str, Function]:
    """By name, these functions of a program, some with versions of their code for doubles."""
    likely = likely_doubles(program, facts)
    if not likely:
        return {}
    return {f.name: _Splitter(f, facts, likely).run() for f in functions}


@dataclass(slots=True)
class _Splitter:
    """Splits one function.  The version for doubles may be split again, where it reads others.

    types: of the names in such versions.  originals: what these names are copies of.  room: how
    many statements may still be doubled.
    """

    function: Function
    facts: Facts
    likely: set[FlowNode]
    types: dict[str, AbstractType] = field(default_factory=dict)
    originals: dict[str, str] = field(default_factory=dict)
    room: int = _MOST
    taken: set[str] = field(default_factory=set)
    numbers: Numbers = field(default_factory=dict)

    def run(self) -> Function:
        body = self.function.body
        self.taken.update(parameter.name for parameter in self.function.parameters)
        for block in all_blocks(body):
            for statement in block.statements:
                self.taken.update(bound_names(statement))
                if isinstance(statement, Loop):
                    self.taken.add(statement.label)
        tests = self.tested(parameter.name for parameter in self.function.parameters)
        gain = self.gain(body, tests)
        if gain >= _LEAST_GAIN and statement_count(body) <= self.room:
            return replace(self.function, body=self.split(body, 0, tests, self.function.span))
        body = self.block(body)
        return self.function if body is self.function.body else replace(self.function, body=body)

    def tested(self, names: Iterable[str]) -> list[str]:
        """Those of the names that a test may find to be doubles."""
        return [
            name
            for name in names
            if self.is_likely(name) and self.type_of(name) in UNKNOWN
        ]

    def is_likely(self, name: str) -> bool:
        return (self.function.name, self.originals.get(name, name)) in self.likely

    def type_of(self, name: str) -> AbstractType:
        if name in self.types:
            return self.types[name]
        return self.facts.names[self.function.name].get(name, AbstractType.NOTHING)

    def gain(self, block: Block, tests: Sequence[str]) -> int:
        """How many tests of operands a block needs no longer, less the new ones."""
        if not tests:
            return 0
        return 2 * _Estimate(self, set(tests)).block(block) - len(tests)

    # Splitting.

    def block(self, block: Block) -> Block:
        """A block with its best split, or with those of the blocks inside it."""
        index, tests, span = self.best_split(block)
        rest = Block(block.statements[index:], block.end)
        if tests and statement_count(rest) <= self.room:
            return self.split(block, index, tests, span)
        before = {
            statement.name
            for statement in block.statements
            if isinstance(statement, Bind) and isinstance(statement.operation, HaveTypes)
        }
        statements = [self.inside(statement, before) for statement in block.statements]
        if all(map(is_, statements, block.statements)):
            return block
        return Block(tuple(statements), block.end)

    def best_split(self, block: Block) -> tuple[int, list[str], Span]:
        """The index of the first statement to split, the names to test (none if no split pays), and
        the span of the last one."""
        best, found = _LEAST_GAIN - 1, (0, list[str](), self.function.span)
        bound: list[str] = []
        for index, statement in enumerate(block.statements[:_MOST], 1):
            if not self.tested([statement.name]) or not isinstance(statement, Bind):
                continue
            bound.append(statement.name)
            rest = Block(block.statements[index:], block.end)
            used = _used(rest.statements, rest.end)
            tests = [name for name in bound if name in used]
            gain = self.gain(rest, tests)
            if gain > best:
                best, found = gain, (index, tests, statement.span)
        return found

    def inside(self, statement: Statement, tests: Set[str]) -> Statement:
        """tests: those of a split before; where they fail there are no doubles."""
        match statement:
            case If(test=test, then=then, orelse=orelse):
                blocks = self.block(then), orelse if test in tests else self.block(orelse)
                if blocks[0] is not then or blocks[1] is not orelse:
                    return replace(statement, then=blocks[0], orelse=blocks[1])
            case Loop(body=body):
                inner = self.block(body)
                if inner is not body:
                    return replace(statement, body=inner)
        return statement

    def split(self, block: Block, index: int, tests: Sequence[str], span: Span) -> Block:
        """The block with its statements from an index on twice, in the branches of a test."""
        rest = Block(block.statements[index:], block.end)
        self.room -= statement_count(rest)
        test, result = self.fresh("fits"), self.fresh("split")
        known = {name: self.fresh(f"{self.originals.get(name, name)}.known") for name in tests}
        refined = [Bind(known[name], _VALUE, Refine(name, _FLOAT), span) for name in tests]
        copy = self.block(self.copy(rest, known))
        types = HaveTypes(tuple(tests), (_FLOAT,) * len(tests))
        branches = Block((*refined, *copy.statements), copy.end), rest
        branch = If(result, _VALUE, test, *branches, span)
        before = block.statements[:index]
        return Block((*before, Bind(test, _VALUE, types, span), branch), Yield(result))

    def copy(self, block: Block, known: dict[str, str]) -> Block:
        """A block where names are known to be doubles: the name of each is given."""
        estimate = _Estimate(self, set(known))
        estimate.block(block)

        def fresh_copy(name: str) -> str:
            original = self.originals.get(name, name)
            new = self.fresh(original)
            self.originals[new] = original
            is_double = name in estimate.doubles
            self.types[new] = AbstractType.FLOAT if is_double else self.type_of(name)
            return new

        self.types.update(dict.fromkeys(known.values(), AbstractType.FLOAT))
        return renamed(block, fresh_copy, known)

    def fresh(self, name: str) -> str:
        new = fresh(name, self.taken, self.numbers)
        self.taken.add(new)
        return new


@dataclass(slots=True)
class _Estimate:
    """doubles: the names that are doubles if the tests succeed."""

    splitter: _Splitter
    doubles: set[str]

    def count(self, statements: Sequence[Statement]) -> int:
        """How many operations know their operands, and did not before."""
        saved = 0
        for statement in statements:
            match statement:
                case Bind(name, operation=Apply() as apply):
                    saved += self.operation(name, apply)
                case Bind(operation=DirectCall(arguments=arguments)):
                    saved += self.passed(arguments)
                case Loop(variables=variables):
                    starts = {v.name for v in variables if self.is_double(v.initial)}
                    self.doubles |= starts
            saved += sum(self.block(block) for block in inner_blocks(statement))
        return saved

    def block(self, block: Block) -> int:
        saved = self.count(block.statements)
        if isinstance(block.end, DirectTailCall):
            saved += self.passed(block.end.arguments)
        return saved

    def passed(self, arguments: Sequence[str]) -> int:
        """How many doubles a call passes: it may be one of a clone."""
        return sum(name in self.doubles and self.was_unknown(name) for name in arguments)

    def operation(self, name: str, apply: Apply) -> bool:
        if self.doubles.isdisjoint(apply.arguments):
            return False
        if not is_arithmetic(apply.primitive):
            return stores_number(apply.primitive) and self.was_unknown(apply.arguments[-1])
        if not all(self.is_double(n) or self.is_integer(n) for n in apply.arguments):
            return False
        self.doubles.add(name)
        return any(map(self.was_unknown, apply.arguments))

    def was_unknown(self, name: str) -> bool:
        return self.splitter.type_of(name) in UNKNOWN

    def is_double(self, name: str) -> bool:
        return name in self.doubles or self.splitter.type_of(name) is AbstractType.FLOAT

    def is_integer(self, name: str) -> bool:
        return self.splitter.type_of(name) in (AbstractType.COUNTER, AbstractType.FIXNUM)


def _used(statements: Sequence[Statement], end: Terminator) -> set[str]:
    """The names that some statements and what follows them use."""
    found = set(end_operands(end))
    for statement in statements:
        found.update(statement_operands(statement))
        for block in inner_blocks(statement):
            found |= _used(block.statements, block.end)
    return found
