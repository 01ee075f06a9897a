"""Traversal of Core, for analyses that treat most nodes alike."""

from collections.abc import Callable, Iterator, Sequence
from operator import is_
from typing import Any, assert_never

from lambent.lang.core.ir import (
    Begin,
    Call,
    Const,
    Core,
    Define,
    Global,
    GradMode,
    If,
    Lambda,
    Let,
    Letrec,
    Local,
    PrimCall,
    PrimRef,
    SetGlobal,
    SetLocal,
    TensorLiteral,
    Unbound,
)
from lambent.lang.system.dataclass import replace


def children(core: Core) -> tuple[Core, ...]:
    """The expressions directly inside one, in textual order."""
    return _CHILDREN[core.__class__](core)


def _none(_: Core) -> tuple[Core, ...]:
    return ()


def _value(core: Any) -> tuple[Core, ...]:
    return (core.value,)


def _body(core: Any) -> tuple[Core, ...]:
    return (core.body,)


# A table, because every analysis asks for the children of every node, and `match` tests one class
# after the other.
_CHILDREN: dict[type, Callable[[Any], tuple[Core, ...]]] = {
    Const: _none,
    Local: _none,
    Global: _none,
    Unbound: _none,
    PrimRef: _none,
    If: lambda core: (core.test, core.then, core.orelse),
    Let: lambda core: (core.value, core.body),
    Letrec: lambda core: (*[value for _, value in core.bindings], core.body),
    Lambda: _body,
    Call: lambda core: (core.function, *core.arguments),
    PrimCall: lambda core: core.arguments,
    TensorLiteral: lambda core: core.elements,
    Begin: lambda core: core.forms,
    GradMode: _body,
    SetLocal: _value,
    SetGlobal: _value,
    Define: _value,
}


def walk(core: Core) -> Iterator[Core]:
    """The expression and all expressions in it, outer before inner, in textual order."""
    waiting = [core]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += _CHILDREN[node.__class__](node)[::-1]


def rewrite(core: Core, change: Callable[[Core], Core | None]) -> Core:
    """The expression with each subexpression replaced for which change returns another one."""
    changed = change(core)
    if changed is not None:
        return changed
    before = children(core)
    after = [rewrite(child, change) for child in before]
    return core if all(map(is_, before, after)) else _with_children(core, after)


def _with_children(core: Core, new: Sequence[Core]) -> Core:
    """The expression with new children, in the order of `children`."""
    match core:
        case Const() | Local() | Global() | Unbound() | PrimRef():
            return core
        case If():
            return replace(core, test=new[0], then=new[1], orelse=new[2])
        case Let():
            return replace(core, value=new[0], body=new[1])
        case Letrec(bindings):
            pairs = []
            for (name, _), code in zip(bindings, new[:-1], strict=True):
                assert isinstance(code, Lambda), code
                pairs.append((name, code))
            return replace(core, bindings=tuple(pairs), body=new[-1])
        case Lambda() | GradMode():
            return replace(core, body=new[0])
        case Call():
            return replace(core, function=new[0], arguments=tuple(new[1:]))
        case PrimCall():
            return replace(core, arguments=tuple(new))
        case TensorLiteral():
            return replace(core, elements=tuple(new))
        case Begin():
            return replace(core, forms=tuple(new))
        case SetLocal() | SetGlobal() | Define():
            return replace(core, value=new[0])
    assert_never(core)
