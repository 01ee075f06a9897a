"""Traversal of Core, for analyses that treat most nodes alike."""

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
    """The expressions directly inside one, in textual order."""
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
    """The expression and all expressions in it, outer before inner, in textual order."""
    waiting = [core]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(children(node)))


def rewrite(core: Core, change: Callable[[Core], Core | None]) -> Core:
    """The expression with each subexpression replaced for which change returns another one."""
    changed = change(core)
    if changed is not None:
        return changed
    before = children(core)
    after = [rewrite(child, change) for child in before]
    same = all(one is other for one, other in zip(before, after, strict=True))
    return core if same else _with_children(core, after)


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
