"""ctorch.h on the real LibTorch: values, operators by schema, printing, errors, gradients.

Python's torch is imported only by tests, to compare results with.
"""

import gc
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lambent import ctorch
from lambent.ctorch.build import find_torch
from lambent.lang.reference.operator_docs import operator_versions
from tests.support.absent_operators import absent_operators
from tests.support.ctorch_calls import (
    FailedError,
    Handle,
    Keyword,
    Symbol,
    arithmetic,
    call,
    check,
    made,
    put,
    ref,
    tensor,
    values,
)
from tests.support.needs_libtorch import python_torch
from tests.support.paths import TESTS

pytestmark = pytest.mark.usefixtures("no_live_handles")
inf, nan = math.inf, math.nan


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else 1


def key(**named: Any) -> list[Any]:
    """Keyword arguments in the layout of a Lisp call."""
    return [x for name, value in named.items() for x in (Keyword(name.replace("_", "-")), value)]


# Creating and reading.


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (5, "int64", ()),
        (2.5, "float32", ()),
        (True, "bool", ()),
        ([1, 2], "int64", (2,)),
        ([1, 2.5], "float32", (2,)),
        ([True, 2], "int64", (2,)),
        ([True, False], "bool", (2,)),
        ([[1, 2, 3], [4, 5, 6]], "int64", (2, 3)),
        ([], "float32", (0,)),
        ([[], []], "float32", (2, 0)),
    ],
)
def test_make(data: Any, dtype: str, shape: tuple[int, ...]) -> None:
    x = tensor(data)
    assert (x.dtype, x.shape, x.to_list()) == (dtype, shape, data)


@pytest.mark.parametrize("dtype", ["float64", "f16", "bfloat16", "i32", "uint8", "bool"])
def test_make_with_dtype(dtype: str) -> None:
    assert tensor([[1, 0]], dtype).to_list() == [[1, 0]]


def test_float64_keeps_every_digit() -> None:
    assert tensor([0.1], "float64").to_list() == [0.1]


def test_tensors_stack() -> None:
    row = tensor([1.0, 2.0], requires_grad=True)
    both = tensor([row, row])
    assert both.to_list() == [[1.0, 2.0], [1.0, 2.0]]
    gradient = gradients(call("sum", both), row)
    assert gradient.to_list() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([[1, 2], [3]], "ragged data: expected a row of 2 at index 1, got (3)"),
        ([1, [2]], "ragged data: expected a number at index 1, got (2)"),
        ([[1], 2], "ragged data: expected a row of 1 at index 1, got 2"),
        (["a"], 'expected a number or a tensor, got "a"'),
        (nested(100), "a tensor has at most 64 dimensions"),
    ],
)
def test_make_refuses(data: Any, message: str) -> None:
    with pytest.raises(FailedError) as failed:
        tensor(data)
    assert failed.value.message == message


# Printing.


@pytest.mark.parametrize(
    ("data", "display", "write"),
    [
        ([1.0, 0.2225, -3.5], "[1.0 0.2225 -3.5]", "[1.0 0.2225 -3.5]"),
        ([1 / 3], "[0.3333]", "[0.33333334]"),
        ([1e6, 999999.0], "[1.0000e+06 999999.0]", "[1000000.0 999999.0]"),
        ([1e-4, 0.00001234], "[0.0001 1.2340e-05]", "[0.0001 0.00001234]"),
        ([1e21, 1e-7], "[1.0000e+21 1.0000e-07]", "[1e21 1e-7]"),
        ([-0.0, 0.0], "[0.0 0.0]", "[-0.0 0.0]"),
        ([inf, -inf, nan], "[inf -inf nan]", "[+inf.0 -inf.0 +nan.0]"),
        ([True, False], "[#t #f]", "[#t #f]"),
        ([1, -2], "[1 -2]", "[1 -2]"),
        ([[1, 2], [3, 4]], "[[1 2] [3 4]]", "[[1 2] [3 4]]"),
        ([], "[]", "[]"),
        ([[], []], "[[] []]", "[[] []]"),
        (2.5, "2.5", "2.5"),
    ],
)
def test_print(data: Any, display: str, write: str) -> None:
    x = tensor(data)
    assert (x.text(), x.text("WRITE")) == (display, write)


