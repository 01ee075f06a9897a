"""A-normal form: one operation a statement, control flow in blocks within blocks.

Every operand is a name, every name is bound once in its function, and every binding has a type.
There are no basic blocks and no jumps.  Before `insert_frees` a program holds no Dup and no Free
(`to_text` shows them when they are there):

    fn attend(q: tensor, k: tensor) -> tensor
      t1 = tensor-transpose(k, ...)
      t2 = tensor-matmul(q, t1)
      free t1
      yield t2

Who owns what.  A name of a heap type (VALUE, NUMBER, TENSOR, GRAD_MODE) that a statement binds is
owned by the block that binds it and must be consumed exactly once on every path: freed, yielded,
passed to a parameter that takes it over, or moved to the next turn of a loop.  Exceptions: names
bound by `Literal` and by a `GlobalGet` that is not `owned` are never consumed (the constant or the
variable keeps the value) but duplicated first; a borrowed parameter belongs to the caller, and so
do the parts of it and the variables that `borrow` has marked;
immediates (see `operands.gives_immediate`) are consumed by anybody, any number of times, and never
freed.  When an
operation fails, the operands that it consumes are gone all the same, and the rest of what is live
is released by the emitted cleanup labels.
"""

from dataclasses import dataclass, field
from enum import Enum

from lambent.lang.core.ir import Namespace, Special
from lambent.lang.primitives.table import Primitive, Variant
from lambent.lang.syntax.datum import Boolean, Character, Datum, List, Number
from lambent.lang.syntax.source import Span

FIXNUM_MAX = 2**62 - 1
FIXNUM_MIN = -(2**62)


class Representation(Enum):
    """What a name holds in C."""

    VALUE = "value"  # rt_value: any Lisp value, tagged, counted if on the heap
    FIXNUM = "fixnum"  # int64_t, in the range of a fixnum
    FLOAT = "float"  # double
    NUMBER = "number"  # rt_number: any value, a double without a box
    BOOLEAN = "boolean"  # bool
    TENSOR = "tensor"  # ct_tensor *
    GRAD_MODE = "grad-mode"  # the mode before a GradMode; to free it is to restore it
    VOID = "void"  # no value; the name is never an operand

    @property
    def on_heap(self) -> bool:
        return self in (
            Representation.VALUE,
            Representation.NUMBER,
            Representation.TENSOR,
            Representation.GRAD_MODE,
        )


