"""The variables that a test depends on: what is known of their values is not used in its branches.

    (define n 0)
    (define (empty?) (= n 0))
    (if (empty?) 'none (/ 10 n))        the check does not assume that n is 0 in the branches

A test may prevent calls that would fail, and checks must not report these.  A test depends on all
variables that it mentions, on those that their values mention, and so on.
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

# A variable; or the span of a constant, which a macro may duplicate.
Key = str | tuple[Namespace, str] | Span

_REMEMBERED = 16  # sets; each may be as large as the program

_NEVER_RETURN = frozenset([p.name for p in TABLE.values() if not p.returns])


class TestedVariables:
    """mentioned: the variables that the values of each variable mention.

    recent: all that is reached from the variables that were asked for last.
    leaving: the nodes that may not return, by identity.
    """

    def __init__(self, nodes: Sequence[Core]) -> None:
        self._nodes = nodes
        self._recent: dict[Key, frozenset[Key]] = {}
        self._mentioned: dict[Key, set[Key]] = {}
        for node in nodes:
            match node:
                case Define(name, namespace, value) | SetGlobal(name, namespace, value):
                    self._mentioned.setdefault((namespace, name), set()).update(_keys(value))
                case Let(name, value) | SetLocal(name, value):
                    self._mentioned.setdefault(name, set()).update(_keys(value))

    def in_test(self, test: Core) -> frozenset[Key]:
        """All variables that a test depends on."""
        return frozenset[Key]().union(*[self._reached(key) for key in set(_keys(test))])

    def _reached(self, start: Key) -> frozenset[Key]:
        """The variables that a variable's value mentions, that their values mention, and so on.

        Nested tests reach mostly the same variables, so recent results are remembered.
        """
        tested: set[Key] = set()
        waiting = [start]
        while waiting:
            key = waiting.pop()
            if key in self._recent:
                tested |= self._recent[key]
            elif key not in tested:
                tested.add(key)
                waiting += self._mentioned.get(key, ())
        if len(self._recent) >= _REMEMBERED:
            del self._recent[next(iter(self._recent))]
        self._recent[start] = frozenset(tested)
        return self._recent[start]

    def after(self, form: Core) -> frozenset[Key]:
        """The variables on which depends whether the forms after this one run.

        `(when (= n 0) (exit))`  =>  n
        """
        if not isinstance(form, If):
            return frozenset()
        may_leave = id(form.then) in self._leaving or id(form.orelse) in self._leaving
        return self.in_test(form.test) if may_leave else frozenset()

    @cached_property
    def _leaving(self) -> set[int]:
        """The nodes that may end the program, raise an error, or call a continuation."""
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
    """The variables that an expression mentions or binds.

    The values of variables that it binds are left out: `TestedVariables` has them by variable, so
    each value is traversed once.
    """
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
            return name in _NEVER_RETURN
        case Call(Local()):
            return True
    return False


def expects_failure(call: Core) -> bool:
    """Whether it calls the body of a `guard`, one with a handler, or of a `test-error`."""
    return isinstance(call, Call) and any(
        call.function == Global(name, Namespace.LIBRARY, call.span)
        for name in ("%guarded", "%guarded-by", "with-exception-handler", "%test-error{srfi_64}")
    )
