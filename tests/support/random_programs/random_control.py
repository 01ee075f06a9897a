# ruff: noqa: E501
"""Random programs of control flow, whose traces R7RS determines.

`random_program` returns one expression for the prelude of `tests/stress/control_flow.py`:
`(tr n x)` notes n and x in the trace and returns x, `(add a b)` is a sum of anything, `p` and `q` are
parameters.  Continuations only lead out, as in Lambent.
"""

import random
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that an expression may use.  settled: it may not enter or leave a continuation."""

    values: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()  # the values that `set!` may change
    escapes: tuple[str, ...] = ()  # continuations
    promises: tuple[str, ...] = ()
    settled: bool = False


def random_program(rng: random.Random, depth: int = 6) -> str:
    return _Writer(rng).expression(Scope(), depth)


@dataclass(slots=True)
class _Writer:
    rng: random.Random
    count: int = field(default=0)

    def name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def atom(self, scope: Scope) -> str:
        pick = self.rng.randrange(6)
        if pick < 3 and scope.values:
            return self.rng.choice(scope.values)
        if pick == 3:
            return self.rng.choice(["(p)", "(q)"])
        return str(self.rng.randrange(10))

    def payload(self, scope: Scope, depth: int) -> str:
        """What is raised."""
        match self.rng.randrange(5):
            case 0:
                return self.rng.choice(["'a", "'b", "'c"])
            case 1:
                return f"(add {self.atom(scope)} 1)"
            case 2:
                return self.atom(scope)
        return self.expression(scope, depth - 1)

    def expression(self, scope: Scope, depth: int) -> str:
        if depth <= 0:
            return self.atom(scope) if self.rng.random() < 0.3 else self.traced(self.atom(scope))
        if scope.settled:
            return self.rng.choice([self.step, self.let, self.choice, self.settled_guard])(
                scope, depth)
        return self.rng.choice(_KINDS)(self, scope, depth)

    def traced(self, text: str) -> str:
        self.count += 1
        return f"(tr {self.count} {text})"

    def step(self, scope: Scope, depth: int) -> str:
        return self.traced(self.expression(scope, depth - 1))

    def body(self, scope: Scope, depth: int) -> str:
        """One or two expressions."""
        last = self.expression(scope, depth - 1)
        if self.rng.random() < 0.4:
            return f"{self.expression(scope, depth - 2)} {last}"
        return last

    def let(self, scope: Scope, depth: int) -> str:
        name = self.name("x")
        inner = replace(scope, values=(*scope.values, name), variables=(*scope.variables, name))
        return f"(let (({name} {self.expression(scope, depth - 1)})) {self.body(inner, depth)})"

    def add(self, scope: Scope, depth: int) -> str:
        """The other operand is a number, for no variable may change while operands are evaluated."""
        texts = [self.expression(scope, depth - 1), str(self.rng.randrange(10))]
        self.rng.shuffle(texts)
        return f"(add {' '.join(texts)})"

    def assign(self, scope: Scope, depth: int) -> str:
        if not scope.variables:
            return self.step(scope, depth)
        name = self.rng.choice(scope.variables)
        return f"(begin (set! {name} {self.expression(scope, depth - 1)}) {self.atom(scope)})"

    def choice(self, scope: Scope, depth: int) -> str:
        test = f"(odd? (size {self.atom(scope)}))"
        one, other = (self.expression(scope, depth - 1) for _ in range(2))
        match self.rng.randrange(4):
            case 0:
                return f"(and {test} {one})"
            case 1:
                return f"(or (and {test} {one}) {other})"
            case 2:
                return f"(cond ({test} {one}) ((memv {self.atom(scope)} '(1 2 3)) => car) (else {other}))"
        return f"(if {test} {one} {other})"

    # Exceptions.

    def settled_guard(self, scope: Scope, depth: int) -> str:
        return f"(guard (e (#t (add e 1))) {self.step(scope, depth)} (raise {self.atom(scope)}))"

    def raising(self, scope: Scope, depth: int) -> str:
        match self.rng.randrange(5):
            case 0:
                return f"(raise {self.payload(scope, depth)})"
            case 1:
                return f"(made-error {self.payload(scope, depth)} 'x)"
        return f"(add 1 (raise-continuable {self.payload(scope, depth)}))"

    def clause(self, scope: Scope, e: str, depth: int) -> str:
        body = self.body(replace(scope, values=(*scope.values, e)), depth)
        match self.rng.randrange(9):
            case 0:
                return f"((symbol? {e}) {body})"
            case 1:
                return f"((and (number? {e}) (odd? {e})) {body})"
            case 2:
                return f"((error-object? {e}) {body})"
            case 3:
                return f"((memv {e} '(a 1 2 4 b 6)) => {self.rng.choice(['car', 'length'])})"
            case 4:
                return f"((assv {e} '((a . 4) (3 . 5) (5 . 6))) => (lambda (y) (tr (car y) (cdr y)) {body}))"
            case 5:
                return f"((memv {e} '(b 2 3 7)))"
            case 6:
                return f"({self.traced(f'(eqv? {e} {self.rng.randrange(10)})')} {body})"
            case 7:
                return f"((begin {self.expression(replace(scope, values=(*scope.values, e)), depth - 1)} #f) 0)"
        return f"((number? {e}) {body})"

    def guard(self, scope: Scope, depth: int) -> str:
        e = self.name("e")
        clauses = [self.clause(scope, e, depth - 1) for _ in range(self.rng.randrange(1, 3))]
        if self.rng.random() < 0.4:
            clauses.append(f"(else {self.body(replace(scope, values=(*scope.values, e)), depth - 1)})")
        return f"(guard ({e} {' '.join(clauses)}) {self.body(scope, depth)})"

    def handler(self, scope: Scope, depth: int) -> str:
        e = self.name("h")
        inner = replace(scope, values=(*scope.values, e))
        handler = f"(lambda ({e}) {self.body(inner, depth - 1)})"
        if scope.escapes and self.rng.random() < 0.3:
            k = self.rng.choice(scope.escapes)
            handler = f"(lambda ({e}) (tr '{e} {e}) ({k} {e}))"
        return f"(with-exception-handler {handler} (lambda () {self.body(scope, depth)}))"

    # Continuations.

    def escaping(self, scope: Scope, depth: int) -> str:
        k = self.name("k")
        inner = replace(scope, escapes=(*scope.escapes, k))
        return f"(call-with-current-continuation (lambda ({k}) {self.body(inner, depth)}))"

    def escape(self, scope: Scope, depth: int) -> str:
        if not scope.escapes:
            return self.escaping(scope, depth)
        return f"({self.rng.choice(scope.escapes)} {self.expression(scope, depth - 1)})"

    def wind(self, scope: Scope, depth: int) -> str:
        settled = replace(scope, settled=True)
        before, after = (self.expression(settled, self.rng.randrange(min(depth, 3))) for _ in "ab")
        return (f"(dynamic-wind (lambda () {before}) (lambda () {self.body(scope, depth)}) "
                f"(lambda () {after}))")

    # Parameters, values, promises, loops.

    def parameterize(self, scope: Scope, depth: int) -> str:
        name = self.rng.choice("pq")
        return f"(parameterize (({name} {self.expression(scope, depth - 1)})) {self.body(scope, depth)})"

    def values(self, scope: Scope, depth: int) -> str:
        a, b = self.name("x"), self.name("x")
        inner = replace(scope, values=(*scope.values, a, b), variables=(*scope.variables, a))
        produced = f"(values {self.rng.randrange(10)} {self.expression(scope, depth - 1)})"
        match self.rng.randrange(4):
            case 0:
                return f"(let-values ((({a} {b}) {produced})) {self.body(inner, depth)})"
            case 1:
                return (f"(call-with-values (lambda () {self.expression(scope, depth - 2)} {produced}) "
                        f"(lambda ({a} . {b}) {self.body(replace(scope, values=(*scope.values, a)), depth)}))")
            case 2:
                k = self.name("k")
                wrapped = (f"(call-with-current-continuation (lambda ({k}) (dynamic-wind (lambda () 0) "
                           f"(lambda () ({k} {self.rng.randrange(9)} {self.expression(scope, depth - 2)})) "
                           f"(lambda () {self.traced('0')}))))")
                return f"(call-with-values (lambda () {wrapped}) (lambda ({a} {b}) {self.body(inner, depth)}))"
        return (f"(call-with-values (lambda () {produced}) "
                f"(lambda ({a} {b}) {self.body(inner, depth)}))")

    def promise(self, scope: Scope, depth: int) -> str:
        name = self.name("d")
        delayed = self.expression(scope, depth - 1)
        made = self.rng.choice([f"(delay {delayed})", f"(delay-force (delay {delayed}))",
                                f"(delay {delayed})"])  # fmt: skip
        inner = replace(scope, promises=(*scope.promises, name))
        used = self.body(inner, depth - 1)
        return f"(let (({name} {made})) {used} (add (force {name}) 1))"

    def force(self, scope: Scope, depth: int) -> str:
        if not scope.promises:
            return self.promise(scope, depth)
        return self.traced(f"(force {self.rng.choice(scope.promises)})")

    def loop(self, scope: Scope, depth: int) -> str:
        i, sum_ = self.name("i"), self.name("s")
        inner = replace(scope, values=(*scope.values, i))
        match self.rng.randrange(3):
            case 0:
                return (f"(let ((s 0)) (for-each (lambda ({i}) (set! s (add {self.expression(inner, depth - 2)} 0)))"
                        f" '(1 2)) s)").replace(" s ", f" {sum_} ").replace("((s ", f"(({sum_} ").replace(" s)", f" {sum_})")
            case 1:
                return (f"(do (({i} 0 (+ {i} 1)) ({sum_} 0 {self.expression(inner, depth - 2)})) "
                        f"((= {i} 2) {sum_}))")
        return (f"(let {self.name('loop')} (({i} {self.rng.randrange(3)})) "
                f"(if (> {i} 0) {self.expression(inner, depth - 1)} {self.atom(scope)}))")


_KINDS = [
    _Writer.step, _Writer.let, _Writer.add, _Writer.assign, _Writer.choice,
    _Writer.raising, _Writer.raising, _Writer.raising, _Writer.guard, _Writer.guard, _Writer.guard,
    _Writer.handler, _Writer.handler, _Writer.escaping, _Writer.escape, _Writer.escape,
    _Writer.wind, _Writer.wind,
    _Writer.parameterize, _Writer.values, _Writer.promise, _Writer.force, _Writer.loop,
]  # fmt: skip
