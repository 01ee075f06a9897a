"""What lifting must know of a program's procedures and variables before it changes anything.

Each Lambda becomes one of two things:

  - part of the procedure around its only entry, as a loop: where it is a local procedure that is
    called once from outside, and from within only by tail calls;
  - a function of its own, which takes what it uses from outside as captures.

    (define (f n)                          loop is inlined in f; g is a function with the capture n
      (let loop ((i 0))
        (if (< i n) (loop (+ i 1)) (lambda () n))))
"""

from dataclasses import dataclass, field

from lambent.lang.compile.lifted import Storage
from lambent.lang.compile.toplevel import Key, TopLevel
from lambent.lang.core.ir import (
    Begin,
    Call,
    Const,
    Core,
    Define,
    Global,
    If,
    Lambda,
    Let,
    Letrec,
    Local,
    SetGlobal,
    SetLocal,
)
from lambent.lang.core.traverse import children, walk
from lambent.lang.syntax.datum import Keyword


@dataclass(eq=False, slots=True)
class Procedure:
    """A Lambda.  parent: the procedure around it, None at the top level.  variable: the local
    variable that it is bound to for good.  group: the variables of its Letrec."""

    code: Lambda
    parent: "Procedure | None"
    variable: str | None
    group: frozenset[str]
    is_global: bool
    calls: list["Site"] = field(default_factory=list)  # of it
    value_hosts: list["Procedure | None"] = field(default_factory=list)  # where it is a value
    captures: set[str] = field(default_factory=set)
    is_inlined: bool = False
    as_value: bool = False
    loops: bool = False  # it calls itself in tail position


@dataclass(frozen=True, eq=False, slots=True)
class Site:
    """A call that fits its callee.  tail: in tail position of the procedure host."""

    call: Call
    callee: Procedure
    host: Procedure | None
    tail: bool


@dataclass(slots=True)
class Known:
    """The answers.  Names of variables are unique in the program."""

    by_code: dict[int, Procedure] = field(default_factory=dict)
    by_variable: dict[str, Procedure] = field(default_factory=dict)
    by_key: dict[Key, Procedure] = field(default_factory=dict)
    binder: dict[str, Procedure | None] = field(default_factory=dict)
    uses: list[tuple[str, Procedure | None]] = field(default_factory=list)
    assigned: set[str] = field(default_factory=set)
    global_uses: dict[Key, list[Procedure | None]] = field(default_factory=dict)
    sites: dict[int, Site] = field(default_factory=dict)  # by id of the call
    captured: set[str] = field(default_factory=set)
    circles: dict[int, int] = field(default_factory=dict)  # of tail calls, by id of the procedure

    def callee(self, function: Core) -> Procedure | None:
        """The procedure that a call surely calls."""
        match function:
            case Local(name):
                return self.by_variable.get(name)
            case Global(name, home):
                return self.by_key.get((name, home))
            case _:
                return None

    def home(self, procedure: Procedure | None) -> Procedure | None:
        """The function that a procedure's body becomes part of; None for main."""
        while procedure is not None and procedure.is_inlined:
            procedure = self.entry(procedure).host
        return procedure

    def entry(self, procedure: Procedure) -> Site:
        """The one call from outside of an inlined procedure."""
        return next(s for s in procedure.calls if not _is_within(s.host, procedure))

    def is_tail(self, site: Site, of: Procedure | None) -> bool:
        """Whether a call is in tail position of a procedure that it is in, once the loops between
        are inlined."""
        if not site.tail:
            return False
        host = site.host
        while host is not of:
            if host is None or not host.is_inlined:
                return False
            entry = self.entry(host)
            if not entry.tail:
                return False
            host = entry.host
        return True

    def storage(self, name: str) -> Storage:
        if name not in self.assigned:
            return Storage.NAME
        return Storage.CELL if name in self.captured else Storage.SLOT


def know(top: TopLevel) -> Known:
    """Look at the whole program."""
    known = Known()
    collector = _Collector(known)
    for key, code in top.known.items():
        known.by_key[key] = collector.procedure(code, None, None, frozenset(), is_global=True)
    for form in top.forms:
        known.assigned |= {node.name for node in walk(form) if isinstance(node, SetLocal)}
    for form in top.forms:
        if isinstance(form, Define) and (form.name, form.home) in known.by_key:
            collector.body(known.by_key[form.name, form.home])
        else:
            collector.walk(form, None, tail=False)
    _choose_inlined(known)
    _find_captured(known)
    _find_tail_circles(known)
    _find_values(known)
    _find_captures(known)
    return known


