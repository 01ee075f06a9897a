"""Strongly connected components: which procedures are in one cycle of tail calls.

    {even: [odd], odd: [even], f: [even]}  =>  {even: 1, odd: 1, f: 2}
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def strongly_connected_components(edges: Mapping[Node, Sequence[Node]]) -> dict[Node, int]:
    """The number of each node's component: nodes that can reach each other have the same number.

    This is Tarjan's algorithm, without recursion.
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
        """The nodes from node up to the top of the stack are its component: all are visited."""
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
