"""Random Lisp programs, each a function of its seed: `random_source(seed)`.

They end, and print what they compute.  They are for comparing the back ends, and for executables
built with raise injection, so they create and share values of many kinds: lists, strings, vectors,
closures, assigned variables that closures capture, loops, keyword and rest parameters, records,
hash tables, the whole tower of numbers, tensors.  They also leave expressions in all ways: by
errors, raises that a guard or a handler catches, escapes, through dynamic-wind and parameterize.
A program may stop with an error; then both back ends must report the same.  `random_forms.py` adds
forms that people seldom write.

    (define (f0 a b) (let ((v0 (cons a b))) (let loop ((i 3) (acc '())) ...)))
    (print (f0 2 '(1 2)))
"""

import random
from dataclasses import dataclass, field

from tests.support.random_programs.random_forms import (
    CYCLES,
    FORMS,
    LITERALS,
    NEVER,
    PREAMBLE,
    STRINGS,
)

# The kinds of values that expressions are made for.
NUMBER, LIST, STRING, VECTOR, PROCEDURE, TENSOR = (
    "number", "list", "string", "vector", "procedure", "tensor"
)  # fmt: skip
_KINDS = (NUMBER, NUMBER, LIST, LIST, STRING, VECTOR, PROCEDURE)

# The beginning of many programs: types of applicable records and of modules, a parameter, and a
# procedure that shows how errors look to a program.
_PREAMBLE = (
    "(define-record-type point (make-point x y) point? (x point-x set-point-x!) (y point-y)"
    " :call (lambda (self k) (if (procedure? k) (k (point-x self)) (+ (point-x self) k))))",
    "(define-module (keeper a) ((a a)) (forward (x) (if (procedure? a) (a x) (+ a x))))",
    "(define depth (make-parameter 0))",
    "(define (said e) (if (error-object? e) (error-object-message e) (list 'raised e)))",
)
_INTEGER_OPERATIONS = (
    "quotient", "remainder", "modulo", "floor-quotient", "gcd", "lcm", "max", "min", "-", "<", "=",
    "exact-integer-sqrt", "eqv?", "equal?",
)  # fmt: skip
_NUMBER_OPERATIONS = (
    "abs", "exact", "inexact", "floor", "round", "truncate", "square", "exact->inexact",
    "numerator", "denominator", "zero?", "even?", "sqrt", "exp", "number->string", "-", "/",
    "exact-integer?", "nan?", "boolean?",
)  # fmt: skip


def random_source(seed: int, *, tensors: bool = False, injected: bool = False) -> str:
    """A program of definitions and prints.  tensors: some of its values are tensors.  injected:
    each of its operations will fail in a run of its own, so it is short and uses none of FORMS."""
    rng = random.Random(seed)
    maker = Maker(rng, (*_KINDS, TENSOR, TENSOR) if tensors else _KINDS, injected)
    lines = [*_PREAMBLE, *PREAMBLE] if rng.random() < 0.8 else []
    maker.has_preamble = bool(lines)
    lines += [maker.definition(index) for index in range(rng.randint(2, 4))]
    lines += [maker.top_level() for _ in range(rng.randint(3, 6))]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class _Function:
    name: str
    parameters: tuple[str, ...]  # their kinds
    result: str


