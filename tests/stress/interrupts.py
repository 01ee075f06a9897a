"""A stress test of Ctrl-C: SIGINT at random times must not cause hangs, tracebacks or lost output.

    python -m tests.stress.interrupts 10000 [--seed 7] [--only repl,script,evaluator,embedded]
    python -m tests.stress.interrupts 1000 --only examples [--examples sudoku,vae]

prints how many interrupts of each kind ended how; `tests/suites/interp/test_interrupts.py` runs a
few.  Every program here shows itself whether anything was lost: lines are numbered, after-thunks
write down what they saw, and a session is asked after each interrupt.
"""

import argparse
import os
import random
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pexpect

from lambent.lang.pipeline import compile_file
from tests.support.paths import ROOT
from tests.support.programs_run import command_of

PATIENCE = 120  # seconds after which a program counts as hanging; a busy machine is slow
# Python shows a traceback if Ctrl-C comes before it runs the first line of our code.  So the signal
# is blocked until then, as in the command that `make` installs (`lang/command.sh`).
HELD = ["env", "--block-signal=INT"]
if subprocess.run([*HELD, "true"], stderr=subprocess.DEVNULL).returncode:
    HELD = []
SCRIPT = [*HELD, sys.executable, "-m", "lambent.lang"]
_LONGEST = 1.0  # seconds before a program is interrupted
EXAMPLES = ROOT / "examples"
KILLED = -signal.SIGINT  # what a shell shows as 130

# Each of these is interrupted; the output shows which parts ran.
LINES = """
(define (lines n)
  (print "line" n)
  (if (= (modulo n 7) 0) (flush-output))
  (lines (+ n 1)))
(define (within name thunk)
  (dynamic-wind (lambda () (print "in" name)) thunk (lambda () (print "out" name))))
(within 1 (lambda () (within 2 (lambda () (guard (e (#t (print "never"))) (lines 0))))))
"""
# Runs after-thunks all the time: every one must run to its end.
WINDS = """
(define (wind n)
  (let ((seen #f))
    (dynamic-wind
     (lambda () #f)
     (lambda () (print "line" n "in") (set! seen n) (guard (e (#t 1)) (raise n)))
     (lambda () (print "line" n "out"))))
  (wind (+ n 1)))
(wind 0)
"""
# Ends by itself, but lasts long enough to be interrupted.
ENDS = """
(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(for-each (lambda (n) (fib 8) (print "line" n)) (iota 300))
"""
# Writes lines to a file: those written before the interrupt must be in it afterwards.
FILES = """
(define port (open-output-file "lines.txt"))
(define (lines n) (write n port) (newline port) (print "line" n) (lines (+ n 1)))
(lines 0)
"""
READS = """
(print "line" 0)
(flush-output)
(dynamic-wind list (lambda () (read-line)) (lambda () (print "out" 0)))
"""
PROGRAMS = {"lines": LINES, "winds": WINDS, "ends": ENDS, "files": FILES, "reads": READS}


