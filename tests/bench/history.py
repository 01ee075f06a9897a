"""The history of the benchmark: a line of JSON for each run, and a comparison with the last runs.

    fib/executable              2.51   was 2.48  (7 runs)    +1 %
    deriv/executable            1.42   was 1.11  (7 runs)   +28 %  ^ slower

Figures are ratios, ours to a peer's or to a limit, so that a busy machine changes them little; they
are still compared only with those of the same machine.  A figure is slower if it exceeds the median
of the last runs by more than the noise: a tenth, or three times the usual deviation of those runs
from their median.
"""

import json
import os
import platform
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.bench.compile_time import CompileTimes
from tests.bench.language import EXECUTABLE, Suite
from tests.bench.run import Table
from tests.bench.tensors import OPERATORS, TARGETS, Grid

HISTORY = Path(__file__).parent / "history.jsonl"
LAST_RUNS = 10
_LEAST_NOISE = 0.10  # of the median
_DEVIATIONS = 3
_OURS = (EXECUTABLE, "interpreter")


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the benchmark; rounds: how often each contender ran."""

    date: str
    commit: str
    machine: str
    versions: dict[str, str]
    rounds: int
    figures: dict[str, float]


# What is kept.


def figures_of(
    tables: Sequence[Table | Grid], suite: Suite | None, times: CompileTimes | None
) -> dict[str, float]:
    """Each of our figures, as a ratio, by a stable name."""
    found: dict[str, float] = {}
    if suite is not None:
        for name in _OURS:
            found |= {f"{p}/{name}": suite.ratio(p, name) for p in suite.seconds}
    if times is not None:
        found |= {f"compile {name} of gcc": times.share(name) for name in times.seconds}
    for table in tables:
        if isinstance(table, Grid):
            found |= {f"{o}/{c}": table.ratio(o, c) for c in TARGETS for o in OPERATORS}
        else:
            for verdict in table.verdicts:
                target = verdict.target
                found[f"{table.title}: {target.contender} of {target.peer}"] = verdict.ratio
    return {name: float(f"{ratio:.4g}") for name, ratio in found.items()}


def this_run(figures: Mapping[str, float], rounds: int) -> Run:
    date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
    return Run(date, _commit(), machine(), _versions(), rounds, dict(figures))


def machine() -> str:
    """The identity of the machine: processor and number of cores."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        rows = [line.partition(":") for line in info.read_text().splitlines()]
        named = [text.strip() for name, _, text in rows if name.strip() == "model name"]
        model = named[0] if named else model
    return f"{model}, {os.cpu_count()} cores"


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "gcc": _said("gcc", "-dumpfullversion")}
    for package in ("lambent", "torch"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _commit() -> str:
    return _said("git", "describe", "--always", "--dirty", "--abbrev=12")


def _said(*command: str) -> str:
    try:
        done = subprocess.run(
            command, cwd=HISTORY.parent, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


# The file.


def append(run: Run, path: Path = HISTORY) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(run), sort_keys=True) + "\n")


def last_runs(of: Run, path: Path = HISTORY) -> list[Run]:
    """The last runs on the same machine, oldest first."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    runs = [Run(**json.loads(line)) for line in lines if line]
    return [run for run in runs if run.machine == of.machine][-LAST_RUNS:]


# The comparison.


def noise(before: Sequence[float]) -> float:
    """The noise, as a share of the median: a difference that small means nothing."""
    median = statistics.median(before)
    spread = statistics.median(abs(figure - median) for figure in before) / median
    return max(_LEAST_NOISE, _DEVIATIONS * spread)


def comparison(run: Run, runs: Sequence[Run]) -> str:
    """Each figure beside the median of the last runs."""
    lines = [f"beside the last {len(runs)} runs on {run.machine}"] if runs else []
    slower = 0
    width = max(map(len, run.figures), default=0)
    for name, figure in run.figures.items():
        before = [old.figures[name] for old in runs if name in old.figures]
        if not before:
            lines.append(f"  {name:{width}}  {figure:8.4g}   new")
            continue
        median = statistics.median(before)
        change = figure / median - 1
        limit = noise(before)
        arrow = "  ^ slower" if change > limit else "  v faster" if change < -limit else ""
        slower += change > limit
        was = f"was {median:.4g}"
        lines.append(
            f"  {name:{width}}  {figure:8.4g}   {was:14} ({len(before)} runs) {change:+6.0%}{arrow}"
        )
    return "\n".join([*lines, f"{slower} of {len(run.figures)} figures are slower"])
