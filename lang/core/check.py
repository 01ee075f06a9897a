"""Checks before the run: what will go wrong when the program gets there.

    (define (f x) x) (f 1 2)  =>  demo.lisp:1:18: f: expected 1 argument, got 2

They only warn, since the program may never get there, or catch the error.  They report no call of
which they are not sure: only of primitives and of procedures whose variable keeps its value.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lambent.lang.core.arity import arity_message
from lambent.lang.core.evaluation import evaluator_use
from lambent.lang.core.ir import (
    Call,
    Const,
    Core,
    Define,
    Global,
    Home,
    Lambda,
    Letrec,
    Local,
    PrimRef,
    Program,
    SetGlobal,
    Unbound,
)
from lambent.lang.core.library import load_library
from lambent.lang.core.traverse import walk
from lambent.lang.deep import call_deep
from lambent.lang.syntax.datum import Keyword
from lambent.lang.syntax.source import Span


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A mistake that the program will make if it gets to its place."""

    message: str
    span: Span
    hint: str | None = None

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.span.place}: {self.message}{hint}"


@dataclass(frozen=True, slots=True)
class _Callee:
    """What a call must give: keywords are names without colons."""

    name: str
    least: int
    most: int | None
    keywords: frozenset[str]


def check(program: Program) -> list[Diagnostic]:
    """What is certainly wrong, in the order in which it stands in the program."""
    found = call_deep(lambda: list(_check(program)))
    return sorted(found, key=lambda diagnostic: (diagnostic.span.start, diagnostic.message))


def _check(program: Program) -> Iterator[Diagnostic]:
    nodes = [node for form in program.forms for node in walk(form)]
    callees = _procedures(nodes)
    is_open = evaluator_use(program) is not None  # what is evaluated may define any name
    for node in nodes:
        match node:
            case Unbound(name, suggestion) if not is_open:
                hint = f"did you mean {suggestion}?" if suggestion else None
                yield Diagnostic(f"unbound variable: {name}", node.span, hint)
            case Call(PrimRef(primitive), arguments):
                signature = primitive.signature
                keywords = frozenset(
                    [p.name.replace("_", "-") for p in signature.keywords]
                    if signature.takes_keywords
                    else []
                )
                callee = _Callee(primitive.name, signature.least, signature.most, keywords)
                yield from _check_call(callee, arguments, node.span)
            case Call(Global() | Local() as function, arguments):
                if (known := callees.get(_key(function))) is not None:
                    yield from _check_call(known, arguments, node.span)


def _check_call(
    callee: _Callee, arguments: Sequence[Core], span: Span
) -> Iterator[Diagnostic]:
    positional = min(len(arguments), callee.least)
    given: set[str] = set()
    waiting = list(reversed(arguments[positional:]))
    while waiting:
        match waiting.pop():
            case Const(Keyword(keyword)) if callee.keywords:
                if keyword not in callee.keywords:
                    yield Diagnostic(f"{callee.name}: unknown keyword :{keyword}", span)
                    return
                if not waiting:
                    yield Diagnostic(f"{callee.name}: keyword :{keyword} has no value", span)
                    return
                if keyword in given:
                    yield Diagnostic(f"{callee.name}: keyword :{keyword} is given twice", span)
                    return
                given.add(keyword)
                waiting.pop()
            case _:
                positional += 1
    if positional < callee.least or (callee.most is not None and positional > callee.most):
        message = arity_message(callee.name, callee.least, callee.most, positional)
        yield Diagnostic(message, span)


_Key = tuple[Home | None, str]


def _procedures(nodes: Sequence[Core]) -> dict[_Key, _Callee]:
    """The variables that hold one known procedure from their definition on."""
    callees: dict[_Key, _Callee] = {
        (Home.LIBRARY, form.name): _callee(form.value)
        for form in load_library().forms
        if isinstance(form, Define) and isinstance(form.value, Lambda)
    }
    changed: set[_Key] = set()
    for node in nodes:
        match node:
            case Define(name, home, value):
                key = (home, name)
                if key in callees or not isinstance(value, Lambda):
                    changed.add(key)
                else:
                    callees[key] = _callee(value)
            case SetGlobal(name, home):
                changed.add((home, name))
            case Letrec(bindings):
                callees.update({(None, name): _callee(value) for name, value in bindings})
    return {key: callee for key, callee in callees.items() if key not in changed}


def _key(variable: Global | Local) -> _Key:
    return (variable.home if isinstance(variable, Global) else None, variable.name)


def _callee(procedure: Lambda) -> _Callee:
    least = len(procedure.parameters)
    keywords = frozenset([parameter.keyword for parameter in procedure.keywords])
    return _Callee(procedure.name or "lambda", least, None if procedure.rest else least, keywords)
