"""Lambent inside Python programs: values both ways, procedures, errors, and shared memory.

Python's torch is imported here only to share tensors with it.
"""

import ast
import gc
import multiprocessing
import os
import re
import subprocess
import sys
import threading
from collections import OrderedDict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lambent
import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from tests.support.paths import DOCS

torch = pytest.importorskip("torch")

words = st.builds(lambent.Symbol, st.text("abc-", min_size=1)) | st.builds(
    lambent.Keyword, st.text("abc", min_size=1)
)
atoms = (
    st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary() | words
    | st.fractions().filter(lambda x: x.denominator != 1)
)
anything = st.recursive(
    atoms,
    lambda inner: st.lists(inner)
    | st.lists(inner).map(tuple)
    | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@pytest.fixture
def session() -> lambent.Session:
    return lambent.Session()


def live_handles() -> int:
    gc.collect()
    count: int = lambent.eval("(cdr (assq 'live-handles (tensor-memory)))")
    return count


# Values.


@settings(deadline=None, max_examples=50)
@given(anything)
def test_values_come_back_as_they_were(value: Any) -> None:
    back = lambent.eval("x", x=value)
    assert back == value
    assert type(back) is type(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(list 1 2.5 \"a\" #t)", [1, 2.5, "a", True]),
        ("#(1 (2))", (1, [2])),
        ("(/ 2 6)", Fraction(1, 3)),
        ("'()", []),
        ("(values 1 2)", (1, 2)),
        ("(define x 1)", None),
        ("#\\a", lambent.Char("a")),
        ("#u8(1 2)", b"\1\2"),
        ("", None),
        ("1 2 3", 3),
    ],
)
def test_results(session: lambent.Session, text: str, value: Any) -> None:
    assert session.eval(text) == value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "#f"),
        (range(3), "(0 1 2)"),
        (OrderedDict(a=1), '#<hash-table "a": 1>'),
        (np.int64(7), "7"),
        (np.float32(0.5), "0.5"),
        (np.bool_(True), "#t"),
        (Fraction(4, 2), "2"),
        (bytearray(b"a"), "#u8(97)"),
        ((1, [2]), "#(1 (2))"),
    ],
)
def test_arguments(value: Any, shown: str) -> None:
    assert lambent.eval('(format "~s" x)', x=value) == shown


def test_values_without_python_counterpart_are_objects(session: lambent.Session) -> None:
    pair = session.eval("'(1 . 2)")
    assert repr(pair) == "(1 . 2)"
    assert session.eval("(cdr x)", x=pair) == 2
    point = session.eval("(define-record-type point (make-point x) point? (x point-x)) "
                         "(make-point 3)")
    assert session.eval("(point-x p)", p=point) == 3


def test_cycles() -> None:
    assert repr(lambent.eval("(let ((v (vector 1))) (vector-set! v 0 v) v)")) == "#0=#(#0#)"
    cycle: list[Any] = []
    cycle.append(cycle)
    with pytest.raises(lambent.LispError, match="this list contains itself"):
        lambent.eval("x", x=cycle)


def test_no_counterpart() -> None:
    with pytest.raises(lambent.LispError, match="type complex has no counterpart in Lisp"):
        lambent.eval("x", x=1j)


# Sessions and procedures.


def test_definitions_persist_between_evaluations(session: lambent.Session) -> None:
    session.eval("(define (twice x) (* 2 x))")
    assert session.eval("(twice 4)") == 8
    session.define("limit", 10)
    assert session.eval("(+ limit 1)") == 11
    assert lambent.Session().eval("(guard (e (#t 'none)) limit)") == lambent.Symbol("none")


def test_variables_are_for_one_evaluation(session: lambent.Session) -> None:
    assert session.eval("(define y (+ x 1)) (* y list)", x=1, list=3) == 6
    with pytest.raises(lambent.LispError, match="unbound variable: y"):
        session.eval("y")
    assert session.eval("max-length", {"max-length": 5}) == 5


def test_lisp_procedures_in_python() -> None:
    clip = lambent.eval("(lambda (x :low 0 :high-end 9) (max low (min x high-end)))")
    assert [clip(12), clip(12, high_end=20), clip(-3, low=-1)] == [9, 12, -1]
    countdown = lambent.eval("(define (down n) (if (= n 0) 'done (down (- n 1)))) down")
    assert countdown(100_000) == "done"
    assert sorted([3, 1, 2], key=lambent.eval("-")) == [3, 2, 1]


def test_python_functions_in_lisp() -> None:
    def scaled(x: int, by: int = 1) -> int:
        return x * by

    assert lambent.eval("(map f '(1 2))", f=scaled) == [1, 2]
    assert lambent.eval("(f 2 :by 5)", f=scaled) == 10
    assert lambent.eval("(procedure? f)", f=scaled) is True
    assert lambent.eval("(f 3)", f=lambda x: lambent.eval("(* x x)", x=x)) == 9


