"""Numbers: exact integers and rationals, and doubles.

The generic procedures (`+`, `exp`, `<` ...) also take tensors; `docs/tensors.md` says how.
"""

from lambent.lang.primitives.attributes import Integer, Scalar, Taken
from lambent.lang.primitives.machine import Machine
from lambent.lang.primitives.table import Variant, alias, primitive, variant

# Arithmetic.  Analysis turns (+), (+ a), (+ a b c) into calls of two arguments.  Mixed arguments
# follow Scheme's contagion (exact and a double return a double) and, with a tensor, PyTorch's.

_FIXNUMS = "(a: fixnum, b: fixnum) -> fixnum"
_FLOATS = "(a: float, b: float) -> float"
_TENSORS = "(a: tensor, b: tensor) -> tensor"
_TENSOR = "(x: tensor) -> tensor"
_FIXNUMS_TEST = "(a: fixnum, b: fixnum) -> boolean"
_FLOATS_TEST = "(a: float, b: float) -> boolean"
_NUMBERS = "(a: number, b: number) -> number"  # rt_number: doubles without boxes
_NUMBERS_TEST = "(a: number, b: number) -> boolean"
_NUMBER = "(x: number) -> number"
_ONE = Scalar(Integer(1), True)
# The effects of most procedures here.
_GENERIC = "allocates numbers memory, computes with tensors, fails"
_COMPARES = "reads tensor, allocates numbers memory, fails"


def _of_tensors(aten: str, number_first: str, *more: Scalar) -> list[Variant]:
    """Arithmetic of two tensors, or of a tensor and a number, by LibTorch's operators (typed.py).

    number_first: the function for a number and a tensor.  more: the operator's further arguments.
    """
    variants = [
        variant(_TENSORS, f"ct_aten_{aten}_Tensor", passed=(Taken(0), Taken(1), *more))
    ]
    for type_ in ("fixnum", "float"):
        first, second = (Scalar(Taken(index), type_ == "fixnum") for index in (0, 1))
        variants += [
            variant(f"(a: tensor, b: {type_}) -> tensor", f"ct_aten_{aten}_Scalar",
                    passed=(Taken(0), second, *more)),
            variant(f"(a: {type_}, b: tensor) -> tensor", number_first,
                    effects="reads tensor, allocates anything, fails",
                    passed=(first, Taken(1))),
        ]
    return variants


primitive(
    "+", "(a: number, b: number) -> value", "rt_add", "The sum.  Any number of arguments.",
    example="(print (+) (+ 1/2 1/3) (+ 1 2 3.5))  ; => 0 5/6 6.5",
    variants=[
        variant(_FIXNUMS, Machine.I64_ADD),
        variant("(a: fixnum, b: fixnum) -> value", "rt_add_fixnums", effects="allocates numbers"),
        variant(_FLOATS, Machine.F64_ADD),
        *_of_tensors("add", "ct_number_plus", _ONE),
        variant(_NUMBERS, "rt_add_numbers", effects=_GENERIC, freeing=True),
    ],
    effects=_GENERIC,
    freeing=True,
    keeps_integers=True,
)
primitive(
    "-", "(a: number, b: number) -> value", "rt_subtract",
    "The difference; of one argument, its negation.",
    example="(print (- 5 7) (- 3) (- 10 1 2))  ; => -2 -3 7",
    variants=[
        variant(_FIXNUMS, Machine.I64_SUBTRACT),
        variant("(a: fixnum, b: fixnum) -> value", "rt_subtract_fixnums",
                effects="allocates numbers"),
        variant(_FLOATS, Machine.F64_SUBTRACT),
        *_of_tensors("sub", "ct_number_minus", _ONE),
        variant(_NUMBERS, "rt_subtract_numbers", effects=_GENERIC, freeing=True),
    ],
    effects=_GENERIC,
    freeing=True,
    keeps_integers=True,
)
primitive(
    "-", "(x: number) -> value", "rt_negate", "The negation: what `(- x)` calls.", key="%negate",
    variants=[variant("(x: float) -> float", Machine.F64_NEGATE),
              variant("(x: fixnum) -> fixnum", Machine.I64_NEGATE),
              variant("(x: fixnum) -> value", "rt_negate_fixnum", effects="allocates numbers"),
              variant(_TENSOR, "ct_aten_neg"),
              variant(_NUMBER, "rt_negate_number", effects=_GENERIC)],
    effects=_GENERIC,
    keeps_integers=True,
)
primitive(
    "*", "(a: number, b: number) -> value", "rt_multiply", "The product; of tensors, elementwise.",
    example="(print (*) (* 6 7) (* 100000000000 100000000000))  ; => 1 42 10000000000000000000000",
    variants=[
        variant(_FIXNUMS, Machine.I64_MULTIPLY),
        variant("(a: fixnum, b: fixnum) -> value", "rt_multiply_fixnums",
                effects="allocates numbers"),
        variant(_FLOATS, Machine.F64_MULTIPLY),
        *_of_tensors("mul", "ct_number_times"),
        variant(_NUMBERS, "rt_multiply_numbers", effects=_GENERIC, freeing=True),
    ],
    effects=_GENERIC,
    freeing=True,
    keeps_integers=True,
)
primitive(
    "/", "(a: number, b: number) -> value", "rt_divide",
    "The quotient; of one argument, its reciprocal.  Exact arguments return an exact result.  "
    "Division by an exact zero is an error; division by 0.0 follows IEEE 754.",
    example="(print (/ 1 3) (/ 6 3) (/ 1.0 4) (/ 2))  ; => 1/3 2 0.25 1/2",
    variants=[
        variant(_FLOATS, Machine.F64_DIVIDE),
        *_of_tensors("div", "ct_number_over"),
        variant(_NUMBERS, "rt_divide_numbers", effects=_GENERIC, freeing=True),
    ],
    effects=_GENERIC,
)

