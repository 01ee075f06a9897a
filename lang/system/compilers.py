"""Compilers as commands: the one the user chose, how many may run at once, why one failed.

    command_of("CXX")       =>  ("/usr/bin/ccache", "g++"), from CXX="ccache g++"
    parallel_jobs(1 << 30)  =>  2, on two cores with enough memory
    why(-9, "").message     =>  "the compiler was killed by SIGKILL"
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zlib import crc32

from lambent.lang.system.available import available_memory

JOBS = "LAMBENT_JOBS"
_CGROUP = Path("/sys/fs/cgroup")
# Messages of compilers and of the programs they start when there is not enough memory.
_NO_MEMORY = (
    "Killed signal terminated program", "virtual memory exhausted", "out of memory",
    "Cannot allocate memory", "memory exhausted", "std::bad_alloc",
)


def command_of(variable: str) -> tuple[str, ...] | None:
    """The command in an environment variable, its program as a path; None if it does not exist."""
    try:
        words = shlex.split(os.environ.get(variable, ""))
    except ValueError:  # an unclosed quotation
        return None
    path = shutil.which(words[0]) if words else None
    return (path, *words[1:]) if path else None


def own_compiler() -> tuple[str, ...] | None:
    """What CC names, if it exists and makes code for this machine."""
    command = command_of("CC")
    return command if command and machine_of(command) in (None, own_machine()) else None


@cache
def machine_of(command: tuple[str, ...]) -> str | None:
    """The processor that a C compiler makes code for, as `own_machine` calls it; None if it does
    not say."""
    try:
        done = subprocess.run([*command, "-dumpmachine"], capture_output=True, text=True,
                              errors="replace", stdin=subprocess.DEVNULL)
    except OSError:  # compiling says what is wrong with it
        return None
    return _usual(done.stdout.partition("-")[0].strip()) or None


def own_machine() -> str:
    """This machine's processor: "x86_64" or "aarch64"."""
    return _usual(os.uname().machine)


def _usual(machine: str) -> str:
    """macOS calls aarch64 arm64; gcc and the kernel have two names for POWER."""
    names = {"arm64": "aarch64", "amd64": "x86_64", "ppc64le": "powerpc64le"}
    return names.get(machine, machine)


def stamp(path: Path) -> str:
    """A text that changes if the file is replaced or moved, without reading the file."""
    real = path.resolve()
    status = real.stat()
    return _short(f"{real} {status.st_size} {status.st_mtime_ns}")


def _short(text: str) -> str:
    """A hash of a text with file names, which need not be UTF-8."""
    return f"{crc32(os.fsencode(text)):08x}"


def command_stamp(command: tuple[str, ...]) -> str:
    """A text that changes with the words of a command and the programs it names: `ccache g++`."""
    stamps = [stamp(Path(path)) for word in command if (path := shutil.which(word))]
    if len(command) == 1:
        return stamps[0]
    return _short(" ".join([*command, *stamps]))


def parallel_jobs(bytes_each: int) -> int:
    """How many compilers may run at once, for the cores and the memory that this process has.

    LAMBENT_JOBS overrides it.
    """
    chosen = os.environ.get(JOBS, "")
    if chosen.isdecimal() and int(chosen) > 0:
        return int(chosen)
    return max(1, min(_cores(), available_memory() // bytes_each))


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    match _text(_CGROUP / "cpu.max").split():
        case [quota, period] if quota.isdecimal() and period.isdecimal():
            return max(1, min(cores, int(quota) // int(period)))
    return cores


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


@dataclass(frozen=True, slots=True)
class Failure:
    """The message about a compiler that failed."""

    message: str
    hint: str | None = None


def environment_failure(status: int, said: str) -> Failure | None:
    """Why a compiler failed, if the machine and not its input is the cause."""
    if any(words in said for words in _NO_MEMORY) or status == -signal.SIGKILL:
        how = "was killed by SIGKILL" if status == -signal.SIGKILL else "ran out of memory"
        return Failure(f"the compiler {how}",
                       f"if memory is short: {JOBS}=1 runs one compiler at a time")
    if "No space left on device" in said:
        return Failure("no space is left on the device", "free some space, or set LAMBENT_CACHE "
                       "to a folder on another device")
    if status < 0:
        return Failure(f"the compiler was killed by {_signal_name(-status)}")
    return None


# What occurs in the line that matters, of the compiler's and of the linker's.
_TELLING = re.compile(r"\berror\b|cannot |undefined (reference|symbol)")


def why(status: int, said: str) -> Failure:
    """The reason in one line, from the exit status and the standard error."""
    if failure := environment_failure(status, said):
        return failure
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if _TELLING.search(line)]
    silent = f"the compiler exited with status {status} and no message"
    return Failure((errors or lines or [silent])[0])


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
