"""LibTorch's operators, writing into one of their own operands: refused, or the right result.

    python -m tests.stress.operator_out              every operator of the tables
    python -m tests.stress.operator_out normal add_  some of them

Each valid call of `tests/operators/tables/` is made twice for each tensor among its arguments: with
`:out` that one itself, and a copy of it; in place, with `self` as each of the others, and a copy.
LibTorch refuses some of these calls, and computes from elements that it has overwritten in others;
those, ctorch must refuse (ctorch/dispatch/written.cpp).
"""

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from tests.stress.operator_calls import Arguments, converted, part_of, table_cases

CASES = 12  # of an operator in the tables
SEED = 5  # of what operators draw


def differences(names: list[str]) -> tuple[int, list[str]]:
    """How many calls wrote into an operand, and those whose result is not the right one."""
    cases = table_cases()
    compared, found = 0, []
    for name in names:
        for row in cases[name.removesuffix("_") if name not in cases else name][:CASES]:
            try:
                arguments = Arguments(*row.arguments())
            except Exception:  # a case that torch itself cannot write
                continue
            for what, shared, apart in _pairs(name, arguments):
                compared += 1
                if not _equal(shared, apart):
                    found.append(f"{name} {row.text}: {what}")
    return compared, found


def all_operators() -> list[str]:
    """Those of the tables, and their variants in place."""
    from tests.support.wrong_calls import _all_schemas

    cases = table_cases()
    return sorted({*cases, *(f"{name}_" for name in cases)} & {*_all_schemas()})


def _pairs(name: str, arguments: Arguments) -> Iterator[tuple[str, Any, Any]]:
    """What is written, and the results of the calls that end without an error."""
    keys = [*range(len(arguments.positional)), *arguments.named]
    operands = [key for key in keys if _is_operand(_argument(arguments, key))]
    for written in [k for k in operands if k == 0] if name.endswith("_") else []:
        for other in operands:
            if other != written:
                yield from _pair(name, arguments, {other: written}, {}, f"{other} is self")
    for outs in _outs(name):
        for key in operands:
            for out in outs:
                yield from _pair(name, arguments, {}, {out: key}, f":{out} is argument {key}")


def _argument(arguments: Arguments, key: int | str) -> Any:
    return arguments.positional[key] if isinstance(key, int) else arguments.named[key]


def _is_operand(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Tensor) or (
        isinstance(value, list | tuple) and bool(value)
        and all(isinstance(x, torch.Tensor) for x in value))


def _outs(name: str) -> set[tuple[str, ...]]:
    """The names of the results of each overload that writes them."""
    from tests.support.wrong_calls import _all_schemas

    return {tuple(a.name for a in schema.arguments if a.is_out)
            for schema in _all_schemas().get(name, [])} - {()}


def _pair(
    name: str, arguments: Arguments, same: dict[Any, Any], outs: dict[str, Any], what: str
) -> Iterator[tuple[str, Any, Any]]:
    """same: which argument is which other one; outs: the argument that a result is written to."""
    from tests.support.ctorch_calls import FailedError

    try:
        apart = _made(name, arguments, same, outs, shares=False)
        shared = _made(name, arguments, same, outs, shares=True)
    except (FailedError, OverflowError, _NoCallError):
        return
    yield what, shared, apart


class _NoCallError(Exception):
    """The arguments have no value of Lisp's."""


def _made(
    name: str, arguments: Arguments, same: dict[Any, Any], outs: dict[str, Any], shares: bool
) -> Any:
    from lambent.ctorch import load
    from tests.support.ctorch_calls import Keyword, call

    def value(key: Any) -> Any:
        try:
            return converted(_argument(arguments, key))
        except Exception as error:
            raise _NoCallError from error

    values = {key: value(key) for key in [*range(len(arguments.positional)), *arguments.named]}
    for key, other in same.items():
        values[key] = values[other] if shares else value(other)
    for out, key in outs.items():
        values[out] = values[key] if shares else value(key)
    load().lib.ct_manual_seed(SEED)
    positional = [x for key, x in values.items() if isinstance(key, int)]
    named = [y for key, x in values.items() if isinstance(key, str)
             for y in (Keyword(key.replace("_", "-")), x)]
    result = call(name, *positional, *named)
    return [values[key] for key in outs] if result is None else result


def _equal(x: Any, y: Any) -> bool:
    from tests.support.ctorch_calls import Handle, Symbol, call

    if isinstance(x, list | tuple):
        return len(x) == len(y) and all(map(_equal, x, y))
    if not isinstance(x, Handle):
        return bool(x == y) or x != x
    if x.shape != y.shape or x.dtype != y.dtype:
        return False
    if x.dtype.startswith("complex"):
        x, y = call("view_as_real", x), call("view_as_real", y)
    wide = [call("to", z, Symbol("float64")) for z in (x, y)]
    return bool(call("allclose", *wide, 1e-4, 1e-5, True))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("operators", nargs="*")
    parser.add_argument("--part", default="1/1", help="3/20: the third of 20 parts of all")
    given = parser.parse_args(arguments)
    names = [*given.operators, *part_of(all_operators(), given.part, given.operators)]
    compared, found = differences(names)
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{compared} calls of {len(names)} operators wrote into an operand; {len(found)} wrong")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