# Comparison, of two arguments after analysis.  Tensors of one element compare as numbers.

for _name, _symbol, _word, _doc in (
    ("=", "rt_equal_numbers", "EQUAL", "Whether the numbers are equal."),
    ("<", "rt_less", "LESS", "Whether the numbers increase."),
    (">", "rt_greater", "GREATER", "Whether the numbers decrease."),
    ("<=", "rt_less_or_equal", "LESS_OR_EQUAL", "Whether no number is less than the one before."),
    (">=", "rt_greater_or_equal", "GREATER_OR_EQUAL",
     "Whether no number is greater than the one before."),
):
    primitive(
        _name, "(a: number, b: number) -> boolean", _symbol, _doc,
        example=f"(print ({_name} 1 2) ({_name} 2 2.0) ({_name} 3 5/2))  ; => "
        + {"=": "#f #t #f", "<": "#t #f #f", ">": "#f #f #t", "<=": "#t #t #f",
           ">=": "#f #t #t"}[_name],
        variants=[
            variant(_FIXNUMS_TEST, Machine[f"I64_{_word}"]),
            variant(_FLOATS_TEST, Machine[f"F64_{_word}"]),
            variant(
                _NUMBERS_TEST, _symbol.replace("equal_n", "are_equal_n").removesuffix("_numbers")
                + "_numbers", effects=_COMPARES, freeing=True,
            ),
        ],
        effects=_COMPARES, freeing=True,
    )

# Order, rounding, powers.  Results of exact arguments are exact if possible.

_FLOAT = "(x: float) -> float"
_FIXNUM = "(x: fixnum) -> fixnum"

for _name, _doc, _example in (
    ("max", "The largest; a double if any argument is one.", "(max 1 3 2.0))  ; => 3.0"),
    ("min", "The smallest; a double if any argument is one.", "(min 4 2 3))  ; => 2"),
):
    primitive(
        _name, "(a: number, b: number) -> value", f"rt_{_name}", _doc, example=f"(print {_example}",
        variants=[variant(_FIXNUMS, Machine[f"I64_{_name.upper()}"]),
                  variant(_FLOATS, f"rt_{_name}_doubles", effects=""),
                  variant(_TENSORS, f"ct_aten_{_name}imum"),
                  variant(_NUMBERS, f"rt_{_name}_numbers", effects=_GENERIC)],
        effects=_GENERIC,
    )
primitive("abs", "(x: number) -> value", "rt_abs", "The absolute value.",
          example="(print (abs -3/2) (abs -2.5))  ; => 3/2 2.5",
          variants=[variant(_FLOAT, Machine.F64_ABS),
                    variant(_FIXNUM, Machine.I64_ABS),
                    variant("(x: fixnum) -> value", "rt_abs_fixnum", effects="allocates numbers"),
                    variant(_TENSOR, "ct_aten_abs"),
                    variant(_NUMBER, "rt_abs_number",

                            effects=_GENERIC)],
          effects=_GENERIC, keeps_integers=True)
