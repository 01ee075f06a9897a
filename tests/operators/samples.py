"""Calls from any source, on both back ends, compared with Python's torch.

    python -m tests.operators.samples MODULE [--script]

MODULE is a Python module with `samples()`, which yields tuples: a label, a function of torch or one
that calls several, its positional arguments and its keyword arguments.  Tensors may have any
strides, dtypes and shared storages; gradients are computed for those that require them.

    def samples():
        yield "add", torch.add, (torch.ones(2, requires_grad=True), 1), {"alpha": 2}
"""

import importlib
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.operators.compare import Closeness, differences
from tests.operators.lisp_call import Inexpressible, aten_name
from tests.operators.oracle import Case, observe, quietly
from tests.operators.programs import run_executable, run_script, write_applied

Sample = tuple[str, Callable[..., Any], Sequence[Any], Mapping[str, Any]]
CLOSE = Closeness(1e-5, 1e-6)
IN_ONE_PROGRAM = 5000


@dataclass(slots=True)
class Report:
    """inexpressible: why Lisp has no such call, with how many samples."""

    cases: int = 0
    gradients: int = 0
    refused_by_torch: int = 0
    inexpressible: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)


def compare_samples(samples: Iterable[Sample], script_only: bool = False) -> Report:
    """The differences from torch on either back end."""
    report = Report()
    for cases in _in_parts(_observed(samples, report), IN_ONE_PROGRAM):
        report.cases += len(cases)
        report.gradients += sum(case.expected.gradients is not None for case in cases)
        with tempfile.TemporaryDirectory(prefix="lambent-samples-") as name:
            program = write_applied(cases, Path(name))
            for run in (run_script,) if script_only else (run_script, run_executable):
                done = run(program)
                report.differences += [
                    f"{run.__name__[4:]} {case.name}: {line}"
                    for case in cases
                    for line in differences(case.expected, done.outcomes.get(case.name), CLOSE)
                ]
    return report


def _observed(samples: Iterable[Sample], report: Report) -> Iterator[Case]:
    for number, (label, function, args, kwargs) in enumerate(samples):
        name = "".join(c if c.isalnum() or c in "_.-" else "-" for c in label) + f"/{number}"
        try:
            with quietly():
                case = observe(name, function, tuple(args), dict(kwargs), aten=aten_name(function))
        except (Inexpressible, AssertionError, KeyError, RuntimeError) as why:  # not run
            report.inexpressible[str(why).partition("\n")[0]] += 1
            continue
        if case.expected.refused is not None:
            report.refused_by_torch += 1
        else:
            yield case


def _in_parts(cases: Iterable[Case], size: int) -> Iterator[list[Case]]:
    part: list[Case] = []
    for case in cases:
        part.append(case)
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part


def main(arguments: list[str]) -> int:
    module = importlib.import_module(next(a for a in arguments if not a.startswith("--")))
    report = compare_samples(module.samples(), "--script" in arguments)
    print(f"{report.cases} cases, {report.gradients} with gradients; torch refuses "
          f"{report.refused_by_torch}; Lisp has no call for {report.inexpressible.total()}")
    for why, count in report.inexpressible.most_common():
        print(f"  {count:5} {why}")
    print("\n".join(line[:300] for line in report.differences))
    print(f"{len(report.differences)} differences")
    return bool(report.differences)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
