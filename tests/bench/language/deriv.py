"""Fresh lists: the derivative of a polynomial in x, written with sums and products of any number
of terms, many times."""

import sys

Formula = int | str | list


def derive(a: Formula) -> Formula:
    if not isinstance(a, list):
        return 1 if a == "x" else 0
    if a[0] == "+":
        return ["+", *[derive(term) for term in a[1:]]]
    if a[0] == "*":
        # (* a b c)' = (* (* a b c) (+ (/ a' a) (/ b' b) (/ c' c)))
        return ["*", a, ["+", *[["/", derive(term), term] for term in a[1:]]]]
    return []


def count_leaves(a: Formula) -> int:
    return sum(map(count_leaves, a)) if isinstance(a, list) else 1


FORMULA = [
    "+", ["*", 3, "x", "x"], ["*", "a", "x", "x", "x"], ["*", "b", "x"],
    ["+", "x", ["*", "c", "x"], 5],
]  # fmt: skip

last: Formula = []
for _ in range(int(sys.argv[1])):
    last = derive(FORMULA)
print(count_leaves(last))
