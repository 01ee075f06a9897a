"""The Python extension with its own value classes.  It runs alone: `configure` cannot be undone."""

import gc
from fractions import Fraction
from typing import Any

from lambent import ctorch

extension = ctorch.extension()


class Value:
    __slots__ = ()

    def __add__(self, other: Any) -> str:
        return "refused"

    __radd__ = __add__


class Tensor(extension.Tensor, Value):  # type: ignore[misc, name-defined]
    __slots__ = ()


class Pair(Value):
    __slots__ = ("car", "cdr")

    def __init__(self, car: Any, cdr: Any) -> None:
        self.car = car
        self.cdr = cdr


class Vector(Value):
    __slots__ = ("items",)


class String(Value):
    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Symbol(Value):
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Keyword(Symbol):
    __slots__ = ()


TRUE, FALSE, NIL = Value(), Value(), Value()

extension.configure(
    tensor=Tensor, pair=Pair, vector=Vector, string=String, symbol=Symbol, keyword=Keyword,
    true=TRUE, false=FALSE, nil=NIL, unspecified=None,
    shown=lambda x: f"<{type(x).__name__}>", intern=Symbol,
)


def lisp(*items: Any) -> Any:
    result: Any = NIL
    for item in reversed(items):
        result = Pair(item, result)
    return result


def python(value: Any) -> Any:
    """Pairs as Python lists."""
    items = []
    while isinstance(value, Pair):
        items.append(python(value.car))
        value = value.cdr
    return items if items or value is NIL else value


def failure(function: Any, *arguments: Any) -> tuple[str, str | None]:
    try:
        function(*arguments)
    except extension.TensorError as error:
        return error.message, error.hint
    raise AssertionError("no failure")


def check_values() -> None:
    vector = Vector()
    vector.items = [1, 2.5]
    x = extension.make(lisp(vector, lisp(Fraction(1, 2), 4)), None, None, False)
    assert isinstance(x, Tensor)
    assert repr(x) == "[[1.0 2.5] [0.5 4.0]]"
    assert python(extension.to_list(x)) == [[1.0, 2.5], [0.5, 4.0]]
    assert (extension.rank(x), extension.shape(x), extension.dtype(x)) == (2, (2, 2), "float32")
    assert extension.describe(x) == "a tensor float32 (2 2)"
    assert extension.text(extension.make(1 / 3, None, None, False), extension.WRITE) == "0.33333334"
    assert extension.item(extension.literal((1,), [True])) is TRUE
    assert extension.dtype(extension.make(1, "f64", None, False)) == "float64"
    assert failure(extension.make, Value(), None, None, False)[0] == (
        "expected a number or a tensor, got <Value>"
    )
    assert failure(extension.make, Pair(1, 2), None, None, False)[0].endswith("got <Pair>")
    cycle = Pair(1, NIL)
    cycle.cdr = cycle
    assert failure(extension.make, cycle, None, None, False)[0].endswith("got <Pair>")
    assert failure(extension.make, 1 << 70, None, None, False)[0] == "<int> does not fit into int64"


def check_operators() -> None:
    x = extension.literal((2, 2), [1.0, 2.0, 3.0, 4.0])
    add, total = extension.operator("add"), extension.operator("sum")
    assert repr(add(x, x)) == repr(add(x, x, Keyword("alpha"), 1)) == "[[2.0 4.0] [6.0 8.0]]"
    assert repr(total(x, 0)) == repr(total(x, Keyword("dim"), lisp(0))) == "[4.0 6.0]"
    assert repr(total(x, FALSE, TRUE)) == "[[10.0]]"
    assert repr(total(x, 0, Keyword("dtype"), Symbol("int64"))) == "[4 6]"
    assert python(extension.operator("topk")(x, 1))[0].__class__ is Tensor
    assert extension.operator("add_")(x, 1) is x
    assert failure(add, x, String("a")) == (
        'expected a tensor for other, got "a"',
        "usage: (tensor-add self other [:alpha 1])\n"
        '  or (tensor-add self other [alpha]): expected a number for other, got "a"',
    )
    assert failure(extension.operator, "sofmax") == (
        "unknown operator: tensor-sofmax", "did you mean tensor-softmax?"
    )
    for count in (9, 20):
        assert failure(add, *[x] * count)[0] == f"expected 2 arguments, got {count}"


def check_arithmetic() -> None:
    x, three = extension.literal((2,), [1, 2]), extension.literal((), [3])
    assert [repr(y) for y in (x + x, x + 1, 1 - x, x * 0.5, 1 / x, -x)] == [
        "[2 4]", "[2 3]", "[0 -1]", "[0.5 1.0]", "[1.0 0.5]", "[-1 -2]"
    ]
    assert repr(x + Fraction(1, 2)) == "[1.5 2.5]"
    assert x + Value() == Value() + x == "refused"
    assert three < 4 and three.__gt__(2) and three >= three and not three > 3.5
    assert x == x and x != three and hash(x) == hash(x)
    assert failure(lambda: x < 1) == (
        "expected a tensor of one element, got a tensor int64 (2)",
        "tensor-lt compares element by element",
    )
    assert extension.compare("=", three, 3) and not extension.compare("<=", 4, three)
    assert repr(extension.arithmetic("expt", 2, three)) == "8"
    assert extension.truth(three) and extension.equal(x, extension.literal((2,), [1, 2]))


def check_parts_and_gradients() -> None:
    x = extension.make(lisp(1.0, 2.0, 3.0), None, None, True)
    y = extension.operator("sum")(x * x)
    extension.backward(y, None, False, False)
    assert repr(extension.grad(x)) == "[2.0 4.0 6.0]"
    extension.zero_grad(x)
    assert extension.grad(x) is None
    (g,) = extension.gradients([extension.operator("sum")(x * x)], [], [x], False, False, False)
    assert repr(g) == "[2.0 4.0 6.0]"
    d = extension.detach(x)
    extension.set(d, 0, 9)
    assert repr(extension.slice(x, 0, -3, 2, 1)) == "[9.0 2.0]"
    assert repr(extension.ref(x, lisp(2, 0))) == "[3.0 9.0]"
    assert extension.to(d, "f32") is d
    assert extension.set_grad_mode(False) and not extension.set_grad_mode(True)


def check_nothing_is_left() -> None:
    lib = ctorch.load().lib
    for check in (check_values, check_operators, check_arithmetic, check_parts_and_gradients):
        check()
        gc.collect()
        assert lib.ct_live_handles() == 0, check.__name__
    assert lib.ct_live_bytes() == 0


check_nothing_is_left()