primitive("square", "(x: number) -> value", "rt_square", "x times x.",
          example="(print (square 12))  ; => 144",
          variants=[variant(_FLOAT, Machine.F64_SQUARE),
                    variant("(x: fixnum) -> value", "rt_square_fixnum",
                            effects="allocates numbers"),
                    variant(_TENSOR, "ct_aten_square"),
                    variant(_NUMBER, "rt_square_number",

                            effects=_GENERIC)],
          effects=_GENERIC, keeps_integers=True)
for _name, _aten, _doc, _example in (
    ("floor", "floor", "The largest integer not above x.",
     "(floor -2.5) (floor 7/2))  ; => -3.0 3"),
    ("ceiling", "ceil", "The smallest integer not below x.",
     "(ceiling -2.5) (ceiling 7/2))  ; => -2.0 4"),
    ("truncate", "trunc", "The integer part of x.",
     "(truncate -2.5) (truncate 7/2))  ; => -2.0 3"),
    ("round", "round", "The nearest integer, ties to even.",
     "(round 2.5) (round 7/2))  ; => 2.0 4"),
):
    primitive(_name, "(x: number) -> value", f"rt_{_name}", _doc, example=f"(print {_example}",
              variants=[variant(_FLOAT, Machine[f"F64_{_name.upper()}"]),
                        variant(_FIXNUM, Machine.COPY),
                        variant(_TENSOR, f"ct_aten_{_aten}"),
                        variant(_NUMBER, f"rt_{_name}_number",

                                effects=_GENERIC)],
              effects=_GENERIC)
primitive("sqrt", "(x: number) -> value", "rt_sqrt",
          "The square root; exact for exact squares.  A negative number is an error.",
          example="(print (sqrt 16) (sqrt 2.25) (sqrt 1/4))  ; => 4 1.5 1/2",
          variants=[variant(_FLOAT, "rt_sqrt_double", effects="allocates numbers, fails"),
                    variant(_TENSOR, "ct_aten_sqrt"),
                    variant(_NUMBER, "rt_sqrt_number",

                            effects=_GENERIC)],
          effects=_GENERIC)
primitive("expt", "(base: number, exponent: number) -> value", "rt_expt",
          "base to the power exponent; exact if both are, and the result can be.  A "
          "negative base with a fractional exponent is an error.",
          example="(print (expt 2 100) (expt 2 -1) (expt 2.0 0.5))  "
          "; => 1267650600228229401496703205376 1/2 1.4142135623730951",
          variants=[variant(_FLOATS, "rt_expt_doubles", effects="allocates numbers, fails"),
                    variant(_NUMBERS, "rt_expt_numbers",

                            effects=_GENERIC)],
          effects=_GENERIC)
for _name, _example in (
    ("exp", "(print (exp 0))  ; => 1"), ("sin", "(print (sin 0))  ; => 0"),
    ("cos", "(print (cos 0))  ; => 1"), ("tanh", "(print (tanh 0.0))  ; => 0.0"),
    ("tan", "(print (tan 0))  ; => 0"),
):
    primitive(_name, "(x: number) -> value", f"rt_{_name}",
              f"The function {_name}, of radians where x is an angle; exact where R7RS allows it.",
              example=_example,
              variants=[variant(_FLOAT, Machine[f"F64_{_name.upper()}"]),
                        variant(_TENSOR, f"ct_aten_{_name}"),
                        variant(_NUMBER, f"rt_{_name}_number",

                                effects=_GENERIC)],
              effects=_GENERIC)
primitive("log", "(x: number, base: value = #f) -> value", "rt_log",
          "The natural logarithm, or that to a base.  A negative number or an exact zero is an "
          "error.",
          example="(print (log 1) (log 8 2))  ; => 0 3.0",
          variants=[variant("(x: float, base: boolean) -> float", "rt_log_double",

                            effects="allocates numbers, fails")],
          effects=_GENERIC)
primitive("asin", "(x: number) -> value", "rt_asin",
          "The arc sine, in radians.  x must lie between -1 and 1.",
          example="(print (asin 0) (asin 1.0))  ; => 0 1.5707963267948966", effects=_GENERIC)
primitive("acos", "(x: number) -> value", "rt_acos",
          "The arc cosine, in radians.  x must lie between -1 and 1.",
          example="(print (acos 1) (acos 0.0))  ; => 0 1.5707963267948966", effects=_GENERIC)
