"""The cost of `lambent compile`: small, usual and large programs, with targets.

Figures are processor time of the command and of the C compiler that it starts, as ratios to a peer
that runs in the same rounds: gcc compiling the C programs of the language suite, 1,600 lines, with
-O2.

    ten lines     0.75 s    0.36x    at most 0.5x     ok

The targets were set in seconds, on a machine where the peer took one: there 3,500 lines took 9.29
at commit dc558b9, and here, where the same commit takes twice as long, so does the peer.

The large programs are like generated ones: long `case`s, quoted data, deep nesting, thousands of
definitions.  Their cost must grow like their length.
"""

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.bench.build import EXAMPLES, LAMBENT, OUT
from tests.bench.measure import Command, cpu_medians
from tests.support.paths import ROOT

LARGE = 10.0  # times the peer
_PEER_SOURCES = Path(__file__).parent / "language"


@dataclass(frozen=True, slots=True)
class Subject:
    """A program, and how many times the peer compiling it may take."""

    text: Callable[[], str]
    limit: float


@dataclass(frozen=True, slots=True)
class CompileTimes:
    """Seconds by program, and the seconds of the peer beside each."""

    seconds: Mapping[str, float]
    peer: Mapping[str, float]

    def ratio(self, name: str) -> float:
        return self.seconds[name] / self.peer[name]

    def share(self, name: str) -> float:
        """The ratio to the peer, as a share of its limit."""
        return self.ratio(name) / SUBJECTS[name].limit

    def met(self, name: str) -> bool:
        return self.share(name) <= 1


# Programs.  Each prints what it computes, so that none of it is dead code.


def ten_lines() -> str:
    """A first program."""
    return """\
(define (square x) (* x x))
(define (sum-of-squares numbers)
  (fold + 0 (map square numbers)))
(define words (string-split "the quick brown fox" " "))
(define table (make-hash-table))
(for-each (lambda (word) (hash-table-set! table word (string-length word))) words)
(print (sum-of-squares (iota 10)))
(print (sort (hash-table-values table) <))
(print (assoc "b" '(("a" . 1) ("b" . 2))))
(for-each print words)
"""


def network() -> str:
    """A convolutional network of some fifty lines: layers, training, accuracy."""
    return (Path(__file__).parent / "programs" / "cnn.lisp").read_text(encoding="utf-8")


def digits() -> str:
    """An example, which imports a file from the folder beside it."""
    text = (EXAMPLES / "digits.lisp").read_text(encoding="utf-8")
    assert '(import "lib/' in text, text
    return text.replace('(import "lib/', f'(import "{EXAMPLES}/lib/')


def case_of(clauses: int) -> str:
    """A `case` over numbers."""
    numbers = "\n".join(f"    (({i}) {7 * i})" for i in range(clauses))
    tail = f"    (else -1)))\n(print (f {clauses - 1}) (f -5))\n"
    return f"(define (f x)\n  (case x\n{numbers}\n{tail}"


def symbols_of(clauses: int) -> str:
    """A `case` over symbols, some clauses with several."""
    rows = "\n".join(f"    ((name-{i} other-{i}) \"text {i}\")" for i in range(clauses))
    return f"(define (f x)\n  (case x\n{rows}\n    (else 'none)))\n(print (f 'other-7) (f 'x))\n"


def cond_of(clauses: int) -> str:
    """One `cond`, whose tests are calls."""
    rows = "\n".join(f"    ((= x {i}) 'value-{i})" for i in range(clauses))
    return f"(define (f x)\n  (cond\n{rows}\n    (else #f)))\n(print (f 7) (f -5))\n"


def quoted_list(elements: int) -> str:
    """A list of numbers, in quotes."""
    data = "\n".join(str(7 * i) for i in range(elements))
    return f"(define data '({data}))\n(print (length data) (apply + data))\n"


def quoted_data(rows: int) -> str:
    """Data of every type: symbols, strings, vectors, pairs in pairs, numbers, characters."""
    data = "\n".join(
        f'  (name-{i} "text {i}" #({i} {i}.5 #\\a) ((x . {i}) (y . "y{i % 7}")) 1/{i + 2})'
        for i in range(rows)
    )
    return (
        f"(define data '(\n{data}))\n(print (length data) (car (last data)))\n"
        "(print (apply + (map (lambda (row) (cdr (assq 'x (list-ref row 3)))) data)))\n"
    )


def tensor_literal(rows: int) -> str:
    """A matrix of numbers."""
    data = "\n".join(
        "  [" + " ".join(f"{i}.{j}" for j in range(10)) + "]" for i in range(rows)
    )
    return f"(define m [\n{data}])\n(print (tensor-shape m) (tensor-item (tensor-sum m)))\n"


def nested_ifs(depth: int) -> str:
    """`if`s within `if`s."""
    text = "'end"
    for i in range(depth):
        text = f"(if (< x {i}) {i} {text})"
    return f"(define (f x) {text})\n(print (f 17))\n"