def fits(code: Lambda, arguments: tuple[Core, ...]) -> bool:
    """Whether a call's arguments can be told apart, and are as many as the procedure takes.

    A keyword procedure's call that is wrong is left to the running program, as any wrong call.
    """
    if not code.keywords:
        least = len(code.parameters)
        return len(arguments) == least or (code.rest is not None and len(arguments) > least)
    return keyword_places(code, arguments) is not None


def keyword_places(code: Lambda, arguments: tuple[Core, ...]) -> dict[str, int] | None:
    """For each keyword that a call gives the index of its value; None for a call that is wrong.

    What stands after a keyword is its value; the others are the positional and rest arguments.
    """
    given: dict[str, int] = {}
    declared = {parameter.keyword for parameter in code.keywords}
    positional = 0
    index = 0
    while index < len(arguments):
        argument = arguments[index]
        if isinstance(argument, Const) and isinstance(argument.value, Keyword):
            name = argument.value.name
            if name not in declared or name in given or index + 1 == len(arguments):
                return None
            given[name] = index + 1
            index += 2
        else:
            positional += 1
            index += 1
    least = len(code.parameters)
    if positional < least or (positional > least and code.rest is None):
        return None
    return given


@dataclass(slots=True)
class _Collector:
    """Walks Core once and writes down procedures, calls, and uses of variables."""

    known: Known

    def procedure(
        self,
        code: Lambda,
        parent: Procedure | None,
        variable: str | None,
        group: frozenset[str],
        *,
        is_global: bool = False,
    ) -> Procedure:
        procedure = Procedure(code, parent, variable, group, is_global)
        self.known.by_code[id(code)] = procedure
        if variable is not None:
            self.known.by_variable[variable] = procedure
        return procedure

    def body(self, procedure: Procedure) -> None:
        code = procedure.code
        names = [*code.parameters, *(keyword.name for keyword in code.keywords)]
        for name in [*names, *([code.rest] if code.rest else [])]:
            self.known.binder[name] = procedure
        self.walk(code.body, procedure, tail=True)

    def walk(self, core: Core, host: Procedure | None, *, tail: bool) -> None:
        match core:
            case Local(name):
                self.use(name, host)
            case Global(name, home):
                self.use_global((name, home), host)
            case SetGlobal(name, home, value):
                self.use_global((name, home), host)
                self.walk(value, host, tail=False)
            case SetLocal(name, value):
                self.use(name, host)
                self.walk(value, host, tail=False)
            case Lambda():
                anonymous = self.procedure(core, host, None, frozenset())
                anonymous.value_hosts.append(host)
                self.body(anonymous)
            case Let(name, Lambda() as code, body) if name not in self.known.assigned:
                self.letrec(((name, code),), host)
                self.walk(body, host, tail=tail)
            case Letrec(bindings, body):
                self.letrec(bindings, host)
                self.walk(body, host, tail=tail)
            case Let(name, value, body):
                self.known.binder[name] = host
                self.walk(value, host, tail=False)
                self.walk(body, host, tail=tail)
            case Call():
                self.call(core, host, tail)
            case If(test, then, orelse):
                self.walk(test, host, tail=False)
                self.walk(then, host, tail=tail)
                self.walk(orelse, host, tail=tail)
            case Begin(forms):
                for form in forms[:-1]:
                    self.walk(form, host, tail=False)
                self.walk(forms[-1], host, tail=tail)
            case _:
                for child in children(core):
                    self.walk(child, host, tail=False)

    def use_global(self, key: Key, host: Procedure | None) -> None:
        self.known.global_uses.setdefault(key, []).append(host)
        if key in self.known.by_key:
            self.known.by_key[key].value_hosts.append(host)

    def use(self, name: str, host: Procedure | None) -> None:
        self.known.uses.append((name, host))
        if name in self.known.by_variable:
            self.known.by_variable[name].value_hosts.append(host)

    def letrec(self, bindings: tuple[tuple[str, Lambda], ...], host: Procedure | None) -> None:
        group = frozenset(name for name, _ in bindings)
        bound = []
        for name, code in bindings:
            assert name not in self.known.assigned, name
            self.known.binder[name] = host
            bound.append(self.procedure(code, host, name, group))
        for procedure in bound:
            self.body(procedure)

    def call(self, core: Call, host: Procedure | None, tail: bool) -> None:
        callee = self.known.callee(core.function)
        if callee is not None and fits(callee.code, core.arguments):
            site = Site(core, callee, host, tail)
            callee.calls.append(site)
            self.known.sites[id(core)] = site
        else:
            self.walk(core.function, host, tail=False)
        for argument in core.arguments:
            self.walk(argument, host, tail=False)


