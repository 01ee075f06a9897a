"""A-normal form: one operation a statement, control flow in blocks within blocks.

Every operand is a name, every name is bound once in its function, and every binding has a
representation in C.  There are no basic blocks and no jumps.  Before `insert_frees` a program holds
no Dup and no Free (`to_text` shows both):

    fn attend(q: tensor, k: tensor) -> tensor
      t1 = tensor-transpose(k, ...)
      t2 = tensor-matmul(q, t1)
      free t1
      yield t2

Ownership.  A name on the heap (VALUE, NUMBER, TENSOR, GRAD_MODE) that a statement binds is owned by
the block that binds it.  It must be consumed exactly once on every path: freed, yielded, passed to
a parameter that takes it over, or moved to the next iteration of a loop.  Exceptions:

  - The value of a `Literal`, or of a `GlobalGet` that is not `owned`, is kept by the constant or
    the variable.  The name is never consumed; it is duplicated first.
  - A borrowed parameter belongs to the caller, and so do the projections and the loop variables
    that the pass `borrow` makes borrowed.
  - Immediates (see `operands.returns_immediate`) may be consumed any number of times, and are never
    freed.

When an operation fails, it has consumed its operands all the same.  Its cleanup releases everything
else that is live.
"""

import math
from enum import Enum

from lambent.lang.compile.ir.owner import Owner
from lambent.lang.core.ir import Namespace, Special
from lambent.lang.primitives.effects import Memory
from lambent.lang.primitives.ranges import FIXNUMS, Range
from lambent.lang.primitives.table import Container, Primitive, Variant
from lambent.lang.syntax.datum import Boolean, Character, Datum, List, Number
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field


def fits_in_word(number: float) -> bool:
    """Whether a double as a VALUE needs no object: `rt_of_double` in runtime/rt.h."""
    if number == 0:
        return math.copysign(1, number) > 0
    return number != 2.0**-127 and 2.0**-127 <= abs(number) < 2.0**129


class Representation(Enum):
    """How C holds the value of a name."""

    __hash__ = object.__hash__  # Enum has one in Python, which takes long

    VALUE = "value"  # rt_value: any Lisp value, tagged, counted if on the heap
    FIXNUM = "fixnum"  # int64_t, in the range of a fixnum
    FLOAT = "float"  # double
    NUMBER = "number"  # rt_number: any value, a double without a box
    BOOLEAN = "boolean"  # bool
    TENSOR = "tensor"  # ct_tensor *
    GRAD_MODE = "grad-mode"  # the mode before a SetGradMode; freeing it restores the mode
    VOID = "void"  # no value; the name is never an operand

    @property
    def on_heap(self) -> bool:
        return self in (
            Representation.VALUE,
            Representation.NUMBER,
            Representation.TENSOR,
            Representation.GRAD_MODE,
        )


