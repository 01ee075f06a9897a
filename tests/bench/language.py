"""The language suite: small programs, each in Lisp, C and Python, in one table.

The Lisp is plain R7RS, so that Chez Scheme and Gambit run the same text where they are installed.
Figures are processor time without start-up, minima of alternating runs, as ratios to C:

              C ms   executable  with tensors  interpreter  Python  Chez  Gambit
    fib 41     240         1.80          1.80         83.0    85.8  3.30    3.60

Compiled programs run a size for which C takes some tenths of a second.  The interpreter and Python
run a smaller one, and their ratios are to C at that size.

The executable with tensors is the same program with a line that would use tensors, so that all of
its arithmetic might meet one.
"""

import math
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tests.bench.build import LAMBENT, OUT, PROGRAMS, PYTHON, ROOT, compile_lisp
from tests.bench.measure import PAUSE, Command, cpu_minima, output, paused_minima

SOURCES = Path(__file__).parent / "language"


class Sizes(NamedTuple):
    """The arguments of a program: C takes some tenths of a second for the first, and Python a
    second or two for the other."""

    compiled: int
    interpreted: int


SIZES = {
    "fib": Sizes(41, 36),
    "tak": Sizes(3000, 500),
    "nqueens": Sizes(13, 11),
    "strhash": Sizes(1_500_000, 300_000),
    "mandelbrot": Sizes(700, 200),
    "nbody": Sizes(3_000_000, 100_000),
    "pidigits": Sizes(6000, 2000),
    "deriv": Sizes(200_000, 100_000),
    "destruc": Sizes(1000, 200),
    "bintree": Sizes(3000, 500),
    "rbtree": Sizes(300_000, 100_000),
    "hof": Sizes(5000, 1500),
    "vecsort": Sizes(2_500_000, 500_000),
    "escapes": Sizes(6000, 1000),
    "cps": Sizes(300, 100),
    "closures": Sizes(500_000, 200_000),
    "alists": Sizes(100_000, 20_000),
    "strings": Sizes(200_000, 40_000),
    "records": Sizes(400_000, 50_000),
    "rewrite": Sizes(50_000, 10_000),
    "interp": Sizes(6000, 1000),
}
FIRST = list(SIZES)[:13]  # the programs that the targets beside C are about
# C spends more than a quarter of its time in malloc and free, as perf counts it: in deriv 0.86, in
# hof 0.76, in bintree 0.74, in rbtree 0.29.  In destruc it is 0.17: if allocation cost nothing, C
# itself would take 0.83 of its time.
ALLOCATING = ("deriv", "bintree", "rbtree", "hof")
EXECUTABLE = "executable"
WITH_TENSORS = "with tensors"
CHEZ = "Chez"
SLOW = ("interpreter", "Python")  # they run the smaller size, in fewer rounds
SMALL_C = "C, smaller size"

Seconds = dict[str, float]  # by contender


@dataclass(frozen=True, slots=True)
class Suite:
    """Net seconds by program and contender."""

    seconds: Mapping[str, Seconds]

    @property
    def contenders(self) -> list[str]:
        return [name for name in next(iter(self.seconds.values())) if name not in ("C", SMALL_C)]

    def ratio(self, program: str, contender: str, peer: str = "C") -> float:
        if contender in SLOW and peer == "C":
            peer = SMALL_C
        return self.seconds[program][contender] / self.seconds[program][peer]

    def mean(self, contender: str, peer: str = "C", programs: Sequence[str] = ()) -> float:
        """The geometric mean of the ratios to a peer."""
        ratios = [self.ratio(program, contender, peer) for program in programs or self.seconds]
        return math.exp(sum(map(math.log, ratios)) / len(ratios))

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
    seconds: dict[str, Seconds] = {}
    starts = {_start_of(name): command for name, command in _unpaused("nothing").items()}
    for program in programs:
        paused, unpaused = _paused(program), _unpaused(program)
        _check_agreement(program, paused, unpaused)
        # Starts, too, in each round: they change with the machine.
        gross = _minima(unpaused | starts, rounds)
        # The time beyond start-up is at least the clock's resolution.
        net = {name: max(gross[name] - gross[_start_of(name)], 1e-4) for name in unpaused}
        net |= paused_minima(paused, rounds)
        seconds[program] = {name: net[name] for name in _ORDER if name in net}
    return Suite(seconds)


