"""Core as text: what `lambent show core` prints.

    (define f
      (lambda f (x)
        (if (#%> x 0) (#%car x) #<unspecified>)))

`#%car` is a primitive, `library:map` a variable of the library, `(unbound y)` an unbound name;
every other name is a variable of the program.
"""

from typing import assert_never

from lambent.lang.core.ir import (
    Begin,
    Call,
    Const,
    Core,
    Define,
    Global,
    GradMode,
    If,
    Lambda,
    Let,
    Letrec,
    Local,
    Namespace,
    PrimCall,
    PrimRef,
    Program,
    SetGlobal,
    SetLocal,
    Special,
    TensorLiteral,
    Unbound,
)
from lambent.lang.deep import call_deep
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Datum, List, Symbol
from lambent.lang.syntax.layout import Form, Shape, form, layout
from lambent.lang.syntax.text import symbol_text
from lambent.lang.syntax.text import to_text as datum_text


def to_text(program: Program) -> str:
    """The program's forms, each beginning on a new line."""
    return call_deep(lambda: "".join(layout(_shape(core)) + "\n" for core in program.forms))


def _shape(core: Core) -> Shape:
    match core:
        case Const(value):
            return constant_text(value)
        case Local(name):
            return symbol_text(name)
        case Global(name, namespace):
            return global_text(name, namespace)
        case Unbound(name):
            return form("unbound", symbol_text(name))
        case PrimRef(primitive):
            return _primitive_name(primitive)
        case If(test, then, orelse):
            return form("if", _shape(test), _shape(then), _shape(orelse))
        case Let():
            return _let(core)
        case Letrec(bindings, body):
            return form("letrec", _pairs(list(bindings)), *_body(body))
        case Lambda():
            return _lambda(core)
        case Call(function, arguments):
            return form(_shape(function), *_row(arguments))
        case PrimCall(primitive, arguments):
            return form(_primitive_name(primitive), *_row(arguments))
        case TensorLiteral(shape, elements):
            sizes = f"({' '.join(map(str, shape))})"
            return form("tensor-literal", sizes, *_row(elements))
        case Begin(forms):
            return form("begin", *_row(forms))
        case GradMode(enabled, body):
            return form("with-grad" if enabled else "no-grad", *_body(body))
        case SetLocal(name, value):
            return form("set!", symbol_text(name), _shape(value))
        case SetGlobal(name, namespace, value):
            return form("set!", global_text(name, namespace), _shape(value))
        case Define(name, namespace, value):
            return form("define", global_text(name, namespace), _shape(value))
    assert_never(core)


def constant_text(value: Datum | Special) -> str:
    """A constant as the text of every stage shows it."""
    match value:
        case Special():
            return f"#<{value.value}>"
        case Symbol() | List():
            return "'" + datum_text(value)
    return datum_text(value)


def global_text(name: str, namespace: Namespace) -> str:
    """The name of a global variable, with its namespace unless that is the program's."""
    return symbol_text(name) if namespace is Namespace.PROGRAM else f"library:{symbol_text(name)}"


def _primitive_name(primitive: Primitive) -> str:
    return f"#%{symbol_text(primitive.name)}"


def _row(cores: tuple[Core, ...]) -> list[Shape]:
    return [_shape(core) for core in cores]


def _body(core: Core) -> list[Shape]:
    return _row(core.forms) if isinstance(core, Begin) else [_shape(core)]


def _let(core: Let) -> Shape:
    """Nested Lets are shown as one `let*`."""
    pairs: list[tuple[str, Core]] = []
    body: Core = core
    while isinstance(body, Let):
        pairs.append((body.name, body.value))
        body = body.body
    return form("let*", _pairs(pairs), *_body(body))


def _pairs(pairs: list[tuple[str, Core]]) -> Form:
    # A Form without a head: the pairs are aligned below each other.
    return Form(tuple([form(symbol_text(name), _shape(value)) for name, value in pairs]))


def _lambda(core: Lambda) -> Shape:
    """`(lambda name (x :dim dim . rest) body)`; the name is `_` for an anonymous one."""
    parameters = [symbol_text(name) for name in core.parameters]
    for keyword in core.keywords:
        parameters += [f":{keyword.keyword}", symbol_text(keyword.name)]
    row = f"({' '.join(parameters)})"
    if core.rest is not None:
        rest = symbol_text(core.rest)
        row = f"({' '.join([*parameters, '.', rest])})" if parameters else rest
    head = f"{'_' if core.name is None else symbol_text(core.name)} {row}"
    return form("lambda", head, *_body(core.body))
