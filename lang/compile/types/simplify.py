"""Simplification: rules by which typed code becomes smaller or cheaper, one after the other.

Runs after `convert`, which finds tests that are always true, and leaves unused boxed or unboxed
copies of values; and before ownership, which would have to free unused results.

  Constant tests: only the branch that is taken remains.  Statements after one that never returns
  are dropped, and the body of an inlined procedure without branches, such as
  `(define (key n) (vector-ref n 2))`, becomes a part of the block around it, so that what comes
  later sees both as one.  C compilers would do this, too, but warn about unused names.

    t1: boolean = #f                  t3 = call g(x)
    t4 = if t1                =>      yield t3
      t2 = call f(x)
      yield t2
    else
      t3 = call g(x)
      yield t3
    yield t4

  Dead code: operations without effects whose result is not used.

    t1 = closure f[]          =>      yield t2
    yield t2

  Loop invariants: what is the same in each iteration, and stands before everything that an
  iteration does, moves in front of the loop: lengths, and the arithmetic and the tests of the
  machine.  The first iteration would have computed it at once, so an error comes at the same time.

  Bounds checks: accesses whose index is certainly inside (`bounds.py`) do not test it.

    loop i = 0                             n = vector-length(v)
      n = vector-length(v)           =>    loop i = 0
      done = i64.equal(i, n)                 done = i64.equal(i, n)
      if done ... else                       if done ... else
        x = vector-ref(v, i)                   x = inside vector-ref(v, i)
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
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
    binds_in,
    end_with_names,
    ends_in,
    map_body,
    map_functions,
    map_operations,
    map_statements,
    statements_in,
    straight,
    with_inner,
    with_names,
    with_statements,
)
from lambent.lang.compile.ir.operands import (
    end_operands,
    never_returns,
    operands,
    repeating_loops,
    statement_operands,
)
from lambent.lang.compile.ir.operation_effects import is_pure
from lambent.lang.compile.types.bounds import accesses_inside
from lambent.lang.primitives.machine import Machine
from lambent.lang.primitives.table import Primitive, Variant
from lambent.lang.syntax.datum import Boolean
from lambent.lang.system.dataclass import dataclass, field, replace


def simplify(program: Anf) -> Anf:
    """The program by all rules."""
    return map_functions(program, _simplified)


def _simplified(function: Function) -> Function:
    for rule in _RULES:
        function = rule(function)
    return function


# Constant tests.


def _without_constant_tests(function: Function) -> Function:
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
                scopes = scopes or straight(statement, repeating) is not None
    if not scopes and not tests & constants.keys():
        return function
    return map_body(function, _Folder(constants, repeating).block)


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
            found = straight(last, self.repeating) if isinstance(last, Loop) else None
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


# Dead code.


def _without_dead_code(function: Function) -> Function:
    uses = _uses(function.body)
    definitions = {b.name: b.operation for b in binds_in(function.body) if is_pure(b)}
    dead: set[str] = set()
    waiting = [name for name in definitions if not uses.get(name)]
    while waiting:
        name = waiting.pop()
        dead.add(name)
        for operand in operands(definitions[name]):
            uses[operand] -= 1
            if not uses[operand] and operand in definitions:
                waiting.append(operand)
    if not dead:
        return function
    return map_body(
        function, lambda body: map_statements(body, lambda s: () if s.name in dead else (s,))
    )


def _uses(body: Block) -> Counter[str]:
    return Counter(
        chain(
            chain.from_iterable(map(statement_operands, statements_in(body))),
            chain.from_iterable(map(end_operands, ends_in(body))),
        )
    )


# Loop invariants.


def _with_invariants_outside(function: Function) -> Function:
    repeating = repeating_loops(function.body)
    if not any(map(_may_move, binds_in(function.body))):
        return function

    def hoisted(statement: Statement) -> Sequence[Statement]:
        if isinstance(statement, Loop) and statement.label in repeating:
            return _with_invariants_before(statement)
        return (statement,)

    return map_body(function, lambda body: map_statements(body, hoisted))


def _with_invariants_before(loop: Loop) -> list[Statement]:
    """The loop, and before it what it computes first, in each iteration alike."""
    moved = _invariants(loop)
    stay = [s for s in loop.body.statements if all(s is not one for one in moved)]
    rest = with_inner(loop, lambda body: with_statements(body, stay))
    return [*[_outside(bind, loop) for bind in moved], rest]


def _invariants(loop: Loop) -> list[Bind]:
    """What each iteration computes alike before everything else."""
    found: list[Bind] = []
    varies = {variable.name for variable in loop.variables}
    for statement in loop.body.statements:
        if not isinstance(statement, Bind):
            break
        if isinstance(statement.operation, Literal):
            varies.add(statement.name)
        elif _may_move(statement) and varies.isdisjoint(operands(statement.operation)):
            found.append(statement)
        else:
            break
    return found


def _may_move(bind: Bind) -> bool:
    """Whether it computes the same wherever it stands, unless it fails."""
    match bind.operation:
        case Apply(primitive, variant=variant):
            is_machine = variant is not None and isinstance(variant.code, Machine)
            return is_machine or primitive.measures
    return False


def _outside(bind: Bind, loop: Loop) -> Bind:
    """It still belongs to the procedure that the loop comes from."""
    inlined = bind.inlined if loop.inlined is None else (loop.inlined, *bind.inlined)
    return replace(bind, inlined=inlined)


# Bounds checks.


def _without_bounds_checks(function: Function) -> Function:
    inside = accesses_inside(function)
    if not inside:
        return function

    def unchecked(bind: Bind) -> Bind:
        match bind:
            case Bind(name, operation=Apply(primitive, variant=Variant() as variant) as apply):
                if name in inside and (better := _without_test(primitive, variant)) is not None:
                    return replace(bind, operation=replace(apply, variant=better))
        return bind

    return map_body(function, lambda body: map_operations(body, unchecked))


def _without_test(primitive: Primitive, variant: Variant) -> Variant | None:
    """The variant that does the same and does not test the index."""
    for other in primitive.variants:
        if (
            (other.inside or other.of_doubles)
            and not other.fails
            and other.of_doubles is variant.of_doubles
            and other.signature == variant.signature
        ):
            return other
    return None

_RULES: tuple[Callable[[Function], Function], ...] = (
    _without_constant_tests, _without_dead_code, _with_invariants_outside, _without_bounds_checks,
)  # fmt: skip