@pytest.mark.parametrize(
    ("dtype", "written"),
    [("float64", "[0.1]"), ("float32", "[0.1]"), ("float16", "[0.1]"), ("bfloat16", "[0.1]")],
)
def test_write_digits_of_dtype(dtype: str, written: str) -> None:
    assert tensor([0.1], dtype).text("WRITE") == written


def test_print_truncates_long_tensors() -> None:
    assert call("arange", 1000).text().count(" ") == 999
    assert call("arange", 1001).text() == "[0 1 2 ... 998 999 1000]"
    assert call("arange", 1001).text("WRITE").count(" ") == 1000
    wide = call("zeros", 2, 600).text()
    assert wide == "[[0.0 0.0 0.0 ... 0.0 0.0 0.0] [0.0 0.0 0.0 ... 0.0 0.0 0.0]]"


def test_repl_lays_out_rows() -> None:
    assert tensor([[1, 20], [300, 4]]).text("REPL") == "[[  1  20]\n [300   4]]\nint64 (2 2)"
    assert tensor([1.0, 2.0]).text("REPL") == "[1.0 2.0]\nfloat32 (2)"
    assert call("zeros", 2, 1, 1).text("REPL") == "[[[0.0]]\n\n [[0.0]]]\nfloat32 (2 1 1)"


def test_complex_numbers_print() -> None:
    assert call("complex", tensor([1.0]), tensor([-2.5])).text() == "[1.0-2.5i]"


# Operators: how arguments find their parameters.

X = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("sum", [X], 21.0),
        ("sum", [X, 0], [5.0, 7.0, 9.0]),
        ("sum", [X, [0, 1]], 21.0),
        ("sum", [X, *key(dim=1, keepdim=True)], [[6.0], [15.0]]),
        ("sum", [X, 1, *key(dtype=Symbol("f64"))], [6.0, 15.0]),
        ("zeros", [2, 3], [[0.0] * 3] * 2),
        ("zeros", [[2]], [0.0, 0.0]),
        ("ones", [2, *key(dtype=Symbol("int64"))], [1, 1]),
        ("full", [[2, 2], 7], [[7, 7], [7, 7]]),
        ("full", [2, 1, 0.5], [[0.5], [0.5]]),
        ("arange", [5], [0, 1, 2, 3, 4]),
        ("arange", [1, 4], [1, 2, 3]),
        ("arange", [0, 10, 4], [0, 4, 8]),
        ("eye", [2], [[1.0, 0.0], [0.0, 1.0]]),
        ("linspace", [0, 1, 3], [0.0, 0.5, 1.0]),
        ("topk", [[1.0, 5.0, 3.0], 2], [[5.0, 3.0], [1, 2]]),
        ("max", [X], 6.0),
        ("max", [X, 1], [[3.0, 6.0], [2, 2]]),
        ("maximum", [[1, 5], [3, 2]], [3, 5]),
        ("argmax", [X, *key(dim=1)], [2, 2]),
        ("view", [X, 3, 2], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
        ("reshape", [X, [6]], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        ("view", [X, -1], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        ("permute", [X, 1, 0], [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]),
        ("expand", [[1], 3], [1, 1, 1]),
        ("repeat", [[1, 2], 2], [1, 2, 1, 2]),
        ("flip", [[1, 2, 3], 0], [3, 2, 1]),
        ("add", [[1], [2]], [3]),
        ("add", [[1], [2], *key(alpha=10)], [21]),
        ("add", [[1.0], 2], [3.0]),
        ("sub", [1, [1, 2]], [0, -1]),
        ("mul", [[1, 2], 0.5], [0.5, 1.0]),
        ("pow", [[2.0], 3], [8.0]),
        ("pow", [2, [3.0]], [8.0]),
        ("div", [[7], [2], *key(rounding_mode="floor")], [3]),
        ("eq", [[1, 2], [1, 3]], [True, False]),
        ("eq", [[1, 2], 1], [True, False]),
        ("clamp", [X, *key(min=2, max=3)], [[2.0, 2.0, 3.0], [3.0, 3.0, 3.0]]),
        ("clamp", [[1, 9], False, 5], [1, 5]),
        ("squeeze", [[[1]]], 1),
        ("squeeze", [[[1], [2]], 1], [1, 2]),
        ("unsqueeze", [[1], 0], [[1]]),
        ("softmax", [[0.0, 0.0], 0], [0.5, 0.5]),
        ("softmax", [[0.0, 0.0], *key(dim=-1)], [0.5, 0.5]),
        ("any", [[False, True]], True),
        ("any", [[[False, True]], 1], [True]),
        ("std", [[1.0, 3.0], 0], math.sqrt(2)),
        ("allclose", [[1.0], [1.0]], True),
        ("item", [[2.5]], 2.5),
        ("norm", [[3.0, 4.0]], 5.0),
        ("one_hot", [[1, 0]], [[0, 1], [1, 0]]),
        ("where", [[True, False], [1.0, 2.0], 0.0], [1.0, 0.0]),
        ("masked_fill", [[1.0, 2.0], [True, False], 9], [9.0, 2.0]),
        ("index_select", [X, 1, [0, 2]], [[1.0, 3.0], [4.0, 6.0]]),
        ("gather", [[[1, 2]], 1, [[1, 0]]], [[2, 1]]),
        ("cumsum", [[1, 2, 3], 0], [1, 3, 6]),
        ("max_pool2d", [[[[1.0, 2.0], [3.0, 4.0]]], 2], [[[4.0]]]),
        ("roll", [[1, 2, 3], 1], [3, 1, 2]),
        ("linalg_solve", [[[2.0]], [4.0]], [2.0]),
        ("size", [X, 1], 3),
    ],
)
def test_operator(name: str, arguments: list[Any], expected: Any) -> None:
    """A list of numbers becomes a tensor where the parameter cannot be a list."""
    result = call(name, *(as_argument(name, k, x) for k, x in enumerate(arguments)))
    assert plain(result) == pytest.approx(expected) if is_float(expected) else plain(
        result
    ) == expected


def is_float(x: Any) -> bool:
    return isinstance(x, float)


LISTS = {("sum", 1), ("zeros", 0), ("full", 0), ("reshape", 1)}


def as_argument(name: str, position: int, x: Any) -> Any:
    return tensor(x) if isinstance(x, list) and (name, position) not in LISTS else x


def plain(result: Any) -> Any:
    if isinstance(result, Handle):
        return result.to_list()
    return [plain(x) for x in result] if isinstance(result, list) else result


def test_lists_of_tensors() -> None:
    a, b = tensor([1]), tensor([2, 3])
    assert call("cat", [a, b], 0).to_list() == [1, 2, 3]
    assert call("stack", [a, a], *key(dim=1)).to_list() == [[1, 1]]
    assert plain(call("split", b, 1)) == [[2], [3]]
    assert call("einsum", "i,j->ij", [b, b]).to_list() == [[4, 6], [6, 9]]
    assert call("index", tensor(X), [None, tensor([0])]).to_list() == [[1.0], [4.0]]


def test_cached_bindings_take_new_values() -> None:
    """The binding of a call is cached; its argument values are not."""
    x = tensor(X)
    for dim, expected in ((0, [5.0, 7.0, 9.0]), (1, [6.0, 15.0])):
        assert call("sum", x, *key(dim=dim)).to_list() == expected
        assert call("sum", *key(dim=dim), x).to_list() == expected
    for dtype in ("float64", "int64", "float64"):
        assert call("sum", x, *key(dtype=Symbol(dtype))).dtype == dtype
    for shape in ([3, 2], [6]):
        assert call("reshape", x, shape).shape == tuple(shape)
    for on in (True, False, True):
        assert call("sum", x, 0, on).shape == ((1, 3) if on else (3,))
    for low in (None, 2, None, 3.5):
        clamped = call("clamp", x, low if low is not None else False, 5)
        assert clamped.to_list()[0][0] == (low or 1.0)
    with pytest.raises(FailedError):
        call("sum", x, *key(dtype=Symbol("float31")))


def test_in_place_returns_the_same_handle() -> None:
    x = tensor([1.0])
    y = call("add_", x, 1)
    assert y.pointer == x.pointer
    assert x.to_list() == [2.0]


def test_creators_take_requires_grad() -> None:
    x = call("ones", 2, *key(requires_grad=True))
    backward(call("sum", x))
    assert made(ctorch.load().lib.ct_grad, x.pointer).to_list() == [1.0, 1.0]


def test_out_writes_into_the_given_tensor() -> None:
    out = tensor([0.0])
    assert call("exp", tensor([0.0]), *key(out=out)).pointer == out.pointer
    assert out.to_list() == [1.0]


@pytest.mark.parametrize(
    ("name", "arguments", "message", "hint"),
    [
        ("relu", [], "expected 1 argument, got 0", "usage: (tensor-relu self)"),
        ("relu", [[1.0], 2], "expected 1 argument, got 2", "usage: (tensor-relu self)"),
        ("relu", ["x"], 'expected a tensor, got "x"', "usage: (tensor-relu self)"),
        ("relu", [5], "expected a tensor, got 5", "usage: (tensor-relu self)"),
        ("softmax", [[1.0], 0.5], "expected an exact integer for dim, got 0.5",
         "usage: (tensor-softmax self dim [dtype])"),
        ("softmax", [[1.0], *key(dom=1)], "unknown keyword :dom",
         "usage: (tensor-softmax self dim [dtype])"),
        ("softmax", [[1.0], 0, *key(dim=0)], "keyword :dim is given twice",
         "usage: (tensor-softmax self dim [dtype])"),
        ("softmax", [[1.0], *key(dim=0), *key(dim=0)], "keyword :dim is given twice", None),
        ("softmax", [[1.0], Keyword("dim")], "keyword :dim has no value", None),
        ("softmax", [[1.0], 0, Symbol("float31")], "expected a dtype, got float31",
         "did you mean float32?"),
        ("softmax", [[1.0], 5], "dim 5 is out of range for a tensor of rank 1; given self float32 "
         "(1), dim 5", "dims go from -1 to 0"),
        ("matmul", [X, X], "inner sizes differ: (2 3) times (2 3)",
         "(tensor-transpose {1|other} 0 1) has shape (3 2)"),
        ("matmul", [X, [1.0, 2.0]], "inner sizes differ: (2 3) times (2)", None),
        ("mm", [X, X], "inner sizes differ: (2 3) times (2 3)",
         "(tensor-transpose {1|mat2} 0 1) has shape (3 2)"),
        ("bmm", [[X], [X]], "inner sizes differ: (1 2 3) times (1 2 3)",
         "(tensor-transpose {1|mat2} -2 -1) has shape (1 3 2)"),
        ("dot", [[1.0, 2.0], [1.0]], "inner sizes differ: (2) times (1)", None),
        ("matmul", [X, [[1], [2], [3]]], "dtypes differ: float32 and int64; given self "
         "float32 (2 3), other int64 (3 1)", "(tensor-to {1|other} 'float32)"),
        ("add", [X, [1.0, 2.0]], "shapes (2 3) and (2) do not broadcast",
         "(tensor-reshape {1|other} 2 1) has shape (2 1)"),
        ("where", [[True, False], [1.0] * 3, [1.0] * 3],
         "shapes (2), (3) and (3) do not broadcast", None),
        ("add_", [[1.0], [1.0, 2.0]],
         "a tensor of shape (1) cannot hold a result of shape (2)", None),
        ("add_", [[1], [0.5]],
         "cannot store a result of dtype float32 in a tensor of dtype int64; given self "
         "int64 (1), other float32 (1)", None),
        ("view", [X, 4, 2], "6 elements do not fit shape (4 2); given self float32 (2 3), size "
         "(4 2)", None),
        ("expand", [X, 3, 3], "shape (2 3) does not expand to (3 3)", None),
        ("add", [[1], [2], [3]], "expected 2 arguments, got 3",
         "usage: (tensor-add self other [:alpha 1])\n"
         "  or (tensor-add self other [alpha]): expected a number for other, "
         "got a tensor int64 (1)"),
        ("mul", [[1]], "expected 2 arguments, got 1", "usage: (tensor-mul self other)"),
        ("index_select", [[1, 2], 0, [5]], "index 5 is out of range for dim 0 of size 2; "
         "given self int64 (2), dim 0, index int64 (1)", None),
        ("linalg_inv", [X],
         "expected a square matrix, got one of 2 by 3; given A float32 (2 3)", None),
        ("div", [[1], [0], *key(rounding_mode="trunc")], "division by zero; given self int64 "
         "(1), other int64 (1), rounding-mode \"trunc\"", None),
        ("mean", [[1]], "expected a floating-point or complex dtype, got int64; given "
         "self int64 (1)", "(tensor-to {0|self} 'float32)"),
        ("cross_entropy_loss", [[[1.0]], [1]], "target 1 is out of range for 1 classes; given "
         "self float32 (1 1), target int64 (1)", None),
        ("max_pool2d", [[[[1.0]]], 5], "the output would be empty: input (1 1 1) leads to (1 0 0)",
         None),
        ("ones", [2, *key(device="cuda")], "device cuda is not available",
         "available devices: cpu and meta"),
    ],
)
def test_operator_refuses(
    name: str, arguments: list[Any], message: str, hint: str | None
) -> None:
    with pytest.raises(FailedError) as failed:
        call(name, *(as_argument(name, k, x) for k, x in enumerate(arguments)))
    assert (failed.value.message, failed.value.hint) == (message, hint)


@pytest.mark.parametrize(
    ("name", "unknown", "hint"),
    [
        ("sofmax", "tensor-sofmax", "did you mean tensor-softmax?"),
        ("index_selct", "tensor-index-selct", "did you mean tensor-index-select?"),
        ("ad_", "tensor-ad!", "did you mean tensor-add!?"),
        ("cross_entrop_y", "tensor-cross-entrop-y", "did you mean tensor-cross-entropy?"),
        ("qqqqqqqqqq", "tensor-qqqqqqqqqq", None),
    ],
)
def test_unknown_operator(name: str, unknown: str, hint: str | None) -> None:
    with pytest.raises(FailedError) as failed:
        call(name)
    assert (failed.value.message, failed.value.hint) == (f"unknown operator: {unknown}", hint)


def test_operators_of_other_versions() -> None:
    """The table says which of its operators this LibTorch has; of the others, who has them."""
    assert len(operator_versions()) > 20
    version = find_torch().version
    for name, (since, until) in operator_versions().items():
        is_here = name not in absent_operators()
        assert (ctorch.operator_usage(name) is not None) == is_here, name
        if is_here:
            continue
        with pytest.raises(FailedError) as failed:
            call(name)
        had = f" from 2.{since} on" if since else f" until 2.{until}"
        plain = version.partition("+")[0]
        assert failed.value.hint == f"LibTorch has it{had}, and this is {plain}"


def test_no_message_shows_cpp() -> None:
    """Messages about wrong arguments fit one line, without addresses or namespaces."""
    lib, ffi = ctorch.load()
    names = ffi.string(lib.ct_op_names()).decode().split()
    assert len(names) > 1000
    x = tensor([[1.0, 2.0]])
    skip = ("rand", "set", "resize", "as-strided", "empty", "mkldnn", "cudnn", "miopen")
    for lisp in names[:: 7]:
        name = lisp.removeprefix("tensor-").replace("-", "_").replace("!", "_")
        if any(part in lisp for part in skip) or lisp.startswith("tensor-private-") or "::" in lisp:
            continue
        try:
            call(name, x)
            call(name, x, x)
        except FailedError as failed:
            text = f"{failed.message} {failed.hint or ''}"
            assert "\n" not in failed.message, name
            assert "::" not in text, (name, text)
            assert "0x" not in text, (name, text)


# The argument table has an entry for every type in PyTorch's schemas.


def test_every_schema_is_parsed() -> None:
    torch = python_torch()

    lib, ffi = ctorch.load()
    op = ffi.new("ct_op **")
    seen = 0
    for schema in torch._C._jit_get_all_schemas():
        space, _, name = schema.name.partition("::")
        if space != "aten" or not torch._C._dispatch_has_kernel(
            schema.name + ("." + schema.overload_name if schema.overload_name else "")
        ):
            continue
        check(lib.ct_op_find(name.encode(), op))
        usage = ffi.string(lib.ct_op_usage(op[0])).decode()
        named_dims = any(
            mark in schema.overload_name
            for mark in ("Dimname", "names", "named_out_dim", "using_names")
        )
        for argument in () if named_dims else schema.arguments:
            if argument.name in ("layout", "pin_memory"):
                continue
            assert argument.name.replace("_", "-") in usage, (name, argument.name, usage)
        seen += 1
    assert seen > 3000


# The same numbers as Python's torch.

ELEMENTWISE = [
    "exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "relu", "abs", "neg", "square",
    "reciprocal", "floor", "ceil", "round", "trunc", "erf", "gelu", "silu", "softplus", "sign",
    "log1p", "expm1", "rsqrt", "atan", "cumsum:0", "cumprod:1", "softmax:1", "log_softmax:0",
    "sum", "mean", "prod", "var:1", "std", "logsumexp:1", "argmax", "argsort:1", "median", "norm",
    "t", "tril", "triu", "diag", "trace", "flatten", "inverse", "det", "matrix_exp",
]
BINARY = ["add", "sub", "mul", "div", "pow", "maximum", "minimum", "matmul", "atan2", "eq", "lt",
          "ge", "fmod", "remainder", "outer:", "kron", "mse_loss", "linear", "bilinear:"]


@pytest.mark.parametrize("text", ELEMENTWISE)
def test_agrees_with_torch(text: str) -> None:
    torch = python_torch()

    name, _, dim = text.partition(":")
    data = [[0.5, 1.25, -2.0], [3.0, 0.1, 1.0], [2.0, -1.5, 0.25]]
    more = [int(dim)] if dim else []
    function = getattr(torch, name, None) or getattr(torch.nn.functional, name)
    assert_same(call(name, tensor(data), *more), function(torch.tensor(data), *more))


@pytest.mark.parametrize("name", [b for b in BINARY if not b.endswith(":")])
def test_binary_agrees_with_torch(name: str) -> None:
    torch = python_torch()

    a, b = [[1.5, 2.0], [3.0, -4.0]], [[2.0, 2.0], [0.5, 3.0]]
    function = getattr(torch, name, None) or getattr(torch.nn.functional, name)
    assert_same(call(name, tensor(a), tensor(b)), function(torch.tensor(a), torch.tensor(b)))


def assert_same(ours: Handle, theirs: Any) -> None:
    assert ours.shape == tuple(theirs.shape)
    assert ours.dtype == str(theirs.dtype).removeprefix("torch.")
    assert repr(ours.to_list()) == repr(theirs.tolist())


def test_random_numbers_agree_with_torch() -> None:
    torch = python_torch()

    torch.manual_seed(7)
    theirs = torch.randn(4).tolist()
    check(ctorch.load().lib.ct_manual_seed(7))
    assert call("randn", 4).to_list() == theirs


@pytest.mark.parametrize(
    ("name", "operands", "expected", "dtype"),
    [
        ("+", [[1, 2], 0.5], [1.5, 2.5], "float32"),
        ("+", [[1, 2], 1], [2, 3], "int64"),
        ("-", [1, [1, 2]], [0, -1], "int64"),
        ("-", [[5]], [-5], "int64"),
        ("/", [[1, 2], 2], [0.5, 1.0], "float32"),
        ("/", [[4.0]], [0.25], "float32"),
        ("max", [[1, 5], 3], [3, 5], "int64"),
        ("expt", [[2.0, 3.0], 2], [4.0, 9.0], "float32"),
        ("expt", [2, [3.0]], [8.0], "float32"),
        ("quotient", [[-7], 2], [-3], "int64"),
        ("remainder", [[-7], 2], [-1], "int64"),
        ("modulo", [[-7], 2], [1], "int64"),
        ("log", [[8.0], 2], [3.0], "float32"),
        ("ceiling", [[1.5]], [2.0], "float32"),
        ("round", [[0.5, 1.5, 2.5]], [0.0, 2.0, 2.0], "float32"),
    ],
)
def test_arithmetic(name: str, operands: list[Any], expected: list[Any], dtype: str) -> None:
    result = arithmetic(name, *(tensor(x) if isinstance(x, list) else x for x in operands))
    assert (result.to_list(), result.dtype) == (expected, dtype)


def test_arithmetic_refuses() -> None:
    with pytest.raises(FailedError, match=r"expected a number, got \"a\""):
        arithmetic("+", tensor([1]), "a")
    with pytest.raises(FailedError, match=r"shapes \(2\) and \(3\) do not broadcast"):
        arithmetic("+", tensor([1, 2]), tensor([1, 2, 3]))


# Indexing.


@pytest.mark.parametrize(
    ("indices", "expected"),
    [
        ([0], [1, 2, 3]),
        ([1, 2], 6),
        ([-1, 0], 4),
        ([Keyword("all"), 1], [2, 5]),
        ([0, range(1, 3)], [2, 3]),
        ([Keyword("all"), range(0, 3, 2)], [[1, 3], [4, 6]]),
        ([Keyword("all"), [2, 0]], [[3, 1], [6, 4]]),
        ([[1, 0]], [[4, 5, 6], [1, 2, 3]]),
        ([[]], []),
        ([], [[1, 2, 3], [4, 5, 6]]),
    ],
)
def test_ref(indices: list[Any], expected: Any) -> None:
    assert ref(tensor([[1, 2, 3], [4, 5, 6]]), *indices).to_list() == expected


def test_ref_by_tensors() -> None:
    m = tensor([[1, 2, 3], [4, 5, 6]])
    assert ref(m, tensor([1, 0])).to_list() == [[4, 5, 6], [1, 2, 3]]
    assert ref(m, call("gt", m, 3)).to_list() == [4, 5, 6]
    assert ref(m, 0, tensor([2])).to_list() == [3]


def test_set_changes_the_tensor() -> None:
    m = tensor([[1, 2, 3], [4, 5, 6]])
    put(m, 0, 0, 100)
    put(m, 1, tensor([7, 8, 9]))
    put(m, Keyword("all"), 2, 0)
    put(m, 0, [1], 5)
    assert m.to_list() == [[100, 5, 0], [7, 8, 0]]
    put(m, call("gt", m, 6), -1)
    put(m, 0, [0, 2], [1.0, 2.0])
    assert m.to_list() == [[1, 5, 2], [-1, -1, 0]]
    put(m, 3)
    assert m.to_list() == [[3, 3, 3], [3, 3, 3]]


@pytest.mark.parametrize(
    ("indices", "message"),
    [
        ([5], "index 5 is out of range for dim 0 of size 2"),
        ([0, -4], "index -4 is out of range for dim 1 of size 3"),
        ([0, 0, 0], "too many indices for a tensor of rank 2"),
        (["a"], 'expected an integer, :all, a range or a tensor as index, got "a"'),
        ([[0, 9]], "index 9 is out of range for dim 0 of size 2"),
    ],
)
def test_ref_refuses(indices: list[Any], message: str) -> None:
    with pytest.raises(FailedError) as failed:
        ref(tensor([[1, 2, 3], [4, 5, 6]]), *indices)
    assert failed.value.message == message


def test_slice_counts_from_the_end() -> None:
    lib, ffi = ctorch.load()
    x = tensor([1, 2, 3, 4])
    assert made(lib.ct_slice, x.pointer, 0, -3, ffi.NULL, 1).to_list() == [2, 3, 4]
    assert made(lib.ct_slice, x.pointer, -1, 1, ffi.new("int64_t *", -1), 1).to_list() == [2, 3]
    with pytest.raises(FailedError, match="dim 1 is out of range for a tensor of rank 1"):
        made(lib.ct_slice, x.pointer, 1, 0, ffi.NULL, 1)


# Truth, order, equality.


def truth(x: Handle) -> bool:
    lib, ffi = ctorch.load()
    out = ffi.new("bool *")
    check(lib.ct_truth(x.pointer, out))
    return bool(out[0])


def test_truth() -> None:
    assert truth(tensor(True))
    assert not truth(tensor([[False]]))
    assert truth(tensor([0.0]))
    with pytest.raises(FailedError) as failed:
        truth(tensor([[True, False], [True, True]]))
    assert failed.value.message == "a bool tensor of shape (2 2) has no single truth value"
    assert failed.value.hint == "use tensor-any or tensor-all"


# Gradients.


def gradients(y: Handle, x: Handle, create_graph: bool = False) -> Handle:
    lib, ffi = ctorch.load()
    ys, xs = ffi.new("ct_tensor *[]", [y.pointer]), ffi.new("ct_tensor *[]", [x.pointer])
    query = {"y_count": 1, "ys": ys, "x_count": 1, "xs": xs, "create_graph": create_graph}
    return made(lib.ct_gradients, ffi.new("ct_gradient_query *", query))


def backward(loss: Handle, gradient: Handle | None = None) -> None:
    lib, ffi = ctorch.load()
    check(lib.ct_backward(loss.pointer, gradient.pointer if gradient else ffi.NULL, 0, 0))


def test_gradients_accumulate_until_cleared() -> None:
    lib, ffi = ctorch.load()
    x = tensor([1.0, 2.0], requires_grad=True)
    for _ in range(2):
        backward(call("sum", call("mul", x, x)))
    assert made(lib.ct_grad, x.pointer).to_list() == [4.0, 8.0]
    lib.ct_zero_grad(x.pointer)
    out = ffi.new("ct_tensor **")
    check(lib.ct_grad(x.pointer, out))
    assert out[0] == ffi.NULL
    backward(call("mul", x, x), tensor([1.0, 10.0]))
    assert made(lib.ct_grad, x.pointer).to_list() == [2.0, 40.0]


def test_higher_gradients() -> None:
    x = tensor([3.0], requires_grad=True)
    first = gradients(call("sum", call("pow", x, 3)), x, create_graph=True)
    assert (first.to_list(), gradients(first, x).to_list()) == ([27.0], [18.0])


def test_grad_mode() -> None:
    lib = ctorch.load().lib
    x = tensor([1.0], requires_grad=True)
    assert lib.ct_set_grad_mode(False)
    y = call("add", x, x)
    assert not lib.ct_set_grad_mode(True)
    with pytest.raises(FailedError, match="nothing that this was computed from"):
        backward(y)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: backward(tensor([1.0])),
         "nothing that this was computed from requires grad"),
        (lambda: backward(tensor([1.0, 2.0], requires_grad=True)),
         "expected a tensor of one element, got a tensor float32 (2)"),
        (lambda: tensor([1], requires_grad=True),
         "only tensors of floating-point numbers have gradients, got a tensor int64 (1)"),
        (lambda: call("add_", tensor([1.0], requires_grad=True), 1),
         "a leaf that requires grad cannot be changed in place"),
        (lambda: gradients(tensor(1.0, requires_grad=True), tensor([1.0], requires_grad=True)),
         "the tensor at index 0 was not used in the computation"),
    ],
)
def test_gradients_refuse(make: Any, message: str) -> None:
    with pytest.raises(FailedError) as failed:
        make()
    assert failed.value.message.split("; given ")[0] == message


