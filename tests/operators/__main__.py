"""Show the differences, for all operators or the named ones.

    python -m tests.operators [--written] [--script] [--sample] [NAME ...]

--written: the calls as a person would write them.  --script: not as an executable.  --sample: only
the cases that the tests run every time.
"""

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.operators.compare import differences
from tests.operators.families import FAMILIES, Family, Row
from tests.operators.oracle import Case, quietly
from tests.operators.programs import run_executable, run_script, write_applied, write_written
from tests.operators.sweep import gather, is_sampled


def main(arguments: list[str]) -> int:
    names = frozenset(a for a in arguments if not a.startswith("--"))
    start = time.perf_counter()
    with quietly():
        found = gather(FAMILIES, _wanted(arguments, names))
    cases = [case for _, case in found.cases]
    for label, why in (*found.refused, *found.inexpressible):
        print(f"not a case: {label}: {why.splitlines()[0][:150]}")
    for label, count in Counter(case.name for case in cases).items():
        if count > 1:
            print(f"twice: {label}")
    operators = {case.call.operator for case in cases}
    gradients = sum(case.expected.gradients is not None for case in cases)
    print(f"{len(cases)} cases of {len(operators)} operators, {gradients} with gradients, "
          f"{time.perf_counter() - start:.1f} s")
    with tempfile.TemporaryDirectory(prefix="lambent-operators-") as folder:
        return _run(found.cases, Path(folder), arguments)


def _wanted(arguments: list[str], names: frozenset[str]) -> Callable[[Row], bool]:
    if names:
        return lambda row: row.operator in names
    return is_sampled if "--sample" in arguments else lambda row: True


def _run(cases: list[tuple[Family, Case]], folder: Path, arguments: list[str]) -> int:
    write = write_written if "--written" in arguments else write_applied
    program = write([case for _, case in cases], folder)
    wrong = 0
    for run in (run_script,) if "--script" in arguments else (run_script, run_executable):
        start = time.perf_counter()
        done = run(program)
        print(f"{run.__name__}: status {done.status}, {time.perf_counter() - start:.1f} s; "
              f"{done.said.strip()}")
        for family, case in cases:
            for line in differences(case.expected, done.outcomes.get(case.name), family.close):
                print(f"{run.__name__[4:]} {case.name}: {line}"[:400])
                wrong += 1
    print(f"{wrong} differences")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