@dataclass
class Report:
    """How often each end occurred, by kind of program, and the faults."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def note(self, kind: str, end: str) -> None:
        self.counts[kind, end] += 1

    def complain(self, kind: str, what: str) -> None:
        self.counts[kind, "WRONG"] += 1
        self.wrong.append(f"{kind}: {what}")

    def text(self) -> str:
        rows = [f"{kind:28} {end:24} {n:6}" for (kind, end), n in sorted(self.counts.items())]
        return "\n".join([*rows, *self.wrong])


# Programs: one interrupt each.


def stress_programs(
    report: Report, chance: random.Random, count: int, back_end: str, folder: Path
) -> None:
    commands, longest = {}, 0.03
    for name, text in PROGRAMS.items():
        own = folder / f"{back_end}-{name}"
        own.mkdir()
        commands[name] = _held_command(text, back_end, own), own
        run_once(commands[name][0], own)
        longest = max(longest, min(_LONGEST, 2.5 * run_once(commands[name][0], own)))
    for number in range(count):
        name = chance.choice(sorted(commands))
        command, own = commands[name]
        interrupt_program(report, f"{back_end} {name}", command, own, chance.uniform(0, longest))
        if number % 500 == 499:
            print(f"{back_end}: {number + 1}", file=sys.stderr)


def _held_command(text: str, back_end: str, own: Path) -> list[str]:
    """The command that runs a program; evaluator: as a script that runs there."""
    if back_end == "executable":
        return command_of(text, back_end, own)
    chosen = ["env", f"LAMBENT_MACHINE={int(back_end == 'evaluator')}"]
    return [*HELD, *chosen, *command_of(text, "script", own)]


def run_once(command: list[str], own: Path) -> float:
    """Run a program until it prints, which fills the caches; return how many seconds that takes."""
    begun = time.monotonic()
    running = start(command, own)
    assert running.stdout
    running.stdout.read(1)
    seconds = time.monotonic() - begun
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=PATIENCE)
    return seconds


def start(command: list[str], own: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command, cwd=own, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def interrupt_program(
    report: Report, kind: str, command: list[str], own: Path, seconds: float
) -> None:
    (own / "lines.txt").unlink(missing_ok=True)
    running = start(command, own)
    time.sleep(seconds)
    running.send_signal(signal.SIGINT)
    try:
        output, errors = drained(running)
    except subprocess.TimeoutExpired:
        running.kill()
        report.complain(kind, f"hangs after {seconds} s")
        return
    written = own / "lines.txt"
    lines = written.read_text() if written.exists() else ""
    fault = fault_of(kind.split()[1], output.decode(), errors.decode(), running.returncode, lines)
    if fault:
        report.complain(kind, f"after {seconds} s: {fault}")
    else:
        report.note(kind, end_of(running.returncode, output))


def drained(running: "subprocess.Popen[bytes]") -> tuple[bytes, bytes]:
    """All output.  The program's input stays open, so that only the interrupt ends a read."""
    assert running.stdout and running.stderr and running.stdin
    streams = {running.stdout.fileno(): b"", running.stderr.fileno(): b""}
    waiting = set(streams)
    end = time.monotonic() + PATIENCE
    while waiting:
        ready, _, _ = select.select(list(waiting), [], [], max(0, end - time.monotonic()))
        if not ready:
            raise subprocess.TimeoutExpired(running.args, PATIENCE)
        for stream in ready:
            data = os.read(stream, 1 << 16)
            streams[stream] += data
            if not data:
                waiting.discard(stream)
    running.wait(timeout=PATIENCE)
    output, errors = streams.values()
    for pipe in (running.stdin, running.stdout, running.stderr):
        pipe.close()
    return output, errors


def end_of(status: int, output: bytes) -> str:
    if status == KILLED:
        return "ended at its start"
    return "interrupted" if status == 130 else "had finished"


def fault_of(name: str, output: str, errors: str, status: int, written: str) -> str | None:
    """What is wrong with a program's output and files; None if all is right."""
    if errors:
        return f"stderr: {errors[-2000:]!r}"
    if status == KILLED:
        return f"killed, yet it had printed {output!r}" if output else None
    numbers = [int(n) for n in re.findall(r"^line (\d+)(?: in)?$", output, re.M)]
    if numbers != list(range(len(numbers))):
        return f"lines are missing: {output[-500:]!r}"
    if status == 0:
        return None if name == "ends" and len(numbers) == 300 else f"status 0: {output[-500:]!r}"
    if status != 130:
        return f"status {status}"
    return _CHECKS[name](output, written)


def check_lines(output: str, written: str) -> str | None:
    """Every before-thunk is followed by its after-thunk, the innermost first."""
    entered = re.findall(r"^in (\d)$", output, re.M)
    left = re.findall(r"^out (\d)$", output, re.M)
    whole = all(re.fullmatch(r"(in|out) \d|line \d+", line) for line in output.splitlines())
    # A thunk that is interrupted in its before-thunk was not entered.
    if whole and left in (entered[::-1], entered[:-1][::-1]):
        return None
    return f"{output[:60]!r} ... {output[-200:]!r}"


def check_winds(output: str, written: str) -> str | None:
    inside = re.findall(r"^line (\d+) in$", output, re.M)
    outside = re.findall(r"^line (\d+) out$", output, re.M)
    if outside in (inside, [*inside, str(len(inside))]):
        return None
    return f"after-thunks are missing: {output[-200:]!r}"