def _minima(commands: Mapping[str, Command], rounds: int) -> Seconds:
    fast = {name: command for name, command in commands.items() if not name.endswith(SLOW)}
    slow = {name: command for name, command in commands.items() if name.endswith(SLOW)}
    return cpu_minima(fast, rounds) | cpu_minima(slow, (rounds + 2) // 3)


def _start_of(name: str) -> str:
    return f"start of {name}"


def _check_agreement(program: str, *commands: Mapping[str, Command]) -> None:
    """Whether all contenders of each size print the same."""
    sizes: dict[str, dict[str, str]] = {}
    for name, command in (item for found in commands for item in found.items()):
        text = output(command).replace(PAUSE.decode(), "")
        sizes.setdefault(str(command[-1]), {})[name] = text
    for outputs in sizes.values():
        if len(set(outputs.values())) > 1:
            raise SystemExit(f"{program}: the contenders disagree: {outputs}")


# Contenders.  Their commands, after building them.

_ORDER = ("C", SMALL_C, EXECUTABLE, WITH_TENSORS, *SLOW, CHEZ, "Gambit")


def _unpaused(program: str) -> dict[str, Command]:
    source = SOURCES / f"{program}.lisp"
    sizes = SIZES.get(program, Sizes(0, 0))
    in_c = _compile_c(SOURCES / f"{program}.c")
    commands: dict[str, Command] = {
        "C": [in_c, str(sizes.compiled)],
        SMALL_C: [in_c, str(sizes.interpreted)],
        "interpreter": [LAMBENT, source, str(sizes.interpreted)],
        "Python": [PYTHON, SOURCES / f"{program}.py", str(sizes.interpreted)],
    }
    if (gambit := _find("gsc")) is not None:
        commands["Gambit"] = [_compile_gambit(gambit, source), str(sizes.compiled)]
    return commands


def _paused(program: str) -> dict[str, Command]:
    source = SOURCES / f"{program}.lisp"
    size = str(SIZES[program].compiled)
    paused = _with_pauses("plain", source)
    tensors = _with_pauses("tensors", source, PROGRAMS / "tensors.lisp")
    commands: dict[str, Command] = {
        EXECUTABLE: [compile_lisp(paused), size],
        WITH_TENSORS: [compile_lisp(tensors), size],
    }
    if (chez := _find("chezscheme", "chez", "scheme")) is not None:
        commands[CHEZ] = [chez, "--program", _compile_chez(chez, paused), size]
    return commands


def _with_pauses(name: str, *sources: Path) -> Path:
    """A program: the texts between pauses."""
    joined = OUT / f"{sources[0].stem}_{name}_paused.lisp"
    texts = [source.read_text() for source in (PROGRAMS / "pause.lisp", *sources)]
    joined.write_text("".join([*texts, "(bench-pause)\n"]))
    return joined


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
    mean = suite.mean(WITH_TENSORS, EXECUTABLE)
    yield Claim("with tensors, geometric mean, of the executables without", 1.05, mean)
    if "fib" in ran:
        ratio = suite.ratio("fib", "interpreter", "Python")
        yield Claim("interpreter on fib, of Python", 1.0, ratio)


def suite_text(suite: Suite) -> str:
    """The table, the means, and the targets."""
    names = suite.contenders
    rows = [["", "C ms", *names]]
    for program, seconds in suite.seconds.items():
        ratios = [_short(suite.ratio(program, name)) for name in names]
        rows.append([f"{program} {SIZES[program].compiled}", f"{1000 * seconds['C']:.1f}", *ratios])
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
        "sizes": {program: SIZES[program]._asdict() for program in suite.seconds},
        "seconds": dict(suite.seconds),
        "geometric means": {name: suite.mean(name) for name in suite.contenders},
        "targets": [
            {"text": c.text, "limit": c.limit, "ratio": c.ratio, "met": c.met}
            for c in claims(suite)
        ],
    }
