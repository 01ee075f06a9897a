"""Mutations of the owned IR of real programs: the verifiers find each, unless a rule excuses it.

    python -m tests.stress.mutations [--seed N] [--count N] [FILE ...]

Each mutant is a program as it is before C is emitted, with one thing changed: a free dropped or
doubled, a dup added, two statements swapped, a borrow flipped, a representation changed, a cleanup
lost (KINDS).  `check_owned` and `check_types` must refuse it.  If they accept it, it has escaped,
unless a rule shows that the mutant does the same as the program (`Mutant.rule`).  Without files,
programs of tests/programs, tests/bench/language and examples are taken at random, with what they
reach of the library.  The last line says how many escaped; the exit status is 1 if one did.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    Convert,
    DirectCall,
    Dup,
    Free,
    Function,
    GlobalGet,
    HaveTypes,
    If,
    IsAbsent,
    Literal,
    Loop,
    MakeClosure,
    PrimitiveValue,
    Recur,
    Representation,
    SetGradMode,
    Statement,
    Truth,
    Yield,
)
from lambent.lang.compile.ir.operands import (
    all_blocks,
    bound_names,
    end_operands,
    inner_blocks,
    never_returns,
    returns_immediate,
    statement_operands,
)
from lambent.lang.compile.ir.text import statement_head
from lambent.lang.compile.ownership.check_owned import OwnershipError, check_owned
from lambent.lang.compile.types.check_bounds import BoundsError
from lambent.lang.compile.types.check_doubles import DoublesError
from lambent.lang.compile.types.check_ranges import RangeError
from lambent.lang.compile.types.check_types import TypesError, check_types
from lambent.lang.deep import call_deep
from lambent.lang.errors import LispError
from lambent.lang.pipeline import compile_source, read_source
from lambent.lang.primitives.effects import CONTAINERS
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Variant
from tests.support.paths import ROOT

FOLDERS = ("tests/programs", "tests/bench/language", "examples")
_EACH = 250  # mutants of one program


@dataclass(frozen=True, slots=True)
class Mutant:
    """kind: what was changed, for the report.  site: where.  function: the one that was changed.
    rule: why it does the same as the program, if it does."""

    kind: str
    site: str
    function: Function
    rule: str | None = None


@dataclass(slots=True)
class Report:
    """How many mutants of each kind were found, are equivalent by which rule, or escaped."""

    found: Counter[str] = field(default_factory=Counter)
    equivalent: Counter[tuple[str, str]] = field(default_factory=Counter)
    escaped: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        return self.found.total() + self.equivalent.total() + len(self.escaped)

    def text(self) -> str:
        lines = [f"{self.count} mutants"]
        for kind in KINDS:
            rules = {rule: n for (k, rule), n in self.equivalent.items() if k == kind}
            lines.append(f"  {kind:16} {self.found[kind]:6} found")
            lines += [f"  {'':16} {n:6} equivalent: {rule}" for rule, n in sorted(rules.items())]
        lines += [f"escaped: {text}" for text in self.escaped]
        return "\n".join([*lines, f"{len(self.escaped)} escaped"])


def mutate(program: Anf, name: str, count: int, rng: random.Random, report: Report) -> None:
    """Try mutants of one program."""
    functions = [*program.functions, program.main]
    sizes = [_size(function) for function in functions]
    kinds = list(KINDS)
    tried = 0
    for _ in range(count * 20):
        if tried == count:
            return
        function = rng.choices(functions, sizes)[0]
        kind = rng.choice(kinds)
        made = KINDS[kind](_MutationSite(function, program, rng))
        if made is None:
            continue
        tried += 1
        _try(program, replace(made, kind=kind), f"{name}: {function.name}", report)


def _try(program: Anf, mutant: Mutant, where: str, report: Report) -> None:
    try:
        changed = _with_function(program, mutant.function)
        check_owned(changed)
        check_types(changed)
    except (BoundsError, DoublesError, OwnershipError, RangeError, TypesError):
        report.found[mutant.kind] += 1
        return
    if mutant.rule is not None:
        report.equivalent[mutant.kind, mutant.rule] += 1
    else:
        report.escaped.append(f"{mutant.kind}: {where}: {mutant.site}")


def _with_function(program: Anf, function: Function) -> Anf:
    """The program with one function changed."""
    if function.name == program.main.name:
        return replace(program, main=function)
    others = [function if f.name == function.name else f for f in program.functions]
    return replace(program, functions=tuple(others))


def _size(function: Function) -> int:
    return sum(1 + len(block.statements) for block in all_blocks(function.body))


# Places in a function.


@dataclass(slots=True)
class _MutationSite:
    """A function to change at a random place."""

    function: Function
    program: Anf
    rng: random.Random

    def positions(self, wanted: Callable[[Statement], bool]) -> list[tuple[Block, int]]:
        return [
            (block, index)
            for block in all_blocks(self.function.body)
            for index, statement in enumerate(block.statements)
            if wanted(statement)
        ]

    def choose(self, wanted: Callable[[Statement], bool]) -> tuple[Block, int] | None:
        found = self.positions(wanted)
        return self.rng.choice(found) if found else None

    def put(self, block: Block, index: int, count: int, *new: Statement) -> Function:
        """The function with other statements in place of some of a block."""
        statements = (*block.statements[:index], *new, *block.statements[index + count :])
        return self.with_block(block, replace(block, statements=statements))

    def with_block(self, old: Block, new: Block) -> Function:
        return replace(self.function, body=_replaced(self.function.body, old, new))

    def binding(self, name: str) -> Statement | None:
        """The statement that binds a name; None for a parameter."""
        for block in all_blocks(self.function.body):
            for statement in block.statements:
                if name in bound_names(statement):
                    return statement
        return None

    def is_static(self, name: str) -> bool:
        """Whether it is an object of the program's text, which is never freed."""
        match self.binding(name):
            case Bind(operation=Literal() | PrimitiveValue() | MakeClosure(captures=())):
                return True
            case Bind(operation=Dup(operand)):
                return self.is_static(operand)
        return False

    def is_used(self, name: str) -> bool:
        blocks = list(all_blocks(self.function.body))
        return any(name in end_operands(block.end) for block in blocks) or any(
            name in statement_operands(s) for block in blocks for s in block.statements
        )

    def containers(self, name: str) -> set[str]:
        """The names that a borrowed projection comes from."""
        found: set[str] = set()
        while True:
            match self.binding(name):
                case Bind(operation=Apply(arguments=(container, *_), borrows=True)):
                    found.add(container)
                    name = container
                case _:
                    return found


