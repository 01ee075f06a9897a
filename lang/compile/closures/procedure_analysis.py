"""The facts about procedures and variables that lifting needs before it changes anything.

Each Lambda becomes one of three things:

  - a loop inside the procedure that calls it: a local procedure that is called once from outside,
    and from inside only by tail calls;
  - a branch of one function for a group of procedures that tail-call each other;
  - a function of its own, whose captures are the outer variables that it uses.

    (define (f n)                          loop is inlined in f; g is a function with the capture n
      (let loop ((i 0))
        (if (< i n) (loop (+ i 1)) (lambda () n))))
"""

from collections.abc import Set

from lambent.lang.compile.closures.collect import collect
from lambent.lang.compile.closures.procedures import (
    Procedure,
    ProcedureAnalysis,
    is_bound,
    is_sibling,
    is_within,
    needs_trampoline,
)
from lambent.lang.compile.closures.top_level import TopLevel
from lambent.lang.core.ir import Namespace
from lambent.lang.core.strong_components import strongly_connected_components


def analyze_procedures(top: TopLevel) -> ProcedureAnalysis:
    """Analyze the whole program."""
    analysis = collect(top)
    _choose_inlined(analysis)
    _find_captured(analysis)
    _find_tail_cycles(analysis)
    _find_groups(analysis)
    _find_escaping(analysis, top.exports)
    _find_captures(analysis)
    return analysis


# Loops.


def _choose_inlined(analysis: ProcedureAnalysis) -> None:
    """Choose the local procedures that become loops.

    Begins with all procedures that have one entry and are not used as values.  Removes those with a
    recursive call that is not a tail call, until nothing changes: whether a call is a tail call
    depends on the loops around it.
    """
    candidates = []
    for procedure in analysis.by_variable.values():
        outer = [site for site in procedure.calls if not is_within(site.caller, procedure)]
        if not procedure.value_users and len(outer) == 1 and not outer[0].caught:
            procedure.entry = outer[0]
            candidates.append(procedure)
    for procedure in candidates:
        procedure.is_inlined = True
    changed = True
    while changed:
        changed = False
        entered = _entered(candidates, analysis)
        for procedure in candidates:
            if procedure.is_inlined and not _stays_inlined(procedure, analysis, entered):
                procedure.is_inlined = False
                changed = True
    for procedure in analysis.by_code.values():
        procedure.loops = any(
            is_within(site.caller, procedure) and analysis.is_tail(site, procedure)
            for site in procedure.calls
        )


def _entered(candidates: list[Procedure], analysis: ProcedureAnalysis) -> set[int]:
    """The ids of the candidates that are entered from outside, not only by each other."""
    found: set[int] = set()
    for procedure in candidates:
        way: dict[int, None] = {}
        enclosing: Procedure | None = procedure
        while enclosing is not None and enclosing.is_inlined and id(enclosing) not in found:
            if id(enclosing) in way:
                break
            way.setdefault(id(enclosing))
            enclosing = analysis.entry(enclosing).caller
        else:
            found.update(way)
    return found


def _stays_inlined(procedure: Procedure, analysis: ProcedureAnalysis, entered: set[int]) -> bool:
    return id(procedure) in entered and all(
        analysis.is_tail(site, procedure)
        for site in procedure.calls
        if is_within(site.caller, procedure)
    )


# Variables.


def _find_captured(analysis: ProcedureAnalysis) -> None:
    """Find the variables that one function binds and another function uses."""
    for name, enclosing in analysis.uses:
        if analysis.function_of(enclosing) is not analysis.function_of(analysis.binder[name]):
            analysis.captured.add(name)


# Escaping procedures.


def _find_escaping(analysis: ProcedureAnalysis, exports: Set[str]) -> None:
    """Find the functions that escape: they are used as values, exported, or called through the
    trampoline."""
    for procedure in analysis.by_code.values():
        procedure.escapes = bool(procedure.value_users)
    for (name, namespace), procedure in analysis.by_key.items():
        if namespace is Namespace.LIBRARY and name in exports:
            procedure.escapes = True
    for site in analysis.sites.values():
        if needs_trampoline(site, analysis):
            site.callee.escapes = True


def _find_tail_cycles(analysis: ProcedureAnalysis) -> None:
    """Find the cycles of tail calls, which may go on for ever: each has a number."""
    edges: dict[int, list[int]] = {id(p): [] for p in analysis.by_code.values() if not p.is_inlined}
    for site in analysis.sites.values():
        function = analysis.function_of(site.caller)
        if function is not None and not site.callee.is_inlined and analysis.is_tail(site, function):
            edges[id(function)].append(id(site.callee))
    analysis.tail_cycles.update(strongly_connected_components(edges))


def _find_groups(analysis: ProcedureAnalysis) -> None:
    """The cycles of functions with the same parent: each cycle becomes one C function with a loop,
    whose branches are the members.  All members use the same outer variables."""
    cycles: dict[int, list[Procedure]] = {}
    for procedure in analysis.by_code.values():
        if not procedure.is_inlined:
            cycles.setdefault(analysis.tail_cycles[id(procedure)], []).append(procedure)
    for members in cycles.values():
        if len(members) > 1 and all(m.parent is members[0].parent for m in members):
            analysis.group_of.update((id(m), len(analysis.groups)) for m in members)
            analysis.groups.append(members)


# Captures.


def _find_captures(analysis: ProcedureAnalysis) -> None:
    """Find the captures of each function: the outer variables that it uses, and the captures of the
    functions that it calls or creates closures of."""
    needs: dict[int, list[Procedure]] = {}
    functions = [p for p in analysis.by_code.values() if not p.is_inlined]
    for name, enclosing in analysis.uses:
        function = analysis.function_of(enclosing)
        target = analysis.by_variable.get(name)
        if function is None:
            continue
        if target is not None and is_sibling(enclosing, target):
            needs.setdefault(id(function), []).append(target)
        elif analysis.function_of(analysis.binder[name]) is not function:
            function.captures.add(name)
    for site in analysis.sites.values():
        function = analysis.function_of(site.caller)
        if function is not None and not site.callee.is_inlined:
            needs.setdefault(id(function), []).append(site.callee)
    for inner in functions:
        function = analysis.function_of(inner.parent)
        if function is not None and is_bound(inner):
            needs.setdefault(id(function), []).append(inner)
    users: dict[int, list[Procedure]] = {}
    by_id = {id(function): function for function in functions}
    for key, callees in needs.items():
        for callee in callees:
            users.setdefault(id(callee), []).append(by_id[key])
    waiting = dict.fromkeys(functions)
    while waiting:
        callee = next(iter(waiting))
        del waiting[callee]
        for user in users.get(id(callee), ()):
            new = {
                name
                for name in callee.captures - user.captures
                if analysis.function_of(analysis.binder[name]) is not user
            }
            if new:
                user.captures |= new
                waiting.setdefault(user)
