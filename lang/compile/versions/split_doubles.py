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

    (define (move! v dt) (vector-set! v 0 (+ (vector-ref v 0) (* dt (vector-ref v 1)))))
    =>  fits = v is doubles(2) and dt is float    which reads and writes v without a test

Parameters are tested where the function begins, local variables after the binding where that saves
most.  `likely_doubles` guesses which names to test, and of what is read from vectors and stored in
them.  Where a vector is not one of doubles, the code is split by its numbers alone: in a function
of its own, so that the rest is small.  The library is not split: it computes with numbers in few
places, and its code would grow.

Runs before `type_program`, which infers types again and so finds the better ones.
"""

from collections.abc import Iterable, Sequence, Set

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    Doubles,
    Function,
    HaveTypes,
    If,
    Literal,
    Loop,
    Refine,
    Representation,
    Statement,
    Terminator,
    Yield,
)
from lambent.lang.compile.ir.blocks import (
    binds_in,
    names_in,
    statements_in,
    with_inner,
    with_statements,
)
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.compile.ir.operands import (
    end_operands,
    inner_blocks,
    statement_count,
    statement_operands,
)
from lambent.lang.compile.ir.rename import renamed
from lambent.lang.compile.types.abstract_types import UNKNOWN, AbstractType
from lambent.lang.compile.types.infer import Facts, infer
from lambent.lang.compile.types.unboxing import FlowNode
from lambent.lang.compile.versions.call_version import call_version
from lambent.lang.compile.versions.doubles_estimate import Estimate, element_of
from lambent.lang.compile.versions.likely_doubles import likely_doubles
from lambent.lang.syntax.datum import Number
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field, replace

_MOST = 200  # statements of the code that a split doubles
_LEAST_GAIN = 3  # tests that it saves
_MOST_ELEMENTS = 2**31  # of a vector whose length is tested
_VALUE, _FLOAT = Representation.VALUE, Representation.FLOAT


def split_doubles(program: Anf) -> Anf:
    """The program with a version for doubles of the code that likely computes with them."""
    own = [f for f in program.own_functions if not f.owner.is_library]
    return split_functions(own, program, infer(program))


def split_functions(functions: Iterable[Function], program: Anf, facts: Facts) -> Anf:
    """The program with versions for doubles of code in these functions."""
    likely = likely_doubles(program, facts)
    if not likely:
        return program
    taken = set(program.by_name)
    split = {f.name: _Splitter(f, facts, likely).run(taken) for f in functions}
    if all(new[0] is facts.functions[name] for name, new in split.items()):
        return program
    after = [new for f in program.functions for new in split.get(f.name, (f,))]
    main = split.get("main", (program.main,))[0]
    return replace(program, functions=tuple(after), main=main)


@dataclass(slots=True)
class _Splitter:
    """Splits one function.  The version for doubles may be split again, where it reads others.

    types: of the names in such versions.  originals: what these names are copies of.  room: how
    many statements may still be doubled.  vectors: those that likely hold doubles, and how many
    elements are certainly used, by the names of the original.
    """

    function: Function
    facts: Facts
    likely: set[FlowNode]
    types: dict[str, AbstractType] = field(default_factory=dict)
    originals: dict[str, str] = field(default_factory=dict)
    room: int = _MOST
    vectors: dict[str, int] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    numbers: Numbers = field(default_factory=dict)

    def run(self, names: set[str]) -> tuple[Function, ...]:
        """The function, and what other functions that needs, whose names are added to the given
        ones."""
        body = self.function.body
        self.taken.update(names_in(self.function))
        self.taken.update(s.label for s in statements_in(body) if isinstance(s, Loop))
        self.find_vectors()
        if not self.splits_whole(body, tests := self.whole_tests(body, with_vectors=True)):
            body = self.block(body)
            same = body is self.function.body
            return (self.function if same else replace(self.function, body=body),)
        if not any(map(self.is_vector, tests)) or self.function.captures:
            return (replace(self.function, body=self.split(body, 0, tests, self.function.span)),)
        name = fresh(f"{self.function.name}.plain", names, self.numbers)
        names.add(name)
        plain = replace(self.function, name=name, escapes=False)
        arguments = tuple([parameter.name for parameter in self.function.parameters])
        call = call_version(self.function, plain, arguments)
        split = self.split(body, 0, tests, self.function.span, call)
        rest = self.whole(body, with_vectors=False)
        return replace(self.function, body=split), replace(plain, body=rest)

    def whole(self, body: Block, *, with_vectors: bool) -> Block:
        """The body, split where it begins if that pays."""
        tests = self.whole_tests(body, with_vectors=with_vectors)
        if self.splits_whole(body, tests):
            return self.split(body, 0, tests, self.function.span)
        return self.block(body, with_vectors=with_vectors)

    def whole_tests(self, body: Block, *, with_vectors: bool) -> list[str]:
        names = [parameter.name for parameter in self.function.parameters]
        return self.worth_testing(body, self.tested(names, with_vectors=with_vectors))

    def splits_whole(self, body: Block, tests: Sequence[str]) -> bool:
        return self.gain(body, tests) >= _LEAST_GAIN and statement_count(body) <= self.room

    def find_vectors(self) -> None:
        literals = self.facts.literals[self.function.name]
        for bind in binds_in(self.function.body):
            if not isinstance(bind.operation, Apply):
                continue
            element = element_of(bind.name, bind.operation)
            if element is not None and (
                self.is_likely(element) or self.type_of(element) is AbstractType.FLOAT
            ):
                vector, index, *_ = bind.operation.arguments
                length = _length_for(literals.get(index))
                self.vectors[vector] = max(self.vectors.get(vector, 0), length)

    def tested(self, names: Iterable[str], *, with_vectors: bool = True) -> list[str]:
        """Those of the names that a test may find to be doubles, or vectors of doubles."""
        return [
            name
            for name in names
            if (self.is_likely(name) and self.type_of(name) in UNKNOWN)
            or (with_vectors and self.is_vector(name))
        ]

    def is_vector(self, name: str) -> bool:
        is_unknown = self.type_of(name) is AbstractType.ANYTHING
        return is_unknown and self.originals.get(name, name) in self.vectors

    def type_tested(self, name: str) -> Representation | Doubles:
        if self.is_vector(name):
            return Doubles(self.vectors[self.originals.get(name, name)])
        return _FLOAT

    def worth_testing(self, block: Block, tests: Sequence[str]) -> list[str]:
        """The tests without those of vectors that save nothing here."""
        if not any(map(self.is_vector, tests)):
            return list(tests)
        estimate = Estimate.of(self, tests)
        estimate.block(block)
        return [name for name in tests if not self.is_vector(name) or estimate.uses[name] > 1]

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
        return 2 * Estimate.of(self, tests).block(block) - len(tests)

    # Splitting.

    def block(self, block: Block, *, with_vectors: bool = True) -> Block:
        """A block with its best split, or with those of the blocks inside it."""
        index, tests, span = self.best_split(block, with_vectors=with_vectors)
        rest = Block(block.statements[index:], block.end)
        if tests and statement_count(rest) <= self.room:
            return self.split(block, index, tests, span)
        before = {
            statement.name
            for statement in block.statements
            if isinstance(statement, Bind) and isinstance(statement.operation, HaveTypes)
        }
        return with_statements(block, [self.inside(s, before) for s in block.statements])

    def best_split(self, block: Block, *, with_vectors: bool) -> tuple[int, list[str], Span]:
        """The index of the first statement to split, the names to test (none if no split pays), and
        the span of the last one."""
        best, found = _LEAST_GAIN - 1, (0, list[str](), self.function.span)
        bound: list[str] = []
        for index, statement in enumerate(block.statements[:_MOST], 1):
            if not isinstance(statement, Bind) or not self.tested(
                [statement.name], with_vectors=with_vectors
            ):
                continue
            bound.append(statement.name)
            rest = Block(block.statements[index:], block.end)
            used = _used(rest.statements, rest.end)
            tests = self.worth_testing(rest, [name for name in bound if name in used])
            gain = self.gain(rest, tests)
            if gain > best:
                best, found = gain, (index, tests, statement.span)
        return found

    def inside(self, statement: Statement, tests: Set[str]) -> Statement:
        """tests: those of a split before; where they fail there are no doubles."""
        if isinstance(statement, If) and statement.test in tests:
            then = self.block(statement.then)
            return statement if then is statement.then else replace(statement, then=then)
        return with_inner(statement, self.block)

    def split(
        self,
        block: Block,
        index: int,
        tests: Sequence[str],
        span: Span,
        otherwise: Block | None = None,
    ) -> Block:
        """The block with its statements from an index on twice, in the branches of a test.
        otherwise: what does the same where the test fails."""
        rest = Block(block.statements[index:], block.end)
        self.room -= statement_count(rest)
        test, result = self.fresh("fits"), self.fresh("split")
        vectors = [name for name in tests if self.is_vector(name)]
        numbers = [name for name in tests if name not in vectors]
        known = {name: self.fresh(f"{self.originals.get(name, name)}.known") for name in numbers}
        refined = [Bind(known[name], _VALUE, Refine(name, _FLOAT), span) for name in numbers]
        types = HaveTypes(tuple(tests), tuple([self.type_tested(name) for name in tests]))
        copy = self.block(self.copy(rest, known, vectors))
        if otherwise is not None:
            rest = otherwise
        elif vectors and index == 0:
            rest = self.whole(rest, with_vectors=False)
        elif vectors:
            rest = self.block(rest, with_vectors=False)
        branches = Block((*refined, *copy.statements), copy.end), rest
        branch = If(result, _VALUE, test, *branches, span)
        before = block.statements[:index]
        return Block((*before, Bind(test, _VALUE, types, span), branch), Yield(result))

    def copy(self, block: Block, known: dict[str, str], vectors: Sequence[str]) -> Block:
        """A block where names are known to be doubles: the name of each is given.  vectors: those
        that are known to hold doubles."""
        estimate = Estimate.of(self, [*known, *vectors])
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


def _length_for(index: Literal | None) -> int:
    """The least length of a vector that has an element of that index, as far as it is known."""
    match index:
        case Literal(Number(int() as number)) if 0 <= number < _MOST_ELEMENTS:
            return number + 1
    return 0




def _used(statements: Sequence[Statement], end: Terminator) -> set[str]:
    """The names that some statements and what follows them use."""
    found = set(end_operands(end))
    for statement in statements:
        found.update(statement_operands(statement))
        for block in inner_blocks(statement):
            found |= _used(block.statements, block.end)
    return found
