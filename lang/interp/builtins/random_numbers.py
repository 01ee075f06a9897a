"""The generator of `random`: xoshiro256**, whose state splitmix64 fills from the seed.

Executables have the same generator in `runtime/numbers/random.c`, with the same numbers.
"""

import math
import os

from lambent.lang.interp.errors.faults import wrong_type
from lambent.lang.interp.values.values import FALSE, UNSPECIFIED, Lisp

_WORD = 2**64 - 1
_WORD_BITS = 64
_DOUBLE_DIGITS = 53  # bits of a double's mantissa

_state: list[int] = []  # four words; empty before the first seed


def _seed_with(seed: int) -> None:
    _state.clear()
    for _ in range(4):
        seed = (seed + 0x9E3779B97F4A7C15) & _WORD
        z = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 & _WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB & _WORD
        _state.append(z ^ z >> 31)


def _rotate_left(word: int, count: int) -> int:
    return (word << count | word >> (_WORD_BITS - count)) & _WORD


def _ensure_seed() -> None:
    if not _state:
        _seed_with(int.from_bytes(os.urandom(8)))


def _next_word() -> int:
    _ensure_seed()
    a, b, c, d = _state
    c ^= a
    d ^= b
    _state[:] = a ^ d, b ^ c, c ^ (b << 17 & _WORD), _rotate_left(d, 45)
    return _rotate_left(b * 5 & _WORD, 7) * 9 & _WORD


def _below(limit: int) -> int:
    """Draw numbers with as many bits as limit - 1, until one is below the limit."""
    bits = (limit - 1).bit_length()
    count = max(1, -(-bits // _WORD_BITS))
    while True:
        drawn = 0
        for i in range(count):
            drawn |= _next_word() << (_WORD_BITS * i)
        drawn &= (1 << bits) - 1
        if drawn < limit:
            return drawn


def _unit() -> float:
    return (_next_word() >> (_WORD_BITS - _DOUBLE_DIGITS)) / (1 << _DOUBLE_DIGITS)


def random(limit: Lisp = FALSE) -> Lisp:
    if limit is FALSE:
        return _unit()
    is_valid = limit.__class__ is int or (limit.__class__ is float and math.isfinite(limit))
    if not is_valid or limit <= 0:
        wrong_type("random", "a positive exact integer or double", limit)
    if limit.__class__ is int:
        return _below(limit)
    return _unit() * float(limit)


def random_seed(seed: Lisp) -> Lisp:
    if seed.__class__ is not int:
        wrong_type("random-seed!", "an exact integer", seed)
    _seed_with(seed & _WORD)
    return UNSPECIFIED


def random_words() -> Lisp:
    """The words, the first of them lowest, as one integer."""
    _ensure_seed()
    return sum(word << (_WORD_BITS * i) for i, word in enumerate(_state))


def set_random_words(state: Lisp) -> Lisp:
    if state.__class__ is not int or not 0 < state < 1 << (4 * _WORD_BITS):
        wrong_type("set-random-state!", "a state of random", state)
    _state[:] = (state >> (_WORD_BITS * i) & _WORD for i in range(4))
    return UNSPECIFIED
