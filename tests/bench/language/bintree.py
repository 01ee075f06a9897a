"""Short-lived objects: complete binary trees of depth 12 are created, counted and freed."""

import sys

Tree = tuple["Tree", "Tree"] | None


def grow(depth: int) -> Tree:
    return None if depth == 0 else (grow(depth - 1), grow(depth - 1))


def count_nodes(tree: Tree) -> int:
    return 0 if tree is None else 1 + count_nodes(tree[0]) + count_nodes(tree[1])


print(sum(count_nodes(grow(12)) for _ in range(int(sys.argv[1]))))
