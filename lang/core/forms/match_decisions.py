"""Clauses of `match` as decisions that test nothing twice.

    (match x ((1 a) a) ((2 b) (- b)))
    =>  (if (pair? x)
            (let* ((car (car x)) (cdr (cdr x)))
              (if (pair? cdr)
                  (let* ((car.2 (car cdr)) (cdr.2 (cdr cdr)))
                    (if (null? cdr.2)
                        (if (eqv? car 1) a... (if (eqv? car 2) b... (fail))) ...

One position is tested for as many rows as possible, from the first row on, whose tests exclude
each other.  The rows after these are the continuation of a failure: a procedure without parameters
if it has several uses.  So each row becomes code once, and the code is as long as the clauses.
`match_steps.py` does what is done for one row only.
"""

from collections.abc import Callable, Sequence

from lambent.lang.core.denotation import Key, key_of
from lambent.lang.core.expressions import reference
from lambent.lang.core.forms.match_patterns import (
    And,
    Anything,
    Bind,
    Elements,
    Literal,
    Or,
    Pair,
    Pattern,
    Record,
    TypeTest,
    VectorOf,
)
from lambent.lang.core.forms.match_rows import (
    Continuation,
    Failure,
    Row,
    is_small,
    number,
    uses,
)
from lambent.lang.core.forms.match_steps import special
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
from lambent.lang.core.ir import Call, Core, If, Lambda, Let, Letrec, Local, PrimCall
from lambent.lang.core.scope import Env
from lambent.lang.core.traverse import rewrite
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import Symbol
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, replace


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
        self.origins: dict[str, Core] = {}
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
                lambda failure: special(self, first, facts, failure), others, facts, failure
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

        return self.with_continuation(body, rest, facts)

    def with_continuation(
        self, body: Callable[[Failure], Core], rest: Callable[[Facts], Core], facts: Facts
    ) -> Core:
        continuation = Continuation(self.env.unit.fresh("next"), self.span)
        code = body(continuation)
        if not continuation.uses:
            return code
        following = rest(common_facts(facts, continuation.uses))
        if uses(continuation.name, code) > 1 and not is_small(following):
            procedure = self.procedure((), following)
            return Letrec(((continuation.name, procedure),), code, self.span)

        def inline(core: Core) -> Core | None:
            match core:
                case Call(Local(name), ()) if name == continuation.name:
                    return following
            return None

        return rewrite(code, inline)

    def procedure(self, parameters: Sequence[str], body: Core) -> Lambda:
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
            return PrimCall(TABLE[primitive], (value, number(k, span)), span)

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
                        self.origins[reads[key][0]] = code
                    place = reads[key][0]
                inner.append((place, field))
            pending = (*row.pending[:index], *inner, *row.pending[index + 1 :])
            opened.append(Row(pending, row.bindings, row.leaf))
        places = {(position, key): place for key, (place, _) in reads.items()}
        result = self.decide(opened, facts.with_fields(places), failure)
        for place, code in reversed(reads.values()):
            result = Let(place, code, result, self.span)
        return result

    def read(
        self,
        reads: Sequence[tuple[str, Core, Pattern]],
        row: Row,
        others: Sequence[tuple[str, Pattern]],
        facts: Facts,
        failure: Failure,
    ) -> Core:
        """The row after what it reads into new positions."""
        pending = (*[(place, inner) for place, _, inner in reads], *others)
        self.origins.update({place: code for place, code, _ in reads})
        result = self.decide([replace(row, pending=pending)], facts, failure)
        for place, code, _ in reversed(reads):
            result = Let(place, code, result, self.span)
        return result