def nested_lets(depth: int) -> str:
    """`let`s within `let`s, each of which uses those around it."""
    text = f"(+ x0 x{depth - 1})"
    for i in reversed(range(1, depth)):
        text = f"(let ((x{i} (+ x{i - 1} {i})))\n{text})"
    return f"(define (f x0)\n{text})\n(print (f 1))\n"


def long_program(lines: int) -> str:
    """Definitions of some lines each that call each other, as people write them."""
    count = lines // 10
    parts = [_definitions(i) for i in range(count)]
    return "\n".join([*parts, f"(print (walk-{count - 1} 5 '(1 2 3)))\n"])


def _definitions(i: int) -> str:
    previous = f"(walk-{i - 1} (- n 1) items)" if i else "items"
    return f"""\
(define limit-{i} {i})
(define (step-{i} x)
  "One step."
  (cond ((> x limit-{i}) (- x limit-{i}))
        ((string? x) (string-append x "-{i}"))
        (else (let loop ((k 0) (total x))
                (if (< k 3) (loop (+ k 1) (+ total k)) total)))))
(define (walk-{i} n items)
  (if (= n 0) items (map step-{i} {previous})))
(for-each (lambda (x) (when (> x 1000000) (print x))) (walk-{i} 1 '(1 2)))
"""


def definitions_of(count: int) -> str:
    """Short definitions, each of which uses the one before."""
    lines = ["(define (f0 x) x)"]
    lines += [f"(define (f{i} x) (+ 1 (f{i - 1} x)))" for i in range(1, count)]
    return "\n".join([*lines, f"(print (f{count - 1} 1))\n"])


def variables_of(count: int) -> str:
    """Top-level variables, and forms that print some of them."""
    lines = [f"(define v{i} (list {i} (* {i} {i})))" for i in range(count)]
    lines += [f"(print v{i})" for i in range(0, count, 10)]
    return "\n".join([*lines, ""])


def long_body(forms: int) -> str:
    """A procedure whose body is long."""
    lines = [f"  (define y{i} (* x {i}))" for i in range(0, forms, 2)]
    lines += [f"  (set! total (+ total y{i}))" for i in range(0, forms, 2)]
    return "\n".join(["(define total 0)", "(define (f x)", *lines, "  total)", "(print (f 3))\n"])


def nested_procedures(depth: int) -> str:
    """Procedures within procedures, each of which uses the variables around it."""
    text = f"(+ x0 x{depth})"
    for i in reversed(range(depth)):
        text = f"(define (g{i} x{i + 1}) {text})\n(map g{i} (list x{i} {i}))"
    return f"(define (f x0)\n{text})\n(print (f 1))\n"


def nested_loops(depth: int) -> str:
    """Loops within loops."""
    text = "(set! total (+ total 1))"
    for i in range(depth):
        text = f"(let loop{i} ((k 0)) (when (< k 1)\n{text}\n(loop{i} (+ k 1))))"
    return f"(define (f total)\n{text}\n  total)\n(print (f 0))\n"


def loops_as_bodies(depth: int) -> str:
    """Named lets, each the last form of the one around it."""
    loop = "(let loop ((i{k} 0)) (if (< i{k} 1) (loop (+ i{k} 1))\n"
    opening = "".join(loop.replace("{k}", str(k)) for k in range(depth))
    return f"(print {opening} 2{'))' * depth})\n"


def nested_guards(depth: int) -> str:
    return f"(print {'(guard (e (#f 1)) ' * depth}2{')' * depth})\n"


def deep_data(depth: int) -> str:
    """Quoted lists and vectors, each in the one around it."""
    return f"(define data '{'(1 #(' * depth}a{'))' * depth})\n(print (pair? data))\n"


def lambdas_of(count: int) -> str:
    """A list of procedures without names."""
    rows = "\n".join(f"  (lambda (x) (cons x {i}))" for i in range(count))
    return f"(define fs (list\n{rows}))\n(print ((car fs) 1))\n"


def tail_calls_of(count: int) -> str:
    """Procedures each of which ends in a call of the next, and the last in one of the first."""
    lines = [
        f"(define (f{i} n l) (if (null? l) n (f{(i + 1) % count} (cons n {i}) (cdr l))))"
        for i in range(count)
    ]
    return "\n".join([*lines, "(print (f0 1 '(1 2 3)))\n"])


def choices_of_choices(count: int) -> str:
    """Each choice asks the two before it."""
    lines = [f"(a{k + 1} (if a{k} #t c{k})) (c{k + 1} (if c{k} #t a{k}))" for k in range(count)]
    chain = "\n".join(lines)
    return (
        f"(define (f v x y) (let* ((a0 (< x 1)) (c0 (< y (vector-length v)))\n{chain})\n"
        f"(if a{count} 0 (vector-ref v x))))\n(print (f (vector 1 2 3) 2 5))"
    )


