"""The procedures of a program while it is lifted, and what `known` finds out about them.

Procedure  a Lambda, the calls of it, and what becomes of it
Site       a call whose callee is certain
Known      all of them, and the variables
"""

from dataclasses import dataclass, field

from lambent.lang.compile.closures.top_level import Key
from lambent.lang.compile.ir.lifted import Storage
from lambent.lang.core.direct_calls import unchanged_parameters
from lambent.lang.core.ir import Call, Core, Global, Lambda, Local


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
    number: int = 0  # of all procedures, in the order of the text
    last_inside: int = 0  # the number of the last procedure in it, or its own
    entry: "Site | None" = None  # the one call from outside, if there is just one

    @property
    def shown_name(self) -> str | None:
        """What traces call it: the body of a form such as `guard` is part of what is around it."""
        if self.code.is_part and self.parent is not None:
            return self.parent.shown_name
        return self.code.name


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
    groups: list[list[Procedure]] = field(default_factory=list)  # circles that become one function
    group_of: dict[int, int] = field(default_factory=dict)  # the index there, by id
    homes: dict[int, Procedure | None] = field(default_factory=dict)  # of inlined ones, by id

    def callee(self, function: Core) -> Procedure | None:
        """The procedure that a call surely calls."""
        match function:
            case Local(name):
                return self.by_variable.get(name)
            case Global(name, namespace):
                return self.by_key.get((name, namespace))
            case _:
                return None

    def home(self, procedure: Procedure | None) -> Procedure | None:
        """The function that a procedure's body becomes part of; None for main.

        Asked only when it is settled what is inlined.
        """
        way: list[Procedure] = []
        while procedure is not None and procedure.is_inlined:
            if id(procedure) in self.homes:
                procedure = self.homes[id(procedure)]
                break
            way.append(procedure)
            procedure = self.entry(procedure).host
        self.homes.update((id(passed), procedure) for passed in way)
        return procedure

    def entry(self, procedure: Procedure) -> Site:
        """The one call from outside of an inlined procedure."""
        assert procedure.entry is not None, procedure.code.name
        return procedure.entry

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


def is_within(host: Procedure | None, procedure: Procedure) -> bool:
    return host is not None and procedure.number <= host.number <= procedure.last_inside


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
        return id(home) not in known.group_of
    keeps_alive = home.as_value and callee.captures <= home.captures
    return callee.as_value and bool(callee.captures) and not keeps_alive


def fixed_parameters(procedure: Procedure, known: Known) -> frozenset[str]:
    """The parameters that keep their value on every turn, so need be no loop variables."""
    code = procedure.code
    if code.keywords:
        return frozenset()
    home = known.home(procedure)
    calls = [
        site.call.arguments
        for site in procedure.calls
        if known.home(site.host) is home and site is not _entry(procedure, known)
    ]
    return unchanged_parameters(code, calls, known.assigned)


def _entry(procedure: Procedure, known: Known) -> Site | None:
    return known.entry(procedure) if procedure.is_inlined else None
