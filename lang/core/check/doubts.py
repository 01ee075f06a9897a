"""Which variables a test is about: what checks know of them does not hold in its branches.

    (define n 0)
    (define (empty?) (= n 0))
    (if (empty?) 'none (/ 10 n))        n is not known to be 0 where it is divided by

A test keeps calls away that would fail, and checks that know more than the test tells must not
complain about these.  It is about all variables that it names, that the definitions of those name,
and so on.
"""

from collections.abc import Iterator, Sequence

from lambent.lang.core.ir import (
    Call,
    Const,
    Core,
    Define,
    Global,
    Home,
    If,
    Let,
    Local,
    PrimCall,
    SetGlobal,
    SetLocal,
)
from lambent.lang.core.traverse import walk
from lambent.lang.syntax.source import Span

# A variable; or the location of a constant, which a macro may put in several places.
Key = str | tuple[Home, str] | Span

_LEAVE = frozenset(["error", "raise", "exit", "emergency-exit", "wrong-type"])


class Doubts:
    """named: what the values of each variable name."""

    def __init__(self, nodes: Sequence[Core]) -> None:
        self._named: dict[Key, set[Key]] = {}
        for node in nodes:
            match node:
                case Define(name, home, value) | SetGlobal(name, home, value):
                    self._named.setdefault((home, name), set()).update(_keys(value))
                case Let(name, value) | SetLocal(name, value):
                    self._named.setdefault(name, set()).update(_keys(value))

    def about(self, test: Core) -> frozenset[Key]:
        """All that a test is about."""
        found: set[Key] = set()
        waiting = [*_keys(test)]
        while waiting:
            if (key := waiting.pop()) not in found:
                found.add(key)
                waiting += self._named.get(key, ())
        return frozenset(found)

    def after(self, form: Core) -> frozenset[Key]:
        """What the forms after this one run for only some values of: `(when (= n 0) (exit))`."""
        if isinstance(form, If) and (_may_leave(form.then) or _may_leave(form.orelse)):
            return self.about(form.test)
        return frozenset()


def key_of(node: Core) -> Key | None:
    match node:
        case Local(name):
            return name
        case Global(name, home):
            return (home, name)
        case Const(_, span):
            return span
    return None


def _keys(core: Core) -> Iterator[Key]:
    return (key for node in walk(core) if (key := key_of(node)) is not None)


def _may_leave(core: Core) -> bool:
    """Whether it may end the program, raise an error, or call a continuation."""
    return any(map(_leaves, walk(core)))


def _leaves(node: Core) -> bool:
    match node:
        case PrimCall(primitive):
            return primitive.name in _LEAVE
        case Call(Global(name)):
            return name in _LEAVE
        case Call(Local()):
            return True
    return False


def failures_are_wanted(call: Core) -> bool:
    """Whether it calls what a `guard` or a handler is around."""
    return isinstance(call, Call) and any(
        call.function == Global(name, Home.LIBRARY, call.span)
        for name in ("%guarded", "with-exception-handler")
    )
