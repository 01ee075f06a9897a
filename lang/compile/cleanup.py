"""The labels that release what is live when an operation fails.

Where an operation can fail, a set of owned names is live, listed in the order in which they were
acquired.  Each such list gets a label that releases its last name and goes on with the rest, so
lists that begin alike share the end of their chains, and labels stand in reverse order of
acquisition:

    live (q), (q t1) and (q scores)  =>  free_scores: ct_free(scores); goto free_q;
                                         free_t1:     ct_free(t1);
                                         free_q:      ct_free(q);
                                         failed:      return RT_ERROR;
"""

from dataclasses import dataclass, field

from lambent.lang.compile.names import Scope

Live = tuple[str, ...]


@dataclass(slots=True)
class Chains:
    """The lists that failures of one function have asked for, with their labels."""

    _labels: dict[Live, str] = field(default_factory=dict)
    _targets: set[Live] = field(default_factory=set)
    _scope: Scope = field(default_factory=Scope)

    def label(self, live: Live) -> str:
        """The label to go to when exactly these C names are live, the last acquired last."""
        self._targets.add(live)
        for length in range(len(live), -1, -1):
            part = live[:length]
            if part in self._labels:
                break
            self._labels[part] = self._scope.fresh(f"free_{part[-1]}" if part else "failed")
        return self._labels[live]

    @property
    def names(self) -> set[str]:
        """Every name that some label releases."""
        return {live[-1] for live in self._labels if live}

    def __bool__(self) -> bool:
        return bool(self._labels)

    def steps(self) -> list["Step"]:
        """What stands at the end of the function, in order."""
        if not self._labels:
            return []
        order = self._order()
        targets = set(self._targets)
        jumps: list[Live | None] = []
        for here, following in zip(order, [*order[1:], ()], strict=True):
            falls = not here or following == here[:-1]
            jumps.append(None if falls else here[:-1])
            if not falls:
                targets.add(here[:-1])
        return [
            Step(
                self._labels[here] if here in targets else None,
                here[-1] if here else None,
                None if jump is None else self._labels[jump],
            )
            for here, jump in zip(order, jumps, strict=True)
        ]

    def _order(self) -> list[Live]:
        """Every list before its parent, which is the list without its last name."""
        children: dict[Live, list[Live]] = {live: [] for live in self._labels}
        for live in self._labels:
            if live:
                children[live[:-1]].append(live)
        # Depth first without recursion, since a thousand names may be live at once; the walk
        # meets parents first, so it is read backwards.
        order: list[Live] = []
        stack: list[Live] = [()]
        while stack:
            live = stack.pop()
            order.append(live)
            stack.extend(reversed(children[live]))
        return order[::-1]


@dataclass(frozen=True, slots=True)
class Step:
    """One release.

    label: None where nothing jumps to it.  release: the name it frees, None at the very end.
    jump: where it goes on, None to fall through to the next step.
    """

    label: str | None
    release: str | None
    jump: str | None
