"""Analyzes a program's procedures before it runs: which calls need no trampoline.

A procedure is *known* if its variable is never assigned: then a call of it calls the Python
function directly.  The tail calls between known procedures decide how each one is called:

  - a self tail call becomes an iteration of a loop, unless a closure may outlive the iteration;
  - a tail call within a cycle of procedures goes through the trampoline (`values.run_trampoline`);
  - every other tail call of a known procedure is a plain Python call.

    (define (even n) (if (= n 0) #t (odd (- n 1))))   =>  even, odd: a cycle; may return TAIL
    (define (loop n) (if (= n 0) #t (loop (- n 1))))  =>  loop: a Python loop; never returns TAIL
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lambent.lang.core.direct_calls import parameters_of, unchanged_parameters
from lambent.lang.core.ir import (
    Begin,
    Call,
    Core,
    Define,
    Global,
    If,
    Lambda,
    Let,
    Letrec,
    Local,
    PrimCall,
    PrimRef,
    Program,
    SetGlobal,
    SetLocal,
)
from lambent.lang.core.strong_components import strongly_connected_components
from lambent.lang.core.traverse import children
from lambent.lang.interp.emit.guards import guarded_code
from lambent.lang.interp.emit.names import global_name

Key = str | int  # a known procedure's variable, or the id of an anonymous Lambda
UNKNOWN: Key = "?"


@dataclass
class Procedure:
    """One Lambda of the program, and the facts about it."""

    key: Key
    code: Lambda
    bound: set[str]  # the local variables that live in its frame
    tail_calls: list[tuple[Key, tuple[Core, ...]]] = field(default_factory=list)
    inner: list["Procedure"] = field(default_factory=list)  # nested directly in it
    uses: set[str] = field(default_factory=set)  # variables that it or an inner one mentions
    loops: bool = False  # its self tail calls are iterations of a loop
    may_return_tail: bool = False
    component: int = 0  # the number of its strongly connected component of tail calls


class ProcedureAnalysis:
    """The facts that `analyze_procedures` finds about a program."""

    def __init__(self, closed: bool, library: Mapping[str, bool]) -> None:
        self.closed = closed
        self.library = library  # whether the library's procedures may return TAIL, by Python name
        self.assigned: set[str] = set()
        self.lambdas: dict[str, Lambda] = {}  # known procedures by the name of their variable
        self.procedures: dict[Key, Procedure] = {}
        self.by_lambda: dict[int, Procedure] = {}
        self.values: set[str] = set()  # variables with a use that is not a call
        self.mentions: Counter[str] = Counter()  # the number of uses of each local variable
        self.inlined: set[int] = set()  # the ids of the bodies of guards that are written in place

    def callee(self, function: Core) -> Key:
        """The key of the called procedure; UNKNOWN if that is not a known procedure."""
        match function:
            case Local(name) if name in self.lambdas:
                return name
            case Global(name, namespace):
                key = global_name(name, namespace)
                return key if key in self.lambdas or key in self.library else UNKNOWN
            case _:
                return UNKNOWN

    def may_return_tail(self, key: Key) -> bool:
        """Whether a call of it may return TAIL."""
        if key in self.procedures:
            return self.procedures[key].may_return_tail
        return key == UNKNOWN or self.library[str(key)]


def analyze_procedures(
    program: Program, closed: bool, library: Mapping[str, bool]
) -> ProcedureAnalysis:
    """closed: no later code can define or assign the program's variables."""
    analysis = ProcedureAnalysis(closed, library)
    _find_known(program, analysis)
    visit = _Visit(analysis)
    for form in program.forms:
        visit.walk(form, None)
    for procedure in analysis.procedures.values():
        _collect_uses(procedure)
    for procedure in analysis.procedures.values():
        procedure.loops = _can_loop(procedure, analysis)
    edges = {
        key: [target for target, _ in procedure.tail_calls if target in analysis.procedures]
        for key, procedure in analysis.procedures.items()
    }
    for key, component in strongly_connected_components(edges).items():
        analysis.procedures[key].component = component
    _find_trampolined(analysis)
    return analysis


def _find_known(program: Program, analysis: ProcedureAnalysis) -> None:
    """Find the variables that hold one procedure and are never assigned."""
    defined: Counter[str] = Counter()
    bindings: dict[str, Lambda] = {}
    pending: list[Core] = list(program.forms)
    while pending:
        core = pending.pop()
        match core:
            case Local(name):
                analysis.mentions[name] += 1
            case SetLocal(name):
                analysis.assigned.add(name)
            case SetGlobal(name, namespace):
                analysis.assigned.add(global_name(name, namespace))
            case Define(name, namespace, value):
                defined[global_name(name, namespace)] += 1
                if analysis.closed and isinstance(value, Lambda):
                    bindings[global_name(name, namespace)] = value
            case Let(name, Lambda() as code):
                bindings[name] = code
            case Letrec(pairs):
                bindings.update(pairs)
        pending.extend(children(core))
    analysis.lambdas = {
        name: code
        for name, code in bindings.items()
        if name not in analysis.assigned and defined[name] <= 1
    }


