"""Wrong calls of LibTorch's operators, generated from their schemas, and ctorch's messages.

    python -m tests.support.wrong_calls 3 matmul softmax  =>  a line of JSON for each failure:
    {"operator": "softmax", "call": "self float32 (2 3), dim 100", "message": ..., "hint": ...}

LibTorch does not check all arguments of its operators.  `ctorch/guards/guards.cpp` must check the
others, or the call crashes the process.  So the calls run in a process of their own, which prints
each call before it makes it.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.support.paths import ROOT

SHAPES = [[], [0], [1], [4], [2, 3], [3, 4], [2, 2], [1, 2, 3], [2, 3, 8, 8], [1, 2, 3, 4, 5]]
OTHER_DTYPES = ["bool", "complex64", "float16", "bfloat16", "float64", "int32", "uint8"]
DTYPES = ["float32"] * 6 + ["int64"] * 3 + OTHER_DTYPES
TEXTS = ["mean", "sum", "none", "same", "fro", "linear", "reflect", "floor", "bogus", "ij"]
INTEGERS = [0, 0, 1, 1, 1, 2, 2, 3, -1, -2, 5, -7, 100]
NUMBERS = [0, 1, 2, 0.5, -1, -2.5]
SECONDS = 600


@dataclass(frozen=True)
class Wrong:
    """A call that failed.  shapes: those of its tensors, as messages spell them."""

    operator: str
    call: str
    shapes: tuple[str, ...]
    message: str
    hint: str


def collect(names: Iterable[str], tries: int) -> tuple[list[Wrong], list[str]]:
    """The calls that failed, and those that crashed the process."""
    waiting = sorted(set(names))
    wrong: list[Wrong] = []
    deaths: list[str] = []
    while waiting:
        done = subprocess.run(
            [sys.executable, "-m", "tests.support.wrong_calls", str(tries)],
            cwd=ROOT, input="\n".join(waiting), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, timeout=SECONDS, check=False,
        )
        last = ""
        for line in done.stdout.splitlines():
            if line.startswith("{"):
                made = json.loads(line)
                wrong.append(Wrong(**{**made, "shapes": tuple(made["shapes"])}))
            else:
                last = line
        if done.returncode == 0:
            break
        operator = last.split(" ")[0]
        deaths.append(last)
        waiting = waiting[waiting.index(operator) + 1 :] if operator in waiting else []
    return wrong, deaths


# In the process that makes the calls.


@cache
def _all_schemas() -> dict[str, list[Any]]:
    """By the names of their operators."""
    import torch  # the schemas' types; the calls are ctorch's own

    schemas: dict[str, list[Any]] = {}
    for schema in sorted(torch._C._jit_get_all_schemas(), key=str):
        name = schema.name.removeprefix("aten::")
        if name != schema.name:
            schemas.setdefault(name, []).append(schema)
    return schemas


def _schemas(names: set[str]) -> Iterator[tuple[str, Any]]:
    for name in sorted(names):
        for schema in _all_schemas().get(name, []):
            yield name, schema


def _argument(dice: random.Random, kind: Any) -> Any:
    from tests.support.ctorch_calls import Symbol

    match kind.kind():
        case "OptionalType":
            return None if dice.random() < 0.5 else _argument(dice, kind.getElementType())
        case "TensorType":
            return _tensor(dice)
        case "ListType":
            element = kind.getElementType()
            return [_argument(dice, element) for _ in range(dice.choice([0, 1, 2, 2, 2, 3, 4]))]
        case "IntType" | "SymIntType":
            return dice.choice(INTEGERS)
        case "FloatType" | "NumberType":
            return dice.choice(NUMBERS)
        case "BoolType" | "SymBoolType":
            return dice.random() < 0.5
        case "StringType":
            return dice.choice(TEXTS)
        case "ScalarTypeType":
            return Symbol(dice.choice(DTYPES))
        case "DeviceObjType":
            return Symbol("cpu")
        case "LayoutType":
            return Symbol("strided")
        case "MemoryFormatType":
            return Symbol(dice.choice(["contiguous-format", "channels-last"]))
        case _:
            return None


def _tensor(dice: random.Random) -> Any:
    from tests.support.ctorch_calls import Symbol, call

    dtype = Symbol(dice.choice(DTYPES))
    made = call("randn", dice.choice(SHAPES))
    return call("to", call("mul", made, 2), dtype)


def _arguments(dice: random.Random, schema: Any) -> list[tuple[str, Any]]:
    made = []
    for argument in schema.arguments:
        if argument.has_default_value() and dice.random() < 0.6:
            continue
        value = _argument(dice, argument.real_type)
        if value is not None:
            made.append((argument.name, value))
    return made


def _shapes(value: Any) -> list[str]:
    from tests.support.ctorch_calls import Handle

    if isinstance(value, Handle):
        return ["(" + " ".join(map(str, value.shape)) + ")"]
    return [shape for item in value for shape in _shapes(item)] if isinstance(value, list) else []


def _shown(value: Any) -> str:
    from tests.support.ctorch_calls import Handle

    if isinstance(value, Handle):
        return f"{value.dtype} {_shapes(value)[0]}"
    if isinstance(value, list):
        return "(" + ", ".join(map(_shown, value)) + ")"
    return str(value.name) if hasattr(value, "name") else str(value)


def _read(result: Any) -> None:
    """Reads every element: a wrong view may lie outside of its memory."""
    from tests.support.ctorch_calls import Handle

    if isinstance(result, Handle):
        result.text()
    for item in result if isinstance(result, list) else []:
        _read(item)


def _make_calls(names: list[str], tries: int) -> None:
    from lambent.ctorch import load
    from tests.support.ctorch_calls import FailedError, Keyword, call

    load().lib.ct_set_num_threads(1)
    for name, schema in _schemas(set(names)):
        for attempt in range(tries):
            dice = random.Random(f"{schema.name} {schema.overload_name} {attempt}")
            given = _arguments(dice, schema)
            text = ", ".join(f"{key} {_shown(value)}" for key, value in given)
            print(name, text, flush=True)
            named = [x for key, value in given for x in (Keyword(key.replace("_", "-")), value)]
            result = None
            try:
                result = call(name, *named)
                _read(result)
            except FailedError as failed:
                # If reading the result failed, the message is about it, not about the arguments.
                told = given if result is None else []
                shapes = [shape for _, value in told for shape in _shapes(value)]
                print(json.dumps({"operator": name, "call": text, "shapes": shapes,
                                  "message": failed.message, "hint": failed.hint or ""}))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # some operators write files
        _make_calls(sys.argv[2:] or sys.stdin.read().split(), int(sys.argv[1]))