def recursive_cond_of(clauses: int) -> str:
    """A procedure that calls itself in each clause of a `cond`."""
    rows = "\n".join(f"    ((= x {i}) (+ {i} (f (- x 1))))" for i in range(1, clauses))
    return f"(define (f x)\n  (cond ((= x 0) 0)\n{rows}\n    (else #f)))\n(print (f 7))\n"


def nested_conditions(depth: int) -> str:
    """`and` within `or` within `and`."""
    text = "(pair? x)"
    for i in range(depth):
        text = f"({('and', 'or')[i % 2]} (not (eqv? x {i})) {text})"
    return f"(define (f x) {text})\n(print (f 1))\n"


def long_let(variables: int) -> str:
    """A `let*` of many variables, all of which are used at the end."""
    rows = "\n".join(f"  (x{i} (list x {i}))" for i in range(variables))
    names = " ".join(f"x{i}" for i in range(variables))
    return f"(define (f x)\n  (let* ({rows})\n  (list {names})))\n(print (length (f 1)))\n"


SUBJECTS: Mapping[str, Subject] = {
    "ten lines": Subject(ten_lines, 0.5),
    "digits.lisp": Subject(digits, 1.5),
    "network of 50 lines": Subject(network, 1.5),
    "case of 2,000 clauses": Subject(lambda: case_of(2000), LARGE),
    "case of 5,000 clauses": Subject(lambda: case_of(5000), LARGE),
    "case of 2,000 symbols": Subject(lambda: symbols_of(2000), LARGE),
    "cond of 2,000 clauses": Subject(lambda: cond_of(2000), LARGE),
    "list of 20,000": Subject(lambda: quoted_list(20_000), LARGE),
    "2,000 rows of data": Subject(lambda: quoted_data(2000), LARGE),
    "tensor of 20,000": Subject(lambda: tensor_literal(2000), LARGE),
    "2,000 nested ifs": Subject(lambda: nested_ifs(2000), LARGE),
    "1,000 nested lets": Subject(lambda: nested_lets(1000), LARGE),
    "3,500 lines": Subject(lambda: long_program(3500), LARGE),
    "10,000 definitions": Subject(lambda: definitions_of(10_000), LARGE),
    "2,000 variables": Subject(lambda: variables_of(2000), LARGE),
    "a body of 2,000 forms": Subject(lambda: long_body(2000), LARGE),
}


def measure_compile_time(rounds: int) -> CompileTimes:
    """Compile each program.  The first run of a small one fills the cache with the library code it
    needs, as the first compilations do for a programmer."""
    folder = OUT / "compile-time"
    folder.mkdir(parents=True, exist_ok=True)
    seconds: dict[str, float] = {}
    peer: dict[str, float] = {}
    for name, subject in SUBJECTS.items():
        command = [LAMBENT, "compile", *_words(folder, name)]
        is_small = subject.limit < LARGE
        if is_small:
            cpu_medians({name: command}, 1)
        contenders = {name: command, "peer": _peer(folder)}
        found = cpu_medians(contenders, rounds if is_small else 1)
        seconds[name], peer[name] = found[name], found["peer"]
    return CompileTimes(seconds, peer)


def _peer(folder: Path) -> Command:
    """gcc writes the object files into its working folder."""
    sources = [str(path) for path in sorted(_PEER_SOURCES.glob("*.c"))]
    command = ["gcc", "-std=c99", "-O2", f"-I{ROOT / 'runtime'}", "-c", *sources]
    return ["/bin/sh", "-c", f"cd {shlex.quote(str(folder))} && exec {shlex.join(command)}"]


def _words(folder: Path, name: str) -> list[str | Path]:
    source = write_program(folder, name)
    return [source, "-o", source.with_suffix("")]


def write_program(folder: Path, name: str) -> Path:
    """The file of a program."""
    stem = "".join(char if char.isalnum() else "-" for char in name)
    source = folder / f"{stem}.lisp"
    source.write_text(SUBJECTS[name].text(), encoding="utf-8")
    return source


def compile_time_text(times: CompileTimes) -> str:
    """The table, each figure with its target."""
    title = "lambent compile, processor time of it and of the C compiler, beside gcc's for the peer"
    return "\n".join([title, *_rows(times)])


def _rows(times: CompileTimes) -> Iterator[str]:
    for name, seconds in times.seconds.items():
        claim = f"{times.ratio(name):.2f}x, at most {SUBJECTS[name].limit:g}x"
        yield f"  {name:28}{seconds:8.2f} s    {claim:30}{'ok' if times.met(name) else 'MISSED'}"


def compile_time_json(times: CompileTimes) -> dict[str, object]:
    """The same figures for programs to read."""
    return {
        name: {"seconds": found, "peer": times.peer[name], "ratio": times.ratio(name),
               "limit": SUBJECTS[name].limit, "met": times.met(name)}
        for name, found in times.seconds.items()
    }  # fmt: skip