class _Visit:
    """One walk over a form: its procedures, and what each of them binds, uses and tail-calls."""

    def __init__(self, analysis: ProcedureAnalysis) -> None:
        self.analysis = analysis
        self.keys = {id(code): name for name, code in analysis.lambdas.items()}

    def walk(self, core: Core, owner: Procedure | None, tail: bool = False) -> None:
        match core:
            case Lambda():
                self._procedure(core, owner)
            case Local(name):
                self.analysis.values.add(name)
                if owner:
                    owner.uses.add(name)
            case SetLocal(name):
                if owner:
                    owner.uses.add(name)
                self._children(core, owner)
            case Call(function, arguments):
                if tail and owner:
                    owner.tail_calls.append((self._target(function), arguments))
                if isinstance(function, Local):
                    if owner:
                        owner.uses.add(function.name)
                else:
                    self.walk(function, owner)
                for argument in arguments:
                    self.walk(argument, owner)
            case PrimCall(primitive) if primitive.symbol == "rt_apply":
                if tail and owner:
                    owner.tail_calls.append((UNKNOWN, ()))
                self._children(core, owner)
            case If(test, then, orelse):
                self.walk(test, owner)
                self.walk(then, owner, tail)
                self.walk(orelse, owner, tail)
            case Let(name, value, body):
                self._bind(name, owner)
                if code := guarded_code(value):
                    assert isinstance(value, Call)
                    for record in value.arguments[:-1]:
                        self.walk(record, owner)
                    self.analysis.inlined.add(id(code))
                    self.walk(code.body, owner)
                else:
                    self.walk(value, owner)
                self.walk(body, owner, tail)
            case Letrec(bindings, body):
                for name, code in bindings:
                    self._bind(name, owner)
                    self.walk(code, owner)
                self.walk(body, owner, tail)
            case Begin(forms):
                for form in forms[:-1]:
                    self.walk(form, owner)
                self.walk(forms[-1], owner, tail)
            case _:
                self._children(core, owner)

    def _children(self, core: Core, owner: Procedure | None) -> None:
        for child in children(core):
            self.walk(child, owner)

    def _bind(self, name: str, owner: Procedure | None) -> None:
        if owner:
            owner.bound.add(name)

    def _target(self, function: Core) -> Key:
        # A primitive returns a value at once: it never returns TAIL, and is not in a cycle.
        return "" if isinstance(function, PrimRef) else self.analysis.callee(function)

    def _procedure(self, code: Lambda, owner: Procedure | None) -> None:
        key: Key = self.keys.get(id(code), id(code))
        procedure = Procedure(key, code, set(parameters_of(code)))
        self.analysis.procedures[key] = procedure
        self.analysis.by_lambda[id(code)] = procedure
        if owner:
            owner.inner.append(procedure)
        self.walk(code.body, procedure, tail=True)


def _collect_uses(procedure: Procedure) -> set[str]:
    for inner in procedure.inner:
        procedure.uses |= _collect_uses(inner)
    return procedure.uses


def _can_loop(procedure: Procedure, analysis: ProcedureAnalysis) -> bool:
    """Whether each iteration may reuse the frame: no closure that may outlive an iteration uses a
    variable that changes."""
    code = procedure.code
    iterations = [arguments for key, arguments in procedure.tail_calls if key == procedure.key]
    if not iterations or code.rest or code.keywords:
        return False
    changing = procedure.bound - unchanged_parameters(code, iterations, analysis.assigned)
    return not any(changing & inner.uses for inner in _escaping(procedure, analysis))


def _escaping(procedure: Procedure, analysis: ProcedureAnalysis) -> Iterator[Procedure]:
    """The inner procedures that are used as values, and so may outlive the frame."""
    for inner in procedure.inner:
        if isinstance(inner.key, str) and inner.key not in analysis.values:
            yield from _escaping(inner, analysis)
        else:
            yield inner


def _find_trampolined(analysis: ProcedureAnalysis) -> None:
    """Find the procedures that may return TAIL, and those that return the result of one."""
    callers: defaultdict[Key, list[Procedure]] = defaultdict(list)
    reached: list[Key] = []
    for procedure in analysis.procedures.values():
        for target, _ in procedure.tail_calls:
            callers[target].append(procedure)
            in_library = analysis.library.get(str(target), False)
            if in_library or goes_through_trampoline(analysis, procedure, target):
                procedure.may_return_tail = True
        if procedure.may_return_tail:
            reached.append(procedure.key)
    while reached:
        for caller in callers[reached.pop()]:
            if not caller.may_return_tail:
                caller.may_return_tail = True
                reached.append(caller.key)


def goes_through_trampoline(analysis: ProcedureAnalysis, procedure: Procedure, target: Key) -> bool:
    """Whether a tail call from a procedure to a target goes through the trampoline."""
    if target == procedure.key:
        return not procedure.loops
    other = analysis.procedures.get(target)
    return target == UNKNOWN or (other is not None and other.component == procedure.component)