primitive("atan", "(y: number, x: value = #f) -> value", "rt_atan",
          "The arc tangent, in radians; with two arguments the angle of the point (x, y).",
          example="(print (atan 0) (atan 1.0 1.0))  ; => 0 0.7853981633974483",
          variants=[variant("(y: float, x: float) -> float", Machine.F64_ATAN2),
                    variant("(y: float, x: boolean) -> float", "rt_atan_double",
                            effects="fails")],
          effects=_GENERIC)

# Types and exactness.

for _name, _doc in (
    ("number?", "Whether it is a number.  Tensors are not."),
    ("complex?", "Whether it is a complex number: all numbers are, because they are real."),
    ("integer?", "Whether it is an exact integer or a double with an integer value."),
    ("rational?", "Whether it is a number that is neither infinite nor a nan."),
    ("real?", "Whether it is a real number; all numbers are."),
    ("exact-integer?", "Whether it is an exact integer."),
    ("exact-rational?", "Whether it is an exact integer or an exact fraction."),
):
    primitive(_name, "(x: value) -> boolean",
              "rt_is_" + _name.rstrip("?").replace("-", "_"), _doc, effects="")
for _name, _machine, _doc in (
    ("nan?", Machine.F64_IS_NAN, "Whether the number is a nan."),
    ("infinite?", Machine.F64_IS_INFINITE, "Whether the number is infinite."),
    ("finite?", Machine.F64_IS_FINITE, "Whether the number is neither infinite nor a nan."),
):
    primitive(_name, "(x: number) -> boolean", "rt_is_" + _name.rstrip("?"), _doc,
              variants=[variant("(x: float) -> boolean", _machine)], effects="fails")
primitive("exact?", "(x: number) -> boolean", "rt_is_exact", "Whether the number is exact.",
          example="(print (exact? 1/2) (exact? 0.5))  ; => #t #f", effects="fails")
primitive("inexact?", "(x: number) -> boolean", "rt_is_inexact", "Whether it is a double.",
          example="(print (inexact? 1/2) (inexact? 0.5))  ; => #f #t", effects="fails")
primitive("exact", "(x: number) -> value", "rt_exact",
          "The exact number with the value of x.  Infinities and nans have none.",
          example="(print (exact 2.5) (exact 3.0))  ; => 5/2 3",
          variants=[variant(_FIXNUM, Machine.COPY),
                    variant("(x: float) -> value", "rt_exact_double",

                            effects="allocates numbers memory, fails")],
          effects="allocates numbers memory, fails")
primitive("inexact", "(x: number) -> float", "rt_inexact", "The double nearest to x.",
          example="(print (inexact 1/4) (inexact 3))  ; => 0.25 3.0",
          variants=[variant(_FLOAT, Machine.COPY),
                    variant("(x: fixnum) -> float", Machine.I64_TO_F64),
                    variant("(x: number) -> float", "rt_inexact_number",
                            effects="allocates numbers, fails")],
          effects="allocates numbers, fails")
for _name, _doc in (
    ("zero?", "Whether the number is zero."),
    ("positive?", "Whether the number is above zero."),
    ("negative?", "Whether the number is below zero."),
):
    primitive(_name, "(x: number) -> boolean", "rt_is_" + _name.rstrip("?"), _doc,
              variants=[variant("(x: fixnum) -> boolean", Machine["I64_IS_" + _name[:-1].upper()]),
                        variant("(x: float) -> boolean", Machine["F64_IS_" + _name[:-1].upper()]),
                        variant("(x: number) -> boolean", f"rt_is_{_name.rstrip('?')}_number",

                                effects=_COMPARES)],
              effects=_COMPARES)
primitive("numerator", "(x: number) -> value", "rt_numerator",
          "The numerator in lowest terms.", example="(print (numerator 6/4))  ; => 3",
          effects="allocates numbers memory, fails")
primitive("denominator", "(x: number) -> value", "rt_denominator",
          "The denominator in lowest terms.", example="(print (denominator 6/4))  ; => 2",
          effects="allocates numbers memory, fails")
primitive("number->string", "(x: number, radix: value = 10) -> value", "rt_number_to_string",
          "The number as text; exact numbers in radix 2 to 36, doubles in radix 10.",
          example='(print (number->string 255 16) (number->string 0.1))  ; => ff 0.1',
          effects="reads string, allocates anything, fails")
primitive("string->number", "(text: string, radix: value = 10) -> value", "rt_string_to_number",
          "The number that the text represents, or #f.",
          example='(print (string->number "1e3") (string->number "x"))  ; => 1000.0 #f',
          effects="reads string, allocates numbers memory, fails")

# R5RS names.

alias("exact->inexact", "inexact")
alias("inexact->exact", "exact")
