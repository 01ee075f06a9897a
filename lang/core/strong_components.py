"""Strongly connected components: which nodes of a graph lie on a cycle together.

    {"even": ["odd"], "odd": ["even"], "f": ["even"]}  =>  {"odd": 0, "even": 0, "f": 2}

Both back ends ask this of their call graphs: procedures that tail-call each other need a loop or
the trampoline, and functions that call each other may be on the stack more than once.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def strongly_connected_components(edges: Mapping[Node, Sequence[Node]]) -> dict[Node, int]:
    """For each node the number of its strongly connected component.

    edges: the targets of each node; a node without targets may be missing, unless nothing leads to
    it.  A component comes out after those that it leads to.  Tarjan's algorithm, without recursion.
    """
    order: dict[Node, int] = {}
    low: dict[Node, int] = {}
    component: dict[Node, int] = {}
    stack: list[Node] = []
    for root in edges:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        stack.append(root)
        work: list[tuple[Node, Iterator[Node]]] = [(root, iter(edges[root]))]
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in order:
                    order[target] = low[target] = len(order)
                    stack.append(target)
                    work.append((target, iter(edges.get(target, ()))))
                    break
                if target not in component:
                    low[node] = min(low[node], order[target])
            else:
                work.pop()
                if work:
                    outer = work[-1][0]
                    low[outer] = min(low[outer], low[node])
                if low[node] == order[node]:
                    while node not in component:
                        component[stack.pop()] = order[node]
    return component


def on_cycles(edges: Mapping[Node, Sequence[Node]]) -> set[Node]:
    """The nodes that lead back to themselves."""
    component = strongly_connected_components(edges)
    sizes = Counter(component.values())
    return {
        node
        for node, number in component.items()
        if sizes[number] > 1 or node in edges.get(node, ())
    }
