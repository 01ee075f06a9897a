"""Walking over Core: what the analyses that need no knowledge of each node share."""

from collections.abc import Iterator
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

