"""Every operator of LibTorch at the limits of its integer arguments: no call may end the process.

    python -m tests.stress.operator_limits                   every operator, half an hour
    python -m tests.stress.operator_limits remainder _stack  some of them
    python -m tests.stress.operator_limits --tries 2 --part 3/20

The calls are made of two sources.  In the valid calls of `tests/operators/tables/`, one integer
after the other becomes 0, -1, the limits of 32 and of 64 bits ...; lists of integers become empty
and long; the elements of tensors of integers become the limits of their dtype, and -1.  From every
schema that is registered, calls are generated at random, with such integers
(`tests/support/wrong_calls.py`).

They run in worker processes whose memory and time are limited.  A worker prints each call before
it makes it, so that one that dies, or hangs, names the call.  Then another one goes on after it.
"""

import argparse
import os
import random
import resource
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tests.support.paths import ROOT

LIMITS = (0, -1, 1, 7, 2**31 - 1, 2**31, -(2**31), 2**62, 2**63 - 1, -(2**63))
LENGTHS = (0, 7, 65)  # of lists of integers: LibTorch has up to 64 dimensions
CASES = 2  # of an operator in the tables
MEMORY_MB = 512  # that tensors may hold
ADDRESS_SPACE = 12 << 30
SILENCE = 120  # seconds without a call, after which a worker hangs
MOST_DEATHS = 3  # of one operator, which is then left out


@dataclass(frozen=True)
class Death:
    """how: the signal, or that it hung."""

    call: str
    how: str


def deaths_of(
    operators: list[str], options: list[str], module: str = "tests.stress.operator_limits",
    environment: dict[str, str] | None = None,
) -> tuple[int, list[Death]]:
    """How many calls were made, and those that ended their process.

    module: what a worker runs, with the options; it prints a line `OPERATOR NUMBER ARGUMENTS` for
    each call.
    """
    operators = list(dict.fromkeys(operators))
    found: list[Death] = []
    made, first, skip = 0, 0, 0
    counts: dict[str, int] = {}
    while first < len(operators):
        command = [sys.executable, "-m", module, "--worker", "--skip", str(skip), *options]
        worker = _Worker(operators[first:], command, environment or {})
        last, how = worker.run()
        made += worker.count
        if how is None:
            break
        if not last:
            raise RuntimeError(f"a worker ended before its first call: {how}")
        name, number, call = last.split(" ", 2)
        found.append(Death(f"{name} {call}", how))
        print(f"{how}: {name} {call}", flush=True)
        counts[name] = counts.get(name, 0) + 1
        leaves = counts[name] == MOST_DEATHS
        first = operators.index(name) + leaves
        skip = 0 if leaves else int(number) + 1
    return made, found


class _Worker:
    """A process that makes the calls of some operators, from a call of the first one on."""

    def __init__(
        self, operators: list[str], command: list[str], environment: dict[str, str]
    ) -> None:
        self.count = 0
        self._operators, self._command = operators, command
        self._environment = {**os.environ, "LAMBENT_MEMORY_MB": str(MEMORY_MB), **environment}

    def run(self) -> tuple[str, str | None]:
        """The last call, and how the process died, if it did."""
        with tempfile.TemporaryFile() as names:
            names.write("\n".join(self._operators).encode())
            names.seek(0)
            process = subprocess.Popen(
                self._command, cwd=ROOT, stdin=names, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, env=self._environment,
            )
            last, hung = self._watch(process)
        status = process.wait()
        if hung:
            return last, f"no end after {SILENCE} s"
        return last, None if status == 0 else f"status {status}"

    def _watch(self, process: "subprocess.Popen[bytes]") -> tuple[str, bool]:
        last, rest = b"", b""
        assert process.stdout is not None
        while True:
            if not select.select([process.stdout], [], [], SILENCE)[0]:
                process.kill()
                return last.decode(), True
            data = os.read(process.stdout.fileno(), 1 << 16)
            if not data:
                return last.decode(), False
            *lines, rest = (rest + data).split(b"\n")
            self.count += len(lines)
            last = lines[-1] if lines else last


# In a worker.


def _make_calls(operators: list[str], skip: int, tries: int) -> None:
    from lambent.ctorch import load

    load().lib.ct_set_num_threads(1)
    cases = table_cases()
    for name in operators:
        own = cases.get(name) or cases.get(name.removesuffix("_"), [])
        make_calls(name, (*_altered_calls(own[:CASES]), *_random_calls(name, tries)), skip)
        skip = 0


def table_cases() -> dict[str, list[Any]]:
    """The rows of the tables, by operator."""
    from tests.operators.families import FAMILIES, rows

    cases: dict[str, list[Any]] = {}
    for family in FAMILIES:
        if not family.python:
            for row in rows(family):
                cases.setdefault(row.operator, []).append(row)
    return cases