def _replaced(block: Block, old: Block, new: Block) -> Block:
    if block is old:
        return new
    statements: list[Statement] = []
    for statement in block.statements:
        match statement:
            case If(then=then, orelse=orelse):
                then, orelse = _replaced(then, old, new), _replaced(orelse, old, new)
                if then is not statement.then or orelse is not statement.orelse:
                    statement = replace(statement, then=then, orelse=orelse)
            case Loop(body=body):
                body = _replaced(body, old, new)
                if body is not statement.body:
                    statement = replace(statement, body=body)
        statements.append(statement)
    if all(a is b for a, b in zip(statements, block.statements, strict=True)):
        return block
    return replace(block, statements=tuple(statements))


def _made(function: Function, site: str, rule: str | None = None) -> Mutant:
    return Mutant("", site, function, rule)


def _is_free(statement: Statement) -> bool:
    return isinstance(statement, Free)


def _is_dup(statement: Statement) -> bool:
    return isinstance(statement, Bind) and isinstance(statement.operation, Dup)


# Frees and dups.


def _dropped_free(site: _MutationSite) -> Mutant | None:
    if (at := site.choose(_is_free)) is None:
        return None
    free = at[0].statements[at[1]]
    assert isinstance(free, Free)
    return _made(site.put(*at, 1), statement_head(free), _static(site, free.name))


