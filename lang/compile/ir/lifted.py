"""The language between `lift` and `to_anf`: expressions without procedures inside them.

Every procedure is a `LiftedFunction` of its own; what it uses from outside has become leading
parameters or captures; loops are loops; every variable says how it is kept.

    (let loop ((i 0)) (if (< i n) (loop (+ i 1)) i))
    =>  Loop loop (i 0) (If (PrimCall < i n) (Recur loop (PrimCall + i 1)) i)
"""

from dataclasses import dataclass, field
from enum import Enum

from lambent.lang.compile.ir.anf import KeywordSlot
from lambent.lang.core.ir import Namespace, Special
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Datum
from lambent.lang.syntax.source import Span


class Storage(Enum):
    """How a variable is kept."""

    NAME = "name"  # never assigned
    SLOT = "slot"  # assigned, but only by the function that binds it
    CELL = "cell"  # assigned, and captured by a procedure


@dataclass(frozen=True, slots=True)
class Const:
    value: Datum | Special
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Local:
    """What a variable holds."""

    name: str
    storage: Storage
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Global:
    """A top-level variable that functions see; owned and checked as in `anf.GlobalGet`."""

    name: str
    namespace: Namespace
    owned: bool
    checked: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PrimRef:
    primitive: Primitive
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Unbound:
    """An error when the program gets there."""

    name: str
    hint: str | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class If:
    test: "Lifted"
    then: "Lifted"
    orelse: "Lifted"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Let:
    """A variable, which the forms after it in its Begin see."""

    name: str
    storage: Storage
    value: "Lifted"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Assign:
    """`set!` of a slot or a cell."""

    name: str
    storage: Storage
    value: "Lifted"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class AssignGlobal:
    """A definition or `set!` of a top-level variable; checked as in `anf.GlobalSet`."""

    name: str
    namespace: Namespace
    value: "Lifted"
    checked: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Begin:
    forms: tuple["Lifted", ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PrimCall:
    primitive: Primitive
    arguments: tuple["Lifted", ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class CallFunction:
    """A direct call: the names of the variables that the callee uses from outside, then one
    argument for each of its own parameters.

    bounces: in tail position it must leave the call to the trampoline, since its function and the
    callee may go on calling each other, or since the callee borrows what would die first.
    """

    function: str
    captures: tuple[str, ...]
    arguments: tuple["Lifted", ...]
    bounces: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class CallValue:
    """A call of whatever callee gives.  spread: the last argument is a list of arguments."""

    callee: "Lifted"
    arguments: tuple["Lifted", ...]
    spread: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Closure:
    """A procedure as a value; captures are names of variables (a cell is captured itself)."""

    function: str
    captures: tuple[str, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class LoopStart:
    """A variable of a loop and its first value."""

    name: str
    value: "Lifted"


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop.  lisp_name and span: the procedure that it was, and the call that entered it;
    is_call: it was a call's, not the function's own."""

    label: str
    variables: tuple[LoopStart, ...]
    body: "Lifted"
    lisp_name: str | None
    is_call: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Recur:
    label: str
    arguments: tuple["Lifted", ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TensorLiteral:
    shape: tuple[int, ...]
    elements: tuple["Lifted", ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class GradMode:
    enabled: bool
    body: "Lifted"
    span: Span = field(compare=False, repr=False)


Lifted = (
    Const
    | Local
    | Global
    | PrimRef
    | Unbound
    | If
    | Let
    | Assign
    | AssignGlobal
    | Begin
    | PrimCall
    | CallFunction
    | CallValue
    | Closure
    | Loop
    | Recur
    | TensorLiteral
    | GradMode
)


@dataclass(frozen=True, slots=True)
class LiftedFunction:
    """parameters: what it uses from outside, then its own; captures counts the former where the
    function is a value, and is 0 where it is only called: they are ordinary parameters then."""

    name: str
    lisp_name: str | None
    captures: int
    required: int
    keywords: tuple[KeywordSlot, ...]
    has_rest: bool
    parameters: tuple[str, ...]
    body: Lifted
    as_value: bool
    usage: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class LiftedProgram:
    """variables: the top-level variables that functions see, in the order of their definitions."""

    functions: tuple[LiftedFunction, ...]
    variables: tuple[tuple[str, Namespace], ...]
    main: Lifted
    span: Span = field(compare=False, repr=False)
