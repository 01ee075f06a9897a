"""Strongly connected components: which nodes of a graph lie on a circle together.

a -> b -> a -> c   =>  a and b share a number, c has another
"""


def strong_components(nodes: list[int], edges: dict[int, list[int]]) -> dict[int, int]:
    """For each node the number of its strongly connected component (Tarjan, without recursion)."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    component: dict[int, int] = {}
    stack: list[int] = []
    for root in nodes:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        stack.append(root)
        work = [(root, iter(edges.get(root, ())))]
        while work:
            node, targets = work[-1]
            target = next(targets, None)
            if target is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    while node not in component:
                        component[stack.pop()] = order[node]
            elif target not in order:
                order[target] = low[target] = len(order)
                stack.append(target)
                work.append((target, iter(edges.get(target, ()))))
            elif target not in component:
                low[node] = min(low[node], order[target])
    return component