def _static(site: _MutationSite, name: str) -> str | None:
    return "a static object is never freed" if site.is_static(name) else None


def _doubled_free(site: _MutationSite) -> Mutant | None:
    if (at := site.choose(_is_free)) is None:
        return None
    free = at[0].statements[at[1]]
    return _made(site.put(*at, 1, free, free), statement_head(free))


def _wrong_free(site: _MutationSite) -> Mutant | None:
    """Another name is freed."""
    if (at := site.choose(_is_free)) is None:
        return None
    free = at[0].statements[at[1]]
    assert isinstance(free, Free)
    others = {
        name for block, index in site.positions(lambda s: True)
        for name in bound_names(block.statements[index]) if name != free.name
    }  # fmt: skip
    if not others:
        return None
    other = site.rng.choice(sorted(others))
    function = site.put(*at, 1, replace(free, name=other))
    return _made(function, f"{statement_head(free)} frees {other}")


def _extra_dup(site: _MutationSite) -> Mutant | None:
    """A copy of a name, which nothing frees."""
    at = site.choose(lambda s: isinstance(s, Bind) and s.representation.on_heap)
    if at is None:
        return None
    bind = at[0].statements[at[1]]
    assert isinstance(bind, Bind)
    dup = Bind(f"{bind.name}.mutant", bind.representation, Dup(bind.name), bind.span)
    return _made(site.put(*at, 1, bind, dup), statement_head(dup), _static(site, bind.name))


def _dropped_dup(site: _MutationSite) -> Mutant | None:
    """The name itself takes the place of its copy."""
    if (at := site.choose(_is_dup)) is None:
        return None
    dup = at[0].statements[at[1]]
    assert isinstance(dup, Bind) and isinstance(dup.operation, Dup)
    # The copy remains, as another name without a reference of its own.
    alias = replace(dup, operation=Convert(dup.operation.operand, "mutant", "a value"))
    return _made(site.put(*at, 1, alias), statement_head(dup))


def _swapped_order(site: _MutationSite) -> Mutant | None:
    """Two neighbours, of which one frees or duplicates."""
    found = [
        (block, index)
        for block in all_blocks(site.function.body)
        for index in range(len(block.statements) - 1)
        if any(_is_free(s) or _is_dup(s) for s in block.statements[index : index + 2])
    ]
    if not found:
        return None
    block, index = site.rng.choice(found)
    first, second = block.statements[index : index + 2]
    text = f"{statement_head(second)} before {statement_head(first)}"
    return _made(site.put(block, index, 2, second, first), text, _commute(site, first, second))


def _commute(site: _MutationSite, first: Statement, second: Statement) -> str | None:
    """A free or a dup, and what neither can fail, nor uses or binds its name, nor borrows from it.

    The end of a gradient mode is not among these: what follows it is recorded again.  Where one
    begins is, as a free or dup of something else computes nothing.
    """
    if any(isinstance(s, Free) and site.is_static(s.name) for s in (first, second)):
        return "a static object is never freed"
    if any(isinstance(s, Bind) and _is_dup(s) and site.is_static(s.name) for s in (first, second)):
        return "a copy of a static object is not counted"
    inside = [*_all_statements(first), *_all_statements(second)]
    if any(not isinstance(s, If | Free) and s.cleanup is not None for s in inside):
        return None
    modes = [s for s in inside if s.representation is Representation.GRAD_MODE]
    if modes and not (_begins_mode(first, second) and _counts_value(first, second)):
        return None
    freed = {s.name for s in (first, second) if isinstance(s, Free)}
    used = _used_in(first) | _used_in(second)
    # What a free keeps is alive on both sides of it, first by its container, then by itself.
    looks = any(_only_looks(s) or _calls_what_looks(site, s) for s in (first, second))
    used -= set(_kept(first, second)) if looks else set()
    held = {container for name in used for container in site.containers(name)}
    if set(bound_names(first)) & _mentioned_in(second) or freed & (used | held):
        return None
    return "a free or dup, and a neighbour that cannot fail and has no part in it"


