"""Both back ends on many programs: stdout, stderr and exit status must be equal.

    python -m tests.stress.agreement 0 5000      compare the random programs of 5,000 seeds

Each program for which they differ is shown, and a small one that differs in the same way
(reduce.py), which takes minutes.

A batch of programs becomes one sanitized binary, and is interpreted in processes forked from one
that has everything loaded.  So a program costs half a second, most of it in gcc.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from tests.support.binaries import ENVIRONMENT, build_texts, finish
from tests.support.random_sources import random_source

BATCH = 50  # programs in one binary
_MOST_LOOKS = 300  # at programs, while one is made smaller; each takes a second
Outcome = tuple[str, str, int]


def name_of(seed: int) -> str:
    return f"random_{seed}"


def has_tensors(seed: int) -> bool:
    return seed % 4 == 0


def source_of(seed: int, *, injected: bool = False) -> str:
    return random_source(seed, tensors=has_tensors(seed), injected=injected)


def batches(seeds: range, size: int = BATCH) -> list[list[int]]:
    """The seeds in groups, with tensors and without: forking is cheap while LibTorch is not loaded,
    so programs with tensors have binaries of their own."""
    found = []
    for tensors in (False, True):
        chosen = [seed for seed in seeds if has_tensors(seed) is tensors]
        found += [chosen[start : start + size] for start in range(0, len(chosen), size)]
    return found


def interpret(name: str, folder: Path) -> Outcome:
    """Run `lambent FILE` in a child of this process."""
    out, err = folder / f"{name}.out", folder / f"{name}.err"
    child = os.fork()
    if child == 0:
        _become_script(name, folder, out, err)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8"), status


def _become_script(name: str, folder: Path, out: Path, err: Path) -> None:
    """Run a script and end the process as the command does."""
    status = 1
    try:
        os.chdir(folder)
        os.environ.update(ENVIRONMENT)
        for number, path in ((1, out), (2, err)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), number)
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - the process ends with it
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
        from lambent.lang.interp.run import run_file

        status = run_file(f"{name}.lisp", [])
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def disagreements(seeds: list[int]) -> list[str]:
    """The differences between the two back ends in the programs of one batch."""
    found = []
    with tempfile.TemporaryDirectory(prefix="lambent-random-") as name:
        folder = Path(name)
        programs = {name_of(seed): source_of(seed) for seed in seeds}
        binary = build_texts(programs, folder)
        for program, text in programs.items():
            (folder / f"{program}.lisp").write_text(text, encoding="utf-8")
            script, executable = interpret(program, folder), finish([str(binary), program], folder)
            if script != executable:
                found.append(f"{program}\n  script {script}\n  executable {executable}")
    return found


def compare(seeds: range) -> Iterator[str]:
    """The differences for any of the seeds, searched on two cores."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for found in pool.map(disagreements, batches(seeds)):
            yield from found


def smaller(said: str) -> str:
    """A small program that differs as the one does of which that was said."""
    from tests.stress.reduce import differ, reduced

    seed = int(said.partition("\n")[0].removeprefix(name_of(0).rstrip("0")))
    try:
        return reduced(source_of(seed), differ, most=_MOST_LOOKS)
    except ValueError as error:  # such as one that differs now and then
        return f"{error}\n"


if __name__ == "__main__":
    wrong = 0
    for text in compare(range(int(sys.argv[1]), int(sys.argv[2]))):
        print(text, flush=True)
        print(f"--- as small as it gets:\n{smaller(text)}", flush=True)
        wrong += 1
    print(f"{wrong} differ", flush=True)
