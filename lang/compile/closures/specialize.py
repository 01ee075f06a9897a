"""Library procedures that take procedures, specialised to the ones that they are given.

    (for-each (lambda (x) (display x)) items)
    =>  a local copy of for-each, in which f is that lambda and `more` is empty

The copy stands where it is called, so the lambda sees what it saw, and `lift` makes loops of both
where it can: then no closure is made, and a step is a jump.  Copies have no frames in traces, as
the procedures of the library have none.

A procedure is copied if it calls the parameter, or passes it on to a procedure that does, and if
what remains of its body is small.  Copies within copies are made a few levels deep only.
"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from lambent.lang.compile.closures.top_level import Key, analyze_top_level
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.core.direct_calls import bound_by
from lambent.lang.core.ir import (
    Call,
    Const,
    Core,
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
from lambent.lang.core.primitive_calls import FOLDED
from lambent.lang.core.traverse import rewrite, walk
from lambent.lang.core.usage import source_name
from lambent.lang.primitives.library import TABLE
from lambent.lang.primitives.signature import Signature
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Boolean, List
from lambent.lang.syntax.source import Source, Span

_LARGEST = 120  # nodes of a body that is copied
_DEEPEST = 4  # copies within copies
_LIBRARY = "stdlib/"  # how the names of its sources begin
_COPIED = "copied "


def specialize(program: Program) -> Program:
    """The program with such calls specialised."""
    procedures = analyze_top_level(program).procedures
    library = {
        key: code
        for key, code in procedures.items()
        if key[1] is Namespace.LIBRARY and not code.keywords
    }
    local = {name for form in program.forms for name in _local_procedures(form)}
    specializer = _Specializer(library, _Callers(library), procedures.keys(), local)
    return Program(tuple([specializer.visited(form, ()) for form in program.forms]))


def _local_procedures(form: Core) -> set[str]:
    """The local variables of a form that hold one known procedure.  Local names are unique."""
    found, assigned = set(), set()
    for node in walk(form):
        match node:
            case Let(name, Lambda()):
                found.add(name)
            case Letrec(bindings):
                found |= {name for name, _ in bindings}
            case SetLocal(name):
                assigned.add(name)
    return found - assigned


@dataclass(frozen=True, slots=True)
class _Copy:
    """A copy around a place.  fixed: what it has for each parameter that it does not take.

    is_own: the outermost copy around it stands in the library itself.
    """

    name: str
    code: Lambda
    is_own: bool
    fixed: Mapping[str, Core]


_Place = tuple[_Copy, ...]  # the copies around a place, outermost first


@dataclass(slots=True)
class _Callers:
    """Which parameters a library procedure calls, or passes on to one that does."""

    known: Mapping[Key, Lambda]
    found: dict[int, frozenset[str]] = field(default_factory=dict)

    def called(self, code: Lambda) -> frozenset[str]:
        if id(code) not in self.found:
            self.found[id(code)] = frozenset()  # while it is looked for: a recursive call
            assigned = {node.name for node in walk(code.body) if isinstance(node, SetLocal)}
            called = {name for node in walk(code.body) for name in self._called_by(node)}
            self.found[id(code)] = frozenset(code.parameters) & called - assigned
        return self.found[id(code)]

    def _called_by(self, node: Core) -> Iterator[str]:
        match node:
            case Call(Local(name)):
                yield name
            case Call(Global(name, namespace), arguments):
                code = self.known.get((name, namespace))
                if code is not None and len(arguments) == len(code.parameters):
                    called = self.called(code)
                    for parameter, argument in zip(code.parameters, arguments, strict=True):
                        if parameter in called and isinstance(argument, Local):
                            yield argument.name


@dataclass(slots=True)
class _Specializer:
    """library: what can be copied.  procedures, local: the variables that hold known procedures."""

    library: Mapping[Key, Lambda]
    callers: _Callers
    procedures: Container[Key]
    local: set[str]
    taken: set[str] = field(default_factory=set)
    numbers: Numbers = field(default_factory=dict)

    def visited(self, core: Core, place: _Place) -> Core:
        return rewrite(core, lambda node: self._changed(node, place))

    def _changed(self, node: Core, place: _Place) -> Core | None:
        if not isinstance(node, Call) or not isinstance(node.function, Global):
            return None
        code = self.library.get((node.function.name, node.function.namespace))
        if code is None or len(node.arguments) != len(code.parameters):
            return None
        for copy in place:
            if copy.code is code:
                return self._again(copy, node, place)
        if len(place) == _DEEPEST:
            return None
        return self._copied(code, node, place)

    def _again(self, copy: _Copy, call: Call, place: _Place) -> Core | None:
        """A recursive call in a copy, if it passes on what the copy has."""
        kept = []
        for name, argument in zip(copy.code.parameters, call.arguments, strict=True):
            if name not in copy.fixed:
                kept.append(self.visited(argument, place))
            elif argument != copy.fixed[name]:
                return None
        return Call(Local(copy.name, call.span), tuple(kept), call.span)

    def _copied(self, code: Lambda, call: Call, place: _Place) -> Core | None:
        """The call of a copy, which the lambdas that it is given surround; None to leave it."""
        called = self.callers.called(code)
        lambdas, fixed, kept, values = [], dict[str, Core](), [], []
        names = {name: self._fresh(name) for node in walk(code) for name in bound_by(node)}
        for name, argument in zip(code.parameters, call.arguments, strict=True):
            if name in called and isinstance(argument, Lambda):
                fixed[name] = Local(names[name], argument.span)
                lambdas.append((names[name], argument))
            elif name in called and self._is_known(argument):
                fixed[name] = argument
            else:
                kept.append(names[name])
                values.append(argument)
        if not fixed:
            return None
        is_own = place[0].is_own if place else call.span.source.name.startswith(_LIBRARY)
        span = code.span if is_own else _copied_span(code.span)
        rest = {code.rest: Const(List((), None, call.span), call.span)} if code.rest else {}
        body = _Renamer(names, {**fixed, **rest}, is_own).renamed(code.body)
        if _size(body) > _LARGEST:
            return None
        self.local |= {name for name, _ in lambdas}
        own = self._fresh(code.name or "copy")
        body = self.visited(body, (*place, _Copy(own, code, is_own, fixed)))
        copy = Lambda(code.name, tuple(kept), (), None, body, span)
        arguments = tuple([self.visited(value, place) for value in values])
        made: Core = Call(Local(own, call.span), arguments, call.span)
        made = Letrec(((own, copy),), made, call.span)
        for name, value in reversed(lambdas):
            made = Let(name, self.visited(value, place), made, call.span)
        return made

    def _is_known(self, argument: Core) -> bool:
        match argument:
            case PrimRef():
                return True
            case Global(name, namespace):
                return (name, namespace) in self.procedures
            case Local(name):
                return name in self.local
        return False

    def _fresh(self, name: str) -> str:
        name = fresh(f"{source_name(name)}.copy", self.taken, self.numbers)
        self.taken.add(name)
        return name


def _copied_span(span: Span) -> Span:
    """The span of a copy of the library's in a program: it is not compiled with the library."""
    name = span.source.name
    source = span.source if name.startswith(_COPIED) else _copied_source(name)
    return Span(source, span.start, span.end)


