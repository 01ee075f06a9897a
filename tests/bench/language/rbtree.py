"""A set as an immutable red-black tree: each insertion copies the path to its key.
A node is (red, left, key, right), a leaf None."""

import sys

Tree = tuple[bool, "Tree", int, "Tree"] | None


def is_red(tree: Tree) -> bool:
    return tree is not None and tree[0]


def three(a, x, b, y, c, z, d) -> Tree:
    return (True, (False, a, x, b), y, (False, c, z, d))


def balance_left(left: Tree, key: int, right: Tree) -> Tree:
    if is_red(left):
        _, a, x, b = left
        if is_red(a):
            return three(a[1], a[2], a[3], x, b, key, right)
        if is_red(b):
            return three(a, x, b[1], b[2], b[3], key, right)
    return (False, left, key, right)


def balance_right(left: Tree, key: int, right: Tree) -> Tree:
    if is_red(right):
        _, a, x, b = right
        if is_red(a):
            return three(left, key, a[1], a[2], a[3], x, b)
        if is_red(b):
            return three(left, key, a, x, b[1], b[2], b[3])
    return (False, left, key, right)


def insert_below(tree: Tree, new: int) -> Tree:
    if tree is None:
        return (True, None, new, None)
    red, left, key, right = tree
    if new < key:
        made = insert_below(left, new)
        return (True, made, key, right) if red else balance_left(made, key, right)
    if new > key:
        made = insert_below(right, new)
        return (True, left, key, made) if red else balance_right(left, key, made)
    return tree


def insert(tree: Tree, new: int) -> Tree:
    _, left, key, right = insert_below(tree, new)
    return (False, left, key, right)


def checksum(tree: Tree, total: int) -> int:
    if tree is None:
        return total
    return checksum(tree[3], (3 * checksum(tree[1], total) + tree[2]) % 1000003)


def run(size: int) -> int:
    tree: Tree = None
    seed = 42
    for _ in range(size):
        seed = seed * 16807 % 2147483647
        tree = insert(tree, seed)
    return checksum(tree, 0)


print(run(int(sys.argv[1])))
