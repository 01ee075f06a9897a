"""Which variables a test is about: what checks know of them does not hold in its branches.

    (define n 0)
    (define (empty?) (= n 0))
    (if (empty?) 'none (/ 10 n))        n is not known to be 0 where it is divided by

A test keeps calls away that would fail, and checks that know more than the test tells must not
complain about these.  It is about all variables that it names, that the definitions of those name,
and so on.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property

from lambent.lang.core.ir import (
    Call,
    Const,
    Core,
    Define,
    Global,
    If,
    Let,
    Local,
    Namespace,
    PrimCall,
    SetGlobal,
    SetLocal,
)
from lambent.lang.core.traverse import children
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.source import Span

# A variable; or the location of a constant, which a macro may put in several places.
Key = str | tuple[Namespace, str] | Span

_LATELY = 16  # sets that may be as large as the program

_LEAVE = frozenset([p.name for p in TABLE.values() if not p.returns])


class TestedVariables:
    """named: what the values of each variable name.  lately: what was reached from the last ones.

    leaving: what may leave, by identity.
    """

    def __init__(self, nodes: Sequence[Core]) -> None:
        self._nodes = nodes
        self._lately: dict[Key, frozenset[Key]] = {}
        self._named: dict[Key, set[Key]] = {}
        for node in nodes:
            match node:
                case Define(name, namespace, value) | SetGlobal(name, namespace, value):
                    self._named.setdefault((namespace, name), set()).update(_keys(value))
                case Let(name, value) | SetLocal(name, value):
                    self._named.setdefault(name, set()).update(_keys(value))

    def about(self, test: Core) -> frozenset[Key]:
        """All that a test is about."""
        return frozenset[Key]().union(*[self._reached(key) for key in set(_keys(test))])

    def _reached(self, start: Key) -> frozenset[Key]:
        """What a variable's value names, what the values of that name, and so on.

        Tests that stand one inside the other reach much the same, and inner ones come first.
        """
        found: set[Key] = set()
        waiting = [start]
        while waiting:
            key = waiting.pop()
            if key in self._lately:
                found |= self._lately[key]
            elif key not in found:
                found.add(key)
                waiting += self._named.get(key, ())
        if len(self._lately) >= _LATELY:
            del self._lately[next(iter(self._lately))]
        self._lately[start] = frozenset(found)
        return self._lately[start]

    def after(self, form: Core) -> frozenset[Key]:
        """What the forms after this one run for only some values of: `(when (= n 0) (exit))`."""
        if not isinstance(form, If):
            return frozenset()
        may_leave = id(form.then) in self._leaving or id(form.orelse) in self._leaving
        return self.about(form.test) if may_leave else frozenset()

    @cached_property
    def _leaving(self) -> set[int]:
        """What may end the program, raise an error, or call a continuation: inner forms first."""
        leaving: set[int] = set()
        for node in reversed(self._nodes):
            if _leaves(node) or any(id(child) in leaving for child in children(node)):
                leaving.add(id(node))
        return leaving


def key_of(node: Core) -> Key | None:
    match node:
        case Local(name):
            return name
        case Global(name, namespace):
            return (namespace, name)
        case Const(_, span):
            return span
    return None


def _keys(core: Core) -> Iterator[Key]:
    """What an expression names.  What it gives to a variable is named by the variable: variables
    within the values of variables are many, and each value is walked once."""
    waiting = [core]
    while waiting:
        match waiting.pop():
            case Let(name, _, body):
                yield name
                waiting.append(body)
            case SetLocal(name):
                yield name
            case Define(name, namespace) | SetGlobal(name, namespace):
                yield namespace, name
            case node:
                if (key := key_of(node)) is not None:
                    yield key
                waiting.extend(children(node))


def _leaves(node: Core) -> bool:
    match node:
        case PrimCall(primitive):
            return not primitive.returns
        case Call(Global(name)):
            return name in _LEAVE
        case Call(Local()):
            return True
    return False


def expects_failure(call: Core) -> bool:
    """Whether it calls what a `guard` or a handler is around."""
    return isinstance(call, Call) and any(
        call.function == Global(name, Namespace.LIBRARY, call.span)
        for name in ("%guarded", "with-exception-handler")
    )
