"""What is known at one place of a function: facts by name, and the way back to an earlier place.

    mark = known.mark()
    known.learn("v", a pair)
    known.leave(mark)           v is what it was before; the answer is that v was a pair

A walk through a function (`forward.py`) keeps one of these.  It costs as much as what is learned,
not as much as what is known: branches and loops go back by a log of the changes.
"""

from collections.abc import Callable, Hashable
from itertools import takewhile
from typing import Generic, TypeVar

from lambent.lang.system.dataclass import dataclass, field

K = TypeVar("K", bound=Hashable)
F = TypeVar("F")


def _same(one: F, other: F) -> F | None:
    return one if one == other else None


@dataclass(frozen=True, slots=True)
class Changes(Generic[K, F]):
    """What a way has changed: the facts at its end, None where nothing is known any more.

    assigned: the names of those that do not only say more than the facts before.
    """

    facts: dict[K, F | None]
    assigned: set[K]


@dataclass(slots=True)
class Known(Generic[K, F]):
    """both: the fact that holds wherever one of two facts does; None if there is none.

    facts: what holds here.  log: each change, with the fact before, None if there was none.
    assigned: the changes that may have left less, as places in the log.
    """

    both: Callable[[F, F], F | None] = _same
    facts: dict[K, F] = field(default_factory=dict)
    log: list[tuple[K, F | None]] = field(default_factory=list)
    assigned: list[int] = field(default_factory=list)

    def learn(self, key: K, fact: F) -> None:
        """More is known than before."""
        self.log.append((key, self.facts.get(key)))
        self.facts[key] = fact

    def put(self, key: K, fact: F | None) -> None:
        """A fact in place of the one before; None: nothing is known any more."""
        self.assigned.append(len(self.log))
        self.log.append((key, self.facts.get(key)))
        self._set(key, fact)

    def _set(self, key: K, fact: F | None) -> None:
        if fact is not None:
            self.facts[key] = fact
        else:
            self.facts.pop(key, None)

    def clear(self) -> None:
        for key in list(self.facts):
            self.put(key, None)

    def mark(self) -> int:
        """A place to return to."""
        return len(self.log)

    def leave(self, mark: int) -> Changes[K, F]:
        """Return to an earlier place; what has changed since."""
        changed: dict[K, F | None] = {}
        assigned = set[K]()
        while self.assigned and self.assigned[-1] >= mark:
            assigned.add(self.log[self.assigned.pop()][0])
        while len(self.log) > mark:
            key, before = self.log.pop()
            if key not in changed:
                changed[key] = self.facts.get(key)
            self._set(key, before)
        return Changes(changed, assigned)

    def join(self, one: Changes[K, F], other: Changes[K, F]) -> None:
        """Learn what two ways from here have in common.

        What holds here holds on both, unless one assigns it.  A way on which it becomes something
        else is never taken: `(if (vector? x) ...)` where x is a pair.
        """
        assigned = one.assigned | other.assigned
        for key in {**one.facts, **other.facts}:
            before = self.facts.get(key)
            after = self._either(one.facts.get(key, before), other.facts.get(key, before))
            if after == before:
                continue
            if key in assigned:
                self.put(key, after)
            elif after is not None and self._either(before, after) == before:
                self.learn(key, after)

    def lost(self, mark: int) -> dict[K, F | None]:
        """The facts of an earlier place of which less holds now: what is left of each."""
        places = takewhile(lambda place: place >= mark, reversed(self.assigned))
        waiting, found = {self.log[place][0] for place in places}, dict[K, F | None]()
        place = mark
        while waiting:
            key, before = self.log[place]
            place += 1
            if key in waiting:  # its first change: what it was at the mark
                waiting.remove(key)
                after = self._either(before, self.facts.get(key))
                if after != before:
                    found[key] = after
        return found

    def weaken(self, facts: dict[K, F | None]) -> None:
        """Know no more than these facts say of their names."""
        for key, fact in facts.items():
            before = self.facts.get(key)
            after = self._either(before, fact)
            if after != before:
                self.put(key, after)

    def _either(self, one: F | None, other: F | None) -> F | None:
        return None if one is None or other is None else self.both(one, other)