def _begins_mode(*statements: Statement) -> bool:
    return any(isinstance(s, Bind) and isinstance(s.operation, SetGradMode) for s in statements)


def _counts_value(*statements: Statement) -> bool:
    """Whether one of them frees or duplicates something else than a gradient mode."""
    return any(
        (_is_free(s) or _is_dup(s)) and s.representation is not Representation.GRAD_MODE
        for s in statements
    )


def _kept(*statements: Statement) -> tuple[str, ...]:
    return tuple(name for s in statements if isinstance(s, Free) for name in s.keeps)


def _only_looks(statement: Statement) -> bool:
    """Whether it consumes no operand, borrows from none, and changes no pair, vector or record.

    So does a dup: it counts its operand up, and a free that keeps the operand looks only at the
    count of the container.
    """
    match statement:
        case Bind(operation=HaveTypes() | Truth() | IsAbsent() | Dup()):
            return True
        case Bind(operation=Apply(primitive, frees=(), borrows=False)):
            owns = any(parameter.own for parameter in primitive.signature.params)
            changes = primitive.effects.writes & CONTAINERS or primitive.effects.may_call
            return not owns and not changes
    return False


def _calls_what_looks(site: _MutationSite, statement: Statement) -> bool:
    """Whether it calls a procedure that owns no argument, and only looks at what it gets."""
    if not isinstance(statement, Bind) or not isinstance(statement.operation, DirectCall):
        return False
    name = statement.operation.function
    callee = next(f for f in site.program.functions if f.name == name)
    inside = [s for block in all_blocks(callee.body) for s in block.statements]
    return not any(parameter.own for parameter in callee.parameters) and all(
        isinstance(s, If) or _only_looks(s) or _is_constant(s) for s in inside
    )


def _all_statements(statement: Statement) -> list[Statement]:
    blocks = [block for inner in inner_blocks(statement) for block in all_blocks(inner)]
    return [statement, *(s for block in blocks for s in block.statements)]


def _used_in(statement: Statement) -> set[str]:
    """The names that a statement mentions, except the one that it frees."""
    return set() if isinstance(statement, Free) else _mentioned_in(statement)


def _mentioned_in(statement: Statement) -> set[str]:
    ends = [block.end for inner in inner_blocks(statement) for block in all_blocks(inner)]
    names = {name for end in ends for name in end_operands(end)}
    return names.union(*(statement_operands(s) for s in _all_statements(statement)))


# Borrows.


def _flipped_borrow(site: _MutationSite) -> Mutant | None:
    flips = [_flipped_parameter, _flipped_projection, _flipped_variable, _flipped_result,
             _flipped_recur, _flipped_global, _flipped_argument]  # fmt: skip
    site.rng.shuffle(flips)
    return next((made for flip in flips if (made := flip(site)) is not None), None)


def _flipped_parameter(site: _MutationSite) -> Mutant | None:
    parameters = site.function.parameters
    on_heap = [i for i, p in enumerate(parameters) if p.representation.on_heap]
    if not on_heap:
        return None
    index = site.rng.choice(on_heap)
    parameter = parameters[index]
    flipped = replace(parameter, own=not parameter.own)
    changed = (*parameters[:index], flipped, *parameters[index + 1 :])
    return _made(replace(site.function, parameters=changed), f"parameter {parameter.name}")


def _flipped_projection(site: _MutationSite) -> Mutant | None:
    at = site.choose(
        lambda s: isinstance(s, Bind)
        and isinstance(s.operation, Apply)
        and (s.operation.borrows or s.operation.primitive.projection is not None)
    )
    if at is None:
        return None
    bind = at[0].statements[at[1]]
    assert isinstance(bind, Bind) and isinstance(bind.operation, Apply)
    operation = replace(bind.operation, borrows=not bind.operation.borrows)
    return _made(site.put(*at, 1, replace(bind, operation=operation)), statement_head(bind))