def check_files(output: str, written: str) -> str | None:
    printed = len(output.splitlines())
    lines = [int(line) for line in written.split()]
    complete = lines == list(range(len(lines))) and 0 <= len(lines) - printed <= 1
    return None if complete else f"printed {printed} lines, the file ends in {written[-50:]!r}"


def check_reads(output: str, written: str) -> str | None:
    return None if output in ("", "line 0\n", "line 0\nout 0\n") else repr(output)


def check_nothing_more(output: str, written: str) -> str | None:
    return None


_CHECKS: dict[str, Callable[[str, str], str | None]] = {
    "lines": check_lines, "winds": check_winds, "files": check_files, "reads": check_reads,
    "ends": check_nothing_more,
}

# The REPL on a terminal continues after many interrupts.

DEFINITIONS = [
    "(define entered 0)",
    "(define left 0)",
    "(define p (make-parameter 1))",
    "(define (work n) (if (> n 0) (begin (list n) (work (- n 1))) 'worked))",
]
# Each prints one of these lines, "interrupted", or nothing if ^C came while it was being read.
ENTRIES = {
    "(fold + 0 (iota 40000))": "799980000",
    "(work 150000)": "worked",
    "(begin (dynamic-wind list (lambda () (set! entered (+ entered 1)) (parameterize ((p 2))"
    " (work 60000))) (lambda () (set! left entered))) 'wound)": "wound",
    "(guard (e (#t (list 'caught e))) (work 60000) (raise 'it))": "(caught it)",
    "(with-exception-handler (lambda (e) 9) (lambda () (work 60000) (+ 1 (raise-continuable 'c))))":
        "10",
    "(string-length (call-with-output-string (lambda (port) (write (iota 500) port))))": "1891",
    "(length (sort (map (lambda (n) (modulo (* n 7919) 1009)) (iota 5000)) <))": "5000",
    "(eval '(let-values (((a b) (values 1 2))) (work 100) (list a b)))": "(1 2)",
}
BROKEN = ("Traceback", "Exception ignored", "internal error", "KeyboardInterrupt")


class Repl:
    """A REPL at its prompt."""

    def __init__(self, folder: Path) -> None:
        environment = {
            **os.environ, "XDG_STATE_HOME": str(folder / "state"), "TERM": "dumb", "COLUMNS": "500",
        }
        self.child: pexpect.spawn[str] = pexpect.spawn(
            SCRIPT[0], SCRIPT[1:], env=environment, encoding="utf-8", timeout=PATIENCE,
            dimensions=(50, 500), cwd=str(folder),
        )
        self.child.delaybeforesend = None
        self.child.expect_exact("> ")
        self.asked = 0
        for definition in DEFINITIONS:
            self.child.sendline(definition)
        self.said()

    def said(self) -> str:
        """What it prints up to its answer to a question; it must answer."""
        self.asked += 1
        shown = ""
        for again in range(40):  # ^C may have thrown away what was typed so far
            self.child.sendline(f"(list 'asked {self.asked} (= entered left) (p))")
            answer = rf"\(asked {self.asked} (\S+) (\d+)\)\r\n"
            found = self.child.expect([answer, pexpect.TIMEOUT], timeout=0.3 * (again + 1))
            shown += str(self.child.before)
            if found == 0:
                state = self.child.match.groups()
                return shown if state == ("#t", "1") else f"{shown} Exception ignored {state}"
        raise TimeoutError(shown)


def stress_repl(report: Report, chance: random.Random, count: int, folder: Path) -> None:
    repl = Repl(folder)
    try:
        for number in range(count):
            interrupt_repl(report, chance, repl)
            if number % 500 == 499:
                print(f"repl: {number + 1}", file=sys.stderr)
    except (TimeoutError, pexpect.EOF) as failure:
        report.complain("repl", f"does not answer: {str(failure)[-500:]!r}")
    finally:
        repl.child.close(force=True)


