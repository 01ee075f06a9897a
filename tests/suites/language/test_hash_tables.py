"""Hash tables with custom equivalences: random operations, compared with a model in Python.

One program creates tables of every sort, with random operations; both back ends run it.
"""

import random
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.programs_run import ProgramRunner

OPERATIONS = 25
SEEDS = range(6)
Pairs = dict[Hashable, tuple[str, int]]


@dataclass(frozen=True)
class Sort:
    """made: the expression that creates a table.  keys: as programs write them.

    class_of: equal for equivalent keys.
    """

    made: str
    keys: tuple[str, ...]
    class_of: Callable[[str], Hashable]


_WORDS = tuple(f'"{word}"' for word in ("", "a", "A", "ab", "aB", "AB", "b", "ba", "BA", "abc"))
_NUMBERS = ("0", "-0.0", "1", "1.0", "1/2", "0.5", "-7", "-7.0", "3", "1e300",
            "100000000000000000000")  # fmt: skip
_INTEGERS = tuple(str(n) for n in range(-9, 25, 2))


def _number(text: str) -> float:
    over, _, under = text.partition("/")
    return float(over) / float(under or 1)


SORTS = {
    "string-ci, hashed": Sort("string-ci=? string-ci-hash", _WORDS, str.lower),
    "string-ci": Sort("string-ci=?", _WORDS, str.lower),
    "numbers": Sort("=", _NUMBERS, _number),
    "numbers, one bucket": Sort("(lambda (a b) (= a b))", _NUMBERS, _number),
    "lengths, a bad hash": Sort("same-length? (lambda (text) (- 5))", _WORDS, len),
    "lengths, a bound": Sort("same-length? (lambda (text n) (modulo (string-length text) n))",
                             _WORDS, len),
    "remainders": Sort("same-remainder? (lambda (n) (* 7777777777777777777 (modulo n 5)))",
                       _INTEGERS, lambda key: int(key) % 5),
}  # fmt: skip

PRELUDE = """\
(import (srfi 69))
(define (same-length? a b) (= (string-length a) (string-length b)))
(define (same-remainder? a b) (= (modulo a 5) (modulo b 5)))
(define (show . parts) (for-each (lambda (part) (write part) (display " ")) parts) (newline))
"""


def _pairs(table: Pairs) -> str:
    return "(" + " ".join(f"({key} . {value})" for key, value in table.values()) + ")"


def _operation(rng: random.Random, sort: Sort, table: Pairs) -> tuple[str, str]:
    """One operation on the table t, and its expected output; the model is changed."""
    key, value = rng.choice(sort.keys), rng.randrange(100)
    found = sort.class_of(key)
    entry = table.get(found)
    match rng.randrange(8):
        case 0 | 1:
            table[found] = (entry[0] if entry else key, value)
            return f"(hash-table-set! t {key} {value})", ""
        case 2 | 3:
            table.pop(found, None)
            return f"(hash-table-delete! t {key})", ""
        case 4:
            shown = entry[1] if entry else "none"
            return f"(show (hash-table-ref t {key} (lambda () 'none)))", f"{shown} \n"
        case 5:
            return f"(show (hash-table-exists? t {key}))", f"{'#t' if entry else '#f'} \n"
        case 6:
            table[found] = (entry[0], entry[1] + 1) if entry else (key, value + 1)
            return f"(hash-table-update!/default t {key} (lambda (n) (+ n 1)) {value})", ""
        case _:
            if rng.random() < 0.2:
                table.clear()
                return "(hash-table-clear! t)", ""
            return "(set! t (hash-table-copy t))", ""


def _case(seed: int, sort: Sort) -> tuple[str, str]:
    """A procedure that changes a table and prints its final contents, and the expected output."""
    rng, table = random.Random(seed), Pairs()
    lines, shown = [f"(let ((t (make-hash-table {sort.made})))"], []
    for _ in range(OPERATIONS):
        line, said = _operation(rng, sort, table)
        lines.append(f"  {line}")
        shown.append(said)
    lines.append("  (show (hash-table->alist t) (hash-table-size t) (hash-table-keys t)))\n")
    keys = " ".join(key for key, _ in table.values())
    shown.append(f"{_pairs(table)} {len(table)} ({keys}) \n")
    return "\n".join(lines), "".join(shown)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    cases = [_case(seed, sort) for seed in SEEDS for sort in SORTS.values()]
    path = tmp_path_factory.mktemp("tables") / "case.lisp"
    path.write_text(PRELUDE + "".join(text for text, _ in cases), encoding="utf-8")
    return path, "".join(shown for _, shown in cases)


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_tables_agree_with_python(
    runner: ProgramRunner, program: tuple[Path, str], back_end: str
) -> None:
    path, shown = program
    runs = {"script": runner.run_script, "executable": runner.run_executable}
    outcome = runs[back_end](path)
    assert (outcome.errors, outcome.status, outcome.leaks) == ("", 0, "")
    assert outcome.output == shown
