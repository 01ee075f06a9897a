"""The table of primitives, from which everything else about them is derived.

A declaration has name, signature, C symbol, doc, example and effects.  Arity checks, the calls of
both back ends, completion, `(doc name)`, the reference page, and a test that runs the example on
both back ends are derived from it.  So is what the compiler may conclude: effects are declared, as
`effects.py` says, and nothing follows from a name or a symbol.

How a signature becomes C:
  - a parameter of type tensor is a `ct_tensor *`, of type boolean a `bool`; every other one is an
    `rt_value`, whose type the C function checks itself;
  - a result of type boolean is a `bool`, fixnum an `int64_t`, float a `double`, tensor a
    `ct_tensor *`, void nothing, every other one an `rt_value`;
  - if it cannot fail, the function returns its result;
  - if it may fail, with an rt_value result: it returns RT_ERROR when it fails;
  - if it may fail, with any other result: it returns an int status, 0 for success, and writes the
    result through its last parameter (a void one has no such parameter);
  - optional parameters are always passed, with their defaults filled in;
  - a rest parameter is passed as `size_t count, const rt_value *items` (borrowed).
How it becomes Python: the C symbol without `rt_` or `bridge_` is the name of the function in
`lang/interp/builtins/`.
"""

import re
from collections.abc import Iterable
from enum import Enum, auto
from typing import TypedDict, Unpack

from lambent.lang.primitives.attributes import Attribute
from lambent.lang.primitives.effects import ANYTHING, NO_EFFECTS, Effects
from lambent.lang.primitives.machine import Machine
from lambent.lang.primitives.operator_effects import operator_effects
from lambent.lang.primitives.ranges import COUNTED, Range
from lambent.lang.primitives.signature import Signature, Type
from lambent.lang.primitives.typed import operator_of_symbol
from lambent.lang.system.dataclass import dataclass


class Origin(Enum):
    """Which library has a primitive's C function.  All but the runtime's need LibTorch."""

    RUNTIME = auto()
    BRIDGE = auto()  # it takes the runtime's values
    CTORCH = auto()  # it takes C values, and its error is in ctorch
    OPERATOR = auto()  # none: an operator of LibTorch is found by its name


def _origin(symbol: str) -> Origin:
    """The prefixes of symbols say which library they are in; nothing else asks them."""
    for prefix, origin in _PREFIXES.items():
        if symbol.startswith(prefix):
            return origin
    return Origin.OPERATOR


_PREFIXES = {"rt_": Origin.RUNTIME, "bridge_": Origin.BRIDGE, "ct_": Origin.CTORCH}


@dataclass(frozen=True, slots=True)
class Variant:
    """A cheaper C implementation for argument types that inference has proved.

    code: an operation of the machine, or the symbol of a C function, which is called as described
    above.  projection, freeing: as those of a primitive.
    passed: the arguments of that function, if they are not the primitive's.
    index: which of them is the index of an element, so that it fails for any other integer.
    of_doubles: the first is a vector that a test has found to be one of doubles, and to be longer
    than the index where the variant cannot fail.
    inside: the first is certainly what the signature says, and longer than the index.
    computes: the operation of the machine that it stands for where integers are too large for that
    one, so that the range of its result is the same.
    """

    signature: Signature
    code: str | Machine
    effects: Effects
    projection: str | None = None
    passed: tuple[Attribute, ...] | None = None
    freeing: bool = False
    index: int | None = None
    of_doubles: bool = False
    inside: bool = False
    computes: Machine | None = None

    @property
    def fails(self) -> bool:
        return self.effects.may_fail

    @property
    def symbol(self) -> str | None:
        """The symbol of its C function; None if it is an operation of the machine."""
        return None if isinstance(self.code, Machine) else self.code

    @property
    def machine(self) -> Machine | None:
        """The operation of the machine that it is, or stands for."""
        return self.code if isinstance(self.code, Machine) else self.computes

    @property
    def origin(self) -> Origin:
        return Origin.RUNTIME if isinstance(self.code, Machine) else _origin(self.code)


class Container(Enum):
    """Objects with fields that the compiler reads by itself."""

    PAIR = "pair"
    VECTOR = "vector"
    RECORD = "record"


