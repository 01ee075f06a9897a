"""Facts for inlining: how variables are used, and what a procedure's body is like.

    (define (keep ok? items) (if (ok? (car items)) ... (keep ok? (cdr items))))
    =>  30 nodes, calls ok?, calls itself

`inline` looks at the text of the program only once, and at each procedure only once.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import islice

from lambent.lang.compile.closures.first_uses import Key
from lambent.lang.compile.closures.top_level import TopLevel
from lambent.lang.core.direct_calls import bound_by, parameters_of
from lambent.lang.core.dynamic_state import is_in_control, is_try
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
    Namespace,
    PrimCall,
    PrimRef,
    Program,
    SetLocal,
)
from lambent.lang.core.record_calls import record_operation
from lambent.lang.core.traverse import walk
from lambent.lang.primitives.effects import NOTHING, Allocation, Memory
from lambent.lang.primitives.library import TABLE
from lambent.lang.primitives.signature import Type
from lambent.lang.syntax.datum import Boolean, Bytes, Character, Labelled, List, Number, Vector
from lambent.lang.system.dataclass import dataclass, field

_MOST_NODES = 500  # of a procedure that is looked at


@dataclass(frozen=True, slots=True)
class Body:
    """code: kept, so that its identity stays its own.  binds: all variables bound in it.

    called: the parameters that it calls, or passes on to procedures that do.  is_recursive: it
    mentions itself.  may_move: it can stand in a procedure of the program.  of_fields: it reads or
    makes records, and calls nothing.  of_elements: it reads or writes vectors, and otherwise only
    computes with numbers, without a branch.
    """

    code: Lambda
    size: int
    binds: tuple[str, ...]
    called: frozenset[str]
    is_recursive: bool
    may_move: bool
    of_fields: bool = False
    of_elements: bool = False

    @property
    def is_too_large(self) -> bool:
        """Whether it has not been looked at completely."""
        return self.size == _MOST_NODES


@dataclass(slots=True)
class Facts:
    """procedures: the top-level variables that hold one known procedure, if its body is known, too.
    elsewhere: those of the library whose body is not.  keys: the procedures' variables, by the
    identity of the procedure.  constants: those that hold one number, boolean, character, primitive
    or known procedure, wherever they are read.  assigned: the local variables that some `set!`
    changes.  uses, global_uses: how often the text mentions a variable."""

    procedures: Mapping[Key, Lambda]
    keys: Mapping[int, Key]
    constants: Mapping[Key, Const | PrimRef | Global]
    elsewhere: Set[str] = frozenset()
    assigned: set[str] = field(default_factory=set)
    uses: Counter[str] = field(default_factory=Counter)
    global_uses: Counter[Key] = field(default_factory=Counter)
    _bodies: dict[int, Body] = field(default_factory=dict)
    _called: dict[int, frozenset[str]] = field(default_factory=dict)
    _repeats: dict[int, bool] = field(default_factory=dict)

    @staticmethod
    def of(program: Program, top: TopLevel) -> "Facts":
        copies = program.externals.copies
        known = {**top.procedures, **{(n, Namespace.LIBRARY): c for n, c in copies.items()}}
        keys = {id(code): key for key, code in known.items()}
        elsewhere = program.externals.heads.keys()
        facts = Facts(known, keys, _constants(program, top), elsewhere)
        uses: list[str] = []
        global_uses: list[Key] = []
        for form in program.forms:
            for node in walk(form):
                if isinstance(node, Local):
                    uses.append(node.name)
                elif isinstance(node, Global):
                    global_uses.append((node.name, node.namespace))
                elif isinstance(node, SetLocal):
                    facts.assigned.add(node.name)
        for code in copies.values():
            nodes = list(walk(code))
            uses += [node.name for node in nodes if isinstance(node, Local)]
            facts.assigned |= {node.name for node in nodes if isinstance(node, SetLocal)}
        facts.uses.update(uses)
        facts.global_uses.update(global_uses)
        for key, held in facts.constants.items():
            if isinstance(held, Global):
                facts.global_uses[held.name, held.namespace] += facts.global_uses[key]
        return facts

    def body(self, code: Lambda) -> Body:
        found = self._bodies.get(id(code))
        if found is None:
            found = self._bodies[id(code)] = self._looked_at(code)
        return found

    def _looked_at(self, code: Lambda) -> Body:
        nodes = list(islice(walk(code), _MOST_NODES))
        if len(nodes) == _MOST_NODES:
            # Procedures may be nested a thousand deep: each is looked at up to a limit.
            return Body(code, _MOST_NODES, (), frozenset(), is_recursive=True, may_move=False)
        key = self.keys.get(id(code))
        accesses = sum(map(self._is_access, nodes))
        return Body(
            code,
            len(nodes) - accesses,
            tuple([name for node in nodes for name in bound_by(node)]),
            self.called(code),
            key is not None and any(_is_global(node, key) for node in nodes),
            not is_in_control(code.span) and not any(_must_stay(node) for node in nodes),
            0 < accesses == sum(isinstance(node, Call | Lambda) for node in nodes[1:]),
            _computes_with_elements(nodes[1:]),
        )

    def _is_access(self, node: Core) -> bool:
        """Whether it is a call of a record type's procedure, which is one operation."""
        match node:
            case Call(Global(name, namespace)):
                return record_operation(self.procedures.get((name, namespace)), node) is not None
        return False

    def called(self, code: Lambda) -> frozenset[str]:
        """The parameters that a procedure calls, or passes on to a known one that does."""
        if id(code) not in self._called:
            self._called[id(code)] = frozenset()  # while it is looked for: a recursive call
            called = {name for node in walk(code.body) for name in self._called_by(node)}
            found = frozenset(parameters_of(code)) & called - self.assigned
            self._called[id(code)] = found
        return self._called[id(code)]

    def _called_by(self, node: Core) -> Iterator[str]:
        match node:
            case Call(Local(name)):
                yield name
            case Call(Global(name, namespace), arguments):
                code = self.procedures.get((name, namespace))
                if code is not None and len(arguments) == len(code.parameters):
                    called = self.called(code)
                    for parameter, argument in zip(code.parameters, arguments, strict=True):
                        if parameter in called and isinstance(argument, Local):
                            yield argument.name

    def repeats(self, code: Lambda) -> bool:
        """Whether a procedure may call what it is given many times: it loops, or passes that on to
        one that does."""
        if id(code) not in self._repeats:
            self._repeats[id(code)] = True  # while it is looked for: a recursive call
            called = self.called(code)
            self._repeats[id(code)] = any(self._repeats_at(n, called) for n in walk(code.body))
        return self._repeats[id(code)]

    def _repeats_at(self, node: Core, called: Set[str]) -> bool:
        match node:
            case Letrec():
                return True
            case PrimCall(primitive):
                return primitive.effects.may_call and not is_try(primitive)
            case Call(Global(name, namespace), arguments):
                code = self.procedures.get((name, namespace))
                takes_procedure = any(
                    isinstance(argument, Lambda)
                    or (isinstance(argument, Local) and argument.name in called)
                    for argument in arguments
                )
                return takes_procedure and code is not None and self.repeats(code)
        return False

    def is_atom(self, core: Core) -> bool:
        """Whether an expression can stand wherever a variable that it is the value of does."""
        match core:
            case Const() | PrimRef():
                return True
            case Local(name):
                return name not in self.assigned
            case Global(name, namespace):
                return (name, namespace) in self.procedures or (
                    namespace is Namespace.LIBRARY and name in self.elsewhere
                )
        return False