# Operations.  `span` on the statement is the place an error is reported at.


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant, which nobody need free.

    An immediate is no heap value at all, so its name may be consumed any number of times; before
    any other VALUE literal is consumed, it is duplicated.
    """

    value: Datum | Special

    @property
    def is_immediate(self) -> bool:
        match self.value:
            case Special() | Boolean() | Character():
                return True
            case Number(value):
                return isinstance(value, int) and FIXNUM_MIN <= value <= FIXNUM_MAX
            case List(items, None):
                return not items
            case _:
                return False


@dataclass(frozen=True, slots=True)
class GlobalGet:
    """A top-level variable.  owned: it may change, so the name holds a reference of its own.

    checked: it may not have a value yet, which is an error.
    """

    name: str
    namespace: Namespace
    owned: bool
    checked: bool


@dataclass(frozen=True, slots=True)
class GlobalSet:
    """Give a top-level variable a value, which is consumed.  Binds VOID.

    checked: a `set!`, an error if the variable has no value yet.
    """

    name: str
    namespace: Namespace
    value: str
    checked: bool


@dataclass(frozen=True, slots=True)
class GuardedFastPath:
    """A typed form's C function, and what says whether it may be called.

    tests, unboxed: C expressions in which {0}, {1} ... stand for the arguments, which are values.
    passed: what the function gets; in these they stand for what is unboxed.
    """

    symbol: str
    tests: tuple[str, ...]
    unboxed: tuple[str, ...]
    passed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Apply:
    """A primitive with all its arguments.

    variant: the typed form that inference has chosen.  borrows: the result is a part of the first
    argument, which holds it for as long as the name is used; nobody consumes it.  frees: the
    indices of further arguments that it consumes, since it is arithmetic and their last use.
    speculation: a typed form to try where nothing is known of the arguments.
    """

    primitive: Primitive
    arguments: tuple[str, ...]
    variant: Variant | None = None
    borrows: bool = False
    frees: tuple[int, ...] = ()
    fast_path: GuardedFastPath | None = None


@dataclass(frozen=True, slots=True)
class CallKnown:
    """A direct call; one argument for each parameter of the function, captures first."""

    function: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CallUnknown:
    """A call of a value.  callee is borrowed, the arguments are consumed.

    spread: the last argument is a list of further arguments, as in `apply`.
    """

    callee: str
    arguments: tuple[str, ...]
    spread: bool = False


@dataclass(frozen=True, slots=True)
class PrimitiveValue:
    """A primitive, or an operator of LibTorch, as a value: `(map car lists)`.

    A static closure without captures, so to free it or to duplicate it costs nothing.
    """

    primitive: Primitive


@dataclass(frozen=True, slots=True)
class MakeClosure:
    """A procedure as a value.  The captures (VALUE, all of them) are consumed."""

    function: str
    captures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MakeTensor:
    """A tensor literal; the elements (VALUE) are borrowed.

    spread: there is one, a vector of all.
    """

    shape: tuple[int, ...]
    elements: tuple[str, ...]
    spread: bool = False


@dataclass(frozen=True, slots=True)
class Convert:
    """The operand in another type; it is consumed if it is on the heap.

    From VALUE it can fail: `who` (a procedure's name) and `noun` word the error.  To VALUE it
    cannot, and costs no allocation but for a FLOAT.
    """

    operand: str
    who: str
    noun: str


@dataclass(frozen=True, slots=True)
class Truth:
    """VALUE to BOOLEAN as every test does; borrowed.  It fails on tensors of several elements."""

    operand: str


@dataclass(frozen=True, slots=True)
class IsAbsent:
    """Whether a keyword argument was left out; borrowed."""

    operand: str


@dataclass(frozen=True, slots=True)
class NewCell:
    """A box for a variable that is both captured and assigned; the operand is consumed."""

    operand: str


@dataclass(frozen=True, slots=True)
class CellGet:
    """What a cell holds: a reference of its own.  The cell is borrowed."""

    cell: str


@dataclass(frozen=True, slots=True)
class CellSet:
    """Replace what a cell holds; the value is consumed, the cell borrowed.  Binds VOID."""

    cell: str
    value: str


@dataclass(frozen=True, slots=True)
class NewSlot:
    """A variable that is assigned but not captured: a C variable that owns what it holds.

    The name is the variable, of the statement's type; the operand is consumed.  A slot is an
    operand of SlotGet and SlotSet only; to free it is to free what it holds.
    """

    operand: str


@dataclass(frozen=True, slots=True)
class SlotGet:
    """What a slot holds: a reference of its own.  The slot is borrowed."""

    slot: str


@dataclass(frozen=True, slots=True)
class SlotSet:
    """Free what a slot holds and give it the value, which is consumed.  Binds VOID."""

    slot: str
    value: str


@dataclass(frozen=True, slots=True)
class SetGradMode:
    """Switch recording on or off; the name holds the mode before (GRAD_MODE)."""

    enabled: bool


@dataclass(frozen=True, slots=True)
class RestoreGradMode:
    """Consumes a GRAD_MODE.  Binds VOID."""

    mode: str


@dataclass(frozen=True, slots=True)
class Fail:
    """An error known before the run: an unbound variable, a call that cannot fit.  Binds VALUE."""

    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Dup:
    """Another reference to the same object.  Only `insert_frees` makes these."""

    operand: str


Operation = (
    Literal
    | GlobalGet
    | GlobalSet
    | Apply
    | CallKnown
    | CallUnknown
    | PrimitiveValue
    | MakeClosure
    | MakeTensor
    | Convert
    | Truth
    | IsAbsent
    | NewCell
    | CellGet
    | CellSet
    | NewSlot
    | SlotGet
    | SlotSet
    | SetGradMode
    | RestoreGradMode
    | Fail
    | Dup
)


# Statements and blocks.


@dataclass(frozen=True, slots=True)
class Bind:
    """`name = operation`.

    tail: a call in tail position of a local procedure that has become a loop.  As any tail call it
    leaves no frame in a trace: its place counts only where the error has none yet.
    """

    name: str
    representation: Representation
    operation: Operation
    span: Span = field(compare=False, repr=False)
    tail: bool = False


@dataclass(frozen=True, slots=True)
class If:
    """test is a BOOLEAN.  name gets what the branch yields; VOID where nobody wants it."""

    name: str
    representation: Representation
    test: str
    then: "Block"
    orelse: "Block"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class LoopVariable:
    """initial is consumed when the loop begins; the turn owns name.  Not own: whoever lends the
    function what it holds keeps it, and neither happens."""

    name: str
    representation: Representation
    initial: str
    own: bool = True


@dataclass(frozen=True, slots=True)
class Inlined:
    """The local procedure that a loop was; traces still show it.

    called_at: the call that entered it; None for a tail call, which leaves no frame.
    """

    lisp_name: str | None
    called_at: Span | None = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Loop:
    """Runs body until it yields.  `Recur` with this label begins the next turn.

    inlined: None where the loop is the function's own.
    """

    name: str
    representation: Representation
    label: str
    variables: tuple[LoopVariable, ...]
    body: "Block"
    span: Span = field(compare=False, repr=False)
    inlined: Inlined | None = None


@dataclass(frozen=True, slots=True)
class Free:
    """Release an owned name.  Only `insert_frees` makes these.  after_use: the place of the last
    use, for `show frees`; None where a branch frees what it does not use."""

    name: str
    representation: Representation
    after_use: Span | None = field(compare=False, repr=False)


Statement = Bind | If | Loop | Free


@dataclass(frozen=True, slots=True)
class Yield:
    """The block's value; an owned name is moved out."""

    name: str


@dataclass(frozen=True, slots=True)
class Recur:
    """The next turn of the loop with that label; the operands are consumed, but for those of
    borrowed variables, whose indices are given."""

    label: str
    arguments: tuple[str, ...]
    borrowed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TailKnown:
    """`return f(...)`: the operands are consumed, nothing else may be live."""

    function: str
    arguments: tuple[str, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TailUnknown:
    """Leave the call to the trampoline; callee and operands are consumed.

    spread: the last argument is a list of further arguments, as in `apply`.
    """

    callee: str
    arguments: tuple[str, ...]
    span: Span = field(compare=False, repr=False)
    spread: bool = False


@dataclass(frozen=True, slots=True)
class Raise:
    """The end of a block whose last statement never comes back (Fail, `error`, `exit`).

    What is live there is released as at any failure.
    """


Terminator = Yield | Recur | TailKnown | TailUnknown | Raise


@dataclass(frozen=True, slots=True)
class Block:
    statements: tuple[Statement, ...]
    end: Terminator


@dataclass(frozen=True, slots=True)
class Parameter:
    """own: the caller hands the value over.  Captures are always borrowed, from the closure."""

    name: str
    representation: Representation
    own: bool


@dataclass(frozen=True, slots=True)
class KeywordSlot:
    """Which parameter of a function a keyword fills."""

    keyword: str
    index: int  # among the parameters after the captures


@dataclass(frozen=True, slots=True)
class Function:
    """One C function.

    parameters: captures first, then positional ones, keyword ones, and the rest list.
    lisp_name is what traces and printing show; None for an anonymous procedure.
    usage is the hint of an arity error, after `usage: `.
    as_value: closures of it are made, so it needs an entry that takes its arguments in an array.
    may_tail: a call of it may come back with the trampoline's marker.
    may_fail: a call of it can fail.
    checks_stack: it can be on the stack more than once, so its entry looks how much stack is left.
    """

    name: str
    lisp_name: str | None
    captures: int
    required: int
    keywords: tuple[KeywordSlot, ...]
    has_rest: bool
    parameters: tuple[Parameter, ...]
    result: Representation
    body: Block
    as_value: bool
    may_tail: bool
    may_fail: bool
    checks_stack: bool
    span: Span = field(compare=False, repr=False)
    usage: str = ""


@dataclass(frozen=True, slots=True)
class GlobalVariable:
    """A top-level variable that functions see; it keeps its value until the program ends."""

    name: str
    namespace: Namespace


@dataclass(frozen=True, slots=True)
class Anf:
    """A whole program.  `main` is the function of its top-level forms; it has no parameters.

    Top-level variables that no procedure refers to are ordinary names of main, so that their
    values die at their last use.
    """

    functions: tuple[Function, ...]
    globals: tuple[GlobalVariable, ...]
    main: Function
    uses_tensors: bool
