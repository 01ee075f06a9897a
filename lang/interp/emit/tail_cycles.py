"""Which tail calls can lead round in a circle.

    {even: [odd], odd: [even], f: [even]}  =>  {even: 1, odd: 1, f: 2}
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def circles(edges: Mapping[Node, Sequence[Node]]) -> dict[Node, int]:
    """A number for each node; nodes that can reach one another have the same.

    These are the strongly connected components, found by Tarjan's algorithm, without recursion.
    """
    order: dict[Node, int] = {}
    low: dict[Node, int] = {}
    stack: list[Node] = []
    numbers: dict[Node, int] = {}
    work: list[tuple[Node, Iterator[Node]]] = []
    count = 0

    def enter(node: Node) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        work.append((node, iter(edges[node])))

    def close(node: Node) -> None:
        """All that node can reach is known: what lies above it on the stack is its circle."""
        nonlocal count
        count += 1
        while node not in numbers:
            numbers[stack.pop()] = count

    for root in edges:
        if root not in order:
            enter(root)
        while work:
            node, targets = work[-1]
            target = next(targets, None)
            if target is not None:
                if target not in order:
                    enter(target)
                elif target not in numbers:
                    low[node] = min(low[node], order[target])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == order[node]:
                close(node)
    return numbers
