"""PCRE2, which is loaded at the first regular expression, and searches with it.

The counterpart of `runtime/text/pattern.c`, which says how a text is searched, for machines without
the interpreter's C module.
"""

import ctypes
from ctypes import byref, c_int, c_size_t, c_uint32, c_void_p
from functools import cache
from time import perf_counter_ns
from types import SimpleNamespace
from typing import Any

from lambent.lang.interp.errors.faults import NoMemoryError
from lambent.lang.interp.values.values import Foreign

_LIBRARIES = ("libpcre2-8.so.0", "libpcre2-8.so", "libpcre2-8.0.dylib")
# The functions: the type of the result, and of each parameter.  `i` is an int, `u` 32 bits without
# a sign, `z` a size, `p` a pointer, `v` nothing.
_FUNCTIONS = {
    "compile": "p pzuppp",
    "code_free": "v p",
    "pattern_info": "i pup",
    "jit_compile": "i pu",
    "match": "i ppzzupp",
    "match_data_create_from_pattern": "p pp",
    "match_data_free": "v p",
    "get_ovector_pointer": "p p",
    "match_context_create": "p p",
    "match_context_free": "v p",
    "set_match_limit": "i pu",
    "set_heap_limit": "i pu",
    "set_offset_limit": "i pz",
    "jit_stack_create": "p zzp",
    "jit_stack_free": "v p",
    "jit_stack_assign": "v ppp",
    "get_error_message": "i ipz",
}
_TYPES = {"i": c_int, "u": c_uint32, "z": c_size_t, "p": c_void_p, "v": None}

_UTF, _UCP, _NEVER_BACKSLASH_C, _USE_OFFSET_LIMIT = 0x80000, 0x20000, 0x100000, 0x800000
ANCHORED, ENDANCHORED, NO_UTF_CHECK = 0x80000000, 0x20000000, 0x40000000
NOTEMPTY_ATSTART, _NO_JIT, _JIT_COMPLETE = 8, 0x2000, 1
_CAPTURECOUNT, NAMECOUNT, NAMEENTRYSIZE, NAMETABLE = 4, 17, 18, 19
NOMATCH, _JIT_STACKLIMIT = -1, -46
UNSET = c_size_t(-1).value

_MESSAGE_ROOM = 256
_FIRST_STACK, _LARGEST_STACK = 32 << 10, 8 << 20
_MOST_KIBIBYTES = 262144
_STEPS_EACH, _LEAST_STEPS, _MOST_STEPS = 20, 10_000_000, 2**31 - 1
_FIRST_REACH, _REACH_GROWS, _IN_TIME = 256, 4, 10_000_000


# The library.


@cache
def pcre2() -> Any:
    """The functions of the library by their names; None if it is not installed."""
    for name in _LIBRARIES:
        try:
            library = ctypes.CDLL(name)
            return SimpleNamespace(**{
                name: _declared(getattr(library, f"pcre2_{name}_8"), types)
                for name, types in _FUNCTIONS.items()
            })
        except (OSError, AttributeError):
            continue
    return None


def _declared(function: Any, types: str) -> Any:
    result, _, parameters = types.partition(" ")
    function.restype = _TYPES[result]
    function.argtypes = [_TYPES[parameter] for parameter in parameters]
    return function


# Compiling.


class Regexp(Foreign):
    """A compiled regular expression.  stack: 0 until a search needs it.  in_steps: whether a search
    may be continued from another start with the same result."""

    __slots__ = (
        "code", "context", "data", "free", "groups", "in_steps", "most_steps", "offsets", "stack"
    )

    def __init__(self, code: int, in_steps: bool) -> None:
        functions = pcre2()
        self.code, self.stack, self.in_steps, self.most_steps = code, 0, in_steps, 0
        self.free = functions  # at the end of the process, modules may be gone before this object
        self.data = functions.match_data_create_from_pattern(code, None)
        self.context = functions.match_context_create(None)
        if not self.data or not self.context:
            raise NoMemoryError
        self.groups = number_of(code, _CAPTURECOUNT)
        ovector = functions.get_ovector_pointer(self.data)
        self.offsets = (c_size_t * (2 * self.groups + 2)).from_address(ovector)
        functions.set_heap_limit(self.context, _MOST_KIBIBYTES)
        functions.jit_compile(code, _JIT_COMPLETE)

    def __repr__(self) -> str:
        return "#<compiled regexp>"

    def __del__(self) -> None:
        functions = self.free
        if self.stack:
            functions.jit_stack_free(self.stack)
        functions.match_context_free(self.context)
        functions.match_data_free(self.data)  # these take a null pointer, too
        functions.code_free(self.code)


