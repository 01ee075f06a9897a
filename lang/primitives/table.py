"""The table of primitives, from which everything else about them is derived.

A declaration has name, signature, C symbol, doc and example.  Arity checks, the calls of both back
ends, completion, `(doc name)`, the reference page, and a test that runs the example on both back
ends are derived from it.

How a signature becomes C:
  - a parameter of type tensor is a `ct_tensor *`, of type boolean a `bool`; every other one is an
    `rt_value`, whose type the C function checks itself;
  - a result of type boolean is a `bool`, fixnum an `int64_t`, float a `double`, tensor a
    `ct_tensor *`, void nothing, every other one an `rt_value`;
  - `fails=False`: the function returns its result;
  - `fails=True` and an rt_value result: it returns RT_ERROR when it fails;
  - `fails=True` and any other result: it returns an int status, 0 for success, and writes the
    result through its last parameter (a void one has no such parameter);
  - optional parameters are always passed, with their defaults filled in;
  - a rest parameter is passed as `size_t count, const rt_value *items` (borrowed).
How it becomes Python: the C symbol without `rt_` or `bridge_` is the name of the function in
`lang/interp/builtins/`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from lambent.lang.primitives.signature import Signature, Type


@dataclass(frozen=True, slots=True)
class Variant:
    """A cheaper C implementation for argument types that inference has proved.

    code is a C expression with {0}, {1} for the arguments if it contains braces, and otherwise the
    symbol of a function, which is called as described above.  projection: as a primitive's.
    passed: the arguments of that function, as such expressions, if they are not the primitive's.
    """

    signature: Signature
    code: str
    fails: bool
    projection: str | None = None
    passed: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Primitive:
    """One built-in procedure.  Equal by symbol: two may have one name, such as the two of `-`.

    returns: False if a call never returns, because it raises an error or leaves the program.
    projection: the result is a field or element of the first argument, and this C function returns
    it borrowed.
    """

    name: str
    signature: Signature
    symbol: str
    doc: str
    example: str | None = None
    fails: bool = True
    returns: bool = True
    variants: tuple[Variant, ...] = ()
    operator: bool = False  # any LibTorch operator, called through its schema; symbol is its name
    interpreted: bool = False  # only the interpreter has it; the compiler refuses it
    projection: str | None = None

    @property
    def is_operator(self) -> bool:
        """Whether it is a LibTorch operator, called by its schema or a typed entry point."""
        return self.operator or not self.symbol.startswith(("rt_", "ct_", "bridge_"))

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


def primitive(
    name: str,
    signature: str,
    symbol: str,
    doc: str,
    *,
    example: str | None = None,
    fails: bool = True,
    returns: bool = True,
    variants: Iterable[Variant] = (),
    key: str | None = None,
    interpreted: bool = False,
    projection: str | None = None,
) -> Primitive:
    """Declare a primitive and enter it in the table.

    key is its key in the table, by default its name.  Programs cannot use keys that begin with `%`.
    """
    key = key or name
    assert key not in TABLE, f"{key} is declared twice"
    declared = Primitive(
        name,
        Signature.parse(signature),
        symbol,
        doc,
        example,
        fails,
        returns,
        tuple(variants),
        interpreted=interpreted,
        projection=projection,
    )
    TABLE[key] = declared
    return declared


def variant(
    signature: str,
    code: str,
    *,
    fails: bool = False,
    projection: str | None = None,
    passed: tuple[str, ...] | None = None,
) -> Variant:
    return Variant(Signature.parse(signature), code, fails, projection, passed)


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
        operator=True,
    )


def operator_name(lisp_name: str) -> str:
    """`tensor-index-select` -> `index_select`; the in-place `tensor-add!` -> `add_`."""
    base = lisp_name.removeprefix("tensor-").replace("-", "_")
    return base[:-1] + "_" if base.endswith("!") else base


def alias(name: str, target: str) -> None:
    """Another name for a declared primitive; messages show the target's name."""
    assert name not in TABLE, f"{name} is declared twice"
    TABLE[name] = TABLE[target]


__all__ = [
    "TABLE", "Primitive", "Signature", "Type", "Variant",
    "alias", "operator", "operator_name", "primitive", "variant",
]
