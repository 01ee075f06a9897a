"""Strings: a hash table with chains, written in the program, that counts words."""

import sys

BUCKETS = 16384


def hash_of(text: str) -> int:
    h = 5381
    for character in text:
        h = (h * 33 + ord(character)) % 1000000007
    return h % BUCKETS


def find(key: str, chain: list[list]) -> list | None:
    for entry in chain:
        if entry[0] == key:
            return entry
    return None


def count_word(table: list[list[list]], key: str) -> None:
    chain = table[hash_of(key)]
    entry = find(key, chain)
    if entry is not None:
        entry[1] += 1
    else:
        chain.append([key, 1])


def word(i: int) -> str:
    return f"word-{i * 7919 % 50021}"


def run(size: int) -> int:
    table: list[list[list]] = [[] for _ in range(BUCKETS)]
    for i in range(size):
        count_word(table, word(i))
    total = 0
    for i in range(1000):
        entry = find(word(i), table[hash_of(word(i))])
        total = (total * 31 + entry[1]) % 1000003
    return total


print(run(int(sys.argv[1])))
