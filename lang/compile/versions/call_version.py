"""Calls of a function's versions: what `split_fixnums` and `split_doubles` put in its place."""

from collections.abc import Sequence

from lambent.lang.compile.ir.anf import (
    Bind,
    Block,
    DirectCall,
    DirectTailCall,
    Function,
    IndirectTailCall,
    Representation,
    Yield,
)
from lambent.lang.compile.ir.blocks import ends_in


def call_version(
    function: Function, version: Function, arguments: tuple[str, ...], before: Sequence[Bind] = ()
) -> Block:
    """A block of a function that calls a version of it, with the same body.

    A call in tail position makes the results of both alike, so it is one only where the program may
    depend on that.
    """
    if _has_tail_calls(function):
        return Block(tuple(before), DirectTailCall(version.name, arguments, version.span))
    name = f"{version.name}.result"
    call = Bind(name, Representation.VALUE, DirectCall(version.name, arguments), version.span)
    return Block((*before, call), Yield(name))


def _has_tail_calls(function: Function) -> bool:
    tail_calls = (DirectTailCall, IndirectTailCall)
    return any(isinstance(end, tail_calls) for end in ends_in(function.body))
