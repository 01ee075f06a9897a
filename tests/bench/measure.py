"""Run programs and take medians: contenders alternate, so a busy moment affects all of them."""

import os
import resource
import shlex
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

Command = Sequence[str | Path]


def output(command: Command) -> str:
    """What a command prints; a failure shows its messages and ends the benchmark."""
    arguments = [str(part) for part in command]
    done = subprocess.run(
        arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{command[0]} failed:\n{done.stderr}")
    return done.stdout


def last_number(text: str) -> float:
    """The number that ends a program's output."""
    return float(text.split()[-1])


def epoch_seconds(text: str) -> float:
    """The median of the lines `epoch seconds X`."""
    return statistics.median(
        last_number(line) for line in text.splitlines() if line.startswith("epoch seconds")
    )


def printed_medians(
    commands: Mapping[str, Command], read: Callable[[str], float], rounds: int
) -> dict[str, float]:
    """The median over the rounds of a number that each command prints about itself."""
    return _medians(commands, lambda command: read(output(command)), rounds)


def wall_medians(commands: Mapping[str, Command], rounds: int) -> dict[str, float]:
    """The median seconds from the start of each process to its end."""
    for command in commands.values():  # fills the disk cache, and reports errors
        output(command)
    return _medians(commands, _wall_seconds, rounds)


def cpu_medians(commands: Mapping[str, Command], rounds: int) -> dict[str, float]:
    """The median seconds of processor time, which other processes disturb little."""
    return _medians(commands, _cpu_seconds, rounds)


def cpu_minima(commands: Mapping[str, Command], rounds: int) -> dict[str, float]:
    """The least seconds of processor time: a busy machine only adds to it."""
    return _of_samples(commands, _cpu_seconds, min, rounds)


def paused_minima(commands: Mapping[str, Command], rounds: int) -> dict[str, float]:
    """The least seconds of processor time between the two pauses of each program.

    What loads a program, such as a second for LibTorch, is not in them, so programs that load
    different things can be compared.
    """
    return _of_samples(commands, _paused_seconds, min, rounds)


def _paused_seconds(command: Command) -> float:
    """A program pauses by the line `pause`, and waits for a line."""
    arguments = [str(part) for part in command]
    with subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        clock = ~process.pid << 3 | _PROCESSOR_TIME
        times: list[float] = []
        for line in process.stdout:
            if line == PAUSE:
                times.append(time.clock_gettime(clock))
                process.stdin.write(b"\n")
                process.stdin.flush()
    if process.returncode != 0 or len(times) != PAUSES:
        raise SystemExit(f"failed: {shlex.join(arguments)}")
    return times[1] - times[0]


PAUSE = b"pause\n"
PAUSES = 2
_PROCESSOR_TIME = 2  # Linux numbers the clock of a process ~id * 8 + 2


def _medians(
    commands: Mapping[str, Command], measure: Callable[[Command], float], rounds: int
) -> dict[str, float]:
    return _of_samples(commands, measure, statistics.median, rounds)


def _of_samples(
    commands: Mapping[str, Command],
    measure: Callable[[Command], float],
    choose: Callable[[list[float]], float],
    rounds: int,
) -> dict[str, float]:
    samples: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            samples[name].append(measure(command))
    return {name: choose(values) for name, values in samples.items()}


# Environment variables of Python, such as the one against bytecode files, would change the times.
ENVIRONMENT = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}


def _wall_seconds(command: Command) -> float:
    start = time.perf_counter()
    _spawn(command)
    return time.perf_counter() - start


def _cpu_seconds(command: Command) -> float:
    used = _spawn(command)
    return used.ru_utime + used.ru_stime


def _spawn(command: Command) -> resource.struct_rusage:
    """Run a command to its end; return the resources that it has used.  A failure ends the
    benchmark: what fails early would look fast.

    posix_spawn costs the same small time whatever it starts; subprocess costs milliseconds.
    """
    arguments = [str(part) for part in command]
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawn(arguments[0], arguments, ENVIRONMENT, file_actions=quiet)
    _, status, used = os.wait4(child, 0)
    if status != 0:
        raise SystemExit(f"failed: {shlex.join(arguments)}")
    return used
