"""Run programs as script and as executable, and read what they are expected to print."""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from types import MappingProxyType
from zlib import crc32

from lambent.lang.compile.build.toolchain import Options, link_flags
from lambent.lang.compile.units.library_units import library_units
from lambent.lang.core.modules import cached_library, library
from lambent.lang.interp import code_cache
from lambent.lang.interp import run as interpreter
from lambent.lang.interp.native import NATIVE
from lambent.lang.pipeline import compile_file
from lambent.lang.system.cache import writable_folder
from tests.support.processes.forked_commands import is_forkable, run_forked

NONE: Mapping[str, str] = MappingProxyType({})
TIMEOUT = 300  # seconds; a busy machine is slow, and a test that hangs must end

# Runs a command, and prints its peak memory in KiB after its output.  It needs a process of its
# own, because the system counts the memory of the parent, too.
PEAK = """\
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
print("", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)
"""

_WARNING = re.compile(r"^warning: .*\n(?:(?:  |hint: ).*\n)*", re.M)

# What a run with LAMBENT_CHECK_LEAKS adds to stderr.
_LEAKS = re.compile(r"live handles: (\d+), live objects: (\d+)\n\Z")


@dataclass(frozen=True, slots=True)
class Outcome:
    """leaks: the report of what was still alive at the end, "" if everything was freed."""

    output: str
    errors: str
    status: int
    leaks: str


@dataclass(frozen=True, slots=True)
class Expected:
    """None where a test does not say what it expects."""

    output: str | None
    errors: str | None
    status: int


def read_expectations(path: Path) -> Expected:
    lines = path.read_text(encoding="utf-8").splitlines()
    printed = [line.split("; =>", 1)[1] for line in lines if "; =>" in line]
    output = "".join(text.removeprefix(" ") + "\n" for text in printed)
    if path.parent.name in ("programs", "r7rs"):
        exits = [m[1] for line in lines if (m := re.search(r"; exits (\d+)$", line))]
        return Expected(output, "", int(exits[0]) if exits else 0)
    for index, line in enumerate(lines):
        if block := re.match(r"; error, status (\d+):$", line):
            text = "".join(f"{after[2:]}\n" for after in lines[index + 1 :])
            return Expected(output if printed else None, text, int(block[1]))
    return Expected(None, "(there is no `; error, status N:` block)\n", 70)


def update_error_block(path: Path, outcome: Outcome) -> None:
    """Write the errors that the script printed to the end of its file."""
    source = re.split(r"^; error, status ", path.read_text(encoding="utf-8"), flags=re.M)[0]
    said = "".join(f"; {line}".rstrip() + "\n" for line in outcome.errors.splitlines())
    path.write_text(f"{source.rstrip()}\n\n; error, status {outcome.status}:\n{said}",
                    encoding="utf-8")


class ProgramRunner:
    """Compiles each program once, and runs it once on each back end."""

    def __init__(self, root: Path, compilers: int, optimize_all: bool = False) -> None:
        self.root = root
        self.compilers = compilers
        self.optimize_all = optimize_all
        self.folder = Path(tempfile.mkdtemp(prefix="lambent-tests-"))
        self._pool: ProcessPoolExecutor | None = None
        self._compiled: dict[Path, Future[tuple[int, str]]] = {}
        self.run_script = cache(self._run_script)
        self.run_executable = cache(self._run_executable)

    def close(self) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def begin_compiling(self, path: Path) -> Future[tuple[int, str]]:
        """Compile in the background."""
        if path not in self._compiled:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(self.compilers, mp_context=get_context("spawn"))
            folder, name = self._folder_and_name(path)
            optimize = name.startswith("tests/programs/") and (
                self.optimize_all or is_optimized_today(name)
            )
            self._compiled[path] = self._pool.submit(
                _compile, folder, name, self.executable(path), optimize
            )
        return self._compiled[path]

    def _run_script(self, path: Path) -> Outcome:
        folder, name = self._folder_and_name(path)
        # The code of scripts is verified, too.
        return run([sys.executable, "-m", "lambent.lang", name], folder, {"LAMBENT_VERIFY": "1"})

    def _run_executable(self, path: Path) -> Outcome:
        """Run the executable; if compiling failed, the outcome is the compiler's message."""
        status, said = self.begin_compiling(path).result()
        if status:
            return Outcome("", said, status, "")
        folder, _ = self._folder_and_name(path)
        return run([str(self.executable(path))], folder)

    def executable(self, path: Path) -> Path:
        """The path of a program's executable, whether it exists yet or not."""
        return self.folder / f"{path.parent.name}-{path.stem}"

    def _folder_and_name(self, path: Path) -> tuple[Path, str]:
        """The folder in which a program is run, and its name there, which error texts show."""
        if path.parent.name == "errors":
            return path.parent, path.name
        if not path.is_relative_to(self.root):
            return path.parent, path.name
        return self.root, str(path.relative_to(self.root))