def interrupt_repl(report: Report, chance: random.Random, repl: Repl) -> None:
    entry, answer = chance.choice(list(ENTRIES.items()))
    repl.child.sendline(entry)
    time.sleep(chance.uniform(0, 0.04))
    if chance.random() < 0.5:
        repl.child.sendintr()
        time.sleep(0.005)  # the terminal drops what is typed before it
    else:
        repl.child.kill(signal.SIGINT)
    shown = repl.said()
    if any(word in shown for word in BROKEN):
        report.complain("repl", f"{entry}: {shown[-1000:]!r}")
    elif re.search(r"^interrupted\r$", shown, re.M):
        report.note("repl", "interrupted")
    elif f"{answer}\r\n" in shown:
        report.note("repl", "had finished")
    else:
        report.note("repl", "dropped at the prompt")


# lambent.eval: a Python program that is interrupted again and again.

HOST = """
import sys, time, _thread, threading, random, signal
import lambent

seed, count = int(sys.argv[1]), int(sys.argv[2])
chance = random.Random(seed)
lambent.eval('''
(define entered 0) (define left 0) (define p (make-parameter 1))
(define (work n) (if (> n 0) (begin (list n) (work (- n 1))) 'worked))
(define (wound n f)
  (dynamic-wind list
                (lambda () (set! entered (+ entered 1)) (parameterize ((p 2)) (f (work n))))
                (lambda () (set! left entered))))
''')
wound = lambent.eval("wound")
texts = ["(fold + 0 (iota 2000))", "(work 3000)", "(guard (e (#t e)) (work 500) (raise 1))",
         "(begin (wound 1000 list) 'wound)", "(map f (iota 300))"]
numbers = {"interrupted": 0, "finished": 0}
waiting, going = threading.Event(), threading.Event()

def press():
    for _ in range(count):
        waiting.wait(); waiting.clear()
        time.sleep(chance.uniform(0, 0.012))
        _thread.interrupt_main()
        going.set()

threading.Thread(target=press, daemon=True).start()
for number in range(count):
    text = texts[number % len(texts)]
    try:
        waiting.set()
        while not going.is_set():
            lambent.eval(text, f=lambda x: x)
            wound(50, lambda x: lambent.eval("(work 30)") and 1)
        time.sleep(0.2)
        numbers["finished"] += 1
    except KeyboardInterrupt:
        numbers["interrupted"] += 1
    going.wait()
    going.clear()
    assert lambent.eval("(list (= entered left) (p) (+ 1 2))") == [True, 1, 3], number
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
print(numbers["interrupted"], numbers["finished"])
"""


def stress_embedded(report: Report, chance: random.Random, count: int, folder: Path) -> None:
    host = folder / "host.py"
    host.write_text(HOST)
    command = [sys.executable, str(host), str(chance.randrange(1 << 30)), str(count)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE + count, cwd=folder
        )
    except subprocess.TimeoutExpired as late:
        report.complain("embedded", f"hangs: {late.stderr!r}")
        return
    if done.returncode or done.stderr:
        report.complain("embedded", f"status {done.returncode}: {done.stderr[-2000:]}")
        return
    interrupted, finished = map(int, done.stdout.split())
    report.counts["embedded", "interrupted"] += interrupted
    report.counts["embedded", "late"] += finished


# The examples as executables: whatever they do, they end at once.

_LONGEST_EXAMPLE = 3.0  # seconds before one is interrupted
_AT_ONCE = 1.0  # seconds in which it ends then


def stress_examples(
    report: Report,
    chance: random.Random,
    count: int,
    folder: Path,
    names: Sequence[str] = (),
    at_once: float = _AT_ONCE,
) -> None:
    """Interrupt examples that run until `count` interrupts have come before their end.

    names: of the examples; all without them.  at_once: seconds, on a machine that is not busy.
    """
    commands = {}
    for name in names or sorted(path.stem for path in EXAMPLES.glob("*.lisp")):
        compile_file(str(EXAMPLES / f"{name}.lisp"), folder / name)
        commands[name] = [str(folder / name)]
    for shared in (EXAMPLES, ROOT / "docs", ROOT / "README.md"):  # which some read, by these paths
        (folder / shared.name).symlink_to(shared)
    lengths = {name: _length(command, folder) for name, command in commands.items()}
    print(f"compiled {len(commands)} examples", file=sys.stderr)
    interrupted, slowest = 0, 0.0
    while interrupted < count:
        name = chance.choice(sorted(commands))
        seconds = chance.uniform(0, lengths[name])
        running = start(commands[name], folder)
        time.sleep(seconds)
        begun = time.monotonic()
        running.send_signal(signal.SIGINT)
        try:
            output, errors = drained(running)
        except subprocess.TimeoutExpired:
            running.kill()
            report.complain(f"example {name}", f"goes on after {seconds} s")
            return
        took = time.monotonic() - begun
        end, fault = end_of(running.returncode, output), None
        if end != "had finished":
            interrupted += 1
            slowest = max(slowest, took)
            if interrupted % 100 == 0:
                print(f"examples: {interrupted}, slowest {slowest:.3f} s", file=sys.stderr)
        if errors or running.returncode not in (0, 130, KILLED):
            fault = f"status {running.returncode}, stderr {errors[-2000:]!r}"
        elif took > at_once * _busy():
            fault = f"took {took:.3f} s to end"
        if fault:
            report.complain(f"example {name}", f"after {seconds:.3f} s: {fault}")
        else:
            report.note(f"example {name}", end)


