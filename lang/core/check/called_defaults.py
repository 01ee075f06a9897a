"""Defaults of hash tables that are procedures where only what they return can be meant.

    (+ 1 (hash-ref table key (lambda () 0)))
    =>  hash-ref: the default is not called, and + takes no procedure

A table may hold procedures, and its default may be one.  So only a default without parameters is
reported, and only where a primitive receives it that takes no procedure.
"""

from collections.abc import Container, Iterator, Sequence

from lambent.lang.core.check.diagnostic import Diagnostic
from lambent.lang.core.ir import Call, Core, Global, Lambda, Let, Local, Namespace, PrimCall
from lambent.lang.core.traverse import children
from lambent.lang.primitives.signature import Type
from lambent.lang.syntax.source import Span

_UPDATERS = ("hash-update!", "hash-table-update!/default")
_MAY_BE_PROCEDURES = (Type.VALUE, Type.PROCEDURE)


def check_called_defaults(nodes: Sequence[Core]) -> Iterator[Diagnostic]:
    """The defaults that are meant to be called, among all nodes of a program."""
    held: dict[str, tuple[str, Span]] = {}  # by variable: whose default it may hold
    for node in nodes:
        match node:
            case PrimCall():
                for argument in node.arguments:
                    if (span := _default_of(argument)) and _refuses(node, argument):
                        yield _report("hash-ref", node.primitive.name, span)
            case Let(name, value):
                if span := _default_of(value):
                    held[name] = "hash-ref", span
            case Call(
                Global(updater, Namespace.LIBRARY),
                (_, _, Lambda(_, (name,), (), None), Lambda(_, (), (), None) as default),
            ) if updater in _UPDATERS:
                held[name] = updater, default.span
    if held:
        for name, refusing in _refusing_uses(held, nodes).items():
            who, span = held[name]
            yield _report(who, refusing, span)


def _report(who: str, refusing: str, span: Span) -> Diagnostic:
    """span: the default's."""
    hint = "write the value itself, without (lambda () ...)"
    if who == "hash-ref":
        hint += "; (hash-table-ref table key thunk) calls a procedure"
    return Diagnostic(
        f"{who}: the default is not called, and {refusing} takes no procedure", span, hint
    )


def _default_of(core: Core) -> Span | None:
    """The location of the default of a call of hash-ref that is a procedure without parameters."""
    match core:
        case PrimCall(primitive, (_, _, Lambda(_, (), (), None) as default)):
            return default.span if primitive.name == "hash-ref" else None
    return None


def _refuses(call: PrimCall, argument: Core) -> bool:
    """Whether a primitive does not take a procedure as this argument."""
    positional = call.primitive.signature.positional
    pairs = zip(positional, call.arguments, strict=False)
    types = [parameter.type for parameter, value in pairs if value is argument]
    return bool(types) and types[0] not in _MAY_BE_PROCEDURES


def _refusing_uses(names: Container[str], nodes: Sequence[Core]) -> dict[str, str]:
    """The variables all of whose uses are as such arguments, each with the first such primitive."""
    refusing: dict[str, str] = {}
    others: set[str] = set()
    for node in nodes:
        for child in children(node):
            if isinstance(child, Local) and child.name in names:
                if isinstance(node, PrimCall) and _refuses(node, child):
                    refusing.setdefault(child.name, node.primitive.name)
                else:
                    others.add(child.name)
    return {name: primitive for name, primitive in refusing.items() if name not in others}
