"""Strongly connected components: the nodes of a graph that lie on a cycle together."""

from lambent.lang.core.strong_components import on_cycles, strongly_connected_components

EDGES = {"a": ["b"], "b": ["c", "d"], "c": ["a"], "d": ["d"], "e": ["a", "d", "leaf"]}


def test_nodes_that_reach_each_other_share_a_number() -> None:
    found = strongly_connected_components(EDGES)
    assert found["a"] == found["b"] == found["c"]
    assert len({found["a"], found["d"], found["e"], found["leaf"]}) == 4


def test_components_come_after_their_successors() -> None:
    order = list(strongly_connected_components(EDGES))
    assert all(order.index(target) < order.index("e") for target in EDGES["e"])
    assert all(order.index("d") < order.index(node) for node in "abc")


def test_a_long_chain_needs_no_recursion() -> None:
    chain = {n: [n + 1] for n in range(100_000)} | {100_000: [0]}
    assert set(strongly_connected_components(chain).values()) == {0}


def test_nodes_with_edges_to_themselves() -> None:
    assert on_cycles(EDGES) == {"a", "b", "c", "d"}
