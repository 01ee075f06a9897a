"""The rows of programs/day.lisp in Python, as a Python programmer writes them."""

import re
import sys
import time
from collections.abc import Callable, Iterable
from functools import cmp_to_key
from io import StringIO
from pathlib import Path
from statistics import median

RUNS = 5
folder = Path(sys.argv[1])


def row(name: str, count: int, job: Callable[[], object]) -> None:
    result = job()
    times = []
    for _ in range(RUNS):
        start = time.perf_counter_ns()
        for _ in range(count):
            job()
        times.append(time.perf_counter_ns() - start)
    print(name, int(median(times)) // count, result, sep="\t")


# Regular expressions.

LEVELS = ["INFO", "WARN", "ERROR", "DEBUG"]


def log_line(k: int) -> str:
    return (
        f"2026-11-{10 + k % 20} 08:19:01 {LEVELS[k % 4]} [worker-{k % 7}] "
        f"request /page/{k} took {k * 7919 % 997} ms"
    )


log = [log_line(k) for k in range(500)]
log_text = "\n".join(log)
ENTRY = re.compile(r"(?P<level>[A-Z]+) \[([^\]]+)\] request (\S+) took (?P<ms>\d+) ms")


def milliseconds(line: str) -> int:
    m = ENTRY.search(line)
    assert m is not None
    return int(m["ms"]) if m["level"] == "ERROR" else 0


row("regexp groups of log lines", 10, lambda: sum(map(milliseconds, log)))
row("regexp search, lines kept", 10,
    lambda: len([line for line in log if re.search(r"worker-[135]\]", line)]))
row("regexp match of whole lines", 10,
    lambda: len([line for line in log if re.fullmatch(r"2026-11-1\d .* [1-4]\d* ms", line)]))
row("regexp replace, a string", 10, lambda: len(re.sub(r"\d+", "#", log_text)))
row("regexp replace, a procedure", 5,
    lambda: len(re.sub("[a-z]+", lambda m: m[0].upper(), log_text)))
row("regexp split", 10, lambda: len(re.split(r"[\s\[\]]+", log_text)))


def counted(words: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


row("regexp fold, words counted", 5,
    lambda: counted(m[0] for m in re.finditer(r"\w+", log_text)).get("INFO", 0))

# Strings.

words = [f"word{k * 7919 % 1009}" for k in range(1000)]


def written(words: list[str]) -> str:
    port = StringIO()
    for word in words:
        port.write(word)
        port.write(" ")
    return port.getvalue()


row("strings joined", 50, lambda: len(", ".join(words)))
row("string port", 20, lambda: len(written(words)))
row("format, three fields", 10,
    lambda: len(" ".join([f"{log_line(k)}: {k / 7.0:.2f} of {k:d}" for k in range(300)])))
row("strings split and changed", 20,
    lambda: len("-".join([part.upper() for part in log_text.split(" ")])))

# match.

Expression = int | str | tuple  # type: ignore[type-arg]


def plus(a: Expression, b: Expression) -> Expression:
    match (a, b):
        case (0, b):
            return b
        case (a, 0):
            return a
    return ("+", a, b)


def times(a: Expression, b: Expression) -> Expression:
    match (a, b):
        case (0, _) | (_, 0):
            return 0
        case (1, b):
            return b
        case (a, 1):
            return a
    return ("*", a, b)


def derivative(e: Expression) -> Expression:
    match e:
        case int():
            return 0
        case "x":
            return 1
        case str():
            return 0
        case ("+", a, b):
            return plus(derivative(a), derivative(b))
        case ("*", a, b):
            return plus(times(derivative(a), b), times(a, derivative(b)))
        case ("expt", a, int(n)):
            return times(times(n, ("expt", a, n - 1)), derivative(a))
    raise ValueError(e)


def size(e: Expression) -> int:
    match e:
        case (_, *parts):
            return 1 + sum(map(size, parts))
    return 1


polynomial: Expression = "x"
for k in range(2, 14):
    polynomial = ("+", ("*", k, ("expt", "x", k)), ("*", polynomial, "x"))

row("match, derivatives", 20, lambda: size(derivative(derivative(polynomial))))

Environment = tuple[str, int, "Environment"] | None


def looked_up(name: str, env: Environment) -> int:
    while env is not None and env[0] != name:
        env = env[2]
    assert env is not None
    return env[1]


def value(e: Expression, env: Environment) -> int:
    match e:
        case int(n):
            return n
        case str(name):
            return looked_up(name, env)
        case ("let", ((name, init),), body):
            return value(body, (name, value(init, env), env))
        case ("if", test, then, otherwise):
            return value(otherwise if value(test, env) == 0 else then, env)
        case ("+", a, b):
            return value(a, env) + value(b, env)
        case ("-", a, b):
            return value(a, env) - value(b, env)
        case ("*", a, b):
            return value(a, env) * value(b, env)
    raise ValueError(e)


program = (
    "let", (("a", ("+", "x", 3)),),
    ("let", (("b", ("*", "a", ("-", "x", 1))),),
     ("if", ("-", "b", 4), ("+", ("*", "a", "b"), ("-", "b", "x")), ("*", "a", 7))),
)  # fmt: skip

row("match, an interpreter", 5, lambda: sum(value(program, ("x", k, None)) for k in range(1000)))

# Sets and mappings.  A mapping or hashmap of SRFI 146 stays as it was when a key is added to it: in
# Python the copy of a dictionary does.  For the order of its keys the row sorts them.

numbers = [k * 7919 % 10007 for k in range(2000)]

row("hash table, words counted", 20, lambda: len(counted(words)))
row("set of numbers", 10, lambda: len(set(numbers)))
evens = {n for n in numbers if n % 2 == 0}
thirds = {n for n in numbers if n % 3 == 0}
row("set operations", 10,
    lambda: len(evens | thirds) + len(evens & thirds) + len(evens - thirds))


def filled(keys: list[int]) -> int:
    mapping: dict[int, int] = {}
    for k in keys:
        mapping = {**mapping, k: 2 * k}
    total = 0
    for k in sorted(mapping):
        total += mapping[k]
    return total


row("mapping, filled in order", 2, lambda: filled(numbers))


def counted_in_copies(words: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        counts = {**counts, word: counts.get(word, 0) + 1}
    return counts


row("hashmap, words counted", 5, lambda: len(counted_in_copies(words)))

# Sorting.

row("sorted numbers", 20, lambda: sorted(numbers)[100])
# A procedure of two elements.  A key, as a Python programmer would write here, is computed once for
# each element.
row("sorted by a procedure", 5,
    lambda: sorted(numbers, key=cmp_to_key(lambda a, b: b % 100 - a % 100))[0])
row("sorted words", 10, lambda: len(sorted(words)[5]))
row("sorted vector", 20, lambda: sorted(numbers)[100])

# Files.

path = folder / "log.txt"


def write_lines() -> int:
    with path.open("w") as file:
        for line in log:
            file.write(line)
            file.write("\n")
    return path.stat().st_size


def total_of_lines() -> int:
    total = 0
    with path.open() as file:
        for line in file:
            total += len(line) - 1
    return total


row("file, lines written", 5, write_lines)
row("file, lines read", 10, lambda: sum(map(len, path.read_text().splitlines())))
row("file, one line after another", 5, total_of_lines)
tree = folder / "tree"
row("folder walked", 5, lambda: len([inside for inside in tree.rglob("*") if inside.is_file()]))
