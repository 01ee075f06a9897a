"""The rows of programs/library.lisp in Python: lists, dictionaries and Python's own functions."""

import io
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cmp_to_key, reduce  # noqa: F401 - rows name them
from statistics import median

RUNS = 7

items = list(range(1000))
few = [3, 1, 4, 1, 5]
vec = items[:]
shuffled = [k * 7919 % 1009 for k in items]
words = [f"word{k}" for k in range(100)]
names = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis", "jay"]
by_symbol = [(name, 1) for name in names]
by_number = [(k, k) for k in range(10)]
by_text = [(f"k{k}", k) for k in range(10)]
text = "the quick brown fox jumps over the lazy dog"
numbers_text = ",".join(map(str, range(100)))
total = 0
number_five: object = 5


def inc(x: int) -> int:
    return x + 1


def small(x: int) -> bool:
    return x < 500


def add(sum_: int, x: int) -> int:
    return x + sum_


def before(a: int, b: int) -> int:
    return -1 if a < b else 1 if b < a else 0


def count(x: int) -> None:
    global total
    total = total + x


def count_char(c: str) -> None:
    global total
    total = total + 1


def three(a: int, b: int, c: int) -> int:
    return a + b + c


def for_each(f: Callable[..., object], values: object) -> None:
    for x in values:  # type: ignore[attr-defined]
        f(x)


def found(key: object, pairs: list[tuple[object, int]]) -> object:
    for pair in pairs:
        if pair[0] == key:
            return pair
    return None


def spaces() -> int:
    n = 0
    k = 0
    while k != len(text):
        if text[k] == " ":
            n = n + 1
        k = k + 1
    return n


def written_words() -> str:
    out = io.StringIO()
    for_each(lambda word: out.write(word), words)
    return out.getvalue()


def written_characters() -> str:
    out = io.StringIO()
    k = 0
    while k < 100:
        out.write("x")
        k = k + 1
    return out.getvalue()


def read_characters() -> int:
    port = io.StringIO(numbers_text)
    n = 0
    while port.read(1):
        n = n + 1
    return n


def read_lines() -> int:
    port = io.StringIO("one\ntwo\nthree\nfour\nfive\n")
    n = 0
    while port.readline():
        n = n + 1
    return n


class OopsError(Exception):
    def __init__(self, payload: object) -> None:
        super().__init__()
        self.payload = payload


class EscapeError(Exception):
    pass


def fails() -> None:
    raise OopsError("oops")


def errs() -> None:
    raise ValueError("oops", 1, 2)


def caught() -> object:
    try:
        return fails()
    except OopsError as e:
        return e.payload


def caught_error() -> object:
    try:
        return errs()
    except ValueError:
        return 1


def caught_type_error() -> object:
    try:
        return number_five[0]  # type: ignore[index]
    except TypeError:
        return 1


def not_caught() -> object:
    try:
        return nothing()
    except ValueError:
        return 1


def escape(value: object) -> None:
    failure = EscapeError()
    failure.value = value  # type: ignore[attr-defined]
    raise failure


def escaped() -> object:
    try:
        return escape(1)
    except EscapeError as e:
        return e.value  # type: ignore[attr-defined]


def escaped_from_loop() -> object:
    def look(x: int) -> None:
        if x > 50:
            escape(x)

    try:
        for_each(look, items)
    except EscapeError as e:
        return e.value  # type: ignore[attr-defined]
    return 0


def nothing() -> int:
    return 1


def wound() -> int:
    nothing()
    try:
        return nothing()
    finally:
        nothing()


class Parameter:
    value = 1

    def __call__(self) -> int:
        return self.value


place = Parameter()


@contextmanager
def set_to(parameter: Parameter, value: int) -> Iterator[None]:
    old, parameter.value = parameter.value, value
    try:
        yield
    finally:
        parameter.value = old


def parameterized() -> int:
    with set_to(place, 2):
        return place()


def two_values() -> int:
    a, b = (lambda: (1, 2))()
    return a + b


def looped() -> int:
    k = 0
    sum_ = 0
    while k != 1000:
        k, sum_ = k + 1, sum_ + k
    return sum_


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


document = json.dumps([
    {"name": f"item {k}", "price": k * 0.25, "tags": ["a", "b", "c"], "sold": k % 2 == 0}
    for k in range(20)
], separators=(",", ":"))
data = json.loads(document)
table = dict.fromkeys(names, 1) | dict.fromkeys(items, 1) | dict.fromkeys(words, 1)


def updated(key: str, f: Callable[[int], int]) -> None:
    table[key] = f(table[key])


def updated_or(key: str, f: Callable[[int], int], default: int) -> None:
    table[key] = f(table.get(key, default))


def stored(key: str, value: int) -> None:
    table[key] = value


