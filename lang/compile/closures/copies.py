"""Copies of procedures, for the passes that put them where they are called.

    (define (add x y) (let ((z (+ x y))) (f z)))   copied for y = 1
    =>  (let ((z.copy (+ x.copy 1))) (f z.copy))

Every variable that a copy binds has a new name, because local names are unique in a program.  Every
call and every Lambda in it is a new object: `collect` tells them apart by their identity.
"""

from collections.abc import Mapping
from functools import cache

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
    SetLocal,
)
from lambent.lang.core.primitive_calls import FOLDED
from lambent.lang.core.traverse import rewrite
from lambent.lang.primitives.library import TABLE
from lambent.lang.primitives.signature import Signature
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Boolean, List
from lambent.lang.syntax.source import Source, Span
from lambent.lang.system.dataclass import dataclass, replace

_COPIED = "copied "


@dataclass(frozen=True, slots=True)
class Renamer:
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
                return self.values.get(name) or Local(names.get(name, name), span)
            case Call(function, arguments, span):
                given = tuple([renamed(argument) for argument in arguments])
                callee = renamed(function)
                if span.source.library and isinstance(function, Local):
                    return known_call(callee, given, span)
                return Call(callee, given, span)
            case SetLocal(name, value):
                return replace(node, name=names.get(name, name), value=renamed(value))
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
                    span=node.span if self.is_own else copied_span(node.span),
                )  # fmt: skip
            case If(test, then, orelse, span) if span.source.library:
                # Of the program's own tests, `inline` keeps the locations.
                decided = _decided(renamed(test))
                return None if decided is None else renamed(then if decided else orelse)
        return None


def _lambda(core: Core) -> Lambda:
    assert isinstance(core, Lambda), core
    return core


def known_call(
    function: Core, arguments: tuple[Core, ...], span: Span, *, tail: bool = False
) -> Call | PrimCall:
    """A call of a known procedure: of a primitive where its signature says that it fits.

    tail: it is a tail call of the program's.  In traces, a procedure of the library then stands for
    the caller, which a primitive does not.
    """
    primitive: Primitive | None = None
    match function:
        case PrimRef():
            primitive = function.primitive
        case Global(name, Namespace.LIBRARY) if name in FOLDED and len(arguments) == 2 and not tail:
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


def copied_span(span: Span) -> Span:
    """The span of a copy of the library's in a program: it is not compiled with the library."""
    name = span.source.name
    if not span.source.library or name.startswith(_COPIED):
        return span
    return Span(_copied_source(name), span.start, span.end)


@cache
def _copied_source(name: str) -> Source:
    return Source(f"{_COPIED}{name}", "", library=True)