# Memory.


def test_bytes_are_counted() -> None:
    lib = ctorch.load().lib
    before = lib.ct_live_bytes()
    lib.ct_reset_peak()
    x = call("zeros", 1000)
    assert lib.ct_live_bytes() - before == 4000
    del x
    gc.collect()
    assert lib.ct_live_bytes() == before
    assert lib.ct_peak_bytes() - before == 4000


def test_too_large_is_an_error() -> None:
    for size in (1 << 48, 1 << 60):
        with pytest.raises(FailedError, match=r"^not enough memory|overflow"):
            call("zeros", size)


def test_device_that_is_not_available() -> None:
    x = tensor([1])
    keep: list[Any] = []
    with pytest.raises(FailedError) as failed:
        made(ctorch.load().lib.ct_to, x.pointer, 1, values([Symbol("cuda")], keep))
    assert failed.value.message == "device cuda is not available"
    assert failed.value.hint == "available devices: cpu and meta"


# C programs and the extension, each in a process of its own.


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ctorch")


@pytest.mark.parametrize("source", sorted((TESTS / "ctorch").glob("*.c")), ids=lambda p: p.stem)
def test_c_program(source: Path, programs: Path) -> None:
    """Plain C99 can use the header and the library, under AddressSanitizer."""
    program = programs / source.stem
    library = ctorch.library_path().parent
    subprocess.run(
        ["gcc", "-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-g",
         "-fsanitize=address", "-I", str(ctorch.include_dir()), str(source), "-o", str(program),
         f"-L{library}", "-llambent_ctorch", f"-Wl,-rpath,{library}",
         f"-Wl,-rpath-link,{ctorch.torch_lib_dir()}"],
        check=True,
    )
    environment = {"LAMBENT_ALLOC": "malloc", "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run([program], env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout + done.stderr, done.returncode) == ("", 0)


def test_extension() -> None:
    command = [sys.executable, str(TESTS / "ctorch" / "extension.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout + done.stderr, done.returncode) == ("", 0)