def _is_within(host: Procedure | None, procedure: Procedure) -> bool:
    while host is not None:
        if host is procedure:
            return True
        host = host.parent
    return False


# Loops.


def _choose_inlined(known: Known) -> None:
    """Mark the local procedures that become loops.

    Begins with all that have one entry and no use as a value, and unmarks those one of whose own
    calls of themselves is no tail call, until nothing changes: whether a call is a tail call
    depends on the loops between.
    """
    candidates = [
        procedure
        for procedure in known.by_variable.values()
        if not procedure.value_hosts
        and sum(not _is_within(site.host, procedure) for site in procedure.calls) == 1
    ]
    for procedure in candidates:
        procedure.is_inlined = True
    changed = True
    while changed:
        changed = False
        for procedure in candidates:
            if procedure.is_inlined and not _stays_inlined(procedure, known):
                procedure.is_inlined = False
                changed = True
    for procedure in known.by_code.values():
        procedure.loops = any(
            _is_within(site.host, procedure) and known.is_tail(site, procedure)
            for site in procedure.calls
        )


def _stays_inlined(procedure: Procedure, known: Known) -> bool:
    seen = {id(procedure)}
    host = known.entry(procedure).host
    while host is not None and host.is_inlined:
        if id(host) in seen:
            return False  # a circle of procedures that nobody enters
        seen.add(id(host))
        host = known.entry(host).host
    return all(
        known.is_tail(site, procedure)
        for site in procedure.calls
        if _is_within(site.host, procedure)
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
    edges: dict[int, list[Procedure]] = {}
    for site in known.sites.values():
        home = known.home(site.host)
        if home is not None and not site.callee.is_inlined and known.is_tail(site, home):
            edges.setdefault(id(home), []).append(site.callee)
    functions = [p for p in known.by_code.values() if not p.is_inlined]
    known.circles.update(
        strong_components(
            [id(p) for p in functions],
            {key: [id(p) for p in targets] for key, targets in edges.items()},
        )
    )


def bounces(site: Site, known: Known) -> bool:
    """Whether a tail call must go through the trampoline.

    One within a circle does, but for a function's calls of itself; and one of a function whose
    closures own its captures, unless the caller borrows the same ones: it has to free its own
    before the call.
    """
    home, callee = known.home(site.host), site.callee
    if home is None or callee.is_inlined or callee is home or not known.is_tail(site, home):
        return False
    if known.circles[id(home)] == known.circles[id(callee)]:
        return True
    keeps_alive = home.as_value and callee.captures <= home.captures
    return callee.as_value and bool(callee.captures) and not keeps_alive


def strong_components(nodes: list[int], edges: dict[int, list[int]]) -> dict[int, int]:
    """For each node the number of its strongly connected component (Tarjan, without recursion)."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    component: dict[int, int] = {}
    stack: list[int] = []
    for root in nodes:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        stack.append(root)
        work = [(root, iter(edges.get(root, ())))]
        while work:
            node, targets = work[-1]
            target = next(targets, None)
            if target is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    while node not in component:
                        component[stack.pop()] = order[node]
            elif target not in order:
                order[target] = low[target] = len(order)
                stack.append(target)
                work.append((target, iter(edges.get(target, ()))))
            elif target not in component:
                low[node] = min(low[node], order[target])
    return component


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
    changed = True
    while changed:
        changed = False
        for function in functions:
            before = len(function.captures)
            for callee in needs.get(id(function), ()):
                function.captures |= {
                    name
                    for name in callee.captures
                    if known.home(known.binder[name]) is not function
                }
            changed |= len(function.captures) != before


def is_bound(procedure: Procedure) -> bool:
    """Whether a closure is made where the Lambda stands: siblings make their own."""
    return any(not is_sibling(host, procedure) for host in procedure.value_hosts)


def is_sibling(host: Procedure | None, target: Procedure) -> bool:
    """Whether code of host is within the Letrec that binds target, so that target's closure is
    made anew there instead of captured: closures never form a circle."""
    while host is not None:
        if host.variable is not None and host.variable in target.group:
            return True
        host = host.parent
    return False