def _flipped_variable(site: _MutationSite) -> Mutant | None:
    at = site.choose(
        lambda s: isinstance(s, Loop) and any(v.representation.on_heap for v in s.variables)
    )
    if at is None:
        return None
    loop = at[0].statements[at[1]]
    assert isinstance(loop, Loop)
    choices = [i for i, v in enumerate(loop.variables) if v.representation.on_heap]
    index = site.rng.choice(choices)
    variable = replace(loop.variables[index], own=not loop.variables[index].own)
    variables = (*loop.variables[:index], variable, *loop.variables[index + 1 :])
    return _made(site.put(*at, 1, replace(loop, variables=variables)), f"variable {variable.name}")


def _flipped_result(site: _MutationSite) -> Mutant | None:
    """The value of an If or a Loop is borrowed, or no longer."""
    at = site.choose(
        lambda s: isinstance(s, If | Loop)
        and s.representation in (Representation.VALUE, Representation.NUMBER)
    )
    if at is None:
        return None
    statement = at[0].statements[at[1]]
    assert isinstance(statement, If | Loop)
    own = not statement.own
    flipped: If | Loop
    if isinstance(statement, If):
        then, orelse = _yielding(statement.then, own), _yielding(statement.orelse, own)
        flipped = replace(statement, own=own, then=then, orelse=orelse)
    else:
        flipped = replace(statement, own=own, body=_yielding(statement.body, own))
    rule = "no branch comes to its end" if never_returns(statement) else None
    return _made(site.put(*at, 1, flipped), f"result {statement.name}", rule)


def _yielding(block: Block, own: bool) -> Block:
    return (
        replace(block, end=replace(block.end, borrowed=not own))
        if isinstance(block.end, Yield)
        else block
    )


def _flipped_recur(site: _MutationSite) -> Mutant | None:
    blocks = [b for b in all_blocks(site.function.body) if isinstance(b.end, Recur)]
    blocks = [b for b in blocks if isinstance(b.end, Recur) and b.end.arguments]
    if not blocks:
        return None
    block = site.rng.choice(blocks)
    assert isinstance(block.end, Recur)
    index = site.rng.randrange(len(block.end.arguments))
    borrowed = tuple(sorted({index} ^ set(block.end.borrowed)))
    end = replace(block.end, borrowed=borrowed)
    return _made(site.with_block(block, replace(block, end=end)), f"recur, argument {index}")


def _flipped_global(site: _MutationSite) -> Mutant | None:
    at = site.choose(lambda s: isinstance(s, Bind) and isinstance(s.operation, GlobalGet))
    if at is None:
        return None
    bind = at[0].statements[at[1]]
    assert isinstance(bind, Bind) and isinstance(bind.operation, GlobalGet)
    operation = replace(bind.operation, owned=not bind.operation.owned)
    return _made(site.put(*at, 1, replace(bind, operation=operation)), statement_head(bind))


def _flipped_argument(site: _MutationSite) -> Mutant | None:
    """An operation frees an argument that it did not free, or the other way round."""
    at = site.choose(
        lambda s: isinstance(s, Bind)
        and isinstance(s.operation, Apply)
        and bool(s.operation.arguments)
    )
    if at is None:
        return None
    bind = at[0].statements[at[1]]
    assert isinstance(bind, Bind) and isinstance(bind.operation, Apply)
    index = site.rng.randrange(len(bind.operation.arguments))
    frees = tuple(sorted({index} ^ set(bind.operation.frees)))
    function = site.put(*at, 1, replace(bind, operation=replace(bind.operation, frees=frees)))
    rule = None
    match site.binding(bind.operation.arguments[index]):
        case Bind(operation=operation) if returns_immediate(operation, _types(site.function)):
            rule = "an immediate may be consumed any number of times"
    return _made(function, f"{statement_head(bind)} frees {frees}", rule)


