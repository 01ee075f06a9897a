"""Association lists: counts by words, kept in lists that share their ends."""
import sys

WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu".split()  # noqa: SIM905
COLOURS = [("red", 1), ("green", 2), ("blue", 3), ("white", 4), ("black", 5)]
SQUARES = [(i, i * i) for i in reversed(range(40))]


def count(key, counts):
    """counts: None, or the first pair and the others."""
    passed = []
    while counts is not None and counts[0][0] != key:
        passed.append(counts[0])
        counts = counts[1]
    result = ((key, 1), None) if counts is None else ((key, counts[0][1] + 1), counts[1])
    for pair in reversed(passed):
        result = (pair, result)
    return result


def linked(pairs):
    result = None
    for pair in reversed(pairs):
        result = (pair, result)
    return result


def find(key, pairs):
    while pairs[0][0] != key:
        pairs = pairs[1]
    return pairs[0][1]


def run(size):
    colours, squares = linked(COLOURS), linked(SQUARES)
    total, counts = 0, None
    for i in range(size):
        if i % 10 == 0:
            counts = None
        for word in WORDS:
            counts = count(word, counts)
        total += sum(find(word, counts) for word in WORDS)
        total += sum(find(name, colours) for name in ("black", "red", "white", "blue"))
        total += sum(find(k, squares) for k in range(40))
        total %= 1000003
    return total


print(run(int(sys.argv[1])))
