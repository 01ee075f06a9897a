"""`lambent launch -n 4 FILE`: a program in several processes, which find each other.

    rank 0..3 <- RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT
    rank 1 fails with 70  =>  the others end, and the command exits with 70

With restarts, all processes start again instead, and continue from the program's checkpoint.  On
several machines, each has a launcher of its own.  Launchers do not speak with each other: when a
rank is lost, those of all machines fail, so that each launcher starts its own again.

The processes are a program of `with-distributed`.  Their output is passed on in whole lines, what a
process writes at once without other lines in between.  They are in process groups of their own, so
that Ctrl-C at a terminal comes to this process, which passes it on once.
"""

import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from lambent.lang.errors import EXIT_INTERRUPT, MissingInput, UsageFault

HOST = "127.0.0.1"
MOMENT = 0.05  # seconds between two looks at the processes
GRACE = 10.0  # seconds for the others to end by themselves after one has failed
PATIENCE = 2.0  # seconds from SIGTERM to SIGKILL
CHUNK = 1 << 16  # bytes
SIGNALLED = 128  # the status of a process that a signal has ended, less the signal


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: count processes on each of several machines, of which this one has a number.

    label: put the rank before each line of output.  address: where rank 0 is, for several machines.
    restarts: how often to start again after a failure.
    """

    program: Sequence[str]
    count: int = 2
    label: bool = False
    machines: int = 1
    machine: int = 0
    address: tuple[str, int] | None = None
    restarts: int = 0

    @property
    def world(self) -> int:
        return self.count * self.machines


@dataclass(slots=True)
class Rank:
    """A process, and what it has written since its last complete line."""

    number: int
    process: "subprocess.Popen[bytes]"
    started_lines: dict[int, bytes] = field(default_factory=dict)  # by descriptor


def launch(plan: Plan) -> int:
    """Run a program in several processes; the status of the first one that fails, or 0."""
    with _signals() as (received, all_received):
        for restart in range(plan.restarts + 1):
            if restart:
                print(f"lambent: starting the ranks again, {restart} of {plan.restarts}",
                      file=sys.stderr, flush=True)
            status = _run(plan, restart, received)
            if not status or all_received:
                break
    return status


def _run(plan: Plan, restart: int, received: list[int]) -> int:
    """Start all processes once, and wait until they have ended."""
    ranks: list[Rank] = []
    try:
        with _address(plan) as address:
            for k in range(plan.count):
                ranks.append(_start(plan, k, restart, address))
        return _follow(ranks, received, plan.label)  # the port is rank 0's from now on
    finally:
        for rank in ranks:
            rank.process.kill()
            rank.process.wait()


def command_for(file: str, arguments: Sequence[str]) -> list[str]:
    """How to run a Lisp program, or an executable."""
    path = Path(file)
    if not path.exists():
        raise MissingInput(f"cannot open {file}: {os.strerror(2)}")
    if path.suffix != ".lisp" and os.access(path, os.X_OK) and path.is_file():
        return [str(path.absolute()), *arguments]
    return [sys.executable, "-P", "-m", "lambent.lang", file, *arguments]


# The processes.


# Variables by which a launcher that started this one speaks to its own ranks.
OF_OUTER_LAUNCHERS = ("TORCHELASTIC_", "LAMBENT_LISTENER", "LAMBENT_RESTARTS")


@dataclass(frozen=True, slots=True)
class Address:
    """Where rank 0 listens.  listener: a socket that does already, of this machine."""

    host: str
    port: int
    listener: int | None = None


@contextmanager
def _address(plan: Plan) -> Iterator[Address]:
    """The plan's, or a free port of this machine.

    Rank 0 inherits the port, so that nobody else can take it.
    """
    if plan.address:
        yield Address(*plan.address)
        return
    with socket.socket() as port:
        port.bind((HOST, 0))
        yield Address(HOST, port.getsockname()[1], port.fileno())


def _start(plan: Plan, local: int, restart: int, address: Address) -> Rank:
    rank = plan.machine * plan.count + local
    environment = {name: text for name, text in os.environ.items()
                   if not name.startswith(OF_OUTER_LAUNCHERS)}
    environment |= {
        "RANK": str(rank), "LOCAL_RANK": str(local), "WORLD_SIZE": str(plan.world),
        "LOCAL_WORLD_SIZE": str(plan.count), "MASTER_ADDR": address.host,
        "MASTER_PORT": str(address.port),
    }
    if plan.restarts:
        environment["LAMBENT_RESTARTS"] = str(restart)
    environment.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // plan.count)))
    inherited: tuple[int, ...] = ()
    if rank == 0 and address.listener is not None:
        inherited = (address.listener,)
        environment["LAMBENT_LISTENER"] = str(address.listener)
    try:
        process = subprocess.Popen(
            plan.program, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, pass_fds=inherited, process_group=0,
        )
    except OSError as error:
        raise UsageFault(f"lambent: cannot run {plan.program[0]}: {error.strerror}") from None
    return Rank(rank, process)


@contextmanager
def _signals() -> Iterator[tuple[list[int], list[int]]]:
    """The signals that come meanwhile, in order: those to pass on, and all."""
    received: list[int] = []
    everything: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        received.append(number)
        everything.append(number)

    watched = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in watched}
    for number in watched:
        if before[number] is not signal.SIG_IGN:
            signal.signal(number, note)
    try:
        yield received, everything
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _follow(ranks: list[Rank], received: list[int], label: bool) -> int:
    """Pass output on until all processes have ended; the status of the first that failed."""
    first_failure: int | None = None
    deadline: float | None = None
    with selectors.DefaultSelector() as selector:
        for rank in ranks:
            for stream, target in (
                (rank.process.stdout, sys.stdout), (rank.process.stderr, sys.stderr)
            ):
                assert stream is not None
                selector.register(stream, selectors.EVENT_READ, (rank, target.buffer))
        while selector.get_map() or any(rank.process.poll() is None for rank in ranks):
            _pass_on(selector, label)
            if received:
                first_failure = _pass_signal(ranks, received, first_failure)
            failed = [s for rank in ranks if (s := rank.process.poll()) not in (None, 0)]
            if failed and first_failure is None:
                first_failure = _status_of(min(failed))  # a signal is the cause of other failures
                _say_signal(ranks)
            if first_failure is not None and deadline is None:
                deadline = time.monotonic() + GRACE
            if deadline is not None:
                _end_late(ranks, deadline)
    return first_failure or 0


def _status_of(code: int) -> int:
    return code if code > 0 else SIGNALLED - code


def _say_signal(ranks: list[Rank]) -> None:
    """Name the processes that had no chance to say why they end."""
    for rank in ranks:
        code = rank.process.poll()
        if code is not None and code < 0:
            name = signal.Signals(-code).name
            print(f"lambent: rank {rank.number} was ended by {name}", file=sys.stderr, flush=True)


def _pass_signal(ranks: list[Rank], received: list[int], status: int | None) -> int:
    """Give the signal to all processes; a second one ends them."""
    number = received.pop(0)
    for rank in ranks:
        with suppress(ProcessLookupError):
            rank.process.send_signal(number if status is None else signal.SIGKILL)
    if status is not None:
        return status
    return EXIT_INTERRUPT if number == signal.SIGINT else SIGNALLED + number


def _end_late(ranks: list[Rank], deadline: float) -> None:
    late = time.monotonic() - deadline
    if late < 0:
        return
    for rank in ranks:
        if rank.process.poll() is None:
            rank.process.send_signal(signal.SIGTERM if late < PATIENCE else signal.SIGKILL)


# Their output.


def _pass_on(selector: selectors.BaseSelector, label: bool) -> None:
    if not selector.get_map():
        time.sleep(MOMENT)
    for key, _ in selector.select(MOMENT):
        rank, target = key.data
        text = os.read(key.fd, CHUNK)
        _write(rank, key.fd, text, target, label)
        if not text:
            selector.unregister(key.fileobj)


def _write(rank: Rank, descriptor: int, text: bytes, target: BinaryIO, label: bool) -> None:
    """Write the complete lines; at the end of the output, no text, also an incomplete one."""
    started = rank.started_lines.pop(descriptor, b"") + text
    end = started.rfind(b"\n") + 1 if text else len(started)
    lines, rest = started[:end], started[end:]
    if rest:
        rank.started_lines[descriptor] = rest
    if not lines:
        return
    if label:
        mark = f"[{rank.number}] ".encode()
        lines = b"".join(mark + line for line in lines.splitlines(keepends=True))
    target.write(lines)
    target.flush()
