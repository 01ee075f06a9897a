"""Core: the small language that both back ends share.

Names are resolved (`Local`, `Global`, `Primitive`), special forms are gone, spans are kept.  Every
local variable of a program has a unique name (`x`, `x.2`, ...), so passes can ignore shadowing.

    (define (f x) (when (> x 0) (car x)))
    =>  Define f (Lambda (x) (If (PrimCall > x 0) (PrimCall car x) #<unspecified>))
"""

from collections.abc import Mapping, Set
from enum import Enum

from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Datum
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field


class Namespace(Enum):
    """Who defines a global variable.  A program may define a name that the library has, too."""

    __hash__ = object.__hash__  # Enum has one in Python, which takes long

    PROGRAM = "program"
    LIBRARY = "library"


class Special(Enum):
    """Constants that no datum can write."""

    UNSPECIFIED = "unspecified"  # the value of `(if #f #f)`, `(define ...)`, `(set! ...)`
    ABSENT = "absent"  # the argument of a keyword parameter that a call left out


@dataclass(frozen=True, slots=True)
class Const:
    """A quoted datum, a literal, or a special constant."""

    value: Datum | Special
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Local:
    """A reference to a local variable, by its unique name."""

    name: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Global:
    """A reference to a top-level variable of the program or of the library."""

    name: str
    namespace: Namespace
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Unbound:
    """An unbound name.  It is an error only when the program evaluates it.

    At the REPL a later entry may define it, so the evaluator first looks it up among the program's
    globals.
    """

    name: str
    hint: str | None  # what the user may have meant
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PrimRef:
    """A primitive as a value: `(map car lists)`."""

    primitive: Primitive
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class If:
    test: "Core"
    then: "Core"
    orelse: "Core"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Let:
    """One binding: value is evaluated, then body with name bound to it."""

    name: str
    value: "Core"
    body: "Core"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Letrec:
    """Mutually recursive procedures, each a Lambda.

    Other right-hand sides of `letrec` and internal defines become Let of an unspecified value
    and SetLocal.
    """

    bindings: tuple[tuple[str, "Lambda"], ...]
    body: "Core"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class KeywordParameter:
    """`:dim -1` in a parameter list.

    A call that leaves it out binds name to ABSENT.  Analysis makes the body begin by replacing
    ABSENT with the default, so back ends only pass arguments.
    """

    keyword: str  # as calls write it, without the colon
    name: str  # the unique local name


@dataclass(frozen=True, slots=True)
class Lambda:
    """A procedure.  name is for traces and printing; None for an anonymous one.

    is_form_body: it is the body of a form such as `guard`, which users do not see as a procedure.
    """

    name: str | None
    parameters: tuple[str, ...]
    keywords: tuple[KeywordParameter, ...]
    rest: str | None
    body: "Core"
    span: Span = field(compare=False, repr=False)
    doc: str | None = None
    is_form_body: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a procedure that is not a known primitive.  Arguments are evaluated left to right.

    Keywords among the arguments are ordinary Const arguments; the callee matches them.
    """

    function: "Core"
    arguments: tuple["Core", ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PrimCall:
    """A call of a primitive with as many arguments as its signature takes.

    Declared keyword parameters have been matched: arguments are positional in the order of the
    signature, defaults filled in.  A call that does not match stays a Call of a PrimRef, which
    reports the mistake at run time.  LibTorch operators (`primitive.operator`) take their keywords
    as ordinary arguments, which are matched with LibTorch's schema.
    """

    primitive: Primitive
    arguments: tuple["Core", ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TensorLiteral:
    """`[[a b] [c d]]`: shape is that of the brackets, elements are in row-major order."""

    shape: tuple[int, ...]
    elements: tuple["Core", ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Begin:
    """At least one form; the value is the last one's."""

    forms: tuple["Core", ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class GradMode:
    """`(no-grad body ...)`, `(with-grad ...)`: every exit restores the mode before."""

    enabled: bool
    body: "Core"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SetLocal:
    name: str
    value: "Core"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SetGlobal:
    """`set!` of a top-level variable; an error if it has no value yet."""

    name: str
    namespace: Namespace
    value: "Core"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Define:
    """A top-level definition: an element of a program's forms, never nested in another node."""

    name: str
    namespace: Namespace
    value: "Core"
    span: Span = field(compare=False, repr=False)


Core = (
    Const
    | Local
    | Global
    | Unbound
    | PrimRef
    | If
    | Let
    | Letrec
    | Lambda
    | Call
    | PrimCall
    | TensorLiteral
    | Begin
    | GradMode
    | SetLocal
    | SetGlobal
    | Define
)


@dataclass(frozen=True, slots=True)
class Externals:
    """What a program knows of the library's definitions that are not among its forms: these are
    compiled once for all programs.

    heads: the procedures that it may call, by name.  Of their bodies only a constant remains.
    copies: the whole procedures, for those whose bodies are worth having where they are called.
    reaches: the library's variables that each procedure may use, directly or not.
    calling: the procedures that may call procedures which they are given, or find in objects.
    assigned: the library's variables that its own code changes.  variables: those that a part of
    the library uses, and programs define.
    """

    heads: Mapping[str, Lambda] = field(default_factory=dict)
    copies: Mapping[str, Lambda] = field(default_factory=dict)
    reaches: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    calling: Set[str] = frozenset()
    assigned: Set[str] = frozenset()
    variables: Set[str] = frozenset()


NO_EXTERNALS = Externals()


@dataclass(frozen=True, slots=True)
class Program:
    """Top-level forms in the order in which they run.

    A program that defines a name of the library (`abs`), and may use it before the definition,
    begins with a Define of that name to the library's value.
    exports: the procedures of a part of the library that other code may call, or use as values.
    tensors: whether it may use tensors.
    is_open: other code may use, assign and define its variables, before and after it has run.
    """

    forms: tuple[Core, ...]
    externals: Externals = NO_EXTERNALS
    exports: Set[str] = frozenset()
    tensors: bool = True
    is_open: bool = False
