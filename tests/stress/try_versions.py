"""Build ctorch with several versions of torch, and run what touches LibTorch with each.

    python -m tests.stress.try_versions 2.9.1 2.15.0       unpacks each in build/versions
    python -m tests.stress.try_versions ~/unpacked/torch-2.14  a folder that holds `torch`

A maintainer runs this before extending the range in `ctorch/build.py` and `pyproject.toml`.  It
takes some minutes for each version, and a gigabyte where torch includes CUDA: of CUDA's own
packages only the two that libtorch_cpu.so itself needs are unpacked beside it.  So `import torch`
fails there.  Four things are tried:

    built       ctorch compiles
    programs    tests/programs that use tensors, as scripts, then as executables
    operators   every schema of that LibTorch, and the calls of tests/operators/tables: their
                results are compared with those of the torch that is installed here
    typed       the typed entry points return what the same calls through the schema return

`--fewer` compiles only every sixteenth program.  At the end the table of docs/compiling.md is
printed.  Everything stays: outputs in build/versions/VERSION, what was built in the cache.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from lambent.ctorch.build import ANY_TORCH
from tests.operators.compare import differences
from tests.operators.families import FAMILIES, Family
from tests.operators.lisp_call import aten_names
from tests.operators.oracle import Case, quietly
from tests.operators.outcome import read_outcomes
from tests.operators.programs import write_applied
from tests.operators.sweep import gather, is_sampled
from tests.support.paths import ROOT

FOLDER = ROOT / "build" / "versions"
SUITES = {
    "operators": ("tests/suites/tensors/test_every_operator.py",),
    "typed": ("tests/suites/compile/test_typed.py",),
}
# The packages of CUDA's libraries, without their version: `nvidia-cuda-runtime-cu12` until CUDA 12.
CUDA_PACKAGES = {"libcudart.so": "nvidia-cuda-runtime", "libcupti.so": "nvidia-cuda-cupti"}
BUILD = "from lambent.ctorch import build; print(build.find_torch().version, build.built())"
ABSENT = """
import sys
from lambent.ctorch import operator_usage
print(*(name for name in sys.stdin.read().split() if operator_usage(name) is None))
"""
TABLE_HEAD = """\
| torch | built | programs as scripts | as executables | schemas | tables of operators | typed |
|---|---|---|---|---|---|---|"""


@dataclass(frozen=True, slots=True)
class Version:
    """A torch package that is tried: its folder, and the environment in which it is found."""

    folder: Path
    outputs: Path
    environment: Mapping[str, str]

    def run(self, part: str, *command: str) -> int:
        """The exit status of Python with the arguments, whose output goes to a file."""
        with (self.outputs / f"{part}.log").open("w") as log:
            return subprocess.run(
                [sys.executable, *command], cwd=ROOT, env=self.environment, check=False,
                stdout=log, stderr=subprocess.STDOUT,
            ).returncode


def main(words: Sequence[str]) -> int:
    versions = [_version(word) for word in words if not word.startswith("--")]
    with quietly():  # Python's torch is needed, so the installed one's answers are for all versions
        cases = gather(FAMILIES, is_sampled).cases
    rows = []
    for version in versions:
        rows.append(_row(version, cases, "--fewer" in words))
        print(f"{rows[-1]}\n", flush=True)
    print(TABLE_HEAD, *rows, sep="\n")
    return int(any("failed" in row for row in rows))


def _version(word: str) -> Version:
    folder = Path(word).resolve()
    if not (folder / "torch").is_dir():
        folder = _unpacked(word)
    outputs = FOLDER / folder.name
    outputs.mkdir(parents=True, exist_ok=True)
    return Version(folder, outputs, {**os.environ, ANY_TORCH: "yes", "PYTHONPATH": str(folder)})


def _unpacked(version: str) -> Path:
    """The folder with that torch, and what its libtorch_cpu.so needs."""
    folder = FOLDER / version
    if not (folder / "torch").exists():
        _install(folder, f"torch=={version}")
    library = (folder / "torch" / "lib" / "libtorch_cpu.so").read_bytes()
    packages = []
    for name, package in CUDA_PACKAGES.items():
        needed = re.search(rb"\0" + re.escape(name).encode() + rb"\.(\d+)\0", library)
        if needed and not list(folder.glob(f"nvidia/**/{name}.*")):
            major = int(needed[1])
            packages.append(f"{package}-cu{major}" if major < 13 else f"{package}=={major}.*")
    if packages:
        _install(folder, *packages)
    return folder


def _install(folder: Path, *packages: str) -> None:
    """All that share a folder in one command: pip adds none to one that is there."""
    command = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), *packages]
    subprocess.run([sys.executable, *command], check=True)


def _row(version: Version, cases: Sequence[tuple[Family, Case]], fewer: bool) -> str:
    name = version.folder.name
    print(f"== torch {name}", flush=True)
    if version.run("build", "-c", BUILD):
        return f"| {name} | failed | | | | | |"
    programs = _programs()
    some = programs[:: 16 if fewer else 1]
    cells = [
        "yes",
        _tests(version, "scripts", [f"{path}::script" for path in programs]),
        _tests(version, "executables", [f"{path}::executable" for path in some]),
        _tests(version, "operators", SUITES["operators"]),
        _tables(version, cases),
        _tests(version, "typed", SUITES["typed"]),
    ]
    return f"| {name} | {' | '.join(cells)} |"


def _programs() -> list[Path]:
    """The programs that use tensors."""
    paths = sorted((ROOT / "tests/programs").glob("*.lisp"))
    return [path.relative_to(ROOT) for path in paths if "(tensor" in path.read_text()]


def _tests(version: Version, part: str, tests: Sequence[str]) -> str:
    """How many passed; those that failed are printed."""
    report = version.outputs / f"{part}.xml"
    report.unlink(missing_ok=True)
    options = ("-q", "-p", "no:cacheprovider", f"--junitxml={report}")
    version.run(part, "-m", "pytest", *options, *tests)
    if not report.exists():
        return "failed to start"
    counts: Counter[str] = Counter()
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        how = next((child.tag for child in case if child.tag in _WORDS), "passed")
        counts[_WORDS.get(how, how)] += 1
        if _WORDS.get(how) == "failed":
            print(f"failed: {case.get('classname')} {case.get('name')}", flush=True)
    return ", ".join(f"{count} {how}" for how, count in sorted(counts.items(), reverse=True))


_WORDS = {"failure": "failed", "error": "failed", "skipped": "skipped"}


def _tables(version: Version, cases: Sequence[tuple[Family, Case]]) -> str:
    """How many of the calls answer as the installed torch does; those that do not are printed."""
    # Other names are of procedures that the library makes of operators.
    used = {name for _, case in cases for name in _names(case)}
    absent = _absent(sorted(used.intersection(aten_names())), version.environment)
    had = [(family, case) for family, case in cases if not absent.intersection(_names(case))]
    with tempfile.TemporaryDirectory(prefix="lambent-versions-") as folder:
        program = write_applied([case for _, case in had], Path(folder))
        done = subprocess.run(
            [sys.executable, "-m", "lambent.lang", program.name], cwd=folder, check=False,
            env={**version.environment, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True,
        )
    (version.outputs / "tables.log").write_text(done.stdout + done.stderr)
    if done.returncode:
        return f"failed: {done.stderr.splitlines()[-1]}"
    outcomes = read_outcomes(done.stdout)
    wrong = 0
    for family, case in had:
        lines = list(differences(case.expected, outcomes.get(case.name), family.close))
        wrong += bool(lines)
        for line in lines:
            print(f"differs: {case.name}: {line}"[:400], flush=True)
    lacking = f", {len(cases) - len(had)} of absent operators" if absent else ""
    return f"{len(had) - wrong} equal, {wrong} differ{lacking}"


def _names(case: Case) -> list[str]:
    return [name for name, _ in case.call.steps]


def _absent(names: Sequence[str], environment: Mapping[str, str]) -> set[str]:
    """Those that the torch found in the environment lacks."""
    done = subprocess.run(
        [sys.executable, "-c", ABSENT], cwd=ROOT, env=environment, check=True,
        input="\n".join(names), stdout=subprocess.PIPE, text=True,
    )
    return set(done.stdout.split())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
