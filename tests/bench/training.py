"""Training steps: a network for digits, a convolutional one, and a small GPT, with Adam.

    training step of the small GPT, 1 thread
      executable          487 ms        0.92x of eager, at most 0.93x        ok

Each contender is a process that takes steps when it is asked to, so they alternate, and all of them
have started, compiled and warmed up before the first measurement.  All compute the same: their
losses are compared.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.bench.build import (
    LAMBENT,
    PEERS,
    PROGRAMS,
    PYTHON,
    compile_cpp,
    compile_lisp,
    with_epilogue,
)
from tests.bench.measure import Command

EXECUTABLE, SCRIPT, EAGER, COMPILED = "executable", "script", "eager", "torch.compile"
OURS = (EXECUTABLE, SCRIPT)
CONTENDERS = (*OURS, EAGER, COMPILED)
COMPILE_MODE = "compile"  # of the peer, whose messages on stderr are long if it fails
ALL_THREADS, ONE_THREAD = 0, 1
PEER = PEERS / "train_torch.py"
SAME_LOSS = 1e-3  # relative, after the warm-up
METERED_STEPS = 3


@dataclass(frozen=True, slots=True)
class Model:
    """limit: how many times the steps of eager PyTorch an executable's may take."""

    name: str
    title: str
    limit: float
    warm_up: int  # steps
    steps: int  # at once, whose mean is one measurement
    times: int  # measurements for each round of the benchmark


MODELS = (
    Model("mlp", "the digits MLP", 0.45, 100, 200, 5),
    Model("cnn", "the digits CNN", 0.85, 30, 30, 4),
    Model("gpt", "the small GPT", 0.93, 2, 1, 1),
)


@dataclass(frozen=True, slots=True)
class Figures:
    """A table: limits are (contender, peer, the most that it may be of the peer's)."""

    title: str
    unit: str
    figures: dict[str, float]
    limits: list[tuple[str, str, float]]
    note: str


@dataclass(frozen=True, slots=True)
class Answer:
    seconds: float
    loss: float
    peak: int


@dataclass(slots=True)
class Contender:
    """A process that trains; first_seconds: the time of its first step."""

    process: subprocess.Popen[str]
    first_seconds: float = 0.0
    loss: float = 0.0

    def take(self, steps: int) -> Answer:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise EOFError
        seconds, loss, peak = line.split()
        return Answer(float(seconds), float(loss), int(peak))

    def peak_resident(self) -> int:
        """The most memory that the process has had, in bytes."""
        return self._status("VmHWM:")

    def resident(self) -> int:
        """The memory that the process has now, in bytes."""
        return self._status("VmRSS:")

    def _status(self, label: str) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        row = next(line for line in status if line.startswith(label))
        return int(row.split()[1]) * 1024


def measure_training(rounds: int) -> Iterator[Figures]:
    """The tables of each model."""
    meter = compile_cpp(PEERS / "meter.cpp", shared=True)
    for model in MODELS:
        commands = commands_of(model)
        for threads in (ALL_THREADS, ONE_THREAD):
            yield from _measure_steps(model, commands, threads, rounds)
        yield _measure_peak(model, commands, meter)


def commands_of(model: Model, names: Sequence[str] = CONTENDERS) -> dict[str, Command]:
    """Without the number of threads."""
    program = with_epilogue(PROGRAMS / f"train_{model.name}.lisp", PROGRAMS / "train_serve.lisp")
    makers: dict[str, Callable[[], Command]] = {
        EXECUTABLE: lambda: [compile_lisp(program)],
        SCRIPT: lambda: [LAMBENT, program],
        EAGER: lambda: [PYTHON, PEER, model.name, "eager"],
        COMPILED: lambda: [PYTHON, PEER, model.name, COMPILE_MODE],
    }
    return {name: makers[name]() for name in names}


