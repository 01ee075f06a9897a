"""Lisp names as C names, so that the emitted program reads like its source.

The emitter asks for a name at the moment it needs one; the rules depend on nothing else.

    mean-pool!  =>  mean_pool_x        even?  =>  even_p        int  =>  int_
    string->list  =>  string_to_list   x.2  =>  x               +  =>  plus
"""

import re
from functools import cache

# The C spelling of characters of Lisp names that are not letters or digits.
_SPELLINGS = {
    "?": "p", "!": "x", "*": "times", "+": "plus", "/": "over", "=": "equal", "<": "less",
    ">": "greater", "%": "percent", "&": "and", "^": "hat", "~": "tilde", "@": "at", "$": "dollar",
    ":": "colon", "{": "of", "}": "",
}  # fmt: skip
_GAPS = "-_."
# The suffixes that make names unique: `x.2`, the library's `x.lib`, a module's `x{shapes}`.  Others
# may follow a number, as in `x.copy.12.value`.  Numbers count over the whole program, so a change
# of one function would change the C of others, which is kept for the library.
_UNIQUE = re.compile(r"(?<=.)(\.lib|\{[^{}]*\})?(\.\d+)?$|(?<=.)\.\d+(?=\.)")

_KEYWORDS = frozenset(
    """
    auto break case char const continue default do double else enum extern float for goto if inline
    int long register restrict return short signed sizeof static struct switch typedef union
    unsigned void volatile while asm typeof bool true false main
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t size_t
    ptrdiff_t wchar_t offsetof locations literals captures arguments result tail free
    fabs floor ceil trunc nearbyint sqrt exp log sin cos tan tanh asin acos atan atan2 pow
    isnan isinf isfinite signbit
    """.split()  # noqa: SIM905, a table that people read
)
# The C names of constants begin with one of these.
CONSTANT_PREFIXES = (
    "text", "number", "list", "vector", "symbol", "keyword", "bytes", "cycle", "element",
)  # fmt: skip
# Prefixes that belong to the runtime, to ctorch and to the emitter itself.
_PREFIXES = (
    "rt", "ct", "bridge", "fn", "lib", "entry", "function", "closure", "global", "operator",
    "source_line",
    *CONSTANT_PREFIXES,
)  # fmt: skip
_RESERVED = re.compile(rf"({'|'.join(_PREFIXES)})_|[A-Z][A-Z0-9_]+$")


def c_name(name: str) -> str:
    """The C identifier of a local variable; a Scope distinguishes equal ones."""
    return _not_reserved(_spell(_UNIQUE.sub("", name)))


def _not_reserved(text: str) -> str:
    return text + "_" if text in _KEYWORDS or _RESERVED.match(text) else text


_NUMBER = re.compile(r"(?<=.)\.\d+$")


def without_number(name: str) -> str:
    """A function's name without the number that makes it unique in the program."""
    return _NUMBER.sub("", name)


def c_suffix(name: str) -> str:
    """The C spelling of a name that a prefix such as `fn_` makes safe."""
    return _spell(name)


@cache
def _spell(name: str) -> str:
    text = "".join(_spell_character(char) for char in name.replace("->", "-to-"))
    text = re.sub("__+", "_", text).strip("_")
    return text if text and not text[0].isdigit() else f"n{text}"


def _spell_character(char: str) -> str:
    if char.isascii() and char.isalnum():
        return char
    return "_" if char in _GAPS else f"_{_SPELLINGS.get(char, f'u{ord(char):x}')}_"


_NUMBERED = re.compile(r"(.*)_(\d+)")


class Scope:
    """The C names of one name space: equal names for equal keys, different for different ones."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}  # the last one tried for a name

    def name(self, key: str, preferred: str) -> str:
        """The name of key: the preferred one, with a number if another key has it."""
        if key not in self._names:
            self._names[key] = self.fresh(preferred)
        return self._names[key]

    def fresh(self, preferred: str) -> str:
        """A new name in this scope; a number at the end of the preferred name counts on."""
        name, stem, number = preferred, preferred, 1
        if name in self._taken:
            if last := _NUMBERED.fullmatch(preferred):
                stem, number = last[1], int(last[2])
            number = self._numbers.get(preferred, number)
            while name in self._taken:
                number += 1
                name = self._numbered(stem, number)
            self._numbers[preferred] = number
        self._taken.add(name)
        return name

    def _numbered(self, stem: str, number: int) -> str:
        return f"{stem}_{number}"


class LocalScope(Scope):
    """The C names of a function's variables, by their names in ANF.

    A number makes no reserved name either: a second `text` is `text_2_`, as text_2 is a constant.
    """

    def local(self, name: str) -> str:
        return self.name(name, c_name(name))

    def _numbered(self, stem: str, number: int) -> str:
        return _not_reserved(super()._numbered(stem, number))


def c_comment(text: str) -> str:
    """A comment that text cannot end early."""
    return f"/* {text.replace('*/', '* /').replace('/*', '/ *')} */"
