"""Integers: division in both roundings, divisors, and bits.

Division accepts doubles with integer values, as in R7RS.  Bits are those of exact integers, in
two's complement of unlimited length.
"""

from lambent.lang.primitives.machine import Machine
from lambent.lang.primitives.table import primitive, variant

_TWO = "(n: number, d: number) -> value"
_FIXNUMS = "(n: fixnum, d: fixnum) -> fixnum"
_GENERIC = "allocates numbers memory, computes with tensors, fails"

# Division.  A quotient may leave the range of a fixnum, a remainder cannot.

_TOWARDS_ZERO = "The quotient rounded towards zero; of tensors, elementwise."
_DOWN = "The quotient rounded down; of tensors, elementwise."
_SIGN_OF_N = "The remainder of division rounded towards zero; it has the sign of n."
_SIGN_OF_D = "The remainder of division rounded down; it has the sign of d."

for _name, _machine, _doc, _result in (
    ("quotient", Machine.I64_QUOTIENT, _TOWARDS_ZERO, -3),
    ("truncate-quotient", Machine.I64_QUOTIENT, _TOWARDS_ZERO, -3),
    ("floor-quotient", Machine.I64_FLOOR_QUOTIENT, _DOWN, -4),
    ("remainder", Machine.I64_REMAINDER, _SIGN_OF_N, -1),
    ("truncate-remainder", Machine.I64_REMAINDER, _SIGN_OF_N, -1),
    ("modulo", Machine.I64_MODULO, _SIGN_OF_D, 1),
    ("floor-remainder", Machine.I64_MODULO, _SIGN_OF_D, 1),
):
    _symbol = "rt_" + _name.replace("-", "_")
    _leaves_range = _name in ("quotient", "truncate-quotient", "floor-quotient")
    _of_integers = [
        variant("(n: fixnum, d: fixnum) -> value", f"{_symbol}_fixnums",
                effects="allocates numbers, fails")
    ] if _leaves_range else [
        variant(_FIXNUMS, f"{_symbol}_fixnums", effects="fails"),
        variant("(n: integer, d: fixnum) -> fixnum", f"{_symbol}_integer", freeing=True,
                computes=_machine, effects="allocates numbers, fails"),
    ]
    primitive(_name, _TWO, _symbol, _doc, example=f"(print ({_name} -7 2))  ; => {_result}",
              variants=[variant(_FIXNUMS, _machine), *_of_integers],
              effects=_GENERIC, freeing=_name in ("quotient", "remainder", "modulo"),
              keeps_integers=True)
# For the library: the first result of `floor/` and `truncate/`, with errors by that name.
primitive("floor/", _TWO, "rt_floor_divide", _DOWN, key="%floor/",
          effects=_GENERIC)
primitive("truncate/", _TWO, "rt_truncate_divide", _TOWARDS_ZERO, key="%truncate/",
          effects=_GENERIC)

primitive("gcd", "(a: number, b: number) -> value", "rt_gcd",
          "The greatest common divisor; of tensors, elementwise.  Any number of arguments.",
          example="(print (gcd 12 18) (gcd))  ; => 6 0",
          effects=_GENERIC)
primitive("lcm", "(a: number, b: number) -> value", "rt_lcm",
          "The least common multiple; of tensors, elementwise.  Any number of arguments.",
          example="(print (lcm 4 6) (lcm))  ; => 12 1",
          effects=_GENERIC)
for _name, _machine, _doc in (
    ("odd?", Machine.I64_IS_ODD, "Whether the integer is odd."),
    ("even?", Machine.I64_IS_EVEN, "Whether the integer is even."),
):
    primitive(_name, "(x: number) -> boolean", "rt_is_" + _name.rstrip("?"), _doc,
              variants=[variant("(x: fixnum) -> boolean", _machine)],
              effects="allocates numbers, fails")
# For the library: the first result of `exact-integer-sqrt`.
primitive("exact-integer-sqrt", "(n: integer) -> value", "rt_integer_sqrt",
          "The largest integer whose square is not above n.", key="%exact-integer-sqrt",
          effects="allocates numbers, fails")

# Bits.

for _name, _machine, _doc, _result, _identity in (
    ("bitwise-and", Machine.I64_AND,
     "The bits that are set in all arguments.  Any number of them.", 8, -1),
    ("bitwise-ior", Machine.I64_OR,
     "The bits that are set in any argument.  Any number of them.", 14, 0),
    ("bitwise-xor", Machine.I64_XOR,
     "The bits that are set in an odd number of arguments.", 6, 0),
):
    primitive(_name, "(a: integer, b: integer) -> value", "rt_" + _name.replace("-", "_"), _doc,
              example=f"(print ({_name} 12 10) ({_name}))  ; => {_result} {_identity}",
              variants=[variant("(a: fixnum, b: fixnum) -> fixnum", _machine)],
              effects="allocates numbers, fails")
primitive("bitwise-not", "(n: integer) -> value", "rt_bitwise_not",
          "Every bit inverted: -1 minus n.", example="(print (bitwise-not 10))  ; => -11",
          variants=[variant("(n: fixnum) -> fixnum", Machine.I64_NOT)],
          effects="allocates numbers, fails")
primitive("arithmetic-shift", "(n: integer, count: integer) -> value", "rt_arithmetic_shift",
          "n with its bits moved to the left by count, or to the right where count is negative.",
          example="(print (arithmetic-shift 5 3) (arithmetic-shift -5 -1))  ; => 40 -3",
          variants=[variant(_FIXNUMS, Machine.I64_SHIFT_LEFT),
                    variant(_FIXNUMS, Machine.I64_SHIFT_RIGHT),
                    variant("(n: fixnum, count: fixnum) -> value", "rt_shift_fixnums",
                            effects="allocates numbers memory, fails")],
          effects="allocates numbers memory, fails")
primitive("bit-count", "(n: integer) -> value", "rt_bit_count",
          "How many bits are set; in a negative integer, how many are not.",
          example="(print (bit-count 13) (bit-count -1))  ; => 3 0",
          effects="allocates numbers, fails")

# Random numbers.

primitive("random", "(limit: value = #f) -> value", "rt_random",
          "A random integer from 0 up to but without an exact limit, or a random double from 0 up "
          "to a double, or to 1 without a limit.",
          example="(begin (random-seed! 7) (print (random 100) (random 10)))  ; => 90 2",
          effects="reads random, writes port random, allocates numbers memory, "
          "computes with tensors, fails")
primitive("random-seed!", "(seed: integer) -> void", "rt_random_seed",
          "Seed the generator of `random`, so that its numbers depend on the seed alone.  Without "
          "it, every run is different.",
          example="(begin (random-seed! 1) (print (random 1000)))  ; => 197",
          effects="writes random, allocates numbers, fails")
primitive("%random-words", "() -> value", "rt_random_words",
          "The state of the generator of `random`: an exact integer from 1 up to 2^256.",
          effects="reads random, writes port random, allocates numbers")
primitive("%set-random-words!", "(state: value) -> void", "rt_set_random_words",
          "Continue the numbers of `random` from a state.", effects="writes random, fails")