def number_of(code: int, what: int) -> int:
    number = c_uint32()
    pcre2().pattern_info(code, what, byref(number))
    return number.value


def utf8(text: str) -> bytes:
    """The code points of a text, also those that stand for bytes that are not UTF-8."""
    return text.encode("utf-8", "surrogatepass")


def compiled(pattern: str) -> Regexp | tuple[int, str]:
    """The regular expression of a pattern, or the index of a mistake in it and what is wrong."""
    functions, data = pcre2(), utf8(pattern)
    in_steps = b"\\G" not in data and b"(*" not in data
    options = _UTF | _UCP | _NEVER_BACKSLASH_C | (_USE_OFFSET_LIMIT if in_steps else 0)
    error, at = c_int(), c_size_t()
    code = functions.compile(data, len(data), options, byref(error), byref(at), None)
    if code:
        return Regexp(code, in_steps)
    message = ctypes.create_string_buffer(_MESSAGE_ROOM)
    functions.get_error_message(error, message, _MESSAGE_ROOM)
    return len(data[: at.value].decode("utf-8", "surrogatepass")), message.value.decode()


def names_of(regexp: Regexp) -> list[tuple[str, int]]:
    """The names of groups with their numbers, as they stand in PCRE2's table."""
    table = c_void_p()
    pcre2().pattern_info(regexp.code, NAMETABLE, byref(table))
    size = number_of(regexp.code, NAMEENTRYSIZE)
    entries = [
        ctypes.string_at((table.value or 0) + i * size, size)
        for i in range(number_of(regexp.code, NAMECOUNT))
    ]
    return [(e[2:].partition(b"\0")[0].decode(), e[0] << 8 | e[1]) for e in entries]


# Searching.


class Subject(Foreign):
    """A part of a text, as a search takes it."""

    __slots__ = ("data", "is_ascii", "most_steps")

    def __init__(self, text: str) -> None:
        self.data = utf8(text)
        self.is_ascii = text.isascii()
        self.most_steps = min(max(len(self.data) * _STEPS_EACH, _LEAST_STEPS), _MOST_STEPS)

    def __repr__(self) -> str:
        return "#<subject>"


def _match(regexp: Regexp, data: bytes, start: int, options: int) -> int:
    """One search, with a larger stack or none where the usual one is too small."""
    functions = pcre2()
    arguments = (regexp.code, data, len(data), start)
    status: int = functions.match(*arguments, options, regexp.data, regexp.context)
    if status == _JIT_STACKLIMIT and not regexp.stack:
        regexp.stack = functions.jit_stack_create(_FIRST_STACK, _LARGEST_STACK, None) or 0
        if regexp.stack:
            functions.jit_stack_assign(regexp.context, None, regexp.stack)
            status = functions.match(*arguments, options, regexp.data, regexp.context)
    if status != _JIT_STACKLIMIT:
        return status
    return int(functions.match(*arguments, options | _NO_JIT, regexp.data, regexp.context))


def search(regexp: Regexp, subject: Subject, start: int, options: int) -> int:
    """The same from further starts, as long as there is no match; Ctrl-C can come between them."""
    functions, data, reach = pcre2(), subject.data, _FIRST_REACH
    size = len(data)
    if subject.most_steps != regexp.most_steps:
        regexp.most_steps = subject.most_steps
        functions.set_match_limit(regexp.context, subject.most_steps)
    while regexp.in_steps and not options & ANCHORED and size - start > reach:
        began = perf_counter_ns()
        last = start + reach
        while data[last] & 0xC0 == 0x80:
            last -= 1
        functions.set_offset_limit(regexp.context, last)
        status = _match(regexp, data, start, options)
        if status != NOMATCH:
            return status
        if perf_counter_ns() - began < _IN_TIME + size - start:
            reach *= _REACH_GROWS
        elif reach > 1:
            reach //= 2
        start = last + 1
        while start < size and data[start] & 0xC0 == 0x80:
            start += 1
        options &= ~NOTEMPTY_ATSTART
    if regexp.in_steps:
        functions.set_offset_limit(regexp.context, UNSET)
    return _match(regexp, data, start, options)
