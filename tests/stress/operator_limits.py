"""Every operator of LibTorch at the limits of its integer arguments: no call may end the process.

    python -m tests.stress.operator_limits                   every operator, some minutes
    python -m tests.stress.operator_limits remainder _stack  some of them
    python -m tests.stress.operator_limits --tries 2 --part 3/20

The calls are made of two sources.  In the valid calls of `tests/operators/tables/`, one integer
after the other becomes 0, -1, the limits of 32 and of 64 bits ...; lists of integers become empty
and long; the elements of tensors of integers become the limits of their dtype, and -1.  From every
schema that is registered, calls are generated at random, with such integers
(`tests/support/wrong_calls.py`).  Memory and processor time are limited.
"""

import argparse
import os
import random
import resource
import sys
from collections.abc import Iterator
from typing import Any

from tests.stress.operator_calls import Arguments, part_of, run, table_cases

LIMITS = (0, -1, 1, 7, 2**31 - 1, 2**31, -(2**31), 2**62, 2**63 - 1, -(2**63))
LENGTHS = (0, 7, 65)  # of lists of integers: LibTorch has up to 64 dimensions
CASES = 2  # of an operator in the tables
MEMORY_MB = 512  # that tensors may hold
ADDRESS_SPACE = 12 << 30


def _altered_calls(cases: list[Any]) -> Iterator[Arguments]:
    for row in cases:
        try:
            positional, named = row.arguments()
        except Exception:  # a case that torch itself cannot write
            continue
        whole = Arguments(positional, named)
        yield whole
        for path, value in leaves((positional, named)):
            for other in _others(value):
                yield Arguments(*replaced((positional, named), path, other))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """What may be altered in a value, by path."""
    import torch

    if isinstance(value, bool | torch.dtype):
        return
    if isinstance(value, int) or (isinstance(value, torch.Tensor) and not value.is_floating_point()
                                  and not value.is_complex() and value.dtype != torch.bool):
        yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(
        value, tuple | list) else ()
    if isinstance(value, tuple | list) and value and all(type(x) is int for x in value):
        yield path, value
    for key, item in items:
        yield from leaves(item, (*path, key))


def _others(value: Any) -> Iterator[Any]:
    import torch

    if isinstance(value, int):
        yield from LIMITS
    elif isinstance(value, torch.Tensor):
        limits = torch.iinfo(value.dtype)
        for element in (limits.min, limits.max, *(() if limits.min == 0 else (-1,))):
            yield torch.full_like(value, element)
    else:
        for length in LENGTHS:
            yield [value[0]] * length
        yield from ([limit] * len(value) for limit in LIMITS)


def replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    if isinstance(value, dict):
        return {**value, path[0]: replaced(value[path[0]], path[1:], other)}
    items = list(value)
    items[path[0]] = replaced(items[path[0]], path[1:], other)
    return type(value)(items) if type(value) in (tuple, list) else items


def _random_calls(name: str, tries: int) -> Iterator[Arguments]:
    from tests.support import wrong_calls

    wrong_calls.INTEGERS = [*LIMITS, *LIMITS, *wrong_calls.INTEGERS]
    wrong_calls.NUMBERS = [*LIMITS, *wrong_calls.NUMBERS]
    try:
        for _, schema in wrong_calls._schemas({name}):
            for attempt in range(tries):
                dice = random.Random(f"{schema.name} {schema.overload_name} {attempt}")
                yield Arguments((), dict(wrong_calls._arguments(dice, schema)))
    finally:
        wrong_calls.INTEGERS = wrong_calls.INTEGERS[2 * len(LIMITS) :]
        wrong_calls.NUMBERS = wrong_calls.NUMBERS[len(LIMITS) :]


def all_operators() -> list[str]:
    """The names of all operators that LibTorch registers."""
    from lambent.ctorch import load

    lib, ffi = load()
    lines = ffi.string(lib.ct_op_schemas()).decode().splitlines()
    names = {line.partition("(")[0].partition(".")[0].removeprefix("aten::") for line in lines}
    return sorted(name for name in names if "::" not in name)


def _prepare() -> None:
    from lambent.ctorch import load

    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    load().lib.ct_set_num_threads(1)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("operators", nargs="*")
    parser.add_argument("--tries", type=int, default=8, help="random calls of each schema")
    parser.add_argument("--part", default="1/1", help="3/20: the third of 20 parts of all")
    given = parser.parse_args(arguments)
    os.environ["LAMBENT_MEMORY_MB"] = str(MEMORY_MB)  # before LibTorch is loaded
    operators = [*given.operators, *part_of(all_operators(), given.part, given.operators)]
    cases = table_cases()

    def calls_of(name: str) -> Iterator[Arguments]:
        own = cases.get(name) or cases.get(name.removesuffix("_"), [])
        yield from _altered_calls(own[:CASES])
        yield from _random_calls(name, given.tries)

    return not run(operators, calls_of, _prepare)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
