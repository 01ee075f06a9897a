"""Checks of calls of known procedures: the number of arguments, and the keywords.

    (define (f x) x) (f 1 2)  =>  f: expected 1 argument, got 2

Only calls of primitives, and of procedures whose variable never changes, are checked, so every
report is certain.
"""

from collections.abc import Iterator, Sequence
from typing import TypeGuard

from lambent.lang.core.arity import arity_message
from lambent.lang.core.check.diagnostic import Diagnostic
from lambent.lang.core.ir import (
    Call,
    Const,
    Core,
    Define,
    Global,
    Lambda,
    Letrec,
    Local,
    Namespace,
    PrimRef,
    SetGlobal,
)
from lambent.lang.core.keyword_hints import keyword_hint
from lambent.lang.core.modules.library import library_definition
from lambent.lang.core.usage import usage
from lambent.lang.syntax.datum import Keyword
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class _Callee:
    """The arguments that a call must have.  keywords: names without colons."""

    name: str
    least: int
    most: int | None
    keywords: frozenset[str]
    usage: str

    def wrong(self, fault: str, span: Span) -> Diagnostic:
        return Diagnostic(f"{self.name}: {fault}", span, f"usage: {self.usage}")


def check_calls(nodes: Sequence[Core]) -> Iterator[Diagnostic]:
    """The mistakes in the calls among all nodes of a program."""
    callees = _procedures(nodes)
    for node in nodes:
        match node:
            case Call(PrimRef(primitive), arguments):
                signature = primitive.signature
                keywords = frozenset(
                    [p.name.replace("_", "-") for p in signature.keywords]
                    if signature.takes_keywords
                    else []
                )
                callee = _Callee(
                    primitive.name, signature.least, signature.most, keywords, primitive.usage
                )
                yield from _check_call(callee, arguments, node.span)
            case Call(Global() | Local() as function, arguments):
                if (checked := callees.get(_key(function))) is not None:
                    yield from _check_call(checked, arguments, node.span)


def _check_call(
    callee: _Callee, arguments: Sequence[Core], span: Span
) -> Iterator[Diagnostic]:
    positional = min(len(arguments), callee.least)
    keywords: set[str] = set()
    waiting = list(reversed(arguments[positional:]))
    while waiting:
        match waiting.pop():
            case Const(Keyword(keyword)) if callee.keywords:
                if keyword not in callee.keywords:
                    hint = keyword_hint(keyword, callee.keywords, callee.usage)
                    yield Diagnostic(f"{callee.name}: unknown keyword :{keyword}", span, hint)
                    return
                if not waiting:
                    yield callee.wrong(f"keyword :{keyword} has no value", span)
                    return
                if keyword in keywords:
                    yield callee.wrong(f"keyword :{keyword} is given twice", span)
                    return
                keywords.add(keyword)
                waiting.pop()
            case Const():
                positional += 1
            case _ if callee.keywords:
                return  # a variable may hold a keyword
            case _:
                positional += 1
    if positional < callee.least or (callee.most is not None and positional > callee.most):
        message = arity_message(callee.name, callee.least, callee.most, positional)
        yield Diagnostic(message, span, f"usage: {callee.usage}")


_Key = tuple[Namespace | None, str]


def _procedures(nodes: Sequence[Core]) -> dict[_Key, _Callee]:
    """The variables that always hold one known procedure."""
    mentioned = {node.name for node in nodes if _is_of_library(node)}
    forms = [library_definition(name) for name in sorted(mentioned)]
    callees: dict[_Key, _Callee] = {
        (Namespace.LIBRARY, form.name): _callee(form.value)
        for form in forms
        if isinstance(form.value, Lambda)
    }
    changed: set[_Key] = set()
    for node in nodes:
        match node:
            case Define(name, namespace, value):
                key = (namespace, name)
                if key in callees or not isinstance(value, Lambda):
                    changed.add(key)
                else:
                    callees[key] = _callee(value)
            case SetGlobal(name, namespace):
                changed.add((namespace, name))
            case Letrec(bindings):
                callees.update({(None, name): _callee(value) for name, value in bindings})
    return {key: callee for key, callee in callees.items() if key not in changed}


def _is_of_library(node: Core) -> TypeGuard[Global]:
    return isinstance(node, Global) and node.namespace is Namespace.LIBRARY


def _key(variable: Global | Local) -> _Key:
    return (variable.namespace if isinstance(variable, Global) else None, variable.name)


def _callee(procedure: Lambda) -> _Callee:
    least = len(procedure.parameters)
    keywords = frozenset([parameter.keyword for parameter in procedure.keywords])
    most = None if procedure.rest else least
    return _Callee(procedure.name or "lambda", least, most, keywords, usage(procedure))
