"""Definitions that see each other, as if by `letrec*`, in the terms of Core.

Core has only Let, and Letrec of procedures:

    (define n 2) (define (f) (g n)) (define (g x) x) (f)
    =>  (let n 2 (letrec ((f (lambda () (g n))) (g (lambda (x) x))) (f)))

A procedure is bound right before the first step that may call it.  A variable that a step mentions,
itself or through such a procedure, before its own definition is over begins as unspecified and is
assigned in its place.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lambent.lang.core.ir import Begin, Const, Core, Lambda, Let, Letrec, SetLocal, Special
from lambent.lang.core.traverse import locals_mentioned
from lambent.lang.syntax.source import Span


@dataclass(frozen=True, slots=True)
class Binding:
    """A definition of a local variable, by its unique name."""

    name: str
    value: Core
    span: Span


@dataclass(frozen=True, slots=True)
class _Plan:
    """procedures[i] are bound before step i; early variables begin as unspecified."""

    procedures: list[list[Binding]]
    early: frozenset[str]


def assemble(steps: Sequence[Binding | Core], assigned: set[str], span: Span) -> Core:
    """The steps in order, the last of them an expression, as one expression.

    assigned: the variables that some `set!` changes; they cannot be bound by Letrec.
    """
    assert steps and not isinstance(steps[-1], Binding), steps
    procedures = {
        step.name: step
        for step in steps
        if isinstance(step, Binding)
        and isinstance(step.value, Lambda)
        and step.name not in assigned
    }
    plan = _plan(steps, procedures)
    result: Core | None = None
    for step, group in zip(reversed(steps), reversed(plan.procedures), strict=True):
        if not isinstance(step, Binding):
            result = step if result is None else _then(step, result, span)
        elif step.name in plan.early:
            assert result is not None
            result = _then(SetLocal(step.name, step.value, step.span), result, span)
        elif step.name not in procedures:
            assert result is not None
            result = Let(step.name, step.value, result, step.span)
        assert result is not None
        if group:
            bindings = tuple([(b.name, b.value) for b in group if isinstance(b.value, Lambda)])
            result = Letrec(bindings, result, span)
    assert result is not None
    for step in reversed(steps):
        if isinstance(step, Binding) and step.name in plan.early:
            result = Let(step.name, Const(Special.UNSPECIFIED, span), result, step.span)
    return result


def _plan(steps: Sequence[Binding | Core], procedures: dict[str, Binding]) -> _Plan:
    mentioned = {name: locals_mentioned(step.value) for name, step in procedures.items()}
    waiting = dict(procedures)
    unbound = {
        step.name for step in steps if isinstance(step, Binding) and step.name not in procedures
    }
    groups: list[list[Binding]] = []
    early: set[str] = set()
    for index, step in enumerate(steps):
        if isinstance(step, Binding) and step.name in procedures:
            groups.append([])
            continue
        seen = locals_mentioned(step.value if isinstance(step, Binding) else step)
        needed = _reached(seen, waiting, mentioned)
        if index == len(steps) - 1:
            needed |= waiting.keys()
        early |= unbound & (seen.union(*[mentioned[name] for name in needed]))
        groups.append([waiting[name] for name in procedures if name in needed])
        waiting = {name: b for name, b in waiting.items() if name not in needed}
        if isinstance(step, Binding):
            unbound.discard(step.name)
    return _Plan(groups, frozenset(early))


def _reached(
    seen: frozenset[str], waiting: dict[str, Binding], mentioned: dict[str, frozenset[str]]
) -> set[str]:
    """The waiting procedures that a step may call, directly or through each other."""
    reached: set[str] = set()
    frontier = [name for name in sorted(seen) if name in waiting]
    while frontier:
        name = frontier.pop()
        if name not in reached:
            reached.add(name)
            frontier += [other for other in sorted(mentioned[name]) if other in waiting]
    return reached


def _then(first: Core, rest: Core, span: Span) -> Core:
    return Begin((first, *(rest.forms if isinstance(rest, Begin) else (rest,))), span)
