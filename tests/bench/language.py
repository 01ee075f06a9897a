"""The language suite: small programs, each in Lisp, C and Python, in one table.

The Lisp is plain R7RS, so that Chez Scheme and Gambit run the same text where they are installed.
Figures are processor time without start-up, medians of alternating runs, as ratios to C:

              C ms   executable  with tensors  interpreter  Python  Chez  Gambit
    fib 36    21.5         1.80          1.80         83.0    85.8  3.30    3.60

The executable with tensors is the same program with a line that would use tensors, so that all of
its arithmetic might meet one.
"""

import math
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.build import LAMBENT, OUT, PROGRAMS, PYTHON, ROOT, compile_lisp, with_epilogue
from tests.bench.measure import Command, cpu_medians, output

SOURCES = Path(__file__).parent / "language"

# The argument of each program: C takes some tens of milliseconds, Python a second or two.
SIZES = {
    "fib": 36,
    "tak": 500,
    "nqueens": 11,
    "strhash": 300_000,
    "mandelbrot": 200,
    "nbody": 200_000,
    "pidigits": 2000,
    "deriv": 100_000,
    "destruc": 200,
    "bintree": 500,
    "rbtree": 100_000,
    "hof": 1500,
    "vecsort": 500_000,
    "escapes": 1000,
    "cps": 100,
    "closures": 200_000,
    "alists": 20_000,
    "strings": 40_000,
    "records": 50_000,
    "rewrite": 10_000,
    "interp": 1000,
}
FIRST = list(SIZES)[:13]  # the programs that the targets beside C are about
ALLOCATING = ("deriv", "destruc", "bintree", "rbtree")
SLOW = ("interpreter", "Python")  # they get fewer rounds
EXECUTABLE = "executable"
WITH_TENSORS = "with tensors"
CHEZ = "Chez"

Seconds = dict[str, float]  # by contender


@dataclass(frozen=True, slots=True)
class Suite:
    """Net seconds by program and contender."""

    seconds: Mapping[str, Seconds]

    @property
    def contenders(self) -> list[str]:
        return [name for name in next(iter(self.seconds.values())) if name != "C"]

    def ratio(self, program: str, contender: str, peer: str = "C") -> float:
        return self.seconds[program][contender] / self.seconds[program][peer]

    def mean(self, contender: str, peer: str = "C", programs: Sequence[str] = ()) -> float:
        """The geometric mean of the ratios to a peer."""
        ratios = [self.ratio(program, contender, peer) for program in programs or self.seconds]
        return math.exp(sum(map(math.log, ratios)) / len(ratios))

    def total(self, contender: str, peer: str) -> float:
        """The ratio of all their seconds: start-ups that are longer than programs disturb it less
        than the mean."""
        spent = [sum(s[name] for s in self.seconds.values()) for name in (contender, peer)]
        return spent[0] / spent[1]

    def worst(self, peer: str, programs: Sequence[str] = ()) -> str:
        """The program whose executable is the slowest beside a peer."""
        return max(programs or self.seconds, key=lambda name: self.ratio(name, EXECUTABLE, peer))


@dataclass(frozen=True, slots=True)
class Claim:
    """One of the suite's targets, and the measured value."""

    text: str
    limit: float
    ratio: float

    @property
    def met(self) -> bool:
        return self.ratio <= self.limit


def measure_suite(rounds: int, programs: list[str]) -> Suite:
    """Build all contenders, check that they agree, and time them alternately."""
    OUT.mkdir(parents=True, exist_ok=True)
    idle = {f"start of {name}": command for name, command in _contenders("nothing").items()}
    for command in idle.values():  # fills caches
        output(command)
    seconds: dict[str, Seconds] = {}
    for program in programs:
        commands = {
            name: [*command, str(SIZES[program])]
            for name, command in _contenders(program).items()
        }
        _check_agreement(program, commands)
        gross = _medians(commands | idle, rounds)  # starts, too: they change with the machine
        # The time beyond start-up is at least the clock's resolution.
        seconds[program] = {
            name: max(gross[name] - gross[f"start of {name}"], 1e-4) for name in commands
        }
    return Suite(seconds)


