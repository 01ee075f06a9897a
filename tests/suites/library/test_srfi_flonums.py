"""SRFI 144 against Python's math."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lambent

EXAMPLES = settings(deadline=None, max_examples=60, database=None)

finite = st.floats(allow_nan=False, allow_infinity=False)
small = st.floats(-20, 20) | st.floats(-1e-6, 1e-6)


@pytest.fixture(scope="module")
def session() -> lambent.Session:
    session = lambent.Session()
    session.eval("(import (srfi 144))")
    return session


# The same results to the last bit.
EXACT: dict[str, Callable[..., object]] = {
    "(lambda (x y) (fladjacent x y))": math.nextafter,
    "(lambda (x y) (flcopysign x y))": math.copysign,
    "(lambda (x y) (flnormalized-fraction-exponent x))": lambda x, _: math.frexp(x),
    "(lambda (x y) (flinteger-fraction x))": lambda x, _: math.modf(x)[::-1],
    "(lambda (x y) (if (flzero? y) 0 (flremainder x y)))": lambda x, y: y and math.fmod(x, y),
    "(lambda (x y) (if (flzero? y) 0 (call-with-values (lambda () (flremquo x y))"
    " (lambda (r q) r))))": lambda x, y: y and math.remainder(x, y),
    "(lambda (x y) (fl<? x y))": lambda x, y: x < y,
    "(lambda (x y) (make-flonum x (exact (truncate (flmax -99. (flmin 99. y))))))":
        lambda x, y: _shifted(x, int(max(-99.0, min(99.0, y)))),
}
# The same but for the last digits.
NEAR: dict[str, Callable[[float], float]] = {
    "flexp-1": math.expm1,
    "flexp2": math.exp2,
    "flcbrt": math.cbrt,
    "flsinh": math.sinh,
    "flcosh": math.cosh,
    "fltanh": math.tanh,
    "flasinh": math.asinh,
    "flerf": math.erf,
    "flerfc": math.erfc,
    "(lambda (x) (fllog1+ (flabs x)))": lambda x: math.log1p(abs(x)),
    "(lambda (x) (flacosh (fl+ 1. (flabs x))))": lambda x: math.acosh(1 + abs(x)),
    "(lambda (x) (flatanh (fl/ x 21.)))": lambda x: math.atanh(x / 21),
    "(lambda (x) (flgamma (fl+ 0.5 (flabs x))))": lambda x: math.gamma(0.5 + abs(x)),
}


def _shifted(x: float, n: int) -> float:
    try:
        return math.ldexp(x, n)
    except OverflowError:
        return math.copysign(math.inf, x)


@pytest.mark.parametrize("text", EXACT)
def test_parts_agree_with_python(session: lambent.Session, text: str) -> None:
    lisp = session.eval(text)

    @EXAMPLES
    @given(finite | small, finite | small)
    def agree(x: float, y: float) -> None:
        assert repr(lisp(x, y)) == repr(EXACT[text](x, y)) or lisp(x, y) == EXACT[text](x, y) == 0

    agree()


@pytest.mark.parametrize("text", NEAR)
def test_functions_agree_with_python(session: lambent.Session, text: str) -> None:
    lisp = session.eval(text)

    @EXAMPLES
    @given(small)
    def agree(x: float) -> None:
        assert lisp(x) == pytest.approx(NEAR[text](x), rel=1e-13, abs=5e-324)

    agree()
