"""Both back ends on many programs: stdout, stderr and exit status must be equal.

    python -m tests.stress.agreement 0 5000      compare the random programs of 5,000 seeds
    python -m tests.stress.agreement 0 20000 --constants
                                                 small programs whose constants meet late

Each program for which they differ is shown, and a small one that differs in the same way
(reduce.py), which takes minutes.

A batch of programs becomes one sanitized binary, and is interpreted in processes forked from one
that has everything loaded.  So a program costs half a second, most of it in gcc.

The programs of `--constants` (random_constants.py) are hundreds in one source, compiled as users
do: a program costs 30 ms.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from lambent.lang.compile.build.toolchain import Options
from lambent.lang.pipeline import compile_source
from lambent.lang.syntax.source import Source
from tests.support.binaries import ENVIRONMENT, build_programs, build_texts, finish
from tests.support.random_programs.random_constants import constants_source
from tests.support.random_programs.random_constants import program as program_lines
from tests.support.random_programs.random_sources import random_source

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


# Constants that meet late: the lines of a source are those of its programs, after their numbers.

_MANY = 250  # programs in one source
# In turn: warnings are errors, as users compile, and a stop where C's arithmetic overflows.
_FAST = Options(optimize=False, strict=True)
_OPTIONS = (_FAST, Options(), _FAST, Options(optimize=False, sanitize=True, strict=True))


def constants_disagree(seeds: range) -> list[str]:
    """The differences between the two back ends in the programs of one source."""
    with tempfile.TemporaryDirectory(prefix="lambent-random-") as name:
        folder, text = Path(name), constants_source(seeds)
        (folder / "constants.lisp").write_text(text, encoding="utf-8")
        program = compile_source(Source("constants.lisp", text))
        options = _OPTIONS[seeds.start // _MANY % len(_OPTIONS)]
        binary = build_programs({"constants": program}, folder, options)
        script = interpret("constants", folder)
        executable = finish([str(binary), "constants"], folder)
    if script == executable:
        return []
    lines = [(_by_number(output), errors, status) for output, errors, status in
             (script, executable)]
    (expected, *end), (got, *other_end) = lines
    found = [
        "\n".join((*program_lines(seed), f"  script {expected.get(str(seed))}",
                   f"  executable {got.get(str(seed))}"))
        for seed in seeds if expected.get(str(seed)) != got.get(str(seed))
    ]  # fmt: skip
    if end != other_end:
        found.append(f"{seeds}\n  script {end}\n  executable {other_end}")
    return found


def _by_number(output: str) -> dict[str, str]:
    return {line.partition(" ")[0]: line for line in output.splitlines()}


def compare_constants(seeds: range) -> Iterator[str]:
    """The differences for any of the seeds, searched on two cores."""
    parts = [
        range(start, min(start + _MANY, seeds.stop))
        for start in range(seeds.start, seeds.stop, _MANY)
    ]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for number, found in enumerate(pool.map(constants_disagree, parts), 1):
            if number % 10 == 0:
                print(f"{number * _MANY} programs", file=sys.stderr, flush=True)
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("end", type=int)
    parser.add_argument("--constants", action="store_true")
    asked = parser.parse_args()
    chosen, wrong = range(asked.first, asked.end), 0
    for text in compare_constants(chosen) if asked.constants else compare(chosen):
        print(text, flush=True)
        if not asked.constants:
            print(f"--- as small as it gets:\n{smaller(text)}", flush=True)
        wrong += 1
    print(f"{wrong} differ", flush=True)
