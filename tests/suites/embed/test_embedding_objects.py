"""What Python programs may do with Lambent's objects, and what happens when memory runs out."""

import copy
import gc
import pickle
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lambent
import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

PROGRAM = """
import resource, sys
import numpy as np
import lambent

lambent.eval("(tensor 1)")
with open("/proc/self/statm") as file:
    mapped = int(file.read().split()[0]) * resource.getpagesize()
array = np.memmap(sys.argv[1], mode="r", dtype="uint8", shape=(1 << 30,))
resource.setrlimit(resource.RLIMIT_AS, (mapped + (3 << 29), resource.RLIM_INFINITY))
for _ in range(3):
    try:
        lambent.eval("(tensor-shape x)", x=array)
    except lambent.LispError as error:
        print(error.message)
print(lambent.eval("(tensor-shape x)", x=array[:3]), array[:3].tolist())
"""


def test_memory_that_cannot_be_copied(tmp_path: Any) -> None:
    file = tmp_path / "large"
    with file.open("wb") as made:
        made.truncate(1 << 30)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(file)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert len(lines) == 4
    refusal = "a memmap cannot be shared: not enough memory"
    assert all(line.startswith(refusal) for line in lines[:3])
    assert lines[3] == "[3] [0, 0, 0]"


def test_arrays_are_released_on_failure() -> None:
    """All failures, before and after LibTorch has received the array."""
    arrays: list[Any] = [np.arange(3)[::-1], np.array(["a"]), np.arange(3, dtype=">i4")]
    for array in arrays:
        before = sys.getrefcount(array)
        for _ in range(3):
            with pytest.raises(lambent.LispError):
                lambent.eval("x", x=array)
        gc.collect()
        assert sys.getrefcount(array) == before


def test_copied_arrays_are_released() -> None:
    array = np.ones(3)
    array.flags.writeable = False
    before = sys.getrefcount(array)
    tensor = lambent.eval("x", x=array)
    assert sys.getrefcount(array) == before
    assert tensor.tolist() == [1, 1, 1]


@pytest.mark.parametrize("wish", [{"dl_device": 5}, {"max_version": "1"}, {"dl_device": (1,)}])
def test_invalid_dlpack_arguments(wish: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="is a pair of integers"):
        lambent.eval("(tensor 1)").__dlpack__(**wish)


def test_errors_of_numpy_are_passed_on() -> None:
    """numpy drops the capsule that it refuses while its exception propagates."""
    with pytest.raises((BufferError, RuntimeError, TypeError), match=r"dtype|type"):
        np.from_dlpack(lambent.eval("(tensor '(1 2) :dtype 'bfloat16)"))


# Objects without a handle.


def tensor_class() -> Any:
    return type(lambent.eval("(tensor 1)"))


def foreign() -> Any:
    return lambent.eval("(make-generator 1)").lisp


@pytest.mark.parametrize(
    "make",
    [
        lambda: tensor_class()(),
        lambda: tensor_class()([1.0]),
        lambda: tensor_class().__new__(tensor_class()),
        lambda: object.__new__(tensor_class()),
        lambda: tensor_class().__mro__[1](),
        lambda: lambent.Tensor(),
        lambda: type("Other", (tensor_class(),), {})(),
        lambda: type(foreign())(),
        lambda: object.__new__(type(foreign())),
        lambda: copy.copy(foreign()),
        lambda: pickle.dumps(foreign()),
        lambda: pickle.dumps(lambent.eval("(tensor 1)")),
        lambda: pickle.dumps(lambent.eval("car")),
        lambda: pickle.dumps(lambent.eval("'(1 . 2)")),
        lambda: lambent.Procedure(),
        lambda: lambent.Procedure(5),
        lambda: lambent.Object(5),
    ],
)
def test_classes_cannot_be_instantiated_empty(make: Callable[[], object]) -> None:
    with pytest.raises(TypeError):
        repr(make())


def test_user_class_is_not_a_tensor() -> None:
    other = object.__new__(type("Other", (lambent.Tensor,), {}))
    with pytest.raises(lambent.LispError, match="a Other cannot be shared"):
        lambent.eval("(tensor-shape x)", x=other)


def test_copies_of_tensors() -> None:
    tensor = lambent.eval("(tensor '(1 2))")
    for made in (copy.copy(tensor), copy.deepcopy(tensor), copy.deepcopy([tensor])[0]):
        assert type(made) is type(tensor)
        made.numpy()[0] = 7
        assert made.tolist() == [7, 2]
    assert tensor.tolist() == [1, 2]


def test_copied_objects_are_the_same_lisp_value() -> None:
    pair, add = lambent.eval("'(1 . 2)"), lambent.eval("+")
    for made in (copy.copy, copy.deepcopy):
        assert made(pair) == pair
        assert hash(made(pair)) == hash(pair)
        assert made(add)(1, 2) == 3
    assert add == lambent.eval("+")
    assert add != pair
    assert len({add, lambent.eval("+"), pair}) == 2


def test_symbols_keywords_and_errors_can_be_pickled() -> None:
    words = [lambent.Symbol("a b"), lambent.Keyword("k"), lambent.Char("é")]
    for back, word in zip(pickle.loads(pickle.dumps(words)), words, strict=True):
        assert (type(back), back) == (type(word), word)
    with pytest.raises(lambent.LispError) as caught:
        lambent.eval("(raise (list 1 2))")
    for error in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value)):
        assert type(error) is lambent.LispError
        fields = (str(error), error.message, error.hint, error.location, error.payload)
        given = caught.value
        assert fields == (str(given), given.message, given.hint, given.location, given.payload)


def test_an_error_that_was_pickled_goes_on_through_lisp() -> None:
    with pytest.raises(lambent.LispError) as caught:
        lambent.eval("(car 5)")
    error = pickle.loads(pickle.dumps(caught.value))

    def fails() -> None:
        raise error

    with pytest.raises(lambent.LispError, match="car: expected a pair, got 5"):
        lambent.eval("(f)", f=fails)


def test_tensors_in_other_threads_and_after_their_session() -> None:
    session = lambent.Session()
    tensor = session.eval("(tensor '(1.0 2.0))")
    held = [session.eval("(lambda (x) (tensor-item (tensor-sum x)))")]
    seen: list[Any] = []

    def look() -> None:
        seen.extend([repr(tensor), tensor.tolist(), held[0](tensor), tensor.numpy().sum()])

    for _ in range(3):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert seen == ["[1.0 2.0]", [1.0, 2.0], 3.0, 3.0] * 3
    gone = weakref.ref(session)
    del session, held[:]
    gc.collect()
    assert gone() is None
    assert tensor.tolist() == [1.0, 2.0]


def test_order_and_equality_of_tensors() -> None:
    one, two = lambent.eval("(tensor 1)"), lambent.eval("(tensor 2)")
    assert one < two
    assert one != two
    assert one == one
    assert len({one, two, one}) == 2
    with pytest.raises(TypeError):
        _ = one < "a"
