"""Pattern matching: sums and products of symbols are simplified by rules, whose variables a
dictionary binds."""

import sys
from collections.abc import Sequence

Term = int | str | tuple

A, B, C = ("?", "a"), ("?", "b"), ("?", "c")
RULES: Sequence[tuple[Term, Term]] = (
    (("+", 0, A), A),
    (("+", A, 0), A),
    (("*", 1, A), A),
    (("*", A, 1), A),
    (("*", 0, A), 0),
    (("*", A, 0), 0),
    (("+", A, A), ("*", 2, A)),
    (("*", A, ("+", B, C)), ("+", ("*", A, B), ("*", A, C))),
    (("*", ("+", B, C), A), ("+", ("*", B, A), ("*", C, A))),
    (("+", ("+", A, B), C), ("+", A, ("+", B, C))),
)


def match(pattern: Term, term: Term, bindings: dict[str, Term]) -> bool:
    if not isinstance(pattern, tuple):
        return pattern == term
    if pattern[0] == "?":
        return bindings.setdefault(pattern[1], term) == term
    if not isinstance(term, tuple) or len(term) != len(pattern):
        return False
    return all(match(p, t, bindings) for p, t in zip(pattern, term, strict=True))


def fill(template: Term, bindings: dict[str, Term]) -> Term:
    if not isinstance(template, tuple):
        return template
    if template[0] == "?":
        return bindings[template[1]]
    return tuple([fill(part, bindings) for part in template])


def simplify(term: Term) -> Term:
    if not isinstance(term, tuple):
        return term
    inner = (term[0], *[simplify(part) for part in term[1:]])
    for left, right in RULES:
        bindings: dict[str, Term] = {}
        if match(left, inner, bindings):
            return simplify(fill(right, bindings))
    return inner


# The Lisp program counts the empty list at each list's end, too.
def size_of(term: Term) -> int:
    return sum(map(size_of, term)) + 1 if isinstance(term, tuple) else 1


TERM = ("*", ("+", ("*", 1, "x"), ("+", "y", 0)),
        ("*", ("+", "x", ("*", "z", 1)), ("+", ("*", 0, "y"), ("+", "z", "z"))))  # fmt: skip

print(sum(size_of(simplify(TERM)) for _ in range(int(sys.argv[1]))))
