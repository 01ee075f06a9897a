"""The types of a primitive's parameters and result, written as text.

    Signature.parse("(x: tensor, dim: index = #f, *rest: value) -> tensor")

`str(Signature.parse(text)) == text` holds for every declaration.  Parameters after a bare `*` may
only be given by keyword.  `own` moves the argument into the primitive; otherwise the argument is
borrowed.  The result is owned by the caller.
"""

from enum import Enum

from lambent.lang.system.dataclass import dataclass


class Type(Enum):
    """The type of an argument or result.  `noun` is its name in messages."""

    __hash__ = object.__hash__  # Enum has one in Python, which takes long

    VALUE = "value"
    NUMBER = "number"
    INTEGER = "integer"  # exact, of any size
    INDEX = "index"  # a non-negative fixnum
    FLOAT = "float"
    BOOLEAN = "boolean"
    STRING = "string"
    SYMBOL = "symbol"
    KEYWORD = "keyword"
    CHAR = "char"
    PAIR = "pair"
    LIST = "list"
    VECTOR = "vector"
    BYTEVECTOR = "bytevector"
    HASH_TABLE = "hash-table"
    PROCEDURE = "procedure"
    PORT = "port"
    TENSOR = "tensor"
    FIXNUM = "fixnum"  # results only: an integer that always fits 62 bits
    IMMEDIATE = "immediate"  # results only: a value that is never on the heap, such as a character
    PLAIN = "plain"  # results only: numbers, texts, booleans, lists of these; it holds no tensor
    VOID = "void"  # results only: no useful value; Lisp sees the unspecified value

    @property
    def noun(self) -> str:
        return NOUNS[self]


NOUNS = {
    Type.VALUE: "a value",
    Type.NUMBER: "a number",
    Type.INTEGER: "an exact integer",
    Type.INDEX: "a non-negative exact integer",
    Type.FLOAT: "a floating-point number",
    Type.BOOLEAN: "a boolean",
    Type.STRING: "a string",
    Type.SYMBOL: "a symbol",
    Type.KEYWORD: "a keyword",
    Type.CHAR: "a character",
    Type.PAIR: "a pair",
    Type.LIST: "a list",
    Type.VECTOR: "a vector",
    Type.BYTEVECTOR: "a bytevector",
    Type.HASH_TABLE: "a hash table",
    Type.PROCEDURE: "a procedure",
    Type.PORT: "a port",
    Type.TENSOR: "a tensor",
    Type.FIXNUM: "an exact integer",
    Type.IMMEDIATE: "a character, a boolean or a small integer",
    Type.PLAIN: "a value without tensors",
    Type.VOID: "nothing",
}


@dataclass(frozen=True, slots=True)
class Param:
    """default is the source text of a constant, None for a required parameter.

    The default `absent` is a special constant, for which the primitive chooses the value.
    """

    name: str
    type: Type
    own: bool = False
    default: str | None = None
    keyword_only: bool = False

    def __str__(self) -> str:
        default = "" if self.default is None else f" = {self.default}"
        return f"{self.name}: {'own ' if self.own else ''}{self.type.value}{default}"


@dataclass(frozen=True, slots=True)
class Signature:
    params: tuple[Param, ...]
    rest: Param | None
    result: Type

    def __str__(self) -> str:
        texts: list[str] = [str(p) for p in self.params if not p.keyword_only]
        if any(p.keyword_only for p in self.params):
            texts += ["*"] + [str(p) for p in self.params if p.keyword_only]
        if self.rest:
            texts.append(f"*{self.rest}")
        return f"({', '.join(texts)}) -> {self.result.value}"

    @property
    def positional(self) -> tuple[Param, ...]:
        return tuple(p for p in self.params if not p.keyword_only)

    @property
    def keywords(self) -> tuple[Param, ...]:
        """The parameters that a call may name; positional ones with a default count too."""
        return tuple(p for p in self.params if p.default is not None)

    @property
    def takes_keywords(self) -> bool:
        """Whether the keywords in a call name parameters; otherwise they are ordinary values.

        Only a signature with keyword-only parameters takes them: `(make-vector 2 :x)` is a vector
        of keywords, `(tensor 1 :x)` is an error.
        """
        return any(p.keyword_only for p in self.params)

    @property
    def least(self) -> int:
        """The smallest number of positional arguments."""
        return sum(p.default is None for p in self.positional)

    @property
    def most(self) -> int | None:
        """The largest number of positional arguments; None if there is no bound."""
        return None if self.rest else len(self.positional)

    @staticmethod
    def parse(text: str) -> "Signature":
        inside, result = text.removeprefix("(").rsplit(") -> ", 1)
        params: list[Param] = []
        rest: Param | None = None
        keyword_only = False
        for item in inside.split(", ") if inside else []:
            if item == "*":
                keyword_only = True
            elif item.startswith("*"):
                rest = _parse_param(item[1:], False)
            else:
                params.append(_parse_param(item, keyword_only))
        signature = Signature(tuple(params), rest, Type(result))
        assert str(signature) == text, f"{signature} != {text}"
        return signature


def _parse_param(text: str, keyword_only: bool) -> Param:
    name, annotation = text.split(": ", 1)
    annotation, _, default = annotation.partition(" = ")
    own = annotation.startswith("own ")
    return Param(
        name, Type(annotation.removeprefix("own ")), own, default or None, keyword_only
    )