def test_callbacks_nest() -> None:
    def count(n: int) -> Any:
        return [] if n == 0 else lambent.eval("(cons n (count m))", n=n, m=n - 1, count=count)

    assert lambent.eval("(list (count 60) n)", count=count, n=3) == [list(range(60, 0, -1)), 3]


def test_output_goes_where_python_writes(capsys: pytest.CaptureFixture[str]) -> None:
    print("before")
    lambent.eval('(print "λ") (display "error" (current-error-port))')
    print("after")
    assert capsys.readouterr() == ("before\nλ\nafter\n", "error")


def test_objects_keep_their_session() -> None:
    pair = lambent.Session().eval("(define (help) 5) (cons 1 (lambda () (help)))")
    gc.collect()
    assert lambent.eval("((cdr pair))", pair=pair) == 5


def test_exceptions_that_are_not_errors_pass_through_lisp() -> None:
    class Stop(BaseException):
        pass

    def stops() -> None:
        raise Stop

    with pytest.raises(Stop):
        lambent.eval("(list (stops))", stops=stops)
    assert lambent.eval("(+ 1 2)") == 3


def test_files(session: lambent.Session, tmp_path: Path) -> None:
    file = tmp_path / "area.lisp"
    file.write_text("(define (area r) (* r r))\n(area 3)")
    assert session.load(file) == 9
    assert session.eval("(area 2)") == 4
    with pytest.raises(lambent.LispError, match="No such file"):
        session.load(tmp_path / "none.lisp")


# Errors.


def test_errors_have_their_location() -> None:
    with pytest.raises(lambent.LispError) as caught:
        lambent.eval("(define (first x)\n  (car x))\n(+ 1 (first 5))")
    assert str(caught.value) == (
        "python:2:3: car: expected a pair, got 5\n"
        "  2 |   (car x))\n"
        "    |   ^^^^^^^\n"
        "  in first, called at python:3:6"
    )
    assert caught.value.message == "car: expected a pair, got 5"
    assert caught.value.location == ("python", 2, 3)


def test_errors_of_calls_from_python_have_no_location_in_python() -> None:
    add = lambent.eval("(define (add x y) (+ x y)) add")
    with pytest.raises(lambent.LispError) as caught:
        add(1)
    assert str(caught.value) == "add: expected 2 arguments, got 1\nhint: usage: (add x y)"


def test_payload() -> None:
    with pytest.raises(lambent.LispError, match="uncaught raise: \\(1 2\\)") as caught:
        lambent.eval("(raise (list 1 2))")
    assert caught.value.payload == [1, 2]


def test_exceptions_of_python_functions() -> None:
    def fails(_: object) -> None:
        raise KeyError("gone")

    with pytest.raises(lambent.LispError, match="fails: KeyError: 'gone'") as caught:
        lambent.eval("(f 1)", f=fails)
    assert isinstance(caught.value.__cause__, KeyError)
    text = "(guard (e (#t (error-object-message e))) (f 1))"
    assert lambent.eval(text, f=fails) == "fails: KeyError: 'gone'"
    with pytest.raises(lambent.LispError, match=r"^python:1:2: car: expected a pair, got 5"):
        lambent.eval("(f 1)", f=lambda _: lambent.eval(" (car 5)"))


def test_escapes_go_through_python() -> None:
    left: list[str] = []

    def calls(k: lambent.Procedure) -> None:
        try:
            k(41)
        finally:
            left.append("python")

    text = """
    (define seen '())
    (define (note x) (set! seen (cons x seen)))
    (define got (call/cc (lambda (k)
      (dynamic-wind
        (lambda () (note 'in)) (lambda () (f k) (note 'never)) (lambda () (note 'out))))))
    (list got (reverse seen))"""
    words = [lambent.Symbol("in"), lambent.Symbol("out")]
    assert lambent.Session().eval(text, f=calls) == [41, words]
    assert left == ["python"]
    inner = lambent.Session()
    through = "(+ 1 (call/cc (lambda (k) (g k) 5)))"
    assert lambent.eval(through, g=lambda k: inner.eval("(car (k 9))", k=k)) == 10
    kept: list[Any] = []
    assert lambent.eval("(call/cc (lambda (k) (keep k) 7))", keep=kept.append) == 7
    with pytest.raises(lambent.LispError, match="its call/cc has returned already"):
        kept[0](1)


def test_syntax_error(session: lambent.Session) -> None:
    with pytest.raises(lambent.LispError) as caught:
        session.eval("(+ 1")
    assert caught.value.location == ("python", 1, 1)


def test_exit_is_systemexit(session: lambent.Session) -> None:
    with pytest.raises(SystemExit) as caught:
        session.eval("(exit 3)")
    assert caught.value.code == 3


