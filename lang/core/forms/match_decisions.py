"""Clauses of `match` as decisions that test nothing twice.

    (match x ((1 a) a) ((2 b) (- b)))
    =>  (if (pair? x)
            (let* ((car (car x)) (cdr (cdr x)))
              (if (pair? cdr)
                  (let* ((car.2 (car cdr)) (cdr.2 (cdr cdr)))
                    (if (null? cdr.2)
                        (if (eqv? car 1) a... (if (eqv? car 2) b... (fail))) ...

A row is a clause with the patterns that are still to be tested, each at a position: a local
variable that holds the object.  One position is tested for as many rows as possible, from the
first row on, whose tests there exclude each other.  The rows after these are the continuation of a
failure: a procedure without parameters, if it has several uses.  So each row becomes code once, and
the code is as long as the clauses.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from lambent.lang.core.denotation import Key, key_of
from lambent.lang.core.expressions import call_of, expression, reference
from lambent.lang.core.forms.match_patterns import (
    And,
    Anything,
    Apply,
    Bind,
    Elements,
    Entries,
    Literal,
    NamedFields,
    Not,
    Or,
    Pair,
    Pattern,
    Predicate,
    Record,
    Repeat,
    Same,
    TypeTest,
    VectorOf,
    VectorRepeat,
    variables,
)
from lambent.lang.core.forms.match_tests import (
    AnyOf,
    Facts,
    HasLength,
    Is,
    IsRecord,
    Test,
    are_disjoint,
    common_facts,
    literal_test,
    test_core,
)
from lambent.lang.core.ir import (
    Call,
    Const,
    Core,
    Global,
    If,
    Lambda,
    Let,
    Letrec,
    Local,
    Namespace,
    PrimCall,
    Special,
)
from lambent.lang.core.scope import Env
from lambent.lang.core.traverse import rewrite, walk
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import Datum, List, Number, Symbol
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, replace

# The positions of a row's variables.
Bindings: TypeAlias = "dict[Key, str]"


class Failure(Protocol):
    """What happens if no row matches."""

    def core(self, facts: Facts) -> Core: ...


@dataclass(frozen=True, slots=True)
class Error:
    """The end of all rows."""

    code: Callable[[], Core]

    def core(self, _: Facts) -> Core:
        return self.code()


class Continuation:
    """The code of the rows after some; it collects what is known at its uses."""

    def __init__(self, name: str, span: Span) -> None:
        self.name = name
        self.span = span
        self.uses: list[Facts] = []

    def core(self, facts: Facts) -> Core:
        self.uses.append(facts)
        return Call(Local(self.name, self.span), (), self.span)


@dataclass(frozen=True, slots=True)
class Leaf:
    """What a row that matches becomes.  may_fail: it may go on with the rows after it."""

    code: Callable[[Bindings, Facts, Failure], Core]
    may_fail: bool


@dataclass(frozen=True, slots=True)
class Row:
    pending: tuple[tuple[str, Pattern], ...]
    bindings: Bindings
    leaf: Leaf


@dataclass(frozen=True, slots=True)
class _Choice:
    """A position at which the first `count` rows are tested: the rows of each test, in order."""

    position: str
    groups: list[tuple[Test, list[Row]]]
    count: int

    @property
    def score(self) -> tuple[int, int]:
        return self.count, -len(self.groups)


class Decisions:
    """The decisions of one form."""

    def __init__(self, env: Env, span: Span) -> None:
        self.env = env
        self.span = span
        self._types: dict[Key, Core] = {}

    def decide(self, rows: Sequence[Row], facts: Facts, failure: Failure) -> Core:
        """The code of the first row that matches."""
        left = [row for before in rows if (row := self._simplified(before, facts)) is not None]
        if not left:
            return failure.core(facts)
        first, others = left[0], left[1:]
        if not first.pending:
            if not first.leaf.may_fail:
                return first.leaf.code(first.bindings, facts, failure)

            def body(failure: Failure) -> Core:
                return first.leaf.code(first.bindings, facts, failure)

            return self._joined(body, others, facts, failure)
        choice = self._choice(left)
        if choice is None:
            return self._joined(
                lambda failure: self._special(first, facts, failure), others, facts, failure
            )
        return self._joined(
            lambda failure: self._groups(choice, facts, failure),
            left[choice.count :],
            facts,
            failure,
        )

    def _joined(
        self,
        body: Callable[[Failure], Core],
        others: Sequence[Row],
        facts: Facts,
        failure: Failure,
    ) -> Core:
        """The body, whose failures go on with other rows."""
        if not others:
            return body(failure)

        def rest(facts: Facts) -> Core:
            return self.decide(others, facts, failure)

        return self._with_continuation(body, rest, facts)

    def _with_continuation(
        self, body: Callable[[Failure], Core], rest: Callable[[Facts], Core], facts: Facts
    ) -> Core:
        continuation = Continuation(self.env.unit.fresh("next"), self.span)
        code = body(continuation)
        if not continuation.uses:
            return code
        following = rest(common_facts(facts, continuation.uses))
        if _uses(continuation.name, code) > 1 and not _is_small(following):
            procedure = self._procedure((), following)
            return Letrec(((continuation.name, procedure),), code, self.span)

        def inline(core: Core) -> Core | None:
            match core:
                case Call(Local(name), ()) if name == continuation.name:
                    return following
            return None

        return rewrite(code, inline)

    def _procedure(self, parameters: Sequence[str], body: Core) -> Lambda:
        return Lambda(None, tuple(parameters), (), None, body, self.span, is_form_body=True)

    # Rows.

    def _simplified(self, row: Row, facts: Facts) -> Row | None:
        """The row without what is known; None if it cannot match any more."""
        waiting = list(reversed(row.pending))
        pending: list[tuple[str, Pattern]] = []
        bindings = row.bindings
        while waiting:
            position, pattern = waiting.pop()
            match pattern:
                case Anything():
                    continue
                case Bind(symbol):
                    bindings = {**bindings, key_of(symbol): position}
                    continue
                case And(patterns):
                    waiting += [(position, inner) for inner in reversed(patterns)]
                    continue
            test = self._test(pattern)
            known = None if test is None else facts.value(position, test)
            if known is False:
                return None
            if known is True:
                if isinstance(pattern, VectorOf):
                    waiting.append((position, Elements(pattern.items)))
                    continue
                fields = self._fields(position, pattern)
                places = [facts.fields.get((position, key)) for key, _, _ in fields]
                inner = [(place, p) for place, (_, _, p) in zip(places, fields, strict=True)]
                if all(place is not None or isinstance(p, Anything) for place, p in inner):
                    waiting += [(place, p) for place, p in reversed(inner) if place is not None]
                    continue
            pending.append((position, pattern))
        return Row(tuple(pending), bindings, row.leaf)

    def _test(self, pattern: Pattern) -> Test | None:
        """The test without effects that a pattern begins with, if it does."""
        match pattern:
            case Literal(datum):
                return literal_test(datum)
            case Pair():
                return Is("pair?")
            case VectorOf():
                return Is("vector?")
            case Elements(items):
                return HasLength(len(items))
            case TypeTest(predicate):
                return Is(predicate)
            case Record(type_):
                return IsRecord(self._type(type_))
            case Or(patterns):
                tests = [self._test(inner) for inner in patterns]
                simple = all(isinstance(inner, Literal | TypeTest | Or) for inner in patterns)
                if simple and None not in tests:
                    return AnyOf(tuple([test for test in tests if test is not None]))
        return None

    def _type(self, name: Symbol) -> Core:
        return self._types.setdefault(key_of(name), reference(name, self.env))

    def _fields(self, position: str, pattern: Pattern) -> list[tuple[str, Core, Pattern]]:
        """What is to be matched after a test: a key, how it is read, and its pattern."""
        value, span = Local(position, self.span), self.span

        def at(primitive: str, k: int) -> Core:
            return PrimCall(TABLE[primitive], (value, _number(k, span)), span)

        match pattern:
            case Pair(car, cdr):
                return [
                    ("car", PrimCall(TABLE["car"], (value,), span), car),
                    ("cdr", PrimCall(TABLE["cdr"], (value,), span), cdr),
                ]
            case Elements(items):
                return [(f"item {k}", at("vector-ref", k), p) for k, p in enumerate(items)]
            case Record(_, fields):
                return [(f"field {k}", at("%record-slot", k), p) for k, p in enumerate(fields)]
        return []

    # Tests without effects, for several rows.

    def _choice(self, rows: Sequence[Row]) -> _Choice | None:
        """The position whose tests decide about the most rows, of several the one that they share
        most, of several the earliest."""
        best: _Choice | None = None
        for position, pattern in rows[0].pending:
            if self._test(pattern) is None:
                continue
            choice = self._run(rows, position)
            if best is None or choice.score > best.score:
                best = choice
        return best

    def _run(self, rows: Sequence[Row], position: str) -> _Choice:
        groups: list[tuple[Test, list[Row]]] = []
        count = 0
        for row in rows:
            test = self._test_at(row, position)
            if test is None:
                break
            same = [members for other, members in groups if other == test]
            if same:
                same[0].append(row)
            elif all(are_disjoint(test, other) for other, _ in groups):
                groups.append((test, [row]))
            else:
                break
            count += 1
        return _Choice(position, groups, count)

    def _test_at(self, row: Row, position: str) -> Test | None:
        tests = [self._test(pattern) for where, pattern in row.pending if where == position]
        return next((test for test in tests if test is not None), None)

    def _groups(self, choice: _Choice, facts: Facts, failure: Failure) -> Core:
        position = choice.position
        branches: list[tuple[Test, Core]] = []
        for test, rows in choice.groups:
            if facts.value(position, test) is True:
                branches.append((test, self._group(position, test, rows, facts, failure)))
                break
            passed = facts.after(position, test, True)
            branches.append((test, self._group(position, test, rows, passed, failure)))
            facts = facts.after(position, test, False)
        if facts.value(position, branches[-1][0]) is True:
            _, result = branches.pop()
        else:
            result = failure.core(facts)
        for test, code in reversed(branches):
            result = If(test_core(test, position, self.span), code, result, self.span)
        return result

    def _group(
        self, position: str, test: Test, rows: Sequence[Row], facts: Facts, failure: Failure
    ) -> Core:
        """The rows whose test at the position has succeeded; their fields are read once."""
        reads: dict[str, tuple[str, Core]] = {}
        opened: list[Row] = []
        for row in rows:
            index = next(
                i
                for i, (where, pattern) in enumerate(row.pending)
                if where == position and self._test(pattern) == test
            )
            pattern = row.pending[index][1]
            inner: list[tuple[str, Pattern]] = []
            if isinstance(pattern, VectorOf):
                inner.append((position, Elements(pattern.items)))
            for key, code, field in self._fields(position, pattern):
                if isinstance(field, Anything):
                    continue
                place = facts.fields.get((position, key))
                if place is None:
                    if key not in reads:
                        reads[key] = self.env.unit.fresh(key.replace(" ", "-")), code
                    place = reads[key][0]
                inner.append((place, field))
            pending = (*row.pending[:index], *inner, *row.pending[index + 1 :])
            opened.append(Row(pending, row.bindings, row.leaf))
        places = {(position, key): place for key, (place, _) in reads.items()}
        result = self.decide(opened, facts.with_fields(places), failure)
        for place, code in reversed(reads.values()):
            result = Let(place, code, result, self.span)
        return result

    # What only one row does.

    def _special(self, row: Row, facts: Facts, failure: Failure) -> Core:
        (position, pattern), *others = row.pending
        rest = replace(row, pending=tuple(others))
        value, span = Local(position, self.span), self.span
        match pattern:
            case Predicate(procedure):
                test = self._called(procedure, value)
                matched = self.decide([rest], facts, failure)
                return If(test, matched, failure.core(facts), span)
            case Apply(procedure, inner):
                result = self.env.unit.fresh("result")
                code = self._called(procedure, value)
                after = replace(row, pending=((result, inner), *others))
                return Let(result, code, self.decide([after], facts, failure), span)
            case Same(symbol):
                before = Local(row.bindings[key_of(symbol)], span)
                test = PrimCall(TABLE["equal?"], (value, before), span)
                matched = self.decide([rest], facts, failure)
                return If(test, matched, failure.core(facts), span)
            case Not(inner):
                refused = Leaf(lambda _, facts, __: failure.core(facts), may_fail=False)
                return self._with_continuation(
                    lambda otherwise: self.decide(
                        [Row(((position, inner),), row.bindings, refused)], facts, otherwise
                    ),
                    lambda facts: self.decide([rest], facts, failure),
                    facts,
                )
            case Or(patterns):
                return self._or(position, patterns, row, rest, facts, failure)
            case NamedFields(fields):
                reads = [
                    (self.env.unit.fresh(name.name), self._field(value, name), inner)
                    for name, inner in fields
                ]
                return self._read(reads, row, others, facts, failure)
            case Entries(entries):
                return self._entries(value, list(entries), row, others, facts, failure)
            case Repeat():
                return self._repeat(position, pattern, rest, facts, failure)
            case VectorRepeat():
                return self._vector_repeat(position, pattern, rest, facts, failure)
        raise AssertionError(pattern)

    def _called(self, procedure: Datum, value: Local) -> Core:
        """A call of a procedure of a pattern; its errors are reported there."""
        function = expression(procedure, self.env)
        return call_of(function, (value,), procedure.span, self.env)

    def _read(
        self,
        reads: Sequence[tuple[str, Core, Pattern]],
        row: Row,
        others: Sequence[tuple[str, Pattern]],
        facts: Facts,
        failure: Failure,
    ) -> Core:
        """The row after what it reads into new positions."""
        pending = (*[(place, inner) for place, _, inner in reads], *others)
        result = self.decide([replace(row, pending=pending)], facts, failure)
        for place, code, _ in reversed(reads):
            result = Let(place, code, result, self.span)
        return result

    def _field(self, record: Local, name: Symbol) -> Core:
        field = Const(Symbol(name.name, name.span), name.span)
        return _library("record-ref", self.span, record, field)

    def _entries(
        self,
        table: Local,
        entries: Sequence[tuple[Datum, Pattern]],
        row: Row,
        others: Sequence[tuple[str, Pattern]],
        facts: Facts,
        failure: Failure,
    ) -> Core:
        """One entry of a hash table after the other."""
        if not entries:
            return self.decide([replace(row, pending=tuple(others))], facts, failure)
        (datum, inner), *following = entries
        key, item = self.env.unit.fresh("key"), self.env.unit.fresh("item")
        rest = Entries(tuple(following))
        after = replace(row, pending=((item, inner), (table.name, rest), *others))
        operands = (table, Local(key, self.span))
        read = PrimCall(TABLE["hash-ref"], (*operands, Const(Special.ABSENT, self.span)), self.span)
        matched = Let(item, read, self.decide([after], facts, failure), self.span)
        test = PrimCall(TABLE["hash-has-key?"], operands, self.span)
        choice = If(test, matched, failure.core(facts), self.span)
        return Let(key, expression(datum, self.env), choice, self.span)

    def _or(
        self,
        position: str,
        patterns: Sequence[Pattern],
        row: Row,
        rest: Row,
        facts: Facts,
        failure: Failure,
    ) -> Core:
        """The rest of the row is a procedure of the variables that the alternatives bind."""
        keys = [key_of(symbol) for symbol in variables(patterns[0])]
        names = [self.env.unit.fresh(_name(key)) for key in keys]
        chosen = self.env.unit.fresh("chosen")

        def leaf(bindings: Bindings, _: Facts, __: Failure) -> Core:
            operands = tuple([Local(bindings[key], self.span) for key in keys])
            return Call(Local(chosen, self.span), operands, self.span)

        bound = {**row.bindings, **dict(zip(keys, names, strict=True))}
        matched = self.decide([replace(rest, bindings=bound)], facts, failure)
        alternative = Leaf(leaf, may_fail=False)
        rows = [Row(((position, inner),), row.bindings, alternative) for inner in patterns]
        code = self.decide(rows, facts, failure)
        return Letrec(((chosen, self._procedure(names, matched)),), code, self.span)

    # Ellipses.

    def _repeat(
        self, position: str, repeat: Repeat, row: Row, facts: Facts, failure: Failure
    ) -> Core:
        """A loop over the pairs of a list, up to those that the patterns after it match."""
        value, span = Local(position, self.span), self.span
        count, left = self.env.unit.fresh("count"), self.env.unit.fresh("left")

        def next_item(state: Local) -> tuple[Core, Core]:
            return (
                PrimCall(TABLE["car"], (state,), span),
                PrimCall(TABLE["cdr"], (state,), span),
            )

        def finish(state: Local) -> tuple[list[tuple[str, Core, Pattern]], str]:
            reads: list[tuple[str, Core, Pattern]] = []
            where = state.name
            for pattern in repeat.after:
                item, rest = self.env.unit.fresh("item"), self.env.unit.fresh("rest")
                here = Local(where, span)
                reads.append((item, PrimCall(TABLE["car"], (here,), span), pattern))
                reads.append((rest, PrimCall(TABLE["cdr"], (here,), span), Anything()))
                where = rest
            return reads, where

        is_proper = repeat.tail == Literal(List((), None, span))
        tail = Anything() if is_proper else repeat.tail
        loop = self._loop(repeat, row, value, left, facts, failure, next_item, finish, tail)
        after = len(repeat.after)
        if is_proper:
            counted: Core = PrimCall(TABLE["length"], (value,), span)
        else:
            counted = _library("%run-of-pairs", span, value)
        inside = loop
        if after or repeat.least or repeat.most is not None or not is_proper:
            inside = self._bounds(Local(left, span), repeat, loop, facts, failure)
        taken: Core = Local(count, span)
        if after:
            taken = PrimCall(TABLE["-"], (taken, _number(after, span)), span)
        result: Core = Let(count, counted, Let(left, taken, inside, span), span)
        if is_proper and facts.value(position, Is("list?")) is not True:
            test = PrimCall(TABLE["list?"], (value,), span)
            result = If(test, result, failure.core(facts), span)
        return result

    def _vector_repeat(
        self, position: str, pattern: VectorRepeat, row: Row, facts: Facts, failure: Failure
    ) -> Core:
        value, span = Local(position, self.span), self.span
        before, repeat = pattern.before, pattern.repeat
        left = self.env.unit.fresh("left")

        def at(index: Core) -> Core:
            return PrimCall(TABLE["vector-ref"], (value, index), span)

        def next_item(state: Local) -> tuple[Core, Core]:
            return at(state), PrimCall(TABLE["+"], (state, _number(1, span)), span)

        def finish(state: Local) -> tuple[list[tuple[str, Core, Pattern]], str]:
            reads = []
            for k, inner in enumerate(repeat.after):
                index = PrimCall(TABLE["+"], (state, _number(k, span)), span)
                reads.append((self.env.unit.fresh("item"), at(index), inner))
            return reads, state.name

        first = [
            (self.env.unit.fresh("item"), at(_number(k, span)), inner)
            for k, inner in enumerate(before)
        ]

        def looped(bindings: Bindings, facts: Facts, failure: Failure) -> Core:
            start = _number(len(before), span)
            after = replace(row, bindings=bindings)
            return self._loop(
                repeat, after, start, left, facts, failure, next_item, finish, Anything()
            )

        pending = Row((), row.bindings, Leaf(looped, may_fail=False))
        matched = self._read(first, pending, (), facts, failure)
        length = PrimCall(TABLE["vector-length"], (value,), span)
        fixed = _number(len(before) + len(repeat.after), span)
        taken = PrimCall(TABLE["-"], (length, fixed), span)
        inside = self._bounds(Local(left, span), repeat, matched, facts, failure)
        return Let(left, taken, inside, span)

    def _bounds(
        self, left: Local, repeat: Repeat, loop: Core, facts: Facts, failure: Failure
    ) -> Core:
        """The loop, if it runs as often as the ellipsis allows."""
        span = self.span
        if repeat.most is not None:
            few = PrimCall(TABLE["<="], (left, _number(repeat.most, span)), span)
            loop = If(few, loop, failure.core(facts), span)
        enough = PrimCall(TABLE[">="], (left, _number(repeat.least, span)), span)
        return If(enough, loop, failure.core(facts), span)

    def _loop(
        self,
        repeat: Repeat,
        row: Row,
        start: Core,
        left: str,
        facts: Facts,
        failure: Failure,
        next_item: Callable[[Local], tuple[Core, Core]],
        finish: Callable[[Local], tuple[list[tuple[str, Core, Pattern]], str]],
        tail: Pattern,
    ) -> Core:
        """A procedure that matches `left` items and collects the variables in lists."""
        span, fresh = self.span, self.env.unit.fresh
        keys = [key_of(symbol) for symbol in variables(repeat.item)]
        loop, item = fresh("loop"), fresh("item")
        state, again = Local(fresh("rest"), span), Local(fresh("left"), span)
        lists = [fresh(_name(key)) for key in keys]
        read, following = next_item(state)

        def collect(bindings: Bindings, _: Facts, __: Failure) -> Core:
            longer = [
                PrimCall(TABLE["cons"], (Local(bindings[key], span), Local(name, span)), span)
                for key, name in zip(keys, lists, strict=True)
            ]
            fewer = PrimCall(TABLE["-"], (again, _number(1, span)), span)
            return Call(Local(loop, span), (following, fewer, *longer), span)

        inner = Row(((item, repeat.item),), row.bindings, Leaf(collect, may_fail=False))
        iteration = Let(item, read, self.decide([inner], facts, failure), span)
        collected = [
            (fresh(_name(key)), PrimCall(TABLE["reverse"], (Local(name, span),), span), Anything())
            for key, name in zip(keys, lists, strict=True)
        ]
        bound = {key: place for key, (place, _, _) in zip(keys, collected, strict=True)}
        reads, end = finish(state)
        done = self._read(
            [*collected, *reads],
            replace(row, bindings={**row.bindings, **bound}),
            [(end, tail), *row.pending],
            facts,
            failure,
        )
        test = PrimCall(TABLE["="], (again, _number(0, span)), span)
        body = If(test, done, iteration, span)
        parameters = (state.name, again.name, *lists)
        empty = Const(List((), None, span), span)
        call = Call(Local(loop, span), (start, Local(left, span), *[empty for _ in keys]), span)
        return Letrec(((loop, self._procedure(parameters, body)),), call, span)


def _uses(name: str, code: Core) -> int:
    """How often a continuation is called."""
    return sum(isinstance(node, Local) and node.name == name for node in walk(code))


def _is_small(code: Core) -> bool:
    """Whether a copy costs no more than a call."""
    match code:
        case Const() | Local() | Call(Local(), ()):
            return True
        case PrimCall(_, operands):
            return all(isinstance(operand, Const | Local) for operand in operands)
    return False


def _name(key: Key) -> str:
    return key if isinstance(key, str) else key.name


def _number(value: int, span: Span) -> Core:
    return Const(Number(value, span), span)


def _library(name: str, span: Span, *arguments: Core) -> Core:
    return Call(Global(name, Namespace.LIBRARY, span), arguments, span)
