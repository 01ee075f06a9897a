"""Random arithmetic on constants that a compiler learns late: through inlining, checks, effects.

    (define (p7 x)
      (* ((lambda () (tick) 86400000)) (let ((f (lambda (w) 365))) (tick) (f x))))

The constants are at the limits of types: 32 bits, fixnums of 63, int64_t, integers that doubles
have.  A program is one expression, small enough for hundreds of them in one executable.
"""

import random
from collections.abc import Callable

PREAMBLE = (
    "(define ticks 0)",
    "(define (tick) (set! ticks (+ ticks 1)))",
    "(define (shown e) (if (error-object? e) (error-object-message e) (list 'raised e)))",
    "(define three (vector 'a 'b 'c))",
)
_LIMITS = (15, 16, 30, 31, 32, 33, 52, 53, 61, 62, 63, 64)
INTEGERS = tuple(
    sorted(
        {0, 1, 2, 3, 5, 7, 10, 31, 63, 255, 365, 1000, 65535, 86400000, 1000000007, 3000000000}
        | {2**bits + more for bits in _LIMITS for more in (-1, 0, 1)}
    )
)
# Those that C takes for an int, and whose sums and products are none.
_INTS = (
    2147483647, 2147483646, 2000000000, 1073741824, 86400000, 1000000007, 65536, 65535, 46341,
)  # fmt: skip
DOUBLES = (
    "0.5", "1.5", "-0.0", "0.0", "1.0", "3.0", "2147483647.0", "2147483648.0", "4294967296.0",
    "9007199254740993.0", "4611686018427387904.0", "9223372036854775807.0", "1e22", "1e308",
    "5e-324", "+inf.0", "-inf.0", "0.1", "1e-7", "16777217.0",
)  # fmt: skip
_TWO = ("+", "+", "+", "-", "-", "-", "*", "*", "*", "*", "quotient", "remainder", "modulo", "max",
        "min", "floor-quotient", "bitwise-and", "bitwise-ior", "bitwise-xor", "gcd")  # fmt: skip
_ONE = ("-", "abs", "square", "bitwise-not", "exact-integer-sqrt-of", "+", "1-")
_TESTS_OF_TWO = ("<", ">", "<=", ">=", "=", "eqv?", "equal?")
_TESTS_OF_ONE = ("zero?", "even?", "odd?", "positive?", "negative?", "exact-integer?", "not")
_DOUBLE_TWO = ("+", "-", "*", "/", "max", "min", "atan", "expt-of")
_DOUBLE_ONE = ("-", "abs", "square", "sqrt-of", "floor", "ceiling", "round", "truncate")


def constants_source(seeds: range) -> str:
    """Many programs in one: each prints its number and the value, or the error, of its
    expression."""
    lines = [*PREAMBLE]
    for seed in seeds:
        lines += program(seed)
    return "\n".join(lines) + "\n"


def program(seed: int) -> list[str]:
    """The definitions and the print of one program."""
    maker = Constants(random.Random(f"constants {seed}"), f"c{seed}")
    body = maker.number(3 if maker.rng.random() < 0.2 else 2)
    argument = maker.rng.choice((1, 3, 2147483647, 0.5))
    at_top_level = maker.rng.random() < 0.2
    call = f"(let ((x {argument})) {body})" if at_top_level else f"(p{seed} {argument})"
    lines = [*maker.definitions, f"(print {seed} (guard (e (#t (shown e))) {call}))"]
    return lines if at_top_level else [f"(define (p{seed} x) {body})", *lines]


