"""Constant tests: only the branch that is taken remains.

    t1: boolean = #f                  t3 = call g(x)
    t4 = if t1                =>      yield t3
      t2 = call f(x)
      yield t2
    else
      t3 = call g(x)
      yield t3
    yield t4

Runs after `convert`, which finds tests that are always true.  C compilers would drop the other
branch, too, but warn about unused names.  Statements after one that never returns are dropped as
well.

The body of an inlined procedure without branches, such as `(define (key n) (vector-ref n 2))`,
becomes a part of the block around it, so that the passes after it see both as one.
"""

from lambent.lang.compile.ir.anf import (
    Anf,
    Bind,
    Block,
    Function,
    If,
    Literal,
    Loop,
    Raise,
    Representation,
    Statement,
    Terminator,
    Yield,
)
from lambent.lang.compile.ir.blocks import (
    end_with_names,
    map_body,
    map_functions,
    statements_in,
    with_inner,
    with_names,
)
from lambent.lang.compile.ir.operands import never_returns, repeating_loops
from lambent.lang.syntax.datum import Boolean
from lambent.lang.system.dataclass import dataclass, field, replace


def fold_tests(program: Anf) -> Anf:
    """The program without branches that are never taken."""
    return map_functions(program, _folded)


def _folded(function: Function) -> Function:
    constants: dict[str, bool] = {}
    tests: set[str] = set()
    repeating, scopes = repeating_loops(function.body), False
    for statement in statements_in(function.body):
        match statement:
            case Bind(name, Representation.BOOLEAN, Literal(Boolean(value))):
                constants[name] = value
            case If(test=test):
                tests.add(test)
            case Loop():
                scopes = scopes or is_scope(statement, repeating)
    if not scopes and not tests & constants.keys():
        return function
    return map_body(function, _Folder(constants, repeating).block)


def is_scope(loop: Loop, repeating: frozenset[str]) -> bool:
    """Whether it is the body of an inlined procedure, without a second iteration."""
    return bool(loop.inlined) and not loop.variables and loop.label not in repeating


def straight(loop: Loop) -> tuple[list[Bind], str] | None:
    """The statements of an inlined procedure of the program's without branches, and its value."""
    assert loop.inlined is not None
    found: list[Bind] = []
    for inner in loop.body.statements:
        if not isinstance(inner, Bind):
            return None
        if inner.span.source.library and not isinstance(inner.operation, Literal):
            return None
        found.append(replace(inner, inlined=(loop.inlined, *inner.inlined)))
    end = loop.body.end
    if not found or not isinstance(end, Yield):
        return None
    last = found[-1]
    if last.name != end.name or last.representation is not loop.representation:
        return found, end.name
    return [*found[:-1], replace(last, name=loop.name)], loop.name


@dataclass(slots=True)
class _Folder:
    """constants: the tests that are constants, by name.  same: for each If that is gone, the name
    of the value that its branch yields."""

    constants: dict[str, bool]
    repeating: frozenset[str]
    same: dict[str, str] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        out: list[Statement] = []
        end = self.statements(block, out)
        return Block(tuple(out), end)

    def statements(self, block: Block, out: list[Statement]) -> Terminator:
        """Write the statements of a block; the end of the block."""
        for statement in block.statements:
            if isinstance(statement, If) and statement.test in self.constants:
                taken = statement.then if self.constants[statement.test] else statement.orelse
                end = self.statements(taken, out)
                if not isinstance(end, Yield) or (out and never_returns(out[-1])):
                    return end
                self.same[statement.name] = end.name
                continue
            out.append(with_inner(with_names(statement, self.name), self.block))
            last = out[-1]
            found = None
            if isinstance(last, Loop) and is_scope(last, self.repeating):
                found = straight(last)
            if found is not None:
                out[-1:], value = found
                if value != statement.name:
                    self.same[statement.name] = value
                continue
            if never_returns(out[-1]):
                if isinstance(out[-1], Bind):
                    return Raise()
                return Yield(out[-1].name)
        return end_with_names(block.end, self.name)

    def name(self, name: str) -> str:
        return self.same.get(name, name)
