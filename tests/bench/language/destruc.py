"""Lists changed in place: create a list, sort it by merging its nodes, reverse it, append two."""

from __future__ import annotations

import sys


class Node:
    __slots__ = ("item", "next")

    def __init__(self, item: int, next: Node | None) -> None:
        self.item = item
        self.next = next


def random_list(n: int, seed: int) -> Node | None:
    items = None
    for _ in range(n):
        seed = seed * 16807 % 2147483647
        items = Node(seed % 10000, items)
    return items


def reverse(items: Node | None) -> Node | None:
    done = None
    while items:
        items.next, done, items = done, items, items.next
    return done


def merge(a: Node | None, b: Node | None) -> Node | None:
    end = head = Node(0, None)
    while a and b:
        if b.item < a.item:
            end.next = end = b
            b = b.next
        else:
            end.next = end = a
            a = a.next
    end.next = a or b
    return head.next


def cut(items: Node, n: int) -> Node | None:
    for _ in range(n - 1):
        items = items.next
    rest = items.next
    items.next = None
    return rest


def sort(items: Node | None, n: int) -> Node | None:
    if n < 2:
        return items
    half = n // 2
    rest = cut(items, half)
    return merge(sort(items, half), sort(rest, n - half))


def append(a: Node, b: Node | None) -> None:
    while a.next:
        a = a.next
    a.next = b


def checksum(items: Node | None) -> int:
    total = 0
    while items:
        total = (total * 3 + items.item) % 1000003
        items = items.next
    return total


def run(size: int) -> int:
    total = 0
    for i in range(size):
        up = sort(random_list(1000, i + 1), 1000)
        down = reverse(sort(random_list(1000, i + 7), 1000))
        append(up, down)
        total = (total + checksum(up)) % 1000003
    return total


print(run(int(sys.argv[1])))