def _types(function: Function) -> dict[str, Representation]:
    found = {p.name: p.representation for p in function.parameters}
    for block in all_blocks(function.body):
        for statement in block.statements:
            found[statement.name] = statement.representation
            if isinstance(statement, Loop):
                found.update((v.name, v.representation) for v in statement.variables)
    return found


# Types.


def _wrong_type(site: _MutationSite) -> Mutant | None:
    changes = [_wrong_statement_type, _wrong_parameter_type, _wrong_variant, _no_conversion]
    site.rng.shuffle(changes)
    return next((made for change in changes if (made := change(site)) is not None), None)


def _other_type(site: _MutationSite, representation: Representation) -> Representation:
    return site.rng.choice([other for other in Representation if other is not representation])


def _wrong_statement_type(site: _MutationSite) -> Mutant | None:
    at = site.choose(lambda s: True)
    if at is None:
        return None
    statement = at[0].statements[at[1]]
    other = _other_type(site, statement.representation)
    function = site.put(*at, 1, replace(statement, representation=other))
    rule = None
    if not isinstance(statement, Free) and not site.is_used(statement.name):
        rule = "nothing uses the name"
    elif _is_constant(statement) and _takes_any_number(site, statement.name):
        rule = "a constant, whose readers take a number in any representation"
    elif never_returns(statement):
        rule = "control never comes to where the name is used"
    return _made(function, f"{statement_head(statement)} as {other.value}", rule)


def _is_constant(statement: Statement) -> bool:
    return isinstance(statement, Bind) and isinstance(statement.operation, Literal)


def _takes_any_number(site: _MutationSite, name: str) -> bool:
    """Whether all that reads a name takes a number, whose representation it looks at."""
    for block in all_blocks(site.function.body):
        if name in end_operands(block.end):
            return False
        for statement in block.statements:
            if name not in statement_operands(statement):
                continue
            match statement:
                case Bind(_, Representation.NUMBER, Convert()):
                    continue
                case Bind(operation=Apply(arguments=arguments, variant=Variant() as variant)):
                    params = zip(variant.signature.params, arguments, strict=True)
                    if all(p.type is Declared.NUMBER for p, taken in params if taken == name):
                        continue
            return False
    return True


def _wrong_parameter_type(site: _MutationSite) -> Mutant | None:
    parameters = site.function.parameters
    if not parameters:
        return None
    index = site.rng.randrange(len(parameters))
    other = _other_type(site, parameters[index].representation)
    changed = replace(parameters[index], representation=other)
    function = replace(
        site.function, parameters=(*parameters[:index], changed, *parameters[index + 1 :])
    )
    return _made(function, f"parameter {changed.name} as {other.value}")


def _wrong_variant(site: _MutationSite) -> Mutant | None:
    """Another C function of the same primitive."""
    at = site.choose(
        lambda s: isinstance(s, Bind)
        and isinstance(s.operation, Apply)
        and bool(s.operation.primitive.variants)
    )
    if at is None:
        return None
    bind = at[0].statements[at[1]]
    assert isinstance(bind, Bind) and isinstance(bind.operation, Apply)
    apply = bind.operation
    others = [v for v in (None, *apply.primitive.variants) if v != apply.variant]
    variant = site.rng.choice(others)
    mutant = replace(bind, operation=replace(apply, variant=variant))
    text = "no variant" if variant is None else f"{variant.signature} {variant.code}"
    rule = None
    general = _takes_numbers(variant) or _takes_numbers(apply.variant)
    if general or _takes_the_same(variant, apply.variant):
        rule = "the variant for all numbers computes the same"
    return _made(site.put(*at, 1, mutant), f"{statement_head(bind)} by {text}", rule)


def _takes_numbers(variant: Variant | None) -> bool:
    """Whether it takes any numbers, whatever their representation, as the primitive does."""
    return variant is None or all(p.type is Declared.NUMBER for p in variant.signature.params)