def counted_words() -> dict[str, int]:
    counts: dict[str, int] = {}
    for_each(lambda word: counts.__setitem__(word, inc(counts.get(word, 0))), words)
    return counts


def each_entry(f: Callable[[object, object], object]) -> None:
    for key, value in list(table.items()):
        f(key, value)


# How often each expression is evaluated in a run, in a loop as in the Lisp program.
ROWS: dict[str, tuple[int, str]] = {
    "map": (20, "list(map(inc, items))"),
    "map, a lambda": (20, "list(map(lambda x: x * x, items))"),
    "map, two lists": (20, "list(map(lambda a, b: a + b, items, items))"),
    "map, five elements": (1000, "list(map(inc, few))"),
    "for-each": (20, "for_each(count, items)"),
    "filter": (20, "list(filter(small, items))"),
    "fold": (20, "reduce(add, items, 0)"),
    "fold +": (20, "reduce(lambda a, b: a + b, items, 0)"),
    "fold-right cons": (20, "reduce(lambda rest, x: (x, rest), reversed(items), ())"),
    "any": (20, "any(map(lambda x: x > 998, items))"),
    "append, 1000 and 1000": (20, "items + items"),
    "append, 5 and 5": (1000, "few + few"),
    "assoc": (1000, 'found("k5", by_text)'),
    "assq": (1000, 'found("fox", by_symbol)'),
    "assv": (1000, "found(5, by_number)"),
    "member": (1000, "few[few.index(5) :]"),
    "list-ref": (1000, "few[4]"),
    "list-tail": (1000, "few[2:]"),
    "length": (1000, "len(few)"),
    "reverse": (20, "items[::-1]"),
    "list->vector": (20, "items[:]"),
    "vector->list": (20, "vec[:]"),
    "list": (1000, "[1, 2, 3, 4, 5]"),
    "sort, <": (20, "sorted(shuffled)"),
    "sort, a procedure": (5, "sorted(shuffled, key=cmp_to_key(before))"),
    "vector-map": (20, "list(map(inc, vec))"),
    "vector-for-each": (20, "for_each(count, vec)"),
    "apply": (1000, "three(*[1, 2, 3])"),
    "string-append": (1000, '"".join(["the ", "quick ", "fox"])'),
    "substring": (1000, "text[4:9]"),
    "string-split": (1000, 'text.split(" ")'),
    "string-join": (200, '",".join(words)'),
    "string->number": (1000, 'int("12345")'),
    "number->string": (1000, "str(12345)"),
    "string-for-each": (100, "for_each(count_char, text)"),
    "string->list": (100, "list(text)"),
    "characters": (100, "spaces()"),
    "format": (1000, 'f"{\'Ada\'} has {3:d}, {0.5:.2f} each\\n"'),
    "string port, write-string": (100, "written_words()"),
    "string port, write-char": (100, "written_characters()"),
    "string port, read-char": (100, "read_characters()"),
    "string port, read-line": (100, "read_lines()"),
    "read-json": (5, "json.load(io.StringIO(document))"),
    "string->json": (5, "json.loads(document)"),
    "json->string": (5, "json.dumps(data)"),
    "hash-ref, a symbol": (1000, 'table.get("fox", 0)'),
    "hash-ref, a string": (1000, 'table.get("word50", 0)'),
    "hash-ref, a number": (1000, "table.get(50, 0)"),
    "hash-set!": (1000, 'table.__setitem__("fox", 2)'),
    "hash-table-ref/default": (1000, 'table.get("fox", 0)'),
    "hash-table-set!": (1000, 'stored("fox", 2)'),
    "hash-table-update!": (1000, 'updated("fox", inc)'),
    "hash-table-update!/default": (1000, 'updated_or("fox", inc, 0)'),
    "counting words": (20, "counted_words()"),
    "hash-for-each": (100, "each_entry(lambda key, value: count(1))"),
    "guard that catches": (500, "caught()"),
    "guard that catches an error": (500, "caught_error()"),
    "guard that catches a car": (500, "caught_type_error()"),
    "guard without an error": (500, "not_caught()"),
    "call/cc, an escape": (500, "escaped()"),
    "call/cc from a loop": (50, "escaped_from_loop()"),
    "dynamic-wind": (500, "wound()"),
    "parameterize": (500, "parameterized()"),
    "values": (1000, "two_values()"),
    "a loop of let": (20, "looped()"),
    "fib 15": (20, "fib(15)"),
}


def timed(number: int, expression: str) -> int:
    """The median nanoseconds of an expression."""
    scope = dict(globals())
    exec(f"def job():\n for _ in range({number}): {expression}", scope)
    job: Callable[[], None] = scope["job"]
    job()
    times = []
    for _ in range(RUNS):
        start = time.perf_counter_ns()
        job()
        times.append(time.perf_counter_ns() - start)
    return int(median(times)) // number


for name, (number, expression) in ROWS.items():
    print(name, timed(number, expression))
