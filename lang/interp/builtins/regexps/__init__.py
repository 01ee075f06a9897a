"""Regular expressions: the primitives, over PCRE2.

`native/regexps.c` has them all in C.  These are used where that module is not, and word its errors.
"""

from collections.abc import Iterator

from lambent.lang.interp.builtins.arguments import index, range_of, text_of
from lambent.lang.interp.builtins.regexps.pcre2 import (
    ANCHORED,
    ENDANCHORED,
    NO_UTF_CHECK,
    NOMATCH,
    NOTEMPTY_ATSTART,
    UNSET,
    Regexp,
    Subject,
    compiled,
    names_of,
    pcre2,
    search,
)
from lambent.lang.interp.errors.faults import wrong_type
from lambent.lang.interp.values.values import (
    FALSE,
    Lisp,
    Pair,
    String,
    Vector,
    list_of,
    symbol,
)

_WHOLE, _NOT_EMPTY = 1, 2
_BACKWARD = 2  # a result of a search, beside PCRE2's codes, which are negative
_MATCHED, _UNMATCHED, _ALSO_EMPTY = 1, 2, 4


def regexp_compile(pattern: Lisp) -> Lisp:
    text = text_of("regexp", pattern)
    if pcre2() is None:
        return FALSE
    result = compiled(text)
    if isinstance(result, Regexp):
        return result
    return Pair(result[0], String(result[1]))


def _regexp_of(who: str, compiled: Lisp) -> Regexp:
    if compiled.__class__ is not Regexp:
        wrong_type(who, "a compiled regexp", compiled)
    return compiled


def regexp_groups(regexp: Lisp) -> Lisp:
    checked = _regexp_of("regexp", regexp)
    names = [Pair(symbol(name), number) for name, number in names_of(checked)]
    return Pair(checked.groups, list_of(names[::-1]))


def regexp_subject(text: Lisp, start: Lisp, end: Lisp) -> Subject:
    whole = text_of("regexp-search", text)
    first, last = range_of("regexp-search", start, end, len(whole))
    return Subject(whole[first:last])


def _positions(regexp: Regexp, subject: Subject, byte: int, character: int) -> Vector:
    """The positions in characters: the walk goes from each to the next, wherever that is."""
    offsets = list(regexp.offsets)
    if subject.is_ascii:
        items = [FALSE if to == UNSET else to for to in offsets]
        return Vector([*items, offsets[1]])
    items, data = [], subject.data
    for to in offsets:
        if to == UNSET:
            items.append(FALSE)
            continue
        if to >= byte:
            character += len(data[byte:to].decode("utf-8", "surrogatepass"))
        else:
            character -= len(data[to:byte].decode("utf-8", "surrogatepass"))
        byte = to
        items.append(character)
    return Vector([*items, offsets[1]])


def regexp_match(
    compiled: Lisp, subject: Lisp, byte: Lisp, character: Lisp, flags: Lisp
) -> Lisp:
    who = "regexp-search"
    regexp = _regexp_of(who, compiled)
    if subject.__class__ is not Subject:
        wrong_type(who, "a subject", subject)
    start, options = index(who, byte), NO_UTF_CHECK
    if index(who, flags) & _WHOLE:
        options |= ANCHORED | ENDANCHORED
    if flags & _NOT_EMPTY:
        options |= NOTEMPTY_ATSTART
    status = _status(regexp, subject, start, options)
    if status == NOMATCH:
        return FALSE
    if status != 0:
        return status
    return _positions(regexp, subject, start, index(who, character))


def _status(regexp: Regexp, subject: Subject, start: int, options: int) -> int:
    """0 for a match, or a code."""
    status = search(regexp, subject, start, options)
    if status < 0:
        return status
    return _BACKWARD if regexp.offsets[0] > regexp.offsets[1] else 0


def regexp_parts(compiled: Lisp, text: Lisp, start: Lisp, end: Lisp, flags: Lisp) -> Lisp:
    who = "regexp-search"
    regexp = _regexp_of(who, compiled)
    whole = text_of(who, text)
    first, last = range_of(who, start, end, len(whole))
    subject, wanted = Subject(whole[first:last]), index(who, flags)
    parts: list[bytes] = []
    at, data = 0, subject.data
    for match in _matches(regexp, subject):
        if isinstance(match, int):
            return match
        begin, to = match
        if begin == to and not wanted & _ALSO_EMPTY:
            continue
        if begin < at:
            return _BACKWARD
        if wanted & _UNMATCHED:
            parts.append(data[at:begin])
        if wanted & _MATCHED:
            parts.append(data[begin:to])
        at = to
    if wanted & _UNMATCHED and (at < len(data) or not parts or not wanted & _MATCHED):
        parts.append(data[at:])
    return list_of([String(part.decode("utf-8", "surrogatepass")) for part in parts])


def _matches(regexp: Regexp, subject: Subject) -> Iterator[tuple[int, int] | int]:
    """The start and the end of each match in bytes; the code of an error, if there is one."""
    byte, options = 0, NO_UTF_CHECK
    while (status := _status(regexp, subject, byte, options)) == 0:
        start, byte = regexp.offsets[0], regexp.offsets[1]
        options = NO_UTF_CHECK | (NOTEMPTY_ATSTART if start == byte else 0)
        yield start, byte
    if status != NOMATCH:
        yield status
