"""Makes the tables of characters that both back ends use, `runtime/text/unicode_tables.h`.

Python's tables differ from version to version, and C has none.  So one edition of Unicode is kept:
executables contain the tables; the interpreter reads the file in `lang/interp/values/unicode.py`.
Code points that share a property become runs (first, last - first, step):

    A B C ... Z   =>  (65, 25, 1)         Ā Ă Ą ... Į   =>  (256, 46, 2)

    python -m tests.stress.characters.unicode_tables > runtime/text/unicode_tables.h

This needs a Python with that edition (3.11).  `tokenizer_characters.py` makes another table: what
the tokenizers package says of characters, which follows no single edition.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from textwrap import wrap
from unicodedata import category, decimal, unidata_version

EDITION = "14.0.0"
_LAST_CODE = 0x10FFFF
_GREATEST_STEP = 2
_LONGEST_EXPANSION = 3
_RUN = 3  # numbers
_ROW = 96  # characters
_DOTTED_CAPITAL_I = "\u0130"  # the one character whose lower case is longer than itself

Flat = tuple[int, ...]


def header() -> str:
    """The text of `runtime/text/unicode_tables.h`."""
    assert unidata_version == EDITION, f"this Python has Unicode {unidata_version}"
    parts = [
        "/* Characters, as Unicode has them.  It is what\n"
        " * `python -m tests.stress.characters.unicode_tables` prints.\n"
        " * A run is {first, last - first, step}; a mapping adds the difference; an expansion is\n"
        " * a code and what it becomes. */\n"
    ]
    for name, numbers in tables().items():
        rows = _rows(numbers, WIDTHS[name])
        kind = "run" if WIDTHS[name] == _RUN else "mapping"
        if name.endswith("expansions"):
            kind = "expansion"
            entries = [f"{{{code},{{{a},{b},{c}}}}}" for code, a, b, c in rows]
        else:
            entries = [f"{{{','.join(map(str, row))}}}" for row in rows]
        body = wrap(", ".join(entries), _ROW, break_on_hyphens=False)
        lines = "".join(f"    {line}\n" for line in body)
        parts.append(f"static const {kind} {name}[] = {{\n{lines}}};\n")
    return "\n".join(parts)


# How many numbers an entry of each table has.
WIDTHS = {
    "alphabetic": 3, "upper": 3, "lower": 3, "title": 3, "decimal": 3, "ignorable": 3,
    "upcase": 4, "downcase": 4, "foldcase": 4, "upcase_expansions": 4, "foldcase_expansions": 4,
    "letter": 3, "mark": 3, "number": 3, "punctuation": 3, "symbol": 3,
}  # fmt: skip

# The major categories, whose first letters are those of their Unicode names.
CATEGORIES = ("letter", "mark", "number", "punctuation", "symbol")


def tables() -> dict[str, Flat]:
    """All tables by name, in the order of WIDTHS."""
    found = {
        "alphabetic": _runs(_where(_is_alphabetic)),
        "upper": _runs(_where(str.isupper)),
        "lower": _runs(_where(str.islower)),
        "title": _runs(_where(lambda char: category(char) == "Lt")),
        "decimal": _decimal_runs(),
        "ignorable": _runs(_where(_is_ignorable)),
        "upcase": _mapping(_upcase),
        "downcase": _mapping(_downcase),
        "foldcase": _mapping(_foldcase),
        "upcase_expansions": _expansions(str.upper),
        "foldcase_expansions": _expansions(str.casefold),
        **{name: _runs(_where(_is_in_category(name[0].upper()))) for name in CATEGORIES},
    }
    assert list(found) == list(WIDTHS)
    return found


# The properties.


def _is_in_category(letter: str) -> Callable[[str], bool]:
    return lambda char: category(char)[0] == letter


def _is_alphabetic(char: str) -> bool:
    """Letters, and what has a case or stands for a letter as Roman numerals do."""
    return char.isalpha() or char.isupper() or char.islower() or category(char) == "Nl"


def _is_ignorable(char: str) -> bool:
    """Whether a sigma looks past it for the end of its word: Python lets us see only that."""
    return ("a\u03a3" + char + "a").lower()[1] == "\u03c3" and (
        ("a\u03a3" + char).lower()[1] == "\u03c2"
    )


def _decimal_runs() -> Flat:
    """Runs of digits that begin with a zero."""
    runs = [(c, 9, 1) for c in map(ord, _where(lambda char: decimal(char, None) == 0))]
    assert all(decimal(chr(first + i)) == i for first, _, _ in runs for i in range(10))
    return tuple(number for run in runs for number in run)


def _upcase(char: str) -> str:
    """The simple mapping: where `upper` gives several characters, `title` may give the one."""
    for mapped in (char.upper(), char.title()):
        if len(mapped) == 1:
            return mapped
    return char


def _downcase(char: str) -> str:
    return "i" if char == _DOTTED_CAPITAL_I else char.lower()


def _foldcase(char: str) -> str:
    folded = char.casefold()
    if len(folded) == 1:
        return folded
    return char if char == _DOTTED_CAPITAL_I else _downcase(char)


# As numbers.


def _where(test: Callable[[str], bool]) -> list[str]:
    return [char for char in _characters() if test(char)]


def _characters() -> Iterator[str]:
    """All code points but the surrogates."""
    for code in range(_LAST_CODE + 1):
        if not 0xD800 <= code < 0xE000:
            yield chr(code)


def _runs(chars: Iterable[str]) -> Flat:
    entries = _stretches([(ord(char), 0) for char in chars])
    return tuple(n for first, reach, step, _ in entries for n in (first, reach, step))


def _mapping(function: Callable[[str], str]) -> Flat:
    pairs = [(ord(char), ord(function(char)) - ord(char)) for char in _characters()]
    changed = [(code, difference) for code, difference in pairs if difference]
    return tuple(n for entry in _stretches(changed) for n in entry)


def _stretches(pairs: list[tuple[int, int]]) -> Iterator[tuple[int, int, int, int]]:
    """(first, last - first, step, difference): codes at even distances that share a difference."""
    start = 0
    while start < len(pairs):
        first, difference = pairs[start]
        end, step = start, 1
        if start + 1 < len(pairs) and pairs[start + 1][0] - first <= _GREATEST_STEP:
            step = pairs[start + 1][0] - first
        while (
            end + 1 < len(pairs)
            and pairs[end + 1] == (pairs[end][0] + step, difference)
        ):
            end += 1
        if step > 1 and end == start + 1:  # the second one may begin a denser stretch
            end = start
        yield first, pairs[end][0] - first, step if end > start else 1, difference
        start = end + 1


def _expansions(function: Callable[[str], str]) -> Flat:
    """The characters that become several."""
    numbers: list[int] = []
    for char in _characters():
        mapped = function(char)
        if len(mapped) > 1:
            codes = list(map(ord, mapped))
            numbers += [ord(char), *codes, *[0] * (_LONGEST_EXPANSION - len(codes))]
    return tuple(numbers)


def _rows(numbers: Flat, width: int) -> Iterator[Flat]:
    for start in range(0, len(numbers), width):
        yield numbers[start : start + width]


if __name__ == "__main__":
    sys.stdout.write(header())
