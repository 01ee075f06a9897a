"""The labels that release the live names when an operation fails.

Wherever an operation can fail, some owned names are live, listed in the order in which they were
acquired.  Each such list gets a label that releases its last name and continues with the rest.  So
lists with the same beginning share labels, and labels are in reverse order of acquisition:

    live (q), (q t1) and (q scores)  =>  free_scores: ct_free(scores); goto free_q;
                                         free_t1:     ct_free(t1);
                                         free_q:      ct_free(q);
                                         failed:      return RT_ERROR;
"""

from collections.abc import Callable, Collection
from itertools import zip_longest

from lambent.lang.compile.c.names import Scope
from lambent.lang.system.dataclass import dataclass, field

_FEW = 8  # new labels for a failure, before another order is tried


@dataclass(eq=False, slots=True)
class _Node:
    """A list of names: the last one, and the list before it; the root is empty.

    depth: how many names it has.  jumped_to: whether a failure, or a step that cannot fall through,
    jumps to its label.
    """

    name: str | None
    parent: "_Node | None"
    label: str
    depth: int = 0
    jumped_to: bool = False
    children: "dict[str, _Node]" = field(default_factory=dict)


@dataclass(slots=True)
class Chains:
    """The lists of one function, with their labels.

    last_use: where a name is used last, to sort long lists by that.
    """

    last_use: Callable[[str], int]
    names: set[str] = field(default_factory=set)  # all names that labels release
    _root: _Node | None = None
    _scope: Scope = field(default_factory=Scope)

    def label(self, live: Collection[str]) -> str:
        """The label to jump to when exactly these C names are live, in order of acquisition."""
        if self._root is None:
            self._root = _Node(None, None, self._scope.fresh("failed"))
        node, missing = self._reach(live)
        if len(missing) > _FEW:
            # Lists share no beginnings if names are released in the order of their acquisition.
            # Sorted by last use, the names that live longest come first in all lists.
            late_first = sorted(live, key=lambda name: -self.last_use(name))
            other, fewer = self._reach(late_first)
            if len(fewer) <= len(missing):
                node, missing = other, fewer
        for name in self._labelled(missing):
            node.children[name[0]] = _Node(name[0], node, name[1], node.depth + 1)
            node = node.children[name[0]]
        node.jumped_to = True
        return node.label

    def _reach(self, live: Collection[str]) -> tuple[_Node, list[str]]:
        """The longest present list that is a prefix of the names, and the other names."""
        node = self._root
        assert node is not None
        names = list(live)
        for at, name in enumerate(names):
            child = node.children.get(name)
            if child is None:
                return node, names[at:]
            node = child
        return node, []

    def _labelled(self, names: list[str]) -> list[tuple[str, str]]:
        """New names with their labels, which are numbered from the longest list on."""
        self.names.update(names)
        labels = [self._scope.fresh(f"free_{name}") for name in reversed(names)]
        return list(zip(names, reversed(labels), strict=True))

    def __bool__(self) -> bool:
        return self._root is not None

    def steps(self) -> list["Step"]:
        """The steps at the end of the function, in order."""
        order = self._order()
        falls: list[bool] = []
        for here, following in zip_longest(order, order[1:]):
            falls.append(here.parent is None or following is here.parent)
            if not falls[-1] and here.parent is not None:
                here.parent.jumped_to = True
        return [
            Step(
                here.label if here.jumped_to else None,
                here.name,
                None if fall or here.parent is None else here.parent.label,
            )
            for here, fall in zip(order, falls, strict=True)
        ]

    def _order(self) -> list[_Node]:
        """Every list before its parent, which is the list without its last name."""
        # Depth first without recursion, since a thousand names may be live at once; the walk
        # meets parents first, so it is read backwards.
        order: list[_Node] = []
        stack = [self._root] if self._root is not None else []
        while stack:
            node = stack.pop()
            order.append(node)
            stack.extend(reversed(node.children.values()))
        return order[::-1]


@dataclass(frozen=True, slots=True)
class Step:
    """One release.

    label: None if nothing jumps to it.  release: the name that it frees, None for the last step.
    jump: the label that follows, None to fall through to the next step.
    """

    label: str | None
    release: str | None
    jump: str | None
