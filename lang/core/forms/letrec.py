"""Definitions that see each other, as in `letrec*`, translated to Core.

Core has only Let, and Letrec for procedures:

    (define n 2) (define (f) (g n)) (define (g x) x) (f)
    =>  (let n 2 (letrec ((f (lambda () (g n))) (g (lambda (x) x))) (f)))

A procedure is bound right before the first step that may call it.  A step may mention a variable,
directly or through such a procedure, before the variable's definition is complete.  Such a variable
is first bound to ABSENT and its definition assigns it; code that may read it earlier checks that it
is not ABSENT.
"""

from collections.abc import Sequence

from lambent.lang.core.ir import (
    Begin,
    Const,
    Core,
    If,
    Lambda,
    Let,
    Letrec,
    Local,
    PrimCall,
    SetLocal,
    Special,
)
from lambent.lang.core.traverse import rewrite
from lambent.lang.core.usage import source_name
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import String
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, replace


@dataclass(frozen=True, slots=True)
class Step:
    """A definition of a local variable, by its unique name, or an expression if name is None.

    mentions: the local variables that value refers to or assigns.
    """

    name: str | None
    value: Core
    mentions: frozenset[str]
    span: Span


@dataclass(frozen=True, slots=True)
class _Plan:
    """procedures[i] are bound before step i; early variables are first bound to ABSENT."""

    steps: Sequence[Step]
    procedures: list[list[Step]]
    early: frozenset[str]


def assemble(steps: Sequence[Step], assigned: set[str], span: Span) -> Core:
    """The steps in order as one expression.  The last step is an expression.

    assigned: the variables that some `set!` changes; they cannot be bound by Letrec.
    """
    assert steps and steps[-1].name is None, steps
    procedures = {
        step.name: step
        for step in steps
        if step.name is not None
        and isinstance(step.value, Lambda)
        and step.name not in assigned
    }
    plan = _checked(_plan(steps, procedures), steps)
    steps = plan.steps
    result = _letrec(plan.procedures[-1], steps[-1].value, span)
    for step, group in zip(reversed(steps[:-1]), reversed(plan.procedures[:-1]), strict=True):
        if step.name is None:
            result = _then(step.value, result, span)
        elif step.name in plan.early:
            result = _then(SetLocal(step.name, step.value, step.span), result, span)
        elif step.name not in procedures:
            result = Let(step.name, step.value, result, step.span)
        result = _letrec(group, result, span)
    for step in reversed(steps):
        if step.name in plan.early:
            assert step.name is not None
            result = Let(step.name, Const(Special.ABSENT, span), result, step.span)
    return result


def recursive(name: str, function: Lambda, body: Core, assigned: set[str], span: Span) -> Core:
    """The body with name bound to a procedure that may call itself."""
    if name in assigned:
        result = _then(SetLocal(name, function, span), body, span)
        return Let(name, Const(Special.UNSPECIFIED, span), result, span)
    return Letrec(((name, function),), body, span)


def _plan(steps: Sequence[Step], procedures: dict[str, Step]) -> _Plan:
    waiting = dict(procedures)
    unbound = {step.name for step in steps if step.name and step.name not in procedures}
    groups: list[list[Step]] = []
    early: set[str] = set()
    for step in steps:
        if step.name in procedures:
            groups.append([])
            continue
        needed = _reached(step.mentions, waiting)
        if step is steps[-1]:
            needed |= waiting.keys()
        seen = step.mentions.union(*[procedures[name].mentions for name in needed])
        early |= {name for name in unbound if name in seen}
        groups.append([waiting[name] for name in procedures if name in needed])
        waiting = {name: other for name, other in waiting.items() if name not in needed}
        unbound.discard(step.name or "")
    return _Plan(steps, groups, frozenset(early))


# Reads of a variable before its definition is complete.


def _checked(plan: _Plan, steps: Sequence[Step]) -> _Plan:
    """The plan with a check at each read of an early variable that may precede its definition.

    These are in the steps up to its own, and in procedures that are bound before.
    """
    if not plan.early:
        return plan
    undefined = set(plan.early)
    checked: list[Step] = []
    groups: list[list[Step]] = []
    for step, group in zip(steps, plan.procedures, strict=True):
        names = frozenset(undefined)
        groups.append([_checked_step(procedure, names) for procedure in group])
        checked.append(_checked_step(step, names))
        undefined.discard(step.name or "")
    return _Plan(checked, groups, plan.early)


def _checked_step(step: Step, undefined: frozenset[str]) -> Step:
    if not undefined & step.mentions:
        return step

    def check(core: Core) -> Core | None:
        if isinstance(core, Local) and core.name in undefined:
            absent = PrimCall(TABLE["%absent?"], (core,), core.span)
            return If(absent, _failure(core), core, core.span)
        return None

    return replace(step, value=rewrite(step.value, check))


def _failure(variable: Local) -> Core:
    message = f"variable used before its definition: {source_name(variable.name)}"
    text = Const(String(message, variable.span), variable.span)
    return PrimCall(TABLE["error"], (text,), variable.span)


def _reached(seen: frozenset[str], waiting: dict[str, Step]) -> set[str]:
    """The waiting procedures that a step may call, directly or through each other."""
    reached: set[str] = set()
    frontier = [name for name in waiting if name in seen]
    while frontier:
        name = frontier.pop()
        if name not in reached:
            reached.add(name)
            mentions = waiting[name].mentions
            frontier += [other for other in waiting if other in mentions]
    return reached


def _letrec(group: Sequence[Step], body: Core, span: Span) -> Core:
    bindings = [(s.name, s.value) for s in group if s.name and isinstance(s.value, Lambda)]
    return Letrec(tuple(bindings), body, span) if bindings else body


def _then(first: Core, rest: Core, span: Span) -> Core:
    return Begin((first, *(rest.forms if isinstance(rest, Begin) else (rest,))), span)