# Operations.  An error is reported at the `span` of the statement.


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant, which is never freed.

    An immediate is not on the heap, so its name may be consumed any number of times.  Any other
    VALUE literal is duplicated before it is consumed.
    """

    value: Datum | Special

    @property
    def is_immediate(self) -> bool:
        match self.value:
            case Special() | Boolean() | Character():
                return True
            case Number(float(value)):
                return fits_in_word(value)
            case Number(value):
                return isinstance(value, int) and value in FIXNUMS
            case List(items, None):
                return not items
            case _:
                return False


@dataclass(frozen=True, slots=True)
class GlobalGet:
    """The value of a top-level variable.

    owned: the variable may change, so the name holds a reference of its own.  checked: the variable
    may not have a value yet, which is an error.
    """

    name: str
    namespace: Namespace
    owned: bool
    checked: bool


@dataclass(frozen=True, slots=True)
class GlobalSet:
    """Set a top-level variable to a value, which is consumed.  Binds VOID.

    checked: it is a `set!` of a variable that may not have a value yet, which is an error.
    """

    name: str
    namespace: Namespace
    value: str
    checked: bool


@dataclass(frozen=True, slots=True)
class Apply:
    """A primitive with all its arguments.

    variant: the typed overload that inference has chosen.  borrows: the result is a borrowed
    projection, an element or a field of the first argument, which keeps it alive while the name is
    used.  frees: the indices of further arguments that the operation consumes, because it is their
    last use.  field: it reads this field, `car`, `cdr` or an index, of its first argument, which
    certainly has it, so it cannot fail.
    """

    primitive: Primitive
    arguments: tuple[str, ...]
    variant: Variant | None = None
    borrows: bool = False
    frees: tuple[int, ...] = ()
    field: str | int | None = None


@dataclass(frozen=True, slots=True)
class DirectCall:
    """A direct call, with an argument for each parameter of the function, captures first.

    caught: where the call fails, the result is the sign of that, RT_ERROR, which the next statement
    turns into a value; it is `%or-failure` or `%or-escape`.
    is_tail: it was a tail call of the function, so the function has no frame in a trace any more.
    """

    function: str
    arguments: tuple[str, ...]
    caught: bool = False
    is_tail: bool = False


@dataclass(frozen=True, slots=True)
class IndirectCall:
    """A call of a procedure that is a value.  callee is borrowed, the arguments are consumed.

    spread: the last argument is a list of further arguments, as in `apply`.  is_last: the operation
    consumes callee, because it is its last use.
    """

    callee: str
    arguments: tuple[str, ...]
    spread: bool = False
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class PrimitiveValue:
    """A primitive, or an operator of LibTorch, as a value: `(map car lists)`.

    It is a static closure without captures, so freeing or duplicating it costs nothing.
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

    spread: there is one element name, a vector of all elements.
    """

    shape: tuple[int, ...]
    elements: tuple[str, ...]
    spread: bool = False


@dataclass(frozen=True, slots=True)
class Convert:
    """The operand in another representation; the operand is consumed if it is on the heap.

    A conversion from VALUE can fail: `who` (a procedure's name) and `noun` word the error.  A
    conversion to VALUE cannot fail, and allocates only for a FLOAT.  fits: a test has found that
    the operand can be converted, so it cannot fail.
    """

    operand: str
    who: str
    noun: str
    fits: bool = False


@dataclass(frozen=True, slots=True)
class Truth:
    """Whether a VALUE is true as a test.  The operand is borrowed.  Fails for tensors of several
    elements.  plain: the operand is not a tensor (`plain_truths.py`), so it cannot fail."""

    operand: str
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Doubles:
    """The type of a vector of doubles without boxes (RT_DOUBLES in runtime/rt.h), of this length
    at least.  A store of something else ends that it has this type."""

    length: int

    @property
    def value(self) -> str:
        return f"doubles({self.length})"


@dataclass(frozen=True, slots=True)
class HaveTypes:
    """Whether VALUEs and NUMBERs hold what these representations can hold: fixnums, doubles,
    tensors; or whether VALUEs are vectors of doubles.  The operands are borrowed."""

    operands: tuple[str, ...]
    types: tuple[Representation | Doubles, ...]


@dataclass(frozen=True, slots=True)
class Refine:
    """The operand, which the test around has found to be a fixnum or a double.  `convert` replaces
    it by a conversion."""

    operand: str
    type: Representation


@dataclass(frozen=True, slots=True)
class IsAbsent:
    """Whether a keyword argument was left out; the operand is borrowed."""

    operand: str


@dataclass(frozen=True, slots=True)
class NewCell:
    """A box for a variable that is both captured and assigned; the operand is consumed."""

    operand: str


@dataclass(frozen=True, slots=True)
class CellGet:
    """The value in a cell, as a reference of its own.  The cell is borrowed."""

    cell: str


@dataclass(frozen=True, slots=True)
class CellSet:
    """Replace the value in a cell.  The value is consumed, the cell borrowed.  Binds VOID."""

    cell: str
    value: str


@dataclass(frozen=True, slots=True)
class NewSlot:
    """A variable that is assigned but not captured: a C variable that owns its value.

    The name is the variable, in the statement's representation; the operand is consumed.  A slot is
    an operand of SlotGet and SlotSet only.  Freeing it frees its value.
    range: of all its values, if they are fixnums.
    """

    operand: str
    range: Range = FIXNUMS


@dataclass(frozen=True, slots=True)
class SlotGet:
    """The value in a slot, as a reference of its own.  The slot is borrowed."""

    slot: str


@dataclass(frozen=True, slots=True)
class SlotSet:
    """Free the value in a slot and replace it; the new value is consumed.  Binds VOID."""

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
class CheckStack:
    """Fails if the recursion is too deep, or the user has pressed Ctrl-C.  Binds VOID.  Only
    `place_stack_checks` inserts these."""


@dataclass(frozen=True, slots=True)
class Fail:
    """An error that is certain before the run: an unbound variable, a call that cannot fit.  Binds
    VALUE."""

    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Dup:
    """Another reference to the same object.  Only `insert_frees` inserts these."""

    operand: str


Operation = (
    Literal
    | GlobalGet
    | GlobalSet
    | Apply
    | DirectCall
    | IndirectCall
    | PrimitiveValue
    | MakeClosure
    | MakeTensor
    | Convert
    | Truth
    | HaveTypes
    | Refine
    | IsAbsent
    | NewCell
    | CellGet
    | CellSet
    | NewSlot
    | SlotGet
    | SlotSet
    | SetGradMode
    | RestoreGradMode
    | CheckStack
    | Fail
    | Dup
)


# Statements and blocks.


@dataclass(frozen=True, slots=True)
class Inlined:
    """A local procedure that has become a loop, or a part of a block; traces still show it.

    call: what entered it.  has_frame: a tail call leaves none.
    """

    lisp_name: str | None
    call: Span = field(compare=False, repr=False)
    has_frame: bool = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Bind:
    """`name = operation`.

    tail: a call in tail position of a local procedure that has become a loop.  Like any tail call
    it leaves no frame in a trace: its location is used only if the error has none yet.
    cleanup: what is released if the operation fails; None if it cannot.  `place_cleanups` writes
    all cleanups.
    inlined: the procedures that it comes from, the innermost last, besides those of the loops
    around; `simplify` has put their bodies here.
    """

    name: str
    representation: Representation
    operation: Operation
    span: Span = field(compare=False, repr=False)
    tail: bool = False
    cleanup: tuple[str, ...] | None = None
    inlined: tuple[Inlined, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class If:
    """test is a BOOLEAN.  name is bound to the value of the branch; VOID if that is not used.

    own: name owns that value.  Otherwise it is borrowed from the owner of the value, outside of the
    function.
    """

    name: str
    representation: Representation
    test: str
    then: "Block"
    orelse: "Block"
    span: Span = field(compare=False, repr=False)
    own: bool = True


@dataclass(frozen=True, slots=True)
class LoopVariable:
    """A variable of a loop.

    own: initial is consumed when the loop begins, and each iteration owns name.  Otherwise both are
    borrowed from the owner of the value, outside of the function.
    range: of all its values, if they are fixnums.
    """

    name: str
    representation: Representation
    initial: str
    own: bool = True
    range: Range = FIXNUMS


@dataclass(frozen=True, slots=True)
class Loop:
    """Runs body until it yields.  `Recur` with this label begins the next iteration.

    inlined: None if the loop is the body of its function.  cleanup: what is released if Ctrl-C
    stops it before an iteration.  own: as that of an If.
    """

    name: str
    representation: Representation
    label: str
    variables: tuple[LoopVariable, ...]
    body: "Block"
    span: Span = field(compare=False, repr=False)
    inlined: Inlined | None = None
    cleanup: tuple[str, ...] | None = None
    own: bool = True


@dataclass(frozen=True, slots=True)
class Kept:
    """A name that holds a field of an object, borrowed, and owns it once the object is freed.

    field: `car` or `cdr` of a pair, or the index of one of a vector or a record.
    """

    name: str
    container: Container
    field: str | int


@dataclass(frozen=True, slots=True)
class Free:
    """Release an owned name.  Only `insert_frees` inserts these.

    after_use: the location of the last use, for `show frees`; None if a branch frees a name that it
    does not use.  kept: names that hold fields of the object; only `move_fields` sets it.
    """

    name: str
    representation: Representation
    after_use: Span | None = field(compare=False, repr=False)
    kept: tuple[Kept, ...] = ()

    @property
    def keeps(self) -> tuple[str, ...]:
        return tuple([kept.name for kept in self.kept])


Statement = Bind | If | Loop | Free


@dataclass(frozen=True, slots=True)
class Yield:
    """The value of the block; an owned name is moved out.

    borrowed: the value is not consumed, because the name of the statement around is borrowed.
    """

    name: str
    borrowed: bool = False


@dataclass(frozen=True, slots=True)
class Recur:
    """The next iteration of the loop with that label.  The operands are consumed, except those of
    borrowed variables, whose indices `borrowed` has."""

    label: str
    arguments: tuple[str, ...]
    borrowed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DirectTailCall:
    """`return f(...)`: the operands are consumed, and no other name may be live."""

    function: str
    arguments: tuple[str, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class IndirectTailCall:
    """A tail call through the trampoline; callee and operands are consumed.

    spread: the last argument is a list of further arguments, as in `apply`.
    """

    callee: str
    arguments: tuple[str, ...]
    span: Span = field(compare=False, repr=False)
    spread: bool = False


@dataclass(frozen=True, slots=True)
class Raise:
    """The end of a block whose last statement never returns (Fail, `error`, `exit`).

    The live names are released as at any failure.
    """


Terminator = Yield | Recur | DirectTailCall | IndirectTailCall | Raise


@dataclass(frozen=True, slots=True)
class Block:
    statements: tuple[Statement, ...]
    end: Terminator


@dataclass(frozen=True, slots=True)
class Parameter:
    """own: the function takes the value over.  Either all captures are its own, or all are borrowed
    from the closure.  range: of all its values, if they are fixnums."""

    name: str
    representation: Representation
    own: bool
    range: Range = FIXNUMS


@dataclass(frozen=True, slots=True)
class KeywordSlot:
    """Which parameter of a function a keyword fills."""

    keyword: str
    index: int  # among the parameters after the captures


@dataclass(frozen=True, slots=True)
class FixnumVersion:
    """The version of a function for calls whose arguments of these indices are fixnums."""

    name: str
    tested: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TensorSummary:
    """How tensors flow through a function, in the sets of bits of `tensor_flow.py`.

    result: what the result holds, and what a call of it returns.  parts: what it stores into its
    parameters, by index.  shared: what it adds to what all functions see.
    """

    result: tuple[int, int] = (0, 0)
    parts: tuple[tuple[int, tuple[int, int]], ...] = ()
    shared: tuple[tuple[str, tuple[int, int]], ...] = ()


@dataclass(frozen=True, slots=True)
class Interface:
    """What callers know of a function whose C is compiled elsewhere, besides its declaration.

    library_name: its name in its unit.  symbol: its C name.
    calls_unknown: it may call procedures that it is given or finds.  allocates: it may create
    objects, itself or by its calls.  changes: the containers that it may change, apart from what
    unknown procedures do.  closure_changes: those that procedures may change which it makes values
    of.  catches: it may turn a failure into a value.  creates_tensors: it may; closures_create:
    procedures that it makes values of may.  stores_records: it stores into records of types that it
    does not name.  asks_for_arguments: it may read the command line.
    """

    library_name: str
    symbol: str
    calls_unknown: bool
    allocates: bool
    changes: Memory
    closure_changes: Memory
    catches: bool
    creates_tensors: bool
    closures_create: bool
    stores_records: bool
    asks_for_arguments: bool
    tensors: TensorSummary = TensorSummary()


@dataclass(frozen=True, slots=True)
class Function:
    """One C function.

    parameters: captures first, then positional ones, keyword ones, and the rest list.
    lisp_name: the name in traces and when printed; None for an anonymous procedure.
    usage: the hint of an arity error, after `usage: `.
    escapes: it is used as a value, so it needs an entry point that takes its arguments in an array.
    may_tail: a call of it may return the trampoline's marker.
    may_fail: a call of it can fail.
    checks_stack: it is recursive, so it checks how much stack is left before it calls anything.
    result_range: of all its results, if they are fixnums.
    fixnums: the function to call in its place where arguments are fixnums.
    owner: the program, or the library.
    interface: of a function of the library that is compiled elsewhere; its body is empty.
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
    escapes: bool
    may_tail: bool
    may_fail: bool
    checks_stack: bool
    span: Span = field(compare=False, repr=False)
    usage: str = ""
    result_range: Range = FIXNUMS
    fixnums: FixnumVersion | None = None
    owner: Owner = Owner.PROGRAM
    interface: Interface | None = None


@dataclass(frozen=True, slots=True)
class GlobalVariable:
    """A top-level variable that functions use; it keeps its value until the program ends.

    representation, range: of all values that it ever has.  A variable that is not a value has one
    before any use.
    """

    name: str
    namespace: Namespace
    representation: Representation = Representation.VALUE
    range: Range = FIXNUMS


@dataclass(frozen=True, slots=True)
class Anf:
    """A whole program.  `main` is the function of its top-level forms; it has no parameters.

    Top-level variables that no procedure uses are local names of main, so that their values are
    freed at their last use.
    externals: the functions of the library that the program uses; they have interfaces, no bodies.
    exports: of a unit of the library, the functions that others may call, or use as values.
    is_open: as in `core.ir.Program`.
    """

    functions: tuple[Function, ...]
    globals: tuple[GlobalVariable, ...]
    main: Function
    uses_tensors: bool
    externals: tuple[Function, ...] = ()
    exports: frozenset[str] = frozenset()
    has_cleanups: bool = False
    is_open: bool = False

    @property
    def own_functions(self) -> tuple[Function, ...]:
        """Those that have bodies: the functions of the program and main."""
        return (*self.functions, self.main)

    @property
    def by_name(self) -> dict[str, Function]:
        """All functions that calls lead to, and main."""
        return {f.name: f for f in (*self.functions, self.main, *self.externals)}

    @property
    def is_unit(self) -> bool:
        """Whether it is only a part of a program: its callers are not known, nor what the unknown
        procedures do that it calls."""
        return self.is_open or bool(self.exports)