@cache
def _copied_source(name: str) -> Source:
    return Source(f"{_COPIED}{name}", "", library=True)


def _size(core: Core) -> int:
    return sum(1 for _ in walk(core))


@dataclass(frozen=True, slots=True)
class _Renamer:
    """Copies Core with other names for its variables, and known values for some of them.

    is_own: the copy is for the library itself.
    """

    names: Mapping[str, str]
    values: Mapping[str, Core]
    is_own: bool

    def renamed(self, core: Core) -> Core:
        return rewrite(core, self._changed)

    def _changed(self, node: Core) -> Core | None:
        names, renamed = self.names, self.renamed
        match node:
            case Local(name, span):
                return self.values.get(name) or Local(names[name], span)
            case Call(Local(name), arguments, span) if name in self.values:
                given = tuple([renamed(argument) for argument in arguments])
                return _called(self.values[name], given, span)
            case SetLocal(name, value):
                return replace(node, name=names[name], value=renamed(value))
            case Let(name, value, body):
                return replace(node, name=names[name], value=renamed(value), body=renamed(body))
            case Letrec(bindings, body):
                pairs = [(names[name], _lambda(renamed(code))) for name, code in bindings]
                return replace(node, bindings=tuple(pairs), body=renamed(body))
            case Lambda():
                return replace(
                    node, parameters=tuple([names[name] for name in node.parameters]),
                    keywords=tuple([replace(k, name=names[k.name]) for k in node.keywords]),
                    rest=node.rest and names[node.rest], body=renamed(node.body),
                    span=node.span if self.is_own else _copied_span(node.span),
                )  # fmt: skip
            case If(test, then, orelse):
                decided = _decided(renamed(test))
                return None if decided is None else renamed(then if decided else orelse)
        return None


def _lambda(core: Core) -> Lambda:
    assert isinstance(core, Lambda), core
    return core


def _called(function: Core, arguments: tuple[Core, ...], span: Span) -> Core:
    """A call of a known procedure: of a primitive where its signature says that it fits."""
    primitive: Primitive | None = None
    match function:
        case PrimRef():
            primitive = function.primitive
        case Global(name, Namespace.LIBRARY) if name in FOLDED and len(arguments) == 2:
            primitive = TABLE[name]
    if primitive is not None and _takes_exactly(primitive.signature, len(arguments)):
        return PrimCall(primitive, arguments, span)
    return Call(function, arguments, span)


def _takes_exactly(signature: Signature, count: int) -> bool:
    return not signature.takes_keywords and signature.least == signature.most == count


def _decided(test: Core) -> bool | None:
    """The outcome of a test of constants."""
    match test:
        case Const(Boolean(value)):
            return value
        case PrimCall(primitive, (Const(List((), None)),)) if primitive.name == "null?":
            return True
    return None
