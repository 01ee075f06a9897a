"""What lifting must know of a program's procedures and variables before it changes anything.

Each Lambda becomes one of three things:

  - part of the procedure around its only entry, as a loop: where it is a local procedure that is
    called once from outside, and from within only by tail calls;
  - part of a function for a group of procedures that tail-call each other;
  - a function of its own, which takes what it uses from outside as captures.

    (define (f n)                          loop is inlined in f; g is a function with the capture n
      (let loop ((i 0))
        (if (< i n) (loop (+ i 1)) (lambda () n))))
"""

from lambent.lang.compile.closures.collect import collect
from lambent.lang.compile.closures.procedures import (
    Known,
    Procedure,
    bounces,
    is_bound,
    is_sibling,
    is_within,
)
from lambent.lang.compile.closures.top_level import TopLevel
from lambent.lang.core.strong_components import strongly_connected_components


def know(top: TopLevel) -> Known:
    """Look at the whole program."""
    known = collect(top)
    _choose_inlined(known)
    _find_captured(known)
    _find_tail_circles(known)
    _find_groups(known)
    _find_values(known)
    _find_captures(known)
    return known


# Loops.


def _choose_inlined(known: Known) -> None:
    """Mark the local procedures that become loops.

    Begins with all that have one entry and no use as a value, and unmarks those one of whose own
    calls of themselves is no tail call, until nothing changes: whether a call is a tail call
    depends on the loops between.
    """
    candidates = []
    for procedure in known.by_variable.values():
        outer = [site for site in procedure.calls if not is_within(site.host, procedure)]
        if not procedure.value_hosts and len(outer) == 1:
            procedure.entry = outer[0]
            candidates.append(procedure)
    for procedure in candidates:
        procedure.is_inlined = True
    changed = True
    while changed:
        changed = False
        entered = _entered(candidates, known)
        for procedure in candidates:
            if procedure.is_inlined and not _stays_inlined(procedure, known, entered):
                procedure.is_inlined = False
                changed = True
    for procedure in known.by_code.values():
        procedure.loops = any(
            is_within(site.host, procedure) and known.is_tail(site, procedure)
            for site in procedure.calls
        )


def _entered(candidates: list[Procedure], known: Known) -> set[int]:
    """The ids of those that something enters from outside: not circles of procedures that only
    enter each other."""
    found: set[int] = set()
    for procedure in candidates:
        way: dict[int, None] = {}
        host: Procedure | None = procedure
        while host is not None and host.is_inlined and id(host) not in found:
            if id(host) in way:
                break
            way.setdefault(id(host))
            host = known.entry(host).host
        else:
            found.update(way)
    return found


def _stays_inlined(procedure: Procedure, known: Known, entered: set[int]) -> bool:
    return id(procedure) in entered and all(
        known.is_tail(site, procedure)
        for site in procedure.calls
        if is_within(site.host, procedure)
    )


# Variables.


def _find_captured(known: Known) -> None:
    """The variables that a function uses and another one binds."""
    for name, host in known.uses:
        if known.home(host) is not known.home(known.binder[name]):
            known.captured.add(name)


# Values.


def _find_values(known: Known) -> None:
    """Which functions are values: where a variable is used as one, and where a tail call of a
    function must go through the trampoline."""
    for procedure in known.by_code.values():
        procedure.as_value = bool(procedure.value_hosts)
    for site in known.sites.values():
        if bounces(site, known):
            site.callee.as_value = True


def _find_tail_circles(known: Known) -> None:
    """Number the functions so that those which may tail-call each other for ever share a number."""
    edges: dict[int, list[int]] = {id(p): [] for p in known.by_code.values() if not p.is_inlined}
    for site in known.sites.values():
        home = known.home(site.host)
        if home is not None and not site.callee.is_inlined and known.is_tail(site, home):
            edges[id(home)].append(id(site.callee))
    known.circles.update(strongly_connected_components(edges))


def _find_groups(known: Known) -> None:
    """The circles of functions that stand side by side: each becomes one C function, in which they
    are parts of one loop.  What they use from outside is the same for all of them."""
    circles: dict[int, list[Procedure]] = {}
    for procedure in known.by_code.values():
        if not procedure.is_inlined:
            circles.setdefault(known.circles[id(procedure)], []).append(procedure)
    for members in circles.values():
        if len(members) > 1 and all(m.parent is members[0].parent for m in members):
            known.group_of.update((id(m), len(known.groups)) for m in members)
            known.groups.append(members)


# Captures.


def _find_captures(known: Known) -> None:
    """What each function uses from outside: variables, and what the functions need whose code it
    calls or whose closures it makes anew."""
    needs: dict[int, list[Procedure]] = {}
    functions = [p for p in known.by_code.values() if not p.is_inlined]
    for name, host in known.uses:
        home = known.home(host)
        target = known.by_variable.get(name)
        if home is None:
            continue
        if target is not None and is_sibling(host, target):
            needs.setdefault(id(home), []).append(target)
        elif known.home(known.binder[name]) is not home:
            home.captures.add(name)
    for site in known.sites.values():
        home = known.home(site.host)
        if home is not None and not site.callee.is_inlined:
            needs.setdefault(id(home), []).append(site.callee)
    for function in functions:
        home = known.home(function.parent)
        if home is not None and is_bound(function):
            needs.setdefault(id(home), []).append(function)
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
                if known.home(known.binder[name]) is not user
            }
            if new:
                user.captures |= new
                waiting.setdefault(user)