def _constants(program: Program, top: TopLevel) -> dict[Key, Const | PrimRef | Global]:
    """The variables that are defined once, before any use, as a constant without an object or as
    another name of a procedure."""
    found: dict[Key, Const | PrimRef | Global] = {}
    for form in program.forms:
        if isinstance(form, Define):
            key = form.name, form.namespace
            held = _held(form.value, top, found)
            variable = top.variables.get(key)
            if held is not None and variable is not None and variable.once and not variable.early:
                found[key] = held
    return found


def _held(
    value: Core, top: TopLevel, found: Mapping[Key, Const | PrimRef | Global]
) -> Const | PrimRef | Global | None:
    """What stands for a variable with this value."""
    match value:
        case Const(Number() | Boolean() | Character()) | PrimRef():
            return value
        case Global(name, namespace) if (name, namespace) in top.procedures:
            return value
        case Global(name, Namespace.LIBRARY) if name in top.externals.heads:
            return value
        case Global(name, namespace):
            return found.get((name, namespace))
    return None


def _is_global(node: Core, key: Key) -> bool:
    return isinstance(node, Global) and (node.name, node.namespace) == key


def _computes_with_elements(nodes: Sequence[Core]) -> bool:
    """Whether expressions read or write vectors, and otherwise only compute with numbers."""
    memory = NOTHING
    for node in nodes:
        match node:
            case PrimCall(primitive):
                effects = primitive.effects
                if effects.may_call or Allocation.OBJECTS in effects.allocates:
                    return False
                memory |= effects.reads | effects.writes
            case Const() | Local() | Global() | PrimRef() | Let() | Begin():
                continue
            case _:
                return False
    return memory == Memory.VECTOR


def _must_stay(node: Core) -> bool:
    match node:
        case PrimCall(primitive):
            return is_try(primitive)
        case Const(List(items)):
            return bool(items)
        case Const(Vector() | Bytes() | Labelled()):
            return True  # one object, whose identity programs can see
    return False


def cannot_fail(core: Core) -> bool:
    """Whether an expression only computes: nothing in it can fail, call or loop."""
    match core:
        case Const() | Local() | PrimRef() | Lambda():
            return True
        case PrimCall(primitive, (test,)) if primitive is TABLE["not"]:
            return is_boolean(test) and cannot_fail(test)
        case PrimCall(primitive, arguments):
            effects = primitive.effects
            plain = not (effects.may_fail or effects.may_call or effects.never_returns)
            return plain and not primitive.takes_tensors and all(map(cannot_fail, arguments))
        case If(test, then, orelse):
            return is_boolean(test) and all(map(cannot_fail, (test, then, orelse)))
        case Let(_, value, body):
            return cannot_fail(value) and cannot_fail(body)
    return False


def is_boolean(core: Core) -> bool:
    """Whether an expression is a call that returns a boolean, so that a test of it cannot fail."""
    return isinstance(core, PrimCall) and core.primitive.signature.result is Type.BOOLEAN
