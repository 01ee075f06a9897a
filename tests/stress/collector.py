"""The collector of cycles, forced to run all the time, under the sanitizers.

    python -m tests.stress.collector [--inject] [NAME ...]

runs these programs of tests/programs, or all.

Each program is compiled with the address and undefined-behaviour sanitizers and run with
LAMBENT_COLLECT=1: each object has its own malloc, and the collector runs at each entry of a
recursive function, at each iteration of a loop, and at each store of an object into an older one.
A program must print what its file says, as always, and leave nothing alive.  So a collector that
frees an object too early, or that miscounts one, is found where it does so.

With --inject, some of the operations that can fail do so, each in a run of its own: what frames
release on their way out, the collector must not have.

A program that takes too long that way runs again with a collection at each 10th chance, each
100th ...; the last column says which was the first that was fast enough.
"""

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lambent.lang.pipeline import compile_source, read_source
from tests.support.binaries import ENVIRONMENT, build_programs, finish
from tests.support.paths import ROOT
from tests.support.programs_run import read_expectations

_CLEAN = "live handles: 0, live objects: 0\n"
_PATIENCE = 60  # seconds for a run
_SELDOM = 10**6
_FAILING = (1, 2, 4, 9, 20, 45, 100, 220, 480, 1000)  # the numbers of operations
_UNREPORTED = ("6.14_emergency_exit",)  # such an end leaves out the report of what is alive
_CACHING = ("memory_limits",)  # these need tensors' free blocks kept, which LAMBENT_ALLOC prevents


def programs() -> list[Path]:
    folder = ROOT / "tests/programs"
    return sorted([*folder.glob("*.lisp"), *folder.glob("r7rs/*.lisp")])


def check(path: Path, inject: bool, patience: float = _PATIENCE) -> tuple[str, int]:
    """What is wrong with a program, "" if nothing; and at how many chances one was taken."""
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
        binary = build_programs({path.stem: compile_source(read_source(name))}, Path(folder))
        every = 1
        while every <= _SELDOM:
            try:
                wrong = run(binary, path, every, patience)
                return wrong or (inject_into(binary, path, every) if inject else ""), every
            except subprocess.TimeoutExpired:
                every *= 10
    return "it takes too long", every


def environment(path: Path, every: int) -> dict[str, str]:
    chosen = {**ENVIRONMENT, "LAMBENT_COLLECT": str(every)}
    if path.stem in _CACHING:
        del chosen["LAMBENT_ALLOC"]
    return chosen


def inject_into(binary: Path, path: Path, every: int) -> str:
    command = [str(binary), path.stem, "inject", *map(str, _FAILING)]
    output, errors, status = finish(command, ROOT, environment(path, every))
    return output + errors if status else ""


def run(binary: Path, path: Path, every: int, patience: float) -> str:
    done = subprocess.run(
        [binary, path.stem], cwd=ROOT, env=environment(path, every),
        stdin=subprocess.DEVNULL, capture_output=True, timeout=patience,
    )  # fmt: skip
    expected = read_expectations(path)
    output, errors = done.stdout.decode(), done.stderr.decode()
    report = "" if path.stem in _UNREPORTED else _CLEAN
    if errors != (expected.errors or "") + report:
        return errors
    if expected.output is not None and output != expected.output:
        return f"it printed\n{output}"
    return "" if done.returncode == expected.status else f"status {done.returncode}"


def main(names: list[str]) -> int:
    inject = "--inject" in names
    names = [name for name in names if name != "--inject"]
    chosen = [path for path in programs() if not names or path.stem in names]
    failures = 0

    def timed(path: Path) -> tuple[Path, str, int, float]:
        start = time.monotonic()
        try:
            wrong, every = check(path, inject)
        except Exception as error:
            wrong, every = repr(error), 0
        return path, wrong, every, time.monotonic() - start

    with ThreadPoolExecutor(2) as pool:
        for path, wrong, every, seconds in pool.map(timed, chosen):
            print(f"{path.stem:30} {'FAILED' if wrong else 'clean':7}{seconds:6.1f} s  {every}")
            print(wrong, end="", flush=True)
            failures += bool(wrong)
    print(f"{len(chosen)} programs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
