"""The procedures of a program while it is lifted, and the facts that the analysis finds.

Procedure          a Lambda, the calls of it, and what becomes of it
Site               a call whose callee is certain
ProcedureAnalysis  all of them, and the variables
"""

from lambent.lang.compile.closures.first_uses import Key
from lambent.lang.compile.ir.lifted import Storage
from lambent.lang.compile.ir.owner import Owner
from lambent.lang.core.direct_calls import unchanged_parameters
from lambent.lang.core.ir import Call, Core, Global, Lambda, Local
from lambent.lang.system.dataclass import dataclass, field


@dataclass(eq=False, slots=True)
class Procedure:
    """A Lambda.

    parent: the enclosing procedure, None at the top level.  variable: the local variable that is
    bound to it and never assigned.  group: the variables of its Letrec.  escapes: it is used as a
    value, so closures of it are created.  owner: of the definition that it is a part of.
    """

    code: Lambda
    parent: "Procedure | None"
    variable: str | None
    group: frozenset[str]
    is_global: bool
    owner: Owner
    calls: list["Site"] = field(default_factory=list)  # of it
    value_users: list["Procedure | None"] = field(default_factory=list)  # that use it as a value
    captures: set[str] = field(default_factory=set)
    is_inlined: bool = False
    escapes: bool = False
    loops: bool = False  # it calls itself in tail position
    number: int = 0  # of all procedures, in the order of the text
    last_inside: int = 0  # the number of the last procedure in it, or its own
    entry: "Site | None" = None  # the one call from outside, if there is just one

    @property
    def shown_name(self) -> str | None:
        """The name in traces; the body of a form such as `guard` has that of its parent."""
        if self.code.is_form_body and self.parent is not None:
            return self.parent.shown_name
        return self.code.name


@dataclass(frozen=True, eq=False, slots=True)
class Site:
    """A call that fits its callee.  caller: the procedure whose text has the call; None at the top
    level.  tail: the call is in tail position of the caller.  caught: it is a `%try`, which returns
    a failure as a value."""

    call: Call
    callee: Procedure
    caller: Procedure | None
    tail: bool
    caught: bool = False


@dataclass(slots=True)
class ProcedureAnalysis:
    """The facts.  Names of variables are unique in the program.

    binder: the procedure that binds each variable.  uses, global_uses: the procedures whose text
    uses each variable.  tail_cycles: for each function the number of its strongly connected
    component of tail calls.  groups: the components that become one C function each.
    """

    by_code: dict[int, Procedure] = field(default_factory=dict)
    by_variable: dict[str, Procedure] = field(default_factory=dict)
    by_key: dict[Key, Procedure] = field(default_factory=dict)
    binder: dict[str, Procedure | None] = field(default_factory=dict)
    uses: list[tuple[str, Procedure | None]] = field(default_factory=list)
    assigned: set[str] = field(default_factory=set)
    global_uses: dict[Key, list[Procedure | None]] = field(default_factory=dict)
    sites: dict[int, Site] = field(default_factory=dict)  # by id of the call
    captured: set[str] = field(default_factory=set)
    tail_cycles: dict[int, int] = field(default_factory=dict)  # by id of the procedure
    groups: list[list[Procedure]] = field(default_factory=list)
    group_of: dict[int, int] = field(default_factory=dict)  # the index in groups, by id
    # The library's procedures elsewhere that the program uses, in order.
    externals: dict[str, None] = field(default_factory=dict)
    _functions: dict[int, Procedure | None] = field(default_factory=dict)  # by id of the inlined

    def callee(self, function: Core) -> Procedure | None:
        """The procedure that a call calls, if that is certain."""
        match function:
            case Local(name):
                return self.by_variable.get(name)
            case Global(name, namespace):
                return self.by_key.get((name, namespace))
            case _:
                return None

    def function_of(self, procedure: Procedure | None) -> Procedure | None:
        """The function that a procedure's body becomes part of; None for main.

        To be asked only after inlining has been decided.
        """
        way: list[Procedure] = []
        while procedure is not None and procedure.is_inlined:
            if id(procedure) in self._functions:
                procedure = self._functions[id(procedure)]
                break
            way.append(procedure)
            procedure = self.entry(procedure).caller
        self._functions.update((id(passed), procedure) for passed in way)
        return procedure

    def entry(self, procedure: Procedure) -> Site:
        """The one call from outside of an inlined procedure."""
        assert procedure.entry is not None, procedure.code.name
        return procedure.entry

    def is_tail(self, site: Site, procedure: Procedure | None) -> bool:
        """Whether a call is in tail position of an enclosing procedure after inlining."""
        if not site.tail:
            return False
        enclosing = site.caller
        while enclosing is not procedure:
            if enclosing is None or not enclosing.is_inlined:
                return False
            entry = self.entry(enclosing)
            if not entry.tail:
                return False
            enclosing = entry.caller
        return True

    def storage(self, name: str) -> Storage:
        if name not in self.assigned:
            return Storage.NAME
        return Storage.CELL if name in self.captured else Storage.SLOT


def is_within(inner: Procedure | None, procedure: Procedure) -> bool:
    return inner is not None and procedure.number <= inner.number <= procedure.last_inside


def is_bound(procedure: Procedure) -> bool:
    """Whether a closure is created where the Lambda is; its siblings create their own."""
    return any(not is_sibling(enclosing, procedure) for enclosing in procedure.value_users)


def is_sibling(enclosing: Procedure | None, target: Procedure) -> bool:
    """Whether the procedure enclosing is within the Letrec that binds target, so that it
    creates a closure of target instead of capturing one: closures never form a cycle."""
    while enclosing is not None:
        if enclosing.variable is not None and enclosing.variable in target.group:
            return True
        enclosing = enclosing.parent
    return False


def needs_trampoline(site: Site, analysis: ProcedureAnalysis) -> bool:
    """Whether a tail call must go through the trampoline.

    A call within a cycle of tail calls does, except a function's call of itself.  So does a call of
    a function whose closures own its captures, unless the caller borrows the same captures: the
    caller must free its own ones before the call.
    """
    function, callee = analysis.function_of(site.caller), site.callee
    if function is None or callee.is_inlined or callee is function:
        return False
    if not analysis.is_tail(site, function):
        return False
    if analysis.tail_cycles[id(function)] == analysis.tail_cycles[id(callee)]:
        return id(function) not in analysis.group_of
    keeps_alive = function.escapes and callee.captures <= function.captures
    return callee.escapes and bool(callee.captures) and not keeps_alive


def fixed_parameters(procedure: Procedure, analysis: ProcedureAnalysis) -> frozenset[str]:
    """The parameters that keep their value in every iteration, so they need no loop variable."""
    code = procedure.code
    if code.keywords:
        return frozenset()
    function = analysis.function_of(procedure)
    calls = [
        site.call.arguments
        for site in procedure.calls
        if analysis.function_of(site.caller) is function and site is not _entry(procedure, analysis)
    ]
    return unchanged_parameters(code, calls, analysis.assigned)


def _entry(procedure: Procedure, analysis: ProcedureAnalysis) -> Site | None:
    return analysis.entry(procedure) if procedure.is_inlined else None
