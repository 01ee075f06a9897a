"""Calls of LibTorch's operators that may end their process, in processes that are forked for them.

The process that has loaded LibTorch and the tables forks one that makes the calls.  That one writes
each call down before it makes it, so that one that dies, or hangs, names the call.  Then another is
forked, which goes on after it.
"""

import os
import resource
import select
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

PROCESSOR_TIME = 20  # seconds of a call, after which it hangs
SILENCE = 300  # seconds without a call, on a busy machine, after which a process waits for ever
MOST_DEATHS = 5  # of one operator, which is then left out


@dataclass(frozen=True)
class Arguments:
    """Values of Python's torch, or of `tests.support.ctorch_calls`."""

    positional: tuple[Any, ...]
    named: dict[str, Any]


# The calls of an operator, by its name; the same ones each time, as those before a death are
# passed over.
CallsOf = Callable[[str], Iterable[Arguments]]


def run(operators: list[str], calls_of: CallsOf, prepare: Callable[[], object]) -> bool:
    """Make all calls; print those that ended their process; whether none did.

    prepare: what each process does first.
    """
    operators = list(dict.fromkeys(operators))
    made = deaths = first = skip = 0
    counts: dict[str, int] = {}
    start = time.monotonic()
    while first < len(operators):
        count, last, how = _fork(operators[first:], skip, calls_of, prepare)
        made += count
        if how is None:
            break
        if not last:
            raise RuntimeError(f"a process ended before its first call: {how}")
        name, number, call = last.split(" ", 2)
        print(f"{how}: {name} {call}", flush=True)
        deaths += 1
        counts[name] = counts.get(name, 0) + 1
        leaves = counts[name] == MOST_DEATHS
        first = operators.index(name) + leaves
        skip = 0 if leaves else int(number) + 1
    print(f"{made} calls of {len(operators)} operators, {time.monotonic() - start:.0f} s; "
          f"{deaths} ended their process", flush=True)
    return deaths == 0


def _fork(
    operators: list[str], skip: int, calls_of: CallsOf, prepare: Callable[[], object]
) -> tuple[int, str, str | None]:
    """The number of calls, the last one, and how the process died, if it did."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _make_calls(operators, skip, calls_of, prepare, writer)
    os.close(writer)
    waits = False
    try:
        count, last, waits = _watch(reader)
    finally:
        os.close(reader)
        if waits:
            os.kill(child, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return count, last, _how(status, waits)


def _watch(reader: int) -> tuple[int, str, bool]:
    """The number of calls, the last one, and whether none came for too long."""
    count, last, rest = 0, b"", b""
    while select.select([reader], [], [], SILENCE)[0]:
        data = os.read(reader, 1 << 16)
        if not data:
            return count, last.decode(), False
        *lines, rest = (rest + data).split(b"\n")
        count += len(lines)
        last = lines[-1] if lines else last
    return count, last.decode(), True


def _how(status: int, waits: bool) -> str | None:
    if waits:
        return f"no end after {SILENCE} s"
    if status == -signal.SIGXCPU:
        return f"no end after {PROCESSOR_TIME} s of processor time"
    if status < 0:
        return signal.Signals(-status).name
    return f"status {status}" if status else None


def part_of(names: list[str], part: str, instead: list[str]) -> list[str]:
    """part: 3/20 for the third of 20; all is 1/1, and nothing where there are others instead."""
    which, parts = map(int, part.split("/"))
    return [] if instead and parts == 1 else names[which - 1 :: parts]


# In a forked process.


def _make_calls(
    operators: list[str], skip: int, calls_of: CallsOf, prepare: Callable[[], object], writer: int
) -> NoReturn:
    """Make the calls, from that one of the first operator on, each after a line that shows it:
    `OPERATOR NUMBER ARGUMENTS`."""
    status = 1
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)  # what operators print
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)  # some operators write files
            prepare()
            for name in operators:
                for number, arguments in enumerate(calls_of(name)):
                    if number >= skip:
                        line = f"{name} {number} {ascii(_shown(arguments))[:400]}\n"
                        os.write(writer, line.encode())
                        _renew_processor_time()
                        make(name, arguments)
                skip = 0
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _renew_processor_time() -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + 1 + PROCESSOR_TIME
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def make(name: str, arguments: Arguments) -> None:
    """Make a call and read all of its result; a refusal is fine."""
    from tests.support.ctorch_calls import FailedError, Keyword, call
    from tests.support.wrong_calls import _read

    try:
        positional = [converted(x) for x in arguments.positional]
        named = [x for key, value in arguments.named.items()
                 for x in (Keyword(key.replace("_", "-")), converted(value))]
    except Exception:  # no value of Lisp's: zeros without memory, sparse tensors ...
        return
    with suppress(FailedError, OverflowError):
        _read(call(name, *positional, *named))


class _NoValueError(Exception):
    """A value of Python's torch that Lisp does not have."""


def converted(value: Any) -> Any:
    """A value of Python's torch as one that `call` takes."""
    import torch

    from tests.support.ctorch_calls import Handle, Symbol

    match value:
        case torch.Tensor():
            return _tensor(value)
        case torch.dtype():
            return Symbol(str(value).removeprefix("torch."))
        case list() | tuple():
            return [converted(item) for item in value]
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


def table_cases() -> dict[str, list[Any]]:
    """The rows of the tables, by operator."""
    from tests.operators.families import FAMILIES, rows

    cases: dict[str, list[Any]] = {}
    for family in FAMILIES:
        if not family.python:
            for row in rows(family):
                cases.setdefault(row.operator, []).append(row)
    return cases