def command_of(text: str, back_end: str, folder: Path) -> list[str]:
    """The command that runs a text as a script or, compiled now, as an executable.

    The C is not optimized, which would take four times as long.
    """
    path, program = folder / "case.lisp", folder / "case"
    path.write_text(text, encoding="utf-8")
    if back_end == "script":
        return [sys.executable, "-m", "lambent.lang", str(path)]
    compile_file(str(path), program, optimize=False)
    return [str(program)]


def finish(
    command: list[str], folder: Path, timeout: int = TIMEOUT, variables: Mapping[str, str] = NONE
) -> "subprocess.CompletedProcess[bytes]":
    """Run a program; at its end it reports what is still alive."""
    environment = {**os.environ, "LAMBENT_CHECK_LEAKS": "1", "OMP_NUM_THREADS": "1", **variables}
    if is_forkable(command):
        return run_forked(command, folder, environment, timeout)
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout,
    )


def run(command: list[str], folder: Path, variables: Mapping[str, str] = NONE) -> Outcome:
    """variables: of the environment, besides this process's."""
    finished = finish(command, folder, variables=variables)
    errors = finished.stderr.decode()
    leaks = ""
    if found := _LEAKS.search(errors):
        errors = errors[: found.start()]
        leaks = "" if found[1] == found[2] == "0" else found[0].strip()
    return Outcome(finished.stdout.decode(), errors, finished.returncode, leaks)


def is_due_today(name: str, days: int) -> bool:
    """Whether it is the turn of one of many cases: each has its turn once in so many days."""
    return (crc32(name.encode()) + date.today().toordinal()) % days == 0


def is_optimized_today(name: str) -> bool:
    """Whether a program's C is optimized, as it is for users: another twelfth of them each day.

    gcc takes a second more for each, which is two thirds of the time that compiling takes.
    """
    return is_due_today(name, 12)


def _compile(folder: Path, name: str, program: Path, optimize: bool) -> tuple[int, str]:
    """Run `lambent compile` in a worker process; its status, and its messages without warnings."""
    from lambent.lang import pipeline
    from lambent.lang.cli import main
    from lambent.lang.passes import VERIFY

    # All compilations prove their result.  Those of tests/programs, which reach everything, are
    # verified after each pass, too, which takes a third of a compiler's time.
    os.environ[VERIFY] = "" if folder.name == "errors" else "1"
    said = io.StringIO()
    os.chdir(folder)
    pipeline.compile_file = partial(compile_file, optimize=optimize)
    with contextlib.redirect_stderr(said):
        status = main(["compile", name, "-o", str(program)])
    return status, _WARNING.sub("", said.getvalue())


# A cache folder as it is after the installation: the library has been analysed, nothing else.
# Analysing it takes seconds, which every program pays that starts with an empty cache.  So tests
# that need a cache of their own, but not an empty one, begin with what this process's cache holds.


def prepare_cache(folder: Path) -> None:
    """Make a cache folder that holds the library, and the interpreter's C module."""
    for name, data in _library_files().items():
        path = folder / name
        for parent in (folder, path.parent):
            parent.mkdir(parents=True, exist_ok=True)
            parent.chmod(0o755)
        path.write_bytes(data)
        path.chmod(0o644)


def prepare_runtime(folder: Path) -> None:
    """Put the compiled runtime into a cache folder, too."""
    for flag in link_flags(Options(), tensors=True):
        if flag.endswith(".a"):
            made = Path(flag).parent
            shutil.copytree(made, folder / made.name)


def prepare_units(folder: Path) -> None:
    """Put the compiled units of the library into a cache folder, too, as far as there are any."""
    shutil.copytree(writable_folder() / "library", folder / "library", dirs_exist_ok=True)


@cache
def _library_files() -> dict[str, bytes]:
    """The files of the library, by their paths in the cache folder."""
    interpreter.find_library()
    library.library_names()
    base, stamp = writable_folder(), code_cache.fingerprint()
    fields = code_cache.read_cached(interpreter._LIBRARY, stamp)
    assert fields is not None
    # It may have been in the fallback folder.
    code_cache.write_cached(interpreter._LIBRARY, stamp, fields)
    core = cached_library._path()
    assert core is not None
    unit = Path(code_cache._path(str(base / "units"), interpreter._LIBRARY))
    library_units()
    units = cached_library.entry_path("units")
    assert units is not None
    files = {str(path.relative_to(base)): path.read_bytes() for path in (unit, core, units)}
    if NATIVE is not None:
        module = Path(NATIVE.__file__)
        files[f"native/{module.name}"] = module.read_bytes()
    return files
