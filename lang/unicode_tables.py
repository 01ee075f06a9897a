"""Makes the tables of characters that both back ends use, from Python's own.

Python's tables differ from version to version, and C has none.  So one edition of Unicode is kept:
`lang/interp/values/unicode_data.py` holds it for the interpreter, `runtime/text/unicode_tables.h`
is the same in C.  Code points that share a property become runs (first, last, step):

    A B C ... Z   =>  (65, 90, 1)         Ā Ă Ą ... Į   =>  (256, 302, 2)

    python -m lambent.lang.unicode_tables data > lang/interp/values/unicode_data.py
    python -m lambent.lang.unicode_tables header > runtime/text/unicode_tables.h

The first command needs a Python with that edition (3.11); the second none.
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


def data_module() -> str:
    """The text of `lang/interp/values/unicode_data.py`."""
    assert unidata_version == EDITION, f"this Python has Unicode {unidata_version}"
    parts = [
        '"""Characters, as Unicode has them: `python -m lambent.lang.unicode_tables data` '
        'wrote it.\n\nRuns are (first, last, step), mappings (first, last, step, difference), '
        'expansions (code, and\nthree codes, 0 for none).\n"""\n'
    ]
    for name, numbers in tables().items():
        rows = wrap(", ".join(map(str, numbers)), _ROW)
        parts.append(f"{name} = (\n" + "".join(f"    {row}\n" for row in rows) + ")\n")
    return "\n".join(parts)


def header() -> str:
    """The text of `runtime/text/unicode_tables.h`."""
    from lambent.lang.interp.values import unicode_data

    parts = [
        "/* Characters, as Unicode has them: `python -m lambent.lang.unicode_tables header`\n"
        " * wrote it.  A run is {first, last - first, step}; a mapping adds the difference; an\n"
        " * expansion is a code and what it becomes. */\n"
    ]
    for name, width in WIDTHS.items():
        rows = _rows(getattr(unicode_data, name), width)
        kind = "run" if width == _RUN else "mapping"
        if name.endswith("EXPANSIONS"):
            kind = "expansion"
            entries = [f"{{{code},{{{a},{b},{c}}}}}" for code, a, b, c in rows]
        elif width == _RUN:
            entries = [f"{{{first},{last - first},{step}}}" for first, last, step in rows]
        else:
            entries = [f"{{{first},{last - first},{s},{d}}}" for first, last, s, d in rows]
        body = wrap(", ".join(entries), _ROW, break_on_hyphens=False)
        lines = "".join(f"    {line}\n" for line in body)
        parts.append(f"static const {kind} {name.lower()}[] = {{\n{lines}}};\n")
    return "\n".join(parts)


# How many numbers an entry of each table has.
WIDTHS = {
    "ALPHABETIC": 3, "UPPER": 3, "LOWER": 3, "TITLE": 3, "DECIMAL": 3, "IGNORABLE": 3,
    "UPCASE": 4, "DOWNCASE": 4, "FOLDCASE": 4, "UPCASE_EXPANSIONS": 4, "FOLDCASE_EXPANSIONS": 4,
}  # fmt: skip


def tables() -> dict[str, Flat]:
    """All tables by name, in the order of WIDTHS."""
    found = {
        "ALPHABETIC": _runs(_where(_is_alphabetic)),
        "UPPER": _runs(_where(str.isupper)),
        "LOWER": _runs(_where(str.islower)),
        "TITLE": _runs(_where(lambda char: category(char) == "Lt")),
        "DECIMAL": _decimal_runs(),
        "IGNORABLE": _runs(_where(_is_ignorable)),
        "UPCASE": _mapping(_upcase),
        "DOWNCASE": _mapping(_downcase),
        "FOLDCASE": _mapping(_foldcase),
        "UPCASE_EXPANSIONS": _expansions(str.upper),
        "FOLDCASE_EXPANSIONS": _expansions(str.casefold),
    }
    assert list(found) == list(WIDTHS)
    return found


# The properties.


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
    runs = [(c, c + 9, 1) for c in map(ord, _where(lambda char: decimal(char, None) == 0))]
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
    return tuple(n for first, last, step, _ in entries for n in (first, last, step))


def _mapping(function: Callable[[str], str]) -> Flat:
    pairs = [(ord(char), ord(function(char)) - ord(char)) for char in _characters()]
    changed = [(code, difference) for code, difference in pairs if difference]
    return tuple(n for entry in _stretches(changed) for n in entry)


def _stretches(pairs: list[tuple[int, int]]) -> Iterator[tuple[int, int, int, int]]:
    """(first, last, step, difference): codes at even distances that share a difference."""
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
        yield first, pairs[end][0], step if end > start else 1, difference
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
    sys.stdout.write({"data": data_module, "header": header}[sys.argv[1]]())