# Threads and processes.


def test_deep_recursion_leaves_pythons_limit_alone() -> None:
    limit = sys.getrecursionlimit()
    assert lambent.eval("(let count ((n 100000)) (if (= n 0) 0 (+ 1 (count (- n 1)))))") == 100_000
    assert sys.getrecursionlimit() == limit


def test_threads_are_serialized() -> None:
    results: list[int] = []
    count = "(let loop ((i 0)) (if (< i n) (loop (+ i 1)) i))"
    threads = [
        threading.Thread(target=lambda n=n: results.append(lambent.eval(count, n=n)))
        for n in range(20_000, 20_008)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == list(range(20_000, 20_008))


def test_forked_process_starts_its_own_thread() -> None:
    lambent.eval("1")
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(lambent.eval, ("(+ 1 2)",)).get(timeout=60) == 3


# Tensors.


def test_numpy_shares_its_memory() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    doubled = lambent.eval("(tensor-mul! x 2)", x=array)
    assert isinstance(doubled, lambent.Tensor)
    assert (doubled.shape, doubled.dtype, doubled.device) == ((2, 3), "float32", "cpu")
    assert array.tolist() == doubled.tolist() == [[0, 2, 4], [6, 8, 10]]
    assert np.shares_memory(doubled.numpy(), array)
    doubled.numpy()[0, 0] = 7
    assert array[0, 0] == 7


def test_torch_shares_its_memory() -> None:
    x = torch.ones(2, 2)
    y = lambent.eval("(tensor-add! x 1)", x=x)
    assert x.tolist() == [[2, 2], [2, 2]]
    assert y.torch().data_ptr() == x.data_ptr()
    view = torch.arange(12).reshape(3, 4).t()[1:, ::2]
    assert lambent.eval("(tensor->list x)", x=view) == view.tolist()
    assert lambent.eval("x", x=view).torch().data_ptr() == view.data_ptr()


@pytest.mark.parametrize(
    "dtype",
    ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool",
     "complex64"],
)
@pytest.mark.parametrize("shape", [(), (0,), (2, 3), (2, 0, 3)])
def test_dtypes_and_shapes(dtype: str, shape: tuple[int, ...]) -> None:
    array = np.ones(shape, dtype=dtype)
    tensor = lambent.eval("x", x=array)
    assert (tensor.dtype, tensor.shape) == (dtype, shape)
    assert tensor.numpy().dtype == array.dtype
    assert (np.asarray(tensor) == array).all()


def test_bfloat16_goes_to_torch() -> None:
    x = torch.tensor([1.5, 2.0], dtype=torch.bfloat16)
    assert lambent.eval("(+ x 1)", x=x).torch().tolist() == [2.5, 3.0]


@pytest.mark.parametrize("dtype", ["bfloat16", "float8-e4m3fn", "float8-e5m2"])
def test_dtypes_that_numpy_lacks(dtype: str) -> None:
    x = lambent.eval(f"(tensor [1.5 2.0] :dtype '{dtype})")
    for convert in (x.numpy, x.__array__, lambda: np.asarray(x)):
        with pytest.raises(TypeError, match=f"numpy has no dtype for a tensor of {dtype}; convert"):
            convert()
    assert x.tolist() == [1.5, 2.0]
    assert lambent.eval("(tensor-ref x 0)", x=x).item() == 1.5


def test_lazy_tensors_are_materialized_before_sharing() -> None:
    zeros = lambent.eval("(tensor-private--efficientzerotensor '(2))")
    negative = lambent.eval("(tensor-private--neg-view [1.0 2.0])")
    conjugate = lambent.eval("(tensor-conj (tensor-complex [1.0] [2.0]))")
    for x, elements in ((zeros, [0, 0]), (negative, [-1, -2]), (conjugate, [1 - 2j])):
        assert x.numpy().tolist() == x.torch().tolist() == np.asarray(x).tolist() == elements
        assert np.from_dlpack(x).tolist() == elements


def test_memory_outlives_the_other_side() -> None:
    tensor = lambent.eval("x", x=np.full(100_000, 3.0))
    gc.collect()
    assert lambent.eval("(tensor-item (tensor-sum x))", x=tensor) == 300_000
    array = lambent.eval("(tensor-full '(100000) 2.0)").numpy()
    gc.collect()
    assert array.sum() == 200_000


def test_read_only_memory_is_copied() -> None:
    array = np.ones(3)
    array.flags.writeable = False
    assert lambent.eval("(tensor-add! x 1)", x=array).tolist() == [2, 2, 2]
    assert array.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.arange(3)[::-1], "a ndarray cannot be shared: an array with a negative stride"),
        (np.array(["a"]), "a ndarray cannot be shared: "),
        (np.arange(3, dtype=">i4"), "a ndarray cannot be shared: "),
        (torch.ones(2, requires_grad=True), "a Tensor cannot be shared: "),
    ],
)
def test_what_cannot_be_shared(array: Any, message: str) -> None:
    with pytest.raises(lambent.LispError, match=message):
        lambent.eval("x", x=array)