def _takes_the_same(new: Variant | None, old: Variant | None) -> bool:
    """Whether it takes all numbers, or the same, for each argument: also any value to be stored."""
    if new is None or old is None:
        return False
    pairs = zip(new.signature.params, old.signature.params, strict=True)
    return all(n.type in (Declared.NUMBER, o.type) for n, o in pairs)


def _no_conversion(site: _MutationSite) -> Mutant | None:
    """The unconverted name is used."""
    at = site.choose(lambda s: isinstance(s, Bind) and isinstance(s.operation, Convert))
    if at is None:
        return None
    bind = at[0].statements[at[1]]
    assert isinstance(bind, Bind) and isinstance(bind.operation, Convert)
    same = replace(bind, operation=Dup(bind.operation.operand))
    return _made(site.put(*at, 1, same), f"{statement_head(bind)} without the conversion")


# Cleanups.


def _lost_cleanup(site: _MutationSite) -> Mutant | None:
    """A cleanup without a name, with another, or with one twice; or none at all."""
    at = site.choose(lambda s: isinstance(s, Bind | Loop) and s.cleanup is not None)
    if at is None:
        return None
    statement = at[0].statements[at[1]]
    assert isinstance(statement, Bind | Loop) and statement.cleanup is not None
    cleanup = statement.cleanup
    names = [p.name for p in site.function.parameters]
    names += [n for s in at[0].statements[: at[1]] for n in bound_names(s)]
    others = [name for name in names if name not in cleanup]
    choices: list[tuple[str, ...] | None] = [None]
    if cleanup:
        index = site.rng.randrange(len(cleanup))
        without = (*cleanup[:index], *cleanup[index + 1 :])
        choices += [without, without, (*cleanup, cleanup[index])]
        choices += [(*without, site.rng.choice(others))] if others else []
    choices += [(*cleanup, site.rng.choice(others))] if others else []
    chosen = site.rng.choice(choices)
    text = f"{statement_head(statement)} failing frees {chosen} instead of {cleanup}"
    return _made(site.put(*at, 1, replace(statement, cleanup=chosen)), text)


def _lost_failure(site: _MutationSite) -> Mutant | None:
    """A function that may fail or go through the trampoline, whose callers do not know it."""
    flags = [flag for flag in ("may_fail", "may_tail") if getattr(site.function, flag)]
    if not flags:
        return None
    flag = site.rng.choice(flags)
    return _made(replace(site.function, **{flag: False}), f"not {flag}")


KINDS: Mapping[str, Callable[[_MutationSite], Mutant | None]] = {
    "dropped free": _dropped_free,
    "doubled free": _doubled_free,
    "wrong free": _wrong_free,
    "extra dup": _extra_dup,
    "dropped dup": _dropped_dup,
    "swapped order": _swapped_order,
    "flipped borrow": _flipped_borrow,
    "wrong type": _wrong_type,
    "lost cleanup": _lost_cleanup,
    "lost failure": _lost_failure,
}


# The command.


def programs(files: Sequence[Path], rng: random.Random) -> Iterator[tuple[str, Anf]]:
    """The owned IR of programs, in random order."""
    chosen = list(files) or [p for f in FOLDERS for p in sorted((ROOT / f).glob("*.lisp"))]
    rng.shuffle(chosen)
    for path in chosen:
        try:
            yield path.name, compile_source(read_source(str(path)))
        except LispError:
            continue  # not a program that can be compiled


def run(files: Sequence[Path], count: int, seed: int, each: int = _EACH) -> Report:
    """Try that many mutants, of each program a few."""
    rng, report = random.Random(seed), Report()
    for name, program in programs(files, rng):
        wanted = min(each, count - report.count)
        if wanted <= 0:
            break
        call_deep(mutate, program, name, wanted, rng, report)
    return report


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args(words)
    report = run(options.files, options.count, options.seed)
    print(report.text())
    return 1 if report.escaped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