def _medians(commands: Mapping[str, Command], rounds: int) -> Seconds:
    fast = {name: command for name, command in commands.items() if not name.endswith(SLOW)}
    slow = {name: command for name, command in commands.items() if name.endswith(SLOW)}
    found = cpu_medians(fast, rounds) | cpu_medians(slow, (rounds + 2) // 3)
    return {name: found[name] for name in commands}


def _check_agreement(program: str, commands: Mapping[str, Command]) -> None:
    outputs = {name: output(command) for name, command in commands.items()}
    if len(set(outputs.values())) > 1:
        raise SystemExit(f"{program}: the contenders disagree: {outputs}")


# Contenders.


def _contenders(program: str) -> dict[str, Command]:
    """How each contender runs the program, after building it; the size is still to be added."""
    source = SOURCES / f"{program}.lisp"
    commands: dict[str, Command] = {
        "C": [_compile_c(SOURCES / f"{program}.c")],
        EXECUTABLE: [compile_lisp(source)],
        WITH_TENSORS: [compile_lisp(with_epilogue(source, PROGRAMS / "tensors.lisp"))],
        "interpreter": [LAMBENT, source],
        "Python": [PYTHON, SOURCES / f"{program}.py"],
    }
    if (chez := _find("chezscheme", "chez", "scheme")) is not None:
        commands[CHEZ] = [chez, "--program", _compile_chez(chez, source)]
    if (gambit := _find("gsc")) is not None:
        commands["Gambit"] = [_compile_gambit(gambit, source)]
    return commands


def _find(*names: str) -> str | None:
    return next((found for name in names if (found := shutil.which(name))), None)


def _compile_c(source: Path) -> Path:
    program = OUT / f"{source.stem}-c"
    gmp = ["-I", ROOT / "runtime", "-l:libgmp.so.10"] if source.stem == "pidigits" else []
    _run(["gcc", "-std=c99", "-O2", source, "-o", program, *gmp, "-lm"])
    return program


# Chez has records of another syntax under the name of those of R7RS.
_CHEZ_IMPORT = "(import (rename (chezscheme) (define-record-type define-chez-record)))\n"
_CHEZ_RECORDS = """(define-syntax define-record-type
  (syntax-rules ()
    ((_ name (maker . arguments) pred (field get) ...)
     (define-chez-record (name maker pred) (fields (immutable field get) ...)))))
"""


def _compile_chez(chez: str, source: Path) -> Path:
    """The program as Chez compiles whole programs, at its safe default.  Inside of a body it may
    define names that Chez has, too."""
    text, program = OUT / f"{source.stem}.ss", OUT / f"{source.stem}.so"
    text.write_text(f"{_CHEZ_IMPORT}(let ()\n{_CHEZ_RECORDS}{source.read_text()})\n")
    program.unlink(missing_ok=True)
    said = _run([chez, "-q"], f'(compile-program "{text}" "{program}")')
    if not program.exists():
        raise SystemExit(f"{chez} failed:\n{said}")
    return program


def _compile_gambit(gambit: str, source: Path) -> Path:
    """The program as Gambit compiles it when nothing is redefined, safely."""
    text, program = OUT / f"{source.stem}.scm", OUT / f"{source.stem}-gambit"
    text.write_text("(declare (standard-bindings) (block))\n" + source.read_text())
    _run([gambit, "-o", program, "-exe", text])
    return program


def _run(command: Command, stdin: str = "") -> str:
    """What a command prints."""
    done = subprocess.run(
        [str(part) for part in command], input=stdin, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise SystemExit(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


# Targets.


def claims(suite: Suite) -> Iterator[Claim]:
    """The targets whose programs were run."""
    ran = list(suite.seconds)
    if first := [program for program in FIRST if program in ran]:
        worst = suite.worst("C", first)
        if first == FIRST:
            mean = suite.mean(EXECUTABLE, programs=first)
            yield Claim("executables, geometric mean of the first 13, of C", 1.2, mean)
        text = f"executables, the worst of the first 13 ({worst}), of C"
        yield Claim(text, 2.5, suite.ratio(worst, EXECUTABLE))
    for program in ALLOCATING:
        if program in ran:
            ratio = suite.ratio(program, EXECUTABLE)
            yield Claim(f"executable of {program}, which allocates, of C", 0.8, ratio)
    if CHEZ in suite.contenders:
        worst = suite.worst(CHEZ)
        yield Claim("executables, geometric mean, of Chez", 0.8, suite.mean(EXECUTABLE, CHEZ))
        text = f"executables, the worst ({worst}), of Chez"
        yield Claim(text, 3.0, suite.ratio(worst, EXECUTABLE, CHEZ))
    total = suite.total(WITH_TENSORS, EXECUTABLE)
    yield Claim("with tensors, all together, of the executables without", 1.05, total)
    if "fib" in ran:
        ratio = suite.ratio("fib", "interpreter", "Python")
        yield Claim("interpreter on fib, of Python", 1.0, ratio)


def suite_text(suite: Suite) -> str:
    """The table, the means, and the targets."""
    names = suite.contenders
    rows = [["", "C ms", *names]]
    for program, seconds in suite.seconds.items():
        ratios = [_short(suite.ratio(program, name)) for name in names]
        rows.append([f"{program} {SIZES[program]}", f"{1000 * seconds['C']:.1f}", *ratios])
    rows.append(["geometric mean", "", *[_short(suite.mean(name)) for name in names]])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["the language, processor time net of start-up, ratios to C"]
    for row in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  " + "  ".join([f"{row[0]:{widths[0]}}", *cells]))
    for claim in claims(suite):
        found = f"{claim.text}: {claim.ratio:.2f}x, at most {claim.limit:.3g}x"
        lines.append(f"  {found:70}{'ok' if claim.met else 'MISSED'}")
    return "\n".join(lines)


def _short(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


def suite_json(suite: Suite) -> dict[str, object]:
    """The same figures for programs to read."""
    return {
        "sizes": {program: SIZES[program] for program in suite.seconds},
        "seconds": dict(suite.seconds),
        "geometric means": {name: suite.mean(name) for name in suite.contenders},
        "targets": [
            {"text": c.text, "limit": c.limit, "ratio": c.ratio, "met": c.met}
            for c in claims(suite)
        ],
    }
