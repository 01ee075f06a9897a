"""Makes the tables of characters that tokenizers use, `ctorch/text/characters.h`.

The tokenizers package has tables of several editions of Unicode, most of them old.  Its models were
trained with them, so a tokenizer must have the same: the package tells each property of every
character.

    python -m tests.stress.characters.tokenizer_characters > ctorch/text/characters.h
"""

import unicodedata
from collections.abc import Callable, Iterable
from textwrap import wrap

from tokenizers import Regex, normalizers, pre_tokenizers

_LAST = 0x10FFFF
_ROW = 96  # characters
_HANGUL = range(0xAC00, 0xD7A4)  # decomposed by a rule
_CODES = [code for code in range(_LAST + 1) if not 0xD800 <= code <= 0xDFFF]
_CATEGORIES = ["L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me",
               "N", "Nd", "Nl", "No", "P", "S"]  # fmt: skip
_DOTTED_I, _DOT = 0x130, "\u0307"
_LOWEST, _HIGHEST = "\u0334", "\u0345"  # marks of the classes 1 and 240


def header() -> str:
    """The text of the header."""
    parts = [
        "// characters.h - properties of characters.  It is what\n"
        "// `python -m tests.stress.characters.tokenizer_characters` prints.\n"
        "// A run is its first and its last character.\n#pragma once\n\n"
        "#include <cstdint>\n"
    ]
    for name, codes in _properties().items():
        parts.append(_array(f"{name}[][2]", (f"{{{a},{b}}}" for a, b in _runs(codes))))
    parts.append("// A character, what is added to make it lower case, and how many follow alike.\n"
                 + _array("LOWER[][3]", _lower()))
    for name, form in (("CANONICAL[]", "NFD"), ("COMPATIBLE[]", "NFKD")):
        other = {} if form == "NFD" else _decompositions("NFD")
        rows = (
            f"{code},{len(to)},{','.join(str(ord(c)) for c in to)}"
            for code, to in _decompositions(form).items() if other.get(code) != to
        )
        parts.append(f"// A character, how many it becomes, and these ({form}).\n"
                     + _array(name, rows))
    parts.append("// Two characters, and the one that they make.\n"
                 + _array("COMPOSED[][3]", _compositions()))
    parts.append("// A character, how many follow alike, and their combining class.\n"
                 + _array("CLASSES[][3]", _classes()))
    parts.append("// What Oniguruma counts to a category, and Unicode 14 does not.\n" + _newer())
    return "\n".join(parts)


def _array(name: str, entries: Iterable[str]) -> str:
    body = wrap(", ".join(entries), _ROW, break_on_hyphens=False, break_long_words=False)
    rows = "".join(f"    {row}\n" for row in body)
    return f"inline constexpr int32_t {name} = {{\n{rows}}};\n"


def _runs(codes: Iterable[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for code in codes:
        if runs and runs[-1][1] in (code - 1, code - 1 - 0x800 * (code == 0xE000)):
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return runs


def _where(holds: Callable[[str], bool]) -> list[int]:
    return [code for code in _CODES if holds(chr(code))]


def _properties() -> dict[str, list[int]]:
    digits = pre_tokenizers.Digits(individual_digits=True)
    punctuation, words = pre_tokenizers.Punctuation(), pre_tokenizers.Whitespace()
    accents = normalizers.StripAccents()
    clean = normalizers.BertNormalizer(True, False, False, False)
    nonspacing = normalizers.BertNormalizer(False, False, True, False)

    def parts(splitter: pre_tokenizers.PreTokenizer, c: str) -> int:
        return len(splitter.pre_tokenize_str(f"a{c}a"))

    return {
        "NUMERIC": _where(lambda c: parts(digits, c) == 3),
        "PUNCTUATION": _where(lambda c: parts(punctuation, c) == 3),
        "WORD": _where(lambda c: parts(words, c) == 1),
        "MARK": _where(lambda c: accents.normalize_str(f"a{c}a") == "aa"),
        "NONSPACING": _where(lambda c: nonspacing.normalize_str(f"a{c}a") == "aa"),
        "OTHER": _where(lambda c: clean.normalize_str(f"a{c}a") == "aa" and c not in "\0\ufffd"),
    }


def _lower() -> Iterable[str]:
    lower = normalizers.Lowercase()
    rows: list[list[int]] = []
    for code in _CODES:
        text = lower.normalize_str(chr(code))
        if len(text) > 1:
            assert code == _DOTTED_I
            assert text == f"i{_DOT}"
        step = ord(text[0]) - code
        if not step:
            continue
        if rows and rows[-1][0] + rows[-1][2] == code and rows[-1][1] == step:
            rows[-1][2] += 1
        else:
            rows.append([code, step, 1])
    return (f"{{{a},{b},{c}}}" for a, b, c in rows)


def _decompositions(form: str) -> dict[int, str]:
    normal = {"NFD": normalizers.NFD(), "NFKD": normalizers.NFKD()}[form]
    made = {code: normal.normalize_str(chr(code)) for code in _CODES if code not in _HANGUL}
    return {code: text for code, text in made.items() if text != chr(code)}


def _compositions() -> Iterable[str]:
    compose = normalizers.NFC()
    for code in _CODES:
        pair = unicodedata.decomposition(chr(code)).split()
        if len(pair) != 2 or pair[0].startswith("<"):
            continue
        first, second = (int(part, 16) for part in pair)
        if compose.normalize_str(chr(first) + chr(second)) == chr(code):
            yield f"{{{first},{second},{code}}}"


def _classes() -> Iterable[str]:
    normal = normalizers.NFD()
    rows: list[list[int]] = []
    for code in _CODES:
        number = unicodedata.combining(chr(code))
        pair = (chr(code) + _LOWEST) if number > 1 else (_HIGHEST + chr(code))
        if not number or normal.normalize_str(f"a{pair}") == f"a{pair}":
            continue
        if rows and rows[-1][0] + rows[-1][1] == code and rows[-1][2] == number:
            rows[-1][1] += 1
        else:
            rows.append([code, 1, number])
    return (f"{{{a},{b},{c}}}" for a, b, c in rows)


def _newer() -> str:
    rows = []
    for name in _CATEGORIES:
        splitter = pre_tokenizers.Split(Regex(rf"\p{{{name}}}"), "isolated")
        middle = "1" if name[0] != "N" else "a"
        codes = _where(
            lambda c, s=splitter, m=middle, n=name:  # type: ignore[misc]
            not unicodedata.category(c).startswith(n) and len(s.pre_tokenize_str(m + c + m)) == 3
        )
        runs = "".join(f"\\\\x{{{a:X}}}-\\\\x{{{b:X}}}" for a, b in _runs(codes))
        lines = "\n".join(f'        "{line}"' for line in wrap(runs, _ROW - 12)) or '        ""'
        rows.append(f'    {{"{name}",\n{lines}}},\n')
    head = "struct Newer {\n    const char *name, *runs;\n};\ninline constexpr Newer NEWER[] = {\n"
    return head + "".join(rows) + "};\n"


if __name__ == "__main__":
    print(header(), end="")
