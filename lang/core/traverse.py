"""Walking over Core: what the analyses that need no knowledge of each node share."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import assert_never

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


def children(core: Core) -> tuple[Core, ...]:
    """The expressions directly inside one, in the order in which they stand."""
    match core:
        case Const() | Local() | Global() | Unbound() | PrimRef():
            return ()
        case If(test, then, orelse):
            return (test, then, orelse)
        case Let(_, value, body):
            return (value, body)
        case Letrec(bindings, body):
            return (*[value for _, value in bindings], body)
        case Lambda():
            return (core.body,)
        case Call(function, arguments):
            return (function, *arguments)
        case PrimCall(_, arguments):
            return arguments
        case TensorLiteral(_, elements):
            return elements
        case Begin(forms):
            return forms
        case GradMode(_, body):
            return (body,)
        case SetLocal(_, value) | SetGlobal(_, _, value) | Define(_, _, value):
            return (value,)
    assert_never(core)


def walk(core: Core) -> Iterator[Core]:
    """The expression and all inside it, outer before inner, in the order in which they stand."""
    waiting = [core]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(children(node)))



def rewrite(core: Core, change: Callable[[Core], Core | None]) -> Core:
    """The expression with what change gives in the place of each part for which it gives any."""
    changed = change(core)
    if changed is not None:
        return changed
    before = children(core)
    after = [rewrite(part, change) for part in before]
    same = all(one is other for one, other in zip(before, after, strict=True))
    return core if same else _with_children(core, after)


def _with_children(core: Core, parts: Sequence[Core]) -> Core:
    """The expression with other expressions directly inside it, in the order of `children`."""
    match core:
        case Const() | Local() | Global() | Unbound() | PrimRef():
            return core
        case If():
            return replace(core, test=parts[0], then=parts[1], orelse=parts[2])
        case Let():
            return replace(core, value=parts[0], body=parts[1])
        case Letrec(bindings):
            pairs = []
            for (name, _), code in zip(bindings, parts[:-1], strict=True):
                assert isinstance(code, Lambda), code
                pairs.append((name, code))
            return replace(core, bindings=tuple(pairs), body=parts[-1])
        case Lambda() | GradMode():
            return replace(core, body=parts[0])
        case Call():
            return replace(core, function=parts[0], arguments=tuple(parts[1:]))
        case PrimCall():
            return replace(core, arguments=tuple(parts))
        case TensorLiteral():
            return replace(core, elements=tuple(parts))
        case Begin():
            return replace(core, forms=tuple(parts))
        case SetLocal() | SetGlobal() | Define():
            return replace(core, value=parts[0])
    assert_never(core)