class Constants:
    """Makes expressions.  definitions: the procedures that they call; x: the variable in scope."""

    def __init__(self, rng: random.Random, prefix: str) -> None:
        self.rng = rng
        self.prefix = prefix
        self.definitions: list[str] = []
        self.count = 0

    def fresh(self) -> str:
        self.count += 1
        return f"{self.prefix}-{self.count}"

    def number(self, depth: int) -> str:
        return self.integer(depth) if self.rng.random() < 0.7 else self.double(depth)

    def integer(self, depth: int) -> str:
        """An expression whose value is an exact integer, most of the time."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.1:
            return self.hidden(self.literal())
        roll = rng.random()
        if roll < 0.5:
            return f"({rng.choice(_TWO)} {self.integer(depth - 1)} {self.integer(depth - 1)})"
        if roll < 0.62:
            return self.of_one(rng.choice(_ONE), self.integer(depth - 1))
        if roll < 0.7:
            count = self.hidden(str(rng.choice((0, 1, 2, 31, 32, 33, 61, 62, 63, -1, -31, -63))))
            return f"(arithmetic-shift {self.integer(depth - 1)} {count})"
        if roll < 0.78:
            test = self.test(depth - 1)
            return f"(if {test} {self.integer(depth - 1)} {self.integer(depth - 2)})"
        if roll < 0.86:
            return self.loop(depth)
        if roll < 0.92:
            return self.checked(depth)
        return self.index(depth)

    def literal(self) -> str:
        value = self.rng.choice(_INTS if self.rng.random() < 0.6 else INTEGERS)
        return str(-value if self.rng.random() < 0.35 else value)

    def of_one(self, name: str, operand: str) -> str:
        match name:
            case "exact-integer-sqrt-of":
                return f"(exact (floor (sqrt (abs {operand}))))"
            case "1-":
                return f"(- {operand} 1)"
        return f"({name} {operand})"

    def double(self, depth: int) -> str:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.1:
            return self.hidden(rng.choice(DOUBLES))
        roll = rng.random()
        if roll < 0.2:
            return f"(exact->inexact {self.integer(depth - 1)})"
        if roll < 0.45:
            operands = [self.double(depth - 1), self.integer(depth - 1)]
            rng.shuffle(operands)
            return f"({rng.choice(_DOUBLE_TWO[:6])} {' '.join(operands)})"
        if roll < 0.7:
            name, first, second = rng.choice(_DOUBLE_TWO), *(self.double(depth - 1) for _ in "ab")
            return f"(expt (abs {first}) {second})" if name == "expt-of" else (
                f"({name} {first} {second})")
        if roll < 0.85:
            name, operand = rng.choice(_DOUBLE_ONE), self.double(depth - 1)
            return f"(sqrt (abs {operand}))" if name == "sqrt-of" else f"({name} {operand})"
        test = self.test(depth - 1)
        return f"(if {test} {self.double(depth - 1)} {self.double(depth - 2)})"

    def test(self, depth: int) -> str:
        rng = self.rng
        if rng.random() < 0.35:
            return f"({rng.choice(_TESTS_OF_ONE)} {self.integer(depth - 1)})"
        kind = rng.choice((self.integer, self.integer, self.double))
        return f"({rng.choice(_TESTS_OF_TWO)} {kind(depth - 1)} {self.number(depth - 1)})"

    # What hides a constant until procedures are inlined, tests decided, or effects known.

    def hidden(self, value: str) -> str:
        return self.rng.choice(_HIDING)(self, value)

    def as_it_is(self, value: str) -> str:
        return value

    def in_a_lambda(self, value: str) -> str:
        return f"((lambda () (tick) {value}))"

    def in_a_local_procedure(self, value: str) -> str:
        f = self.fresh()
        return f"(let (({f} (lambda (w) {value}))) (tick) ({f} x))"

    def in_a_procedure(self, value: str) -> str:
        f = self.fresh()
        self.definitions.append(f"(define ({f}) (tick) {value})")
        return f"({f})"

    def as_a_parameter(self, value: str) -> str:
        f = self.fresh()
        self.definitions.append(f"(define ({f} n) (tick) n)")
        return f"({f} {value})"

    def after_an_effect(self, value: str) -> str:
        v = self.fresh()
        return f"(let (({v} {value})) (tick) {v})"

    def assigned(self, value: str) -> str:
        v = self.fresh()
        return f"(let (({v} 0)) (set! {v} {value}) (tick) {v})"

    def of_a_branch(self, value: str) -> str:
        return f"(if (begin (tick) (> ticks 0)) {value} {self.literal()})"

    def of_a_box(self, value: str) -> str:
        return self.rng.choice((f"(car (list {value}))", f"(vector-ref (vector 0 {value}) 1)",
                                f"(let ((p (cons {value} x))) (tick) (car p))"))

    def of_a_test(self, value: str) -> str:
        v = self.fresh()
        return f"(let (({v} {value})) (if (exact-integer? {v}) {v} (+ {v} 0)))"

    # Forms of integers.

    def loop(self, depth: int) -> str:
        """A loop whose variables begin and step with constants."""
        i, sum_ = self.fresh(), self.fresh()
        first, step = self.literal(), self.hidden(str(self.rng.choice((1, 2, 3))))
        op = self.rng.choice(("+", "-", "+", "max", "bitwise-xor"))
        last = f"(+ {self.hidden(first)} {self.rng.choice((3, 5, 6))})"
        more = self.integer(depth - 2)
        return (
            f"(do (({i} {self.hidden(first)} (+ {i} {step})) ({sum_} {self.integer(depth - 2)}"
            f" ({op} {sum_} {more}))) ((> {i} {last}) {sum_}))"
        )

    def checked(self, depth: int) -> str:
        """A value of which a test or an operation says the range."""
        rng, v = self.rng, self.fresh()
        value, low, high = self.integer(depth - 1), self.literal(), self.literal()
        used = self.integer(depth - 2)
        op = rng.choice(("+", "-", "*"))
        return rng.choice(
            (
                f"(let (({v} {value})) (if (< {low} {v} {high}) ({op} {v} {used}) {v}))",
                f"(let (({v} {value})) (if (and (exact-integer? {v}) (<= {v} {high})) "
                f"({op} {v} {used}) (- {v})))",
                f"({op} (modulo {value} {self.hidden('1000')}) {used})",
                f"({op} (min (max {value} {low}) {high}) {used})",
                f"({op} (bitwise-and {value} {self.hidden('65535')}) {used})",
                f"({op} (string-length (make-string {rng.randint(0, 9)} #\\a)) {used})",
                f"({op} (char->integer #\\z) {used})",
                f"({op} (length (list 1 {value} 3)) {used})",
            )
        )

    def index(self, depth: int) -> str:
        """An index, which is right or not."""
        rng = self.rng
        inside = self.hidden(str(rng.choice((0, 1, 2, 2**32, 2**31, 3, -1))))
        shift = self.literal()
        index = f"(- (+ {inside} {self.hidden(shift)}) {self.hidden(shift)})"
        chosen = f"(vector-ref three {index})"
        return f"(if (eq? {chosen} 'b) {self.integer(depth - 1)} {self.integer(depth - 2)})"


_HIDING: tuple[Callable[[Constants, str], str], ...] = (
    Constants.as_it_is, Constants.as_it_is, Constants.in_a_lambda, Constants.in_a_lambda,
    Constants.in_a_lambda, Constants.after_an_effect, Constants.in_a_local_procedure,
    Constants.in_a_procedure, Constants.as_a_parameter, Constants.after_an_effect,
    Constants.assigned, Constants.of_a_branch, Constants.of_a_box,
    Constants.of_a_test,
)  # fmt: skip