@dataclass(frozen=True, slots=True)
class Primitive:
    """One built-in procedure.  Equal by symbol: two may have one name, such as the two of `-`.

    projection: the result is a field or element of the first argument, and this C function returns
    it borrowed.
    freeing: another C function, `rt_add_freeing`, also frees the arguments that it is told to.
    pair_field: the field of the pair in its first argument that it returns, `car` or `cdr`.
    indexes: what its first argument is, of which it returns the field at an index: a vector, whose
    index is the second argument; a record, whose type is the second one, and the index the third.
    makes: the result is a new one of these, with its arguments in it.
    tests: it tells whether its first argument is one, a record of the type in the second argument.
    measures: the result is the length of its first argument, which never changes.
    sizes: the result is a new one of these, whose length is the first argument.
    range: of its results, if they are fixnums: sizes and codes, which counters may begin with.
    keeps_integers: the result for exact integers is one.
    """

    name: str
    signature: Signature
    symbol: str
    doc: str
    effects: Effects = ANYTHING
    variants: tuple[Variant, ...] = ()
    example: str | None = None
    operator: bool = False  # any LibTorch operator, called through its schema; symbol is its name
    interpreted: bool = False  # only the interpreter has it; the compiler refuses it
    refused: bool = False  # a procedure of Scheme that Lambent lacks: each call is an error
    projection: str | None = None
    freeing: bool = False
    pair_field: str | None = None
    indexes: Container | None = None
    makes: Container | None = None
    tests: Container | None = None
    measures: bool = False
    sizes: Type | None = None
    range: Range = COUNTED
    keeps_integers: bool = False

    @property
    def is_operator(self) -> bool:
        """Whether it is a LibTorch operator, called by its schema or a typed entry point."""
        return self.origin is Origin.OPERATOR

    @property
    def origin(self) -> Origin:
        return Origin.OPERATOR if self.operator else _origin(self.symbol)

    @property
    def fails(self) -> bool:
        return self.effects.may_fail

    @property
    def takes_tensors(self) -> bool:
        """Whether a parameter must be a tensor, which is tested before its C function is called."""
        return any(param.type is Type.TENSOR for param in self.signature.params)

    @property
    def returns(self) -> bool:
        """False if a call never returns, because it raises an error or leaves the program."""
        return not self.effects.never_returns

    @property
    def is_private(self) -> bool:
        """Whether programs cannot name it: only analysis and the library call it."""
        return self.name.startswith("%")

    @property
    def usage(self) -> str:
        """The form of a call: `(tensor-slice x dim start end)`, optional parameters in brackets."""
        words = [self.name]
        for p in self.signature.params:
            name = p.name.replace("_", "-")
            if p.keyword_only:
                words.append(f"[:{name} {p.default}]")
            else:
                words.append(name if p.default is None else f"[{name}]")
        if self.signature.rest:
            words.append(f"{self.signature.rest.name.replace('_', '-')} ...")
        return f"({' '.join(words)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Primitive) and other.symbol == self.symbol

    def __hash__(self) -> int:
        return hash(self.symbol)


TABLE: dict[str, Primitive] = {}


class _CodeFacts(TypedDict, total=False):
    """What declarations of both name, as it stands in the record."""

    projection: str | None
    freeing: bool


class _PrimitiveFacts(_CodeFacts, total=False):
    example: str | None
    interpreted: bool
    refused: bool
    pair_field: str | None
    indexes: Container | None
    makes: Container | None
    tests: Container | None
    measures: bool
    sizes: Type | None
    range: Range
    keeps_integers: bool


class _VariantFacts(_CodeFacts, total=False):
    passed: tuple[Attribute, ...] | None
    index: int | None
    of_doubles: bool
    inside: bool
    computes: Machine | None


def primitive(
    name: str,
    signature: str,
    symbol: str,
    doc: str,
    *,
    effects: str = "anything",
    variants: Iterable[Variant] = (),
    key: str | None = None,
    **facts: Unpack[_PrimitiveFacts],
) -> Primitive:
    """Declare a primitive and enter it in the table.

    effects: the text of its record (effects.py).
    key is its key in the table, by default its name.  Programs cannot use keys that begin with `%`.
    """
    key = key or name
    assert key not in TABLE, f"{key} is declared twice"
    form, record = Signature.parse(signature), Effects.parse(effects)
    TABLE[key] = Primitive(name, form, symbol, doc, record, tuple(variants), **facts)
    return TABLE[key]


def variant(
    signature: str,
    code: str | Machine,
    *,
    effects: str | None = None,
    **facts: Unpack[_VariantFacts],
) -> Variant:
    """Declare a variant.  effects: the text of its record; an operation of the machine has none,
    and an entry point of an operator those of the operator's schema."""
    record = _effects_of_code(code) if effects is None else Effects.parse(effects)
    return Variant(Signature.parse(signature), code, record, **facts)


def _effects_of_code(code: str | Machine) -> Effects:
    if isinstance(code, Machine):
        return NO_EFFECTS
    typed = operator_of_symbol(code)
    return ANYTHING if typed is None else typed.effects


def operator(name: str) -> Primitive:
    """The LibTorch operator that a Lisp name such as `tensor-index-select` or `tensor-add!` means.

    Whether the installed LibTorch has it is checked at run time.
    """
    assert name.startswith("tensor-"), name
    return Primitive(
        name,
        Signature.parse("(*arguments: value) -> value"),
        operator_name(name),
        f"LibTorch's operator {operator_name(name)}.",
        effects=operator_effects(operator_name(name)),
        operator=True,
    )


def operator_name(lisp_name: str) -> str:
    """`tensor-index-select` -> `index_select`; the in-place `tensor-add!` -> `add_`.

    LibTorch's private operators, whose names or namespaces begin with `_`, are asked for:
    `tensor-private--softmax` -> `_softmax`.  `tensor--softmax` -> `-softmax`, which none is called.
    """
    base = lisp_name.removeprefix("tensor-").replace("-", "_")
    base = base[:-1] + "_" if base.endswith("!") else base
    asked = base.removeprefix(_PRIVATE_BASE)
    if not _PRIVATE.search(asked):
        return base
    return asked if asked != base else _PRIVATE.sub("-", base)


# How Lisp's names of LibTorch's private operators begin, as in ctorch/dispatch/lisp_names.cpp.
PRIVATE_PREFIX = "tensor-private-"
_PRIVATE_BASE = PRIVATE_PREFIX.removeprefix("tensor-").replace("-", "_")
_PRIVATE = re.compile("(?:^|(?<=::))_")


def alias(name: str, target: str) -> None:
    """Another name for a declared primitive; messages show the target's name."""
    assert name not in TABLE, f"{name} is declared twice"
    TABLE[name] = TABLE[target]


__all__ = [
    "TABLE", "Origin", "Primitive", "Signature", "Type", "Variant",
    "alias", "operator", "operator_name", "primitive", "variant",
]