@contextmanager
def running(command: Command) -> Iterator[Contender]:
    with subprocess.Popen(
        [str(part) for part in command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if COMPILE_MODE in command else None,
        text=True,
    ) as process:
        try:
            yield Contender(process)
        finally:
            process.kill()


def _start(
    commands: Mapping[str, Command], threads: int, rest: Sequence[Path], stack: ExitStack
) -> dict[str, Contender]:
    """The contenders, after their first step; torch.compile may fail, without a C++ compiler."""
    started: dict[str, Contender] = {}
    for name, command in commands.items():
        contender = stack.enter_context(running([*command, str(threads), *rest]))
        start = time.perf_counter()
        try:
            contender.loss = contender.take(1).loss
        except (EOFError, BrokenPipeError):
            if name != COMPILED:
                raise SystemExit(f"the training of {name} failed: {command}") from None
            print(f"{COMPILED} failed here: {' '.join(map(str, command))}", file=sys.stderr)
            continue
        contender.first_seconds = time.perf_counter() - start
        started[name] = contender
    return started


def _measure_steps(
    model: Model, commands: Mapping[str, Command], threads: int, rounds: int
) -> Iterator[Figures]:
    """The time of a step, and the memory of the processes."""
    seconds: dict[str, list[float]] = {}
    with ExitStack() as stack:
        contenders = _start(commands, threads, [], stack)
        for contender in contenders.values():
            contender.loss = contender.take(model.warm_up).loss
        _check_losses(model, contenders)
        for _ in range(rounds * model.times):
            for name, contender in contenders.items():
                taken = contender.take(model.steps).seconds / model.steps
                seconds.setdefault(name, []).append(taken)
        resident = {name: contender.peak_resident() for name, contender in contenders.items()}
        first = {name: contender.first_seconds for name, contender in contenders.items()}
    where = "1 thread" if threads == ONE_THREAD else "all threads"
    milliseconds = {name: 1000 * median(taken) for name, taken in seconds.items()}
    yield Figures(
        f"training step of {model.title}, {where}",
        "ms",
        milliseconds,
        [(EXECUTABLE, EAGER, model.limit), (SCRIPT, EAGER, 1.0)],
        _note(milliseconds, first),
    )
    if threads == ALL_THREADS:
        yield Figures(
            f"peak memory of the process that trains {model.title}",
            "bytes",
            {name: float(peak) for name, peak in resident.items()},
            [(ours, peer, 1.0) for ours in OURS for peer in _peers(resident)],
            "the most resident memory",
        )


def _peers(figures: Mapping[str, float]) -> list[str]:
    return [name for name in (EAGER, COMPILED) if name in figures]


def _note(milliseconds: Mapping[str, float], first: Mapping[str, float]) -> str:
    """Steps per second, and what the first step took, with torch.compile's compilation."""
    rates = ", ".join(f"{name} {1000 / figure:.4g}" for name, figure in milliseconds.items())
    compiled = f"{first[COMPILED]:.0f} s" if COMPILED in first else "failed"
    return f"steps per second: {rates}; first step of {COMPILED}, not counted: {compiled}"


def _check_losses(model: Model, contenders: Mapping[str, Contender]) -> None:
    """All of them must have computed the same."""
    expected = contenders[EAGER].loss
    for name, contender in contenders.items():
        if abs(contender.loss - expected) > SAME_LOSS * abs(expected):
            raise SystemExit(f"{model.title}: the loss of {name} is {contender.loss}, of "
                             f"{EAGER} {expected}")  # fmt: skip


def _measure_peak(model: Model, commands: Mapping[str, Command], meter: Path) -> Figures:
    """The most bytes of tensors alive at once."""
    peaks: dict[str, float] = {}
    for name, command in commands.items():
        with ExitStack() as stack:
            rest = [meter] if name in (EAGER, COMPILED) else []
            for contender in _start({name: command}, ALL_THREADS, rest, stack).values():
                peaks[name] = contender.take(METERED_STEPS).peak
    return Figures(
        f"peak tensor bytes of training {model.title}",
        "bytes",
        peaks,
        [(ours, EAGER, 1.0) for ours in OURS],
        "bytes asked of the CPU allocator",
    )
