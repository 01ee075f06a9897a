"""`lambent test`: runs programs with tests of SRFI 64 on both back ends, and compares them.

    lambent test   =>   FAIL tests/a-test.lisp:7: arithmetic > sum
                          (test-equal "sum" 5 (+ 2 2))
                          expected: 5
                          got:      4
                        3 passed, 1 failed in 1 file

Each program runs in a process of its own, which adds the result of each test to a file that the
variable LAMBENT_TEST_RESULTS names (`stdlib/srfi/srfi_64/tests.lisp`).
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from lambent.lang.errors import MissingInput, UsageFault
from lambent.lang.system.dataclass import dataclass
from lambent.lang.system.scratch import scratch_folder
from lambent.lang.test_reports import FileRun, Result, print_file, print_summary, write_junit

USAGE = "lambent test [--interpreted | --compiled] [--filter TEXT] [--junit FILE] [FILE ...]"
_PATTERNS = ("test-*.lisp", "*-test.lisp", "*-tests.lisp")
_FIELD, _RECORD = "\x1f", "\x1e"
_FAILED, _BROKEN = 1, 2  # exit statuses: a test failed; a program did not run to its end
_TAIL = 30  # lines that are shown of what a broken program said


@dataclass(frozen=True, slots=True)
class _Options:
    """back_ends: `script` and `executable`, or one of them."""

    back_ends: Sequence[str]
    filter: str | None
    junit: str | None
    paths: Sequence[str]


def run_tests(words: Sequence[str]) -> int:
    """Run the command; its exit status."""
    options = _parse(words)
    files = list(_files_of(options.paths))
    runs: list[FileRun] = []
    for file in files:
        runs.append(_run_file(file, options))
        print_file(runs[-1])
    print_summary(runs, options.filter)
    if options.junit is not None:
        write_junit(Path(options.junit), runs)
    if any(run.broken for run in runs) or not any(run.count() for run in runs):
        return _BROKEN
    return _FAILED if any(run.failures() or run.differences() for run in runs) else 0


def _parse(words: Sequence[str]) -> _Options:
    back_ends: Sequence[str] = ("script", "executable")
    values: dict[str, str] = {}
    paths: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        option, equals, value = word.partition("=")
        if word == "--interpreted":
            back_ends = ("script",)
        elif word == "--compiled":
            back_ends = ("executable",)
        elif option in ("--filter", "--junit"):
            if not equals and not left:
                raise _bad_usage(f"{option} takes a value")
            values[option] = value if equals else left.pop(0)
        elif word.startswith("-"):
            raise _bad_usage(f"unknown option: {word}")
        else:
            paths.append(word)
    return _Options(back_ends, values.get("--filter"), values.get("--junit"), paths or ["tests"])


def _bad_usage(message: str) -> UsageFault:
    return UsageFault(f"lambent: {message}", hint=f"usage: {USAGE}")


def _files_of(paths: Sequence[str]) -> Iterator[str]:
    """The files, and the tests in and below the folders, each once."""
    seen: set[str] = set()
    for name in paths:
        path = Path(name)
        if not path.exists():
            raise MissingInput(f"lambent: test: there is no file or folder {name}",
                               hint=f"usage: {USAGE}")
        found = [name]
        if path.is_dir():
            found = sorted({str(file) for pattern in _PATTERNS for file in path.rglob(pattern)})
            if not found:
                raise UsageFault(f"lambent: test: no file in {name} is named like a test",
                                 hint=f"tests are {', '.join(_PATTERNS)}")
        for file in found:
            if file not in seen:
                seen.add(file)
                yield file


def _run_file(file: str, options: _Options) -> FileRun:
    """Run one program on each back end."""
    results: dict[str, list[Result]] = {}
    broken: dict[str, str] = {}
    lambent = [sys.executable, "-P", "-m", "lambent.lang"]
    with scratch_folder() as folder:
        for back_end in options.back_ends:
            command = [*lambent, file]
            if back_end == "executable":
                program = folder / "test"
                compiled = _run([*lambent, "compile", "--quick", file, "-o", str(program)])
                if compiled.returncode != 0:
                    broken[back_end] = "does not compile:\n" + _end_of(compiled.stderr)
                    continue
                command = [str(program)]
            record = folder / back_end
            ended = _run(command, record, options.filter)
            results[back_end] = _read(record)
            if ended.returncode != 0:
                said = _end_of(ended.stderr)
                broken[back_end] = f"ended with status {ended.returncode}:\n{said}"
            elif not results[back_end]:
                broken[back_end] = "ran no test of (srfi 64)\n"
    return FileRun(file, results, broken)


def _run(
    command: Sequence[str], record: Path | None = None, only: str | None = None
) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ)
    environment.pop("LAMBENT_TEST_FILTER", None)
    if record is not None:
        environment["LAMBENT_TEST_RESULTS"] = str(record)
    if only is not None:
        environment["LAMBENT_TEST_FILTER"] = only
    return subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def _end_of(text: str) -> str:
    lines = text.splitlines()
    return "".join(f"  {line}\n" for line in lines[-_TAIL:])


def _read(record: Path) -> list[Result]:
    """The results that a program has recorded; a record that is not complete is dropped."""
    if not record.exists():
        return []
    records = record.read_text("utf-8", errors="replace").split(_RECORD)[:-1]
    return [Result(*fields) for text in records if len(fields := text.split(_FIELD)[:8]) == 8]