@dataclass(frozen=True)
class Arguments:
    """Values of Python's torch, or of `tests.support.ctorch_calls`."""

    positional: tuple[Any, ...]
    named: dict[str, Any]


def make_calls(name: str, calls: Iterable[Arguments], skip: int) -> None:
    """Make the calls from that number on, each after a line that shows it."""
    for number, arguments in enumerate(calls):
        if number >= skip:
            print(name, number, ascii(_shown(arguments))[:400], flush=True)
            make(name, arguments)


def make(name: str, arguments: Arguments) -> None:
    """Make a call and read all of its result; a refusal is fine."""
    from tests.support.ctorch_calls import FailedError, Keyword, call
    from tests.support.wrong_calls import _read

    try:
        positional = [_converted(x) for x in arguments.positional]
        named = [x for key, value in arguments.named.items()
                 for x in (Keyword(key.replace("_", "-")), _converted(value))]
    except Exception:  # no value of Lisp's: zeros without memory, sparse tensors ...
        return
    with suppress(FailedError, OverflowError):
        _read(call(name, *positional, *named))


class _NoValueError(Exception):
    """A value of Python's torch that Lisp does not have."""


def _altered_calls(cases: list[Any]) -> Iterator[Arguments]:
    for row in cases:
        try:
            positional, named = row.arguments()
        except Exception:  # a case that torch itself cannot write
            continue
        whole = Arguments(positional, named)
        yield whole
        for path, value in _leaves((positional, named)):
            for other in _others(value):
                yield Arguments(*_replaced((positional, named), path, other))


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
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
        yield from _leaves(item, (*path, key))


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


def _replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    if isinstance(value, dict):
        return {**value, path[0]: _replaced(value[path[0]], path[1:], other)}
    items = list(value)
    items[path[0]] = _replaced(items[path[0]], path[1:], other)
    return type(value)(items) if type(value) in (tuple, list) else items


def _converted(value: Any) -> Any:
    """A value of Python's torch as one that `call` takes."""
    import torch

    from tests.support.ctorch_calls import Handle, Symbol

    match value:
        case torch.Tensor():
            return _tensor(value)
        case torch.dtype():
            return Symbol(str(value).removeprefix("torch."))
        case list() | tuple():
            return [_converted(item) for item in value]
        case None | bool() | int() | float() | str() | Handle() | Symbol():
            return value
        case _:
            raise _NoValueError


def _tensor(x: Any) -> Any:
    import torch

    from tests.support.ctorch_calls import call, tensor

    if x.layout != torch.strided or x.is_quantized:
        raise _NoValueError
    plain = x.detach().resolve_conj().resolve_neg()
    if plain.is_complex():
        return call("view_as_complex", call("contiguous", _tensor(torch.view_as_real(plain))))
    dtype = str(x.dtype).removeprefix("torch.")
    wide = plain.float() if x.dtype in (torch.float16, torch.bfloat16) else plain
    return call("reshape", tensor(wide.flatten().tolist(), dtype), list(x.shape))


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


def _shown(arguments: Arguments) -> str:
    parts = [_shown_value(x) for x in arguments.positional]
    return ", ".join([*parts, *(f"{key} {_shown_value(x)}" for key, x in arguments.named.items())])


def _shown_value(value: Any) -> str:
    import torch

    from tests.support.wrong_calls import _shown as shown

    if isinstance(value, torch.Tensor):
        few = f" {value.flatten()[:4].tolist()}" if not value.is_floating_point() else ""
        return f"{str(value.dtype).removeprefix('torch.')} {tuple(value.shape)}{few}"
    if isinstance(value, list | tuple):
        return "(" + ", ".join(map(_shown_value, value[:8])) + ")"
    return shown(value)


def all_operators() -> list[str]:
    """The names of all operators that LibTorch registers."""
    from lambent.ctorch import load

    lib, ffi = load()
    lines = ffi.string(lib.ct_op_schemas()).decode().splitlines()
    names = {line.partition("(")[0].partition(".")[0].removeprefix("aten::") for line in lines}
    return sorted(name for name in names if "::" not in name)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("operators", nargs="*")
    parser.add_argument("--tries", type=int, default=8, help="random calls of each schema")
    parser.add_argument("--part", default="1/1", help="3/20: the third of 20 parts of them")
    parser.add_argument("--worker", action="store_true")
    parser.add_argument("--skip", type=int, default=0)
    given = parser.parse_args(arguments)
    if given.worker:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)  # some operators write files
            _make_calls(sys.stdin.read().split(), given.skip, given.tries)
        return 0
    which, parts = map(int, given.part.split("/"))
    operators = given.operators or all_operators()[which - 1 :: parts]
    start = time.monotonic()
    made, deaths = deaths_of(operators, ["--tries", str(given.tries)])
    print(f"{made} calls of {len(operators)} operators, {time.monotonic() - start:.0f} s; "
          f"{len(deaths)} ended their process")
    return bool(deaths)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