@dataclass(slots=True)
class Maker:
    rng: random.Random
    kinds: tuple[str, ...]
    injected: bool = False
    functions: list[_Function] = field(default_factory=list)
    scope: list[tuple[str, str]] = field(default_factory=list)  # variables and their kinds
    assignable: list[tuple[str, str]] = field(default_factory=list)
    escapes: list[tuple[str, str]] = field(default_factory=list)  # continuations and their kinds
    has_preamble: bool = True
    nevers: int = 0  # how many guards around here expect a call that never returns
    count: int = 0
    fuel: int = 0  # how many expressions may still be made before they become simple

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def kind(self) -> str:
        return self.rng.choice(self.kinds)

    # Top-level forms.

    def definition(self, index: int) -> str:
        """A procedure that may call those before it."""
        kinds = tuple([self.kind() for _ in range(self.rng.randint(0, 3))])
        function = _Function(f"f{index}", kinds, self.kind())
        names = [self.fresh("p") for _ in kinds]
        self.scope = list(zip(names, kinds, strict=True))
        self.assignable = []
        self.fuel = 25
        body = self.expression(function.result, 4)
        self.scope = []
        self.functions.append(function)
        return f"(define ({' '.join([function.name, *names])})\n  {body})"

    def top_level(self) -> str:
        self.fuel = 12
        kind = self.kind()
        if self.rng.random() < 0.4:
            name = self.fresh("g")
            text = f"(define {name} {self.expression(kind, 3)})"
            self.scope.append((name, kind))
            self.assignable.append((name, kind))
            return text
        if self.rng.random() < 0.3 and self.assignable:
            name, kind = self.rng.choice(self.assignable)
            return f"(set! {name} {self.expression(kind, 3)})"
        return f"(print {self.expression(kind, 3)})"

    # Expressions.

    def expression(self, kind: str, depth: int) -> str:
        """An expression whose value is of a kind, most of the time."""
        self.fuel -= 1
        if depth <= 0 or self.fuel <= 0:
            return self.simple(kind)
        roll = self.rng.random()
        if roll < 0.15:
            return self.simple(kind)
        if roll < 0.3:
            return self.let(kind, depth)
        if roll < 0.4:
            test = self.test(depth - 1)
            then, orelse = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
            return f"(if {test} {then} {orelse})"
        if roll < 0.5:
            return self.loop(kind, depth)
        if roll < 0.58:
            return self.assigning(kind, depth)
        if roll < 0.7 and any(f.result == kind for f in self.functions):
            return self.call(kind, depth)
        if roll < 0.8 and self.has_preamble:
            return self.control(kind, depth)
        if roll < 0.88 and self.has_preamble and not self.injected:
            return self.rng.choice(FORMS)(self, kind, depth)
        if roll < 0.92 and self.has_preamble:
            return self.rng.choice(CYCLES)(self, kind, depth)
        return self.operation(kind, depth)

    def simple(self, kind: str) -> str:
        if self.nevers and self.rng.random() < 0.15:
            return self.rng.choice(NEVER)
        names = [name for name, known in self.scope if known == kind]
        if names and self.rng.random() < 0.8:
            return self.rng.choice(names)
        match kind:
            case "number":
                return self.rng.choice(LITERALS)
            case "list":
                return self.rng.choice(("'()", "'(1 2 3)", "(list 1 2)", '\'(a "b" 3)'))
            case "string":
                return self.rng.choice(('"abc"', '""', '(string-append "x" "y")', *STRINGS[:3]))
            case "vector":
                return self.rng.choice(("(vector 1 2 3)", "(make-vector 2 'z)"))
            case "procedure":
                simple = ("(lambda (x) x)", "(lambda (x) (list x x))", "list", "-", "vector", "not")
                return self.rng.choice(simple)
            case _:
                return self.rng.choice(("[1.0 2.0]", "(tensor-ones 2)", "(tensor '(3.0 4.0))"))

    def test(self, depth: int) -> str:
        match self.rng.randint(0, 4):
            case 0:
                return f"(null? {self.expression(LIST, depth)})"
            case 1:
                return f"(equal? {self.expression(LIST, depth)} {self.expression(LIST, depth)})"
            case 2:
                return f"(and (pair? {self.simple(LIST)}) {self.expression(NUMBER, depth)})"
            case _:
                return f"(< {self.expression(NUMBER, depth)} {self.expression(NUMBER, depth)})"

    def let(self, kind: str, depth: int) -> str:
        name, bound = self.fresh("v"), self.kind()
        value = self.expression(bound, depth - 1)
        self.scope.append((name, bound))
        body = self.expression(kind, depth - 1)
        self.scope.pop()
        return f"(let (({name} {value})) {body})"

    def loop(self, kind: str, depth: int) -> str:
        """A loop of a few iterations that carries a value, in tail position or not."""
        i, acc = self.fresh("i"), self.fresh("acc")
        label = self.fresh("loop")
        start = self.expression(kind, depth - 1)
        self.scope += [(i, NUMBER), (acc, kind)]
        next_value = self.expression(kind, depth - 2)
        last = self.expression(kind, depth - 2)
        del self.scope[-2:]
        count = self.rng.randint(0, 3)
        step = f"({label} (- {i} 1) {next_value})"
        if self.rng.random() < 0.3:
            # Not a tail call, so the loop is a procedure that calls itself.
            step = f"(let (({acc} {step})) {self.simple(kind)})"
        return f"(let {label} (({i} {count}) ({acc} {start})) (if (<= {i} 0) {last} {step}))"

    def assigning(self, kind: str, depth: int) -> str:
        """A variable that is assigned, perhaps by a closure."""
        name = self.fresh("m")
        start = self.expression(kind, depth - 1)
        self.scope.append((name, kind))
        new = self.expression(kind, depth - 2)
        body = self.expression(kind, depth - 1)
        self.scope.pop()
        if self.rng.random() < 0.5:
            setter = self.fresh("setter")
            return (
                f"(let (({name} {start})) (define ({setter} x) (set! {name} x))"
                f" ({setter} {new}) {body})"
            )
        test = self.test(0)
        return f"(let (({name} {start})) (when {test} (set! {name} {new})) {body})"

    def control(self, kind: str, depth: int) -> str:
        """An expression that may be left early, or that catches what leaves others early."""
        return self.rng.choice(
            (
                self.guarded, self.guarded, self.leaving, self.leaving, self.escaping, self.winding,
                self.handling, self.parameterized, self.several_values, self.delayed,
                self.by_cases, self.to_a_string,
            )
        )(kind, depth)  # fmt: skip

    def guarded(self, kind: str, depth: int) -> str:
        """A guard; some catch only some errors."""
        e = self.fresh("e")
        body = self.expression(kind, depth - 1)
        taken = self.simple(kind)
        clauses = self.rng.choice(
            (
                f"(#t {taken})",
                f"((begin (print (said {e})) #t) {taken})",
                f"((error-object? {e}) (print (said {e})) {taken})",
                f"((symbol? {e}) {taken})",
                f"((assq 'a (if (pair? {e}) (list {e}) '())) => (lambda (p) {taken}))",
                f"((string? {e}) {taken}) (else (print 'other) {taken})",
            )
        )
        return f"(guard ({e} {clauses}) {body})"

    def leaving(self, kind: str, depth: int) -> str:
        """An expression that raises, escapes, or continues."""
        escapes = [name for name, known in self.escapes if known == kind]
        if escapes and self.rng.random() < 0.6:
            leave = f"({self.rng.choice(escapes)} {self.expression(kind, depth - 2)})"
        else:
            leave = self.rng.choice(
                (
                    f"(raise {self.simple(self.kind())})",
                    "(raise 'oops)",
                    "(raise (list 'a 1))",
                    f'(error "it failed:" {self.simple(self.kind())})',
                    "(car '())",
                    "(vector-ref (vector 1) 5)",
                    "(undefined-name 1)",
                    f"({self.simple(NUMBER)})",
                )
            )
        return f"(if {self.test(depth - 2)} {leave} {self.expression(kind, depth - 1)})"

    def escaping(self, kind: str, depth: int) -> str:
        k = self.fresh("k")
        self.escapes.append((k, kind))
        body = self.expression(kind, depth - 1)
        self.escapes.pop()
        return f"(call/cc (lambda ({k}) {body}))"

    def winding(self, kind: str, depth: int) -> str:
        body = self.expression(kind, depth - 1)
        before, after = (f'(lambda () (display "{mark}"))' for mark in "<>")
        return f"(dynamic-wind {before} (lambda () {body}) {after})"

    def handling(self, kind: str, depth: int) -> str:
        """A handler that returns to a `raise-continuable`, and an expression that raises."""
        e = self.fresh("e")
        answer = self.rng.choice(("7", f"(begin (print (said {e})) 1/2)", f"(list {e})"))
        asking = f"(raise-continuable {self.simple(self.kind())})"
        body = self.expression(kind, depth - 2)
        return (
            f"(with-exception-handler (lambda ({e}) {answer})"
            f" (lambda () (print {asking}) {body}))"
        )

    def parameterized(self, kind: str, depth: int) -> str:
        body = self.expression(kind, depth - 1)
        return (
            f"(parameterize ((depth {self.expression(NUMBER, depth - 2)})) (print (depth)) {body})"
        )

    def several_values(self, kind: str, depth: int) -> str:
        a, b = self.fresh("a"), self.fresh("b")
        other = self.kind()
        values = f"(values {self.expression(kind, depth - 2)} {self.expression(other, depth - 2)})"
        self.scope += [(a, kind), (b, other)]
        body = self.expression(kind, depth - 1)
        del self.scope[-2:]
        return self.rng.choice(
            (
                f"(let-values ((({a} {b}) {values})) {body})",
                f"(receive ({a} . {b}s) {values} (let (({b} (car {b}s))) {body}))",
                f"(call-with-values (lambda () {values}) (lambda ({a} {b}) {body}))",
            )
        )

    def delayed(self, kind: str, depth: int) -> str:
        name = self.fresh("promise")
        inner = self.expression(kind, depth - 1)
        return f"(let (({name} (delay {inner}))) (force {name}) (force {name}))"

    def by_cases(self, kind: str, depth: int) -> str:
        x = self.fresh("c")
        self.scope.append((x, NUMBER))
        one = self.expression(kind, depth - 2)
        self.scope.pop()
        call = self.rng.choice((f"{self.simple(NUMBER)}", "1 2", "1 2 3"))
        two = self.simple(kind)
        return f"((case-lambda (({x}) {one}) ((x y) {two}) ((x . rest) {two})) {call})"

    def to_a_string(self, kind: str, depth: int) -> str:
        """Output goes to a string, which is printed if the inner expression ends normally."""
        inner = self.expression(kind, depth - 2)
        text = f"(call-with-output-string (lambda (port) (write {inner} port)))"
        return f"(begin (print {text}) {self.simple(kind)})"

    def call(self, kind: str, depth: int) -> str:
        function = self.rng.choice([f for f in self.functions if f.result == kind])
        arguments = [self.expression(one, depth - 1) for one in function.parameters]
        if arguments and self.rng.random() < 0.2:
            return f"(apply {function.name} (list {' '.join(arguments)}))"
        return f"({' '.join([function.name, *arguments])})"

    def operation(self, kind: str, depth: int) -> str:
        def part(of: str) -> str:
            return self.expression(of, depth - 1)

        choose = self.rng.choice
        match kind:
            case "number":
                return choose(
                    (
                        lambda: f"(+ {part(NUMBER)} {part(NUMBER)})",
                        lambda: f"(* {part(NUMBER)} {part(NUMBER)})",
                        lambda: f"(- {part(NUMBER)} 1)",
                        lambda: f"(/ {part(NUMBER)} {part(NUMBER)})",
                        lambda: f"({choose(_INTEGER_OPERATIONS)} {part(NUMBER)} {part(NUMBER)})",
                        lambda: f"({choose(_NUMBER_OPERATIONS)} {part(NUMBER)})",
                        lambda: f"(expt {part(NUMBER)} {choose(('2', '3', '0', '-1', '0.5'))})",
                        lambda: f"(string->number (number->string {part(NUMBER)}))",
                        self.record_field,
                        lambda: f"(length {part(LIST)})",
                        lambda: f"(string-length {part(STRING)})",
                        lambda: f"(vector-length {part(VECTOR)})",
                        lambda: f"(fold + 0 (map (lambda (x) 2) {part(LIST)}))",
                    )
                )()
            case "list":
                return choose(
                    (
                        lambda: f"(cons {part(self.kind())} {part(LIST)})",
                        lambda: f"(append {part(LIST)} {part(LIST)})",
                        lambda: f"(reverse {part(LIST)})",
                        lambda: f"(map {part(PROCEDURE)} {part(LIST)})",
                        lambda: f"(list {part(self.kind())} {part(self.kind())})",
                        lambda: f"(vector->list {part(VECTOR)})",
                        lambda: f"(cdr {part(LIST)})",
                        lambda: f"(sort (filter rational? {part(LIST)}) <)",
                        self.table_contents,
                        lambda: f"(string->list {part(STRING)})",
                        lambda: f"(assoc {part(NUMBER)} (list (cons 1 2) (cons 7 '())))",
                        lambda: f"(filter (lambda (x) (not (pair? x))) {part(LIST)})",
                    )
                )()
            case "string":
                return choose(
                    (
                        lambda: f"(string-append {part(STRING)} {part(STRING)})",
                        lambda: f"(string-trim {part(STRING)})",
                        lambda: f"(string {part(NUMBER)} {part(STRING)})",
                        lambda: f"(string-upcase {part(STRING)})",
                        lambda: f"(substring {part(STRING)} 0 {choose('013')})",
                        lambda: f"(number->string {part(NUMBER)})",
                        lambda: f"(list->string (reverse (string->list {part(STRING)})))",
                        lambda: f'(string-join (list {part(STRING)} "-" {part(STRING)}) "é")',
                    )
                )()
            case "vector":
                return choose(
                    (
                        lambda: f"(vector {part(self.kind())} {part(self.kind())})",
                        lambda: f"(list->vector {part(LIST)})",
                        self.changed_vector,
                    )
                )()
            case "procedure":
                if self.has_preamble and self.rng.random() < 0.2:
                    return choose((f"(make-point {self.simple(NUMBER)} 0)",
                                   f"(keeper {self.simple(self.kind())})"))
                return self.closure(depth)
            case _:
                return choose(
                    (
                        lambda: f"(+ {part(TENSOR)} {part(TENSOR)})",
                        lambda: f"(* {part(TENSOR)} {part(NUMBER)})",
                        lambda: f"(tensor-relu {part(TENSOR)})",
                        lambda: f"(no-grad (tensor-exp {part(TENSOR)}))",
                        lambda: f"(tensor-cat (list {part(TENSOR)} {part(TENSOR)}))",
                        lambda: f"(tensor-add! (tensor-copy {part(TENSOR)}) {part(TENSOR)})",
                    )
                )()

    def record_field(self) -> str:
        if not self.has_preamble:
            return self.simple(NUMBER)
        first, second = self.expression(NUMBER, 1), self.expression(NUMBER, 1)
        name = self.fresh("r")
        return self.rng.choice(
            (
                f"(point-x (make-point {first} {second}))",
                f"(point-y {self.simple(self.kind())})",
                f"(let (({name} (make-point {first} 0))) (set-point-x! {name} {second})"
                f" (+ (point-x {name}) (point-y {name})))",
                f"((make-point {first} 0) {second})",
                f"(apply (make-point {first} 0) (list {second}))",
                f"((keeper (keeper {self.simple(self.kind())})) {second})",
            )
        )

    def table_contents(self) -> str:
        name = self.fresh("h")
        items = self.expression(LIST, 1)
        return (
            f"(let (({name} (make-hash-table)))"
            f" (for-each (lambda (x) (hash-update! {name} x (lambda (n) (+ n 1)) 0)) {items})"
            f" (hash->list {name}))"
        )

    def changed_vector(self) -> str:
        """A vector one of whose elements is replaced, perhaps the first of an empty one."""
        name = self.fresh("w")
        kind = self.rng.choice((NUMBER, STRING))  # others might hold the vector: a cycle
        vector, value = self.expression(VECTOR, 1), self.expression(kind, 1)
        return f"(let (({name} {vector})) (vector-set! {name} 0 {value}) {name})"

    def closure(self, depth: int) -> str:
        """A procedure of one argument that captures what is in scope."""
        name = self.fresh("x")
        self.scope.append((name, NUMBER))
        body = self.expression(self.kind(), depth - 2)
        self.scope.pop()
        match self.rng.randint(0, 3):
            case 0:
                return f"(lambda ({name} :scale 2) (list scale {body}))"
            case 1:
                return f"(lambda ({name} . others) (list others {body}))"
            case _:
                return f"(lambda ({name}) {body})"
