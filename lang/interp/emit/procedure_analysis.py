"""What can be known about a program's procedures before it runs: which calls need no trampoline.

A procedure is *known* where its variable is never assigned: then a call of it goes straight to the
Python function.  From the tail calls between known procedures follows how each is called:

  - a self tail call becomes a turn of a loop, unless a closure may outlive the turn;
  - a tail call that could lead round in a circle goes through the driver (`values.drive`);
  - every other tail call of a known procedure is a plain Python call.

    (define (even n) (if (= n 0) #t (odd (- n 1))))   =>  even, odd: bounce, for they form a circle
    (define (loop n) (if (= n 0) #t (loop (- n 1))))  =>  loop: a Python loop, does not bounce
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

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
from lambent.lang.core.traverse import children
from lambent.lang.interp.emit.names import global_name
from lambent.lang.interp.emit.tail_cycles import circles

Key = str | int  # a known procedure's variable, or the id of an anonymous Lambda
UNKNOWN: Key = "?"


@dataclass
class Procedure:
    """One Lambda of the program, and what is found out about it."""

    key: Key
    code: Lambda
    bound: set[str]  # the local variables that live in its frame
    tail_calls: list[tuple[Key, tuple[Core, ...]]] = field(default_factory=list)
    inner: list["Procedure"] = field(default_factory=list)  # directly within it
    uses: set[str] = field(default_factory=set)  # variables that it mentions, inner ones included
    loops: bool = False  # its self tail calls are turns of a loop
    bounces: bool = False  # it may return TAIL
    circle: int = 0  # procedures of one circle of tail calls have one number


class Knowledge:
    """All that `examine` finds out about a program."""

    def __init__(self, closed: bool, library: Mapping[str, bool]) -> None:
        self.closed = closed
        self.library = library  # whether the library's procedures bounce, by Python name
        self.assigned: set[str] = set()
        self.lambdas: dict[str, Lambda] = {}  # known procedures by the name of their variable
        self.procedures: dict[Key, Procedure] = {}
        self.by_lambda: dict[int, Procedure] = {}
        self.values: set[str] = set()  # variables that are used other than called
        self.mentions: Counter[str] = Counter()  # how often local variables are used

    def callee(self, function: Core) -> Key:
        """The key of what a call calls; UNKNOWN if it cannot be known."""
        match function:
            case Local(name) if name in self.lambdas:
                return name
            case Global(name, home):
                key = global_name(name, home)
                return key if key in self.lambdas or key in self.library else UNKNOWN
            case _:
                return UNKNOWN

    def bounces(self, key: Key) -> bool:
        """Whether a call of it may give TAIL."""
        if key in self.procedures:
            return self.procedures[key].bounces
        return key == UNKNOWN or self.library[str(key)]


def examine(program: Program, closed: bool, library: Mapping[str, bool]) -> Knowledge:
    """closed: no code that comes later can define or assign the program's variables."""
    known = Knowledge(closed, library)
    _find_known(program, known)
    visit = _Visit(known)
    for form in program.forms:
        visit.walk(form, None)
    for procedure in known.procedures.values():
        _collect_uses(procedure)
    for procedure in known.procedures.values():
        procedure.loops = _can_loop(procedure, known)
    edges = {
        key: [target for target, _ in procedure.tail_calls if target in known.procedures]
        for key, procedure in known.procedures.items()
    }
    for key, circle in circles(edges).items():
        known.procedures[key].circle = circle
    _spread_bouncing(known)
    return known


def _find_known(program: Program, known: Knowledge) -> None:
    """Find the variables that only ever hold one procedure."""
    defined: Counter[str] = Counter()
    bindings: dict[str, Lambda] = {}
    pending: list[Core] = list(program.forms)
    while pending:
        core = pending.pop()
        match core:
            case Local(name):
                known.mentions[name] += 1
            case SetLocal(name):
                known.assigned.add(name)
            case SetGlobal(name, home):
                known.assigned.add(global_name(name, home))
            case Define(name, home, value):
                defined[global_name(name, home)] += 1
                if known.closed and isinstance(value, Lambda):
                    bindings[global_name(name, home)] = value
            case Let(name, Lambda() as code):
                bindings[name] = code
            case Letrec(pairs):
                bindings.update(pairs)
        pending.extend(children(core))
    known.lambdas = {
        name: code
        for name, code in bindings.items()
        if name not in known.assigned and defined[name] <= 1
    }


class _Visit:
    """One walk over a form: its procedures, what each binds, uses and tail-calls."""

    def __init__(self, known: Knowledge) -> None:
        self.known = known
        self.keys = {id(code): name for name, code in known.lambdas.items()}

    def walk(self, core: Core, owner: Procedure | None, tail: bool = False) -> None:
        match core:
            case Lambda():
                self._procedure(core, owner)
            case Local(name):
                self.known.values.add(name)
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
        # A primitive gives a value at once; it can neither bounce nor lead round in a circle.
        return "" if isinstance(function, PrimRef) else self.known.callee(function)

    def _procedure(self, code: Lambda, owner: Procedure | None) -> None:
        key: Key = self.keys.get(id(code), id(code))
        names = [*code.parameters, *(k.name for k in code.keywords)]
        procedure = Procedure(key, code, {*names, *([code.rest] if code.rest else [])})
        self.known.procedures[key] = procedure
        self.known.by_lambda[id(code)] = procedure
        if owner:
            owner.inner.append(procedure)
        self.walk(code.body, procedure, tail=True)


def _collect_uses(procedure: Procedure) -> set[str]:
    for inner in procedure.inner:
        procedure.uses |= _collect_uses(inner)
    return procedure.uses


def _can_loop(procedure: Procedure, known: Knowledge) -> bool:
    """Whether each turn may reuse the frame: no closure that may outlive a turn sees it change."""
    code = procedure.code
    turns = [arguments for key, arguments in procedure.tail_calls if key == procedure.key]
    if not turns or code.rest or code.keywords:
        return False
    kept = {
        name
        for i, name in enumerate(code.parameters)
        if all(_is_variable(turn[i : i + 1], name) for turn in turns)
    }
    changing = procedure.bound - kept
    return not any(changing & inner.uses for inner in _escaping(procedure, known))


def _is_variable(argument: tuple[Core, ...], name: str) -> bool:
    match argument:
        case (Local(mentioned),):
            return mentioned == name
        case _:
            return False


def _escaping(procedure: Procedure, known: Knowledge) -> Iterator[Procedure]:
    """The procedures within one that are used as values, so may outlive its frame."""
    for inner in procedure.inner:
        if isinstance(inner.key, str) and inner.key not in known.values:
            yield from _escaping(inner, known)
        else:
            yield inner


def _spread_bouncing(known: Knowledge) -> None:
    """Mark what may return TAIL, and everything that passes such a result on."""
    callers: defaultdict[Key, list[Procedure]] = defaultdict(list)
    marked: list[Key] = []
    for procedure in known.procedures.values():
        for target, _ in procedure.tail_calls:
            callers[target].append(procedure)
            if bounced(known, procedure, target) or (target in known.library and known.library[
                str(target)
            ]):
                procedure.bounces = True
        if procedure.bounces:
            marked.append(procedure.key)
    while marked:
        for caller in callers[marked.pop()]:
            if not caller.bounces:
                caller.bounces = True
                marked.append(caller.key)


def bounced(known: Knowledge, procedure: Procedure, target: Key) -> bool:
    """Whether a tail call from a procedure to a target goes through the driver."""
    if target == procedure.key:
        return not procedure.loops
    other = known.procedures.get(target)
    return target == UNKNOWN or (other is not None and other.circle == procedure.circle)