def _busy() -> float:
    """How many times as long everything takes, because others use the machine, too."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def _length(command: list[str], folder: Path) -> float:
    """How many seconds an example runs, at most; the second run is that of a warm machine."""
    begun = 0.0
    for _ in range(2):
        begun = time.monotonic()
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(
                command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                timeout=_LONGEST_EXAMPLE,
            )  # fmt: skip
    return time.monotonic() - begun


# Interrupts from the first instruction on, also of commands that run no program.

COMMANDS = [["-e", "(print 1)"], ["check", "ends.lisp"], ["show", "core", "ends.lisp"],
            ["doc", "car"], ["compile", "ends.lisp", "-o", "ends"], ["--version"]]


def stress_start(report: Report, chance: random.Random, count: int, folder: Path) -> None:
    (folder / "ends.lisp").write_text(ENDS)
    for words in COMMANDS:
        subprocess.run([*SCRIPT, *words], cwd=folder, capture_output=True)
    for _ in range(count):
        words = chance.choice(COMMANDS)
        kind = f"start {words[0]}"
        running = start([*SCRIPT, *words], folder)
        seconds = chance.uniform(0, 1.0 if words[0] == "compile" else 0.3)
        time.sleep(seconds)
        running.send_signal(signal.SIGINT)
        try:
            _, errors = drained(running)
        except subprocess.TimeoutExpired:
            running.kill()
            report.complain(kind, f"hangs after {seconds} s")
            continue
        if errors or running.returncode not in (0, 130, KILLED):
            what = f"after {seconds} s: {running.returncode} {errors.decode()[-1500:]}"
            report.complain(kind, what)
        else:
            report.note(kind, end_of(running.returncode, b""))


KINDS = ("repl", "embedded", "script", "evaluator", "executable", "examples", "start")
SHARES = {
    "repl": 0.33, "embedded": 0.33, "script": 0.07, "evaluator": 0.06, "executable": 0.12,
    "examples": 0.05, "start": 0.04,
}


@contextmanager
def scratch_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="lambent-interrupts-") as folder:
        yield Path(folder)


def stress(
    kind: str,
    count: int,
    seed: int,
    examples: Sequence[str] = (),
    at_once: float = _AT_ONCE,
) -> Report:
    """examples: the names of those to interrupt; all without them."""
    report, chance = Report(), random.Random(f"{kind} {seed}")
    with scratch_folder() as folder:
        match kind:
            case "repl":
                stress_repl(report, chance, count, folder)
            case "embedded":
                stress_embedded(report, chance, count, folder)
            case "start":
                stress_start(report, chance, count, folder)
            case "examples":
                stress_examples(report, chance, count, folder, examples, at_once)
            case _:
                stress_programs(report, chance, count, kind, folder)
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(KINDS))
    parser.add_argument("--examples", default="")
    chosen = parser.parse_args()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as of what a shell runs with `&`
        signal.signal(signal.SIGINT, signal.default_int_handler)
    kinds = chosen.only.split(",")
    share = sum(SHARES[kind] for kind in kinds)
    wrong = 0
    for kind in kinds:
        count, names = round(chosen.count * SHARES[kind] / share), chosen.examples.split(",")
        report = stress(kind, count, chosen.seed, [name for name in names if name])
        print(report.text(), flush=True)
        wrong += len(report.wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