def test_a_tensor_that_requires_grad_is_not_shared() -> None:
    x = lambent.eval("(requires-grad! [1.0])")
    with pytest.raises(BufferError, match=r"share \(detach x\)"):
        x.numpy()
    assert lambent.eval("(detach x)", x=x).numpy().tolist() == [1.0]


def test_unused_capsules_are_freed() -> None:
    before = live_handles()
    tensor = lambent.eval("(tensor-zeros 4)")
    for versions in ({}, {"max_version": (1, 0)}, {"copy": True}):
        tensor.__dlpack__(**versions)
    assert tensor.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError, match="the tensor is on cpu"):
        tensor.__dlpack__(dl_device=(2, 0))
    del tensor
    assert live_handles() == before


def test_sharing_leaves_nothing_alive() -> None:
    before = live_handles()
    for _ in range(100):
        lambent.eval("(* x 2)", x=np.ones(10)).numpy()
    assert live_handles() == before


ORDERS = ["import torch, lambent", "import lambent, torch"]


@pytest.mark.slow
@pytest.mark.parametrize("imports", ORDERS)
def test_torch_in_the_same_process(imports: str) -> None:
    code = f"""{imports}
lambent.eval("(manual-seed 3)")
first = lambent.eval("(tensor-rand 3)").torch()
torch.manual_seed(3)
assert torch.equal(first, torch.rand(3))
x = torch.ones(1000, 1000)
y = lambent.eval("(@ x x)", x=x)
w = torch.ones(3, requires_grad=True)
(w * 2).sum().backward()
print(y.torch().sum().item(), w.grad.tolist(), lambent.eval("(tensor-item (tensor-sum x))", x=x))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("1000000000.0 [2.0, 2.0, 2.0] 1000000.0\n", "")


SMALL_WORK = """import torch, lambent
torch.set_num_threads(3)
for size in (4, 400):
    lambent.eval(f'''
        (define w (requires-grad! (tensor-ones {size} {size})))
        (define x (tensor-ones {size} {size}))
        (define optimizer (adam (list w)))
        (backward (tensor-sum (tensor-linear x w)))
        (optimizer-step optimizer)''')
    print(torch.get_num_threads())
    try:
        lambent.eval("(tensor-linear x (tensor-ones 3 7))")
    except lambent.LispError:
        print(torch.get_num_threads())
"""


@pytest.mark.slow
def test_small_work_leaves_the_threads_of_torch_as_they_are() -> None:
    """Small products, steps and gradients run in one thread, others and what follows in all."""
    done = subprocess.run(
        [sys.executable, "-c", SMALL_WORK], capture_output=True, text=True, check=False,
        env={**os.environ, "OMP_NUM_THREADS": "3"},
    )
    assert (done.stdout, done.stderr) == ("3\n3\n3\n3\n", "")


# The package.


def test_compile(tmp_path: Path) -> None:
    source = tmp_path / "hello.lisp"
    source.write_text('(print "hello")')
    program = lambent.compile(source, tmp_path / "hello")
    assert subprocess.run([program], capture_output=True, check=True).stdout == b"hello\n"
    source.write_text("(print")
    with pytest.raises(lambent.LispError, match="1:1"):
        lambent.compile(source, tmp_path / "hello")


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys; import lambent; print([n for n in sys.modules if n.startswith('lambent.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_examples_of_the_page_are_true() -> None:
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    variables: dict[str, Any] = {}
    checked = 0
    for block in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S):
        expected = {number: line.split("# => ")[1] for number, line
                    in enumerate(block.splitlines(), 1) if "# => " in line}
        shown: dict[int, str] = {}
        variables["show"] = lambda line, value, shown=shown: shown.__setitem__(line, repr(value))
        exec(compile(_showing(block), "docs/python.md", "exec"), variables)
        assert {line: shown[line] for line in expected} == expected
        checked += len(expected)
    assert checked > 10


def _showing(block: str) -> ast.Module:
    """The program with its expression statements shown, as `show(line, value)`."""
    tree = ast.parse(block)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            call = ast.parse(f"show({node.lineno}, 0)", mode="eval").body
            assert isinstance(call, ast.Call)
            call.args[1] = node.value
            node.value = call
    return ast.fix_missing_locations(tree)


def test_names() -> None:
    assert set(dir(lambent)) == set(lambent.__all__)
    with pytest.raises(AttributeError, match="no attribute 'evaluate'"):
        _ = lambent.evaluate  # type: ignore[attr-defined]
