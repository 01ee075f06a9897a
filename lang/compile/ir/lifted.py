"""The language between `lift` and `to_anf`: expressions without procedures inside them.

Every procedure is a `LiftedFunction` of its own.  The outer variables that it uses have become
leading parameters or captures, local loops are `Loop`s, and every variable has a `Storage`.

    (let loop ((i 0)) (if (< i n) (loop (+ i 1)) i))
    =>  Loop loop (i 0) (If (PrimCall < i n) (Recur loop (PrimCall + i 1)) i)
"""

from enum import Enum

from lambent.lang.compile.ir.anf import KeywordSlot
from lambent.lang.compile.ir.owner import Owner
from lambent.lang.core.ir import Namespace, Special
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Datum
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field


class Storage(Enum):
    """How a variable is kept."""

    NAME = "name"  # never assigned
    SLOT = "slot"  # assigned, only by the function that binds it
    CELL = "cell"  # assigned, and captured by a procedure


@dataclass(frozen=True, slots=True)
class Const:
    value: Datum | Special
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Local:
    """The value of a variable."""

    name: str
    storage: Storage
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Global:
    """A top-level variable that functions use; owned and checked as in `anf.GlobalGet`."""

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
    """An error when the program evaluates it."""

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
    """A variable that is visible to the following forms of its Begin."""

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
    """A direct call.

    captures: the outer variables that the callee uses.  arguments: one for each of its own
    parameters.  through_trampoline: in tail position the call must go through the trampoline,
    because caller and callee may call each other for ever, or because the callee borrows what the
    caller must free before.  caught: its failure becomes a value.
    """

    function: str
    captures: tuple[str, ...]
    arguments: tuple["Lifted", ...]
    through_trampoline: bool
    span: Span = field(compare=False, repr=False)
    caught: bool = False


@dataclass(frozen=True, slots=True)
class CallValue:
    """An indirect call of a value.  spread: the last argument is a list of arguments."""

    callee: "Lifted"
    arguments: tuple["Lifted", ...]
    spread: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Closure:
    """A procedure as a value.  captures: names of variables (a cell is captured itself)."""

    function: str
    captures: tuple[str, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class LoopStart:
    """A variable of a loop and its initial value."""

    name: str
    value: "Lifted"


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop.  lisp_name and span: of the inlined procedure, and of the call that entered it.
    is_call: False for the loop that is the body of its function."""

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
    """A function.  parameters: the outer variables that it uses, then its own.  captures: how many
    outer ones there are if the function escapes; 0 if it is only called, since they are ordinary
    parameters then."""

    name: str
    lisp_name: str | None
    captures: int
    required: int
    keywords: tuple[KeywordSlot, ...]
    has_rest: bool
    parameters: tuple[str, ...]
    body: Lifted
    escapes: bool
    usage: str
    owner: Owner
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ExternalFunction:
    """A function of the library that is compiled elsewhere.  library_name: of its definition, of
    which name may be another.  parameters: how many it has."""

    name: str
    library_name: str
    parameters: int


@dataclass(frozen=True, slots=True)
class LiftedProgram:
    """variables: the top-level variables that functions use, in the order of their definitions.
    exports: the functions that other code of the library's may call, or use as values.  tensors:
    whether the program may use tensors.  is_open: as in `core.ir.Program`."""

    functions: tuple[LiftedFunction, ...]
    variables: tuple[tuple[str, Namespace], ...]
    main: Lifted
    span: Span = field(compare=False, repr=False)
    externals: tuple[ExternalFunction, ...] = ()
    exports: frozenset[str] = frozenset()
    tensors: bool = True
    is_open: bool = False
