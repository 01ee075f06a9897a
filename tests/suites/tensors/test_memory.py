"""Reports about memory and time, profiles, limits, and loops whose memory must not grow.

All tests run on both back ends.
"""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from lambent.lang.pipeline import compile_file
from tests.support.binaries import build_texts, finish
from tests.support.paths import PROGRAMS
from tests.support.programs_run import TIMEOUT

STRESS = PROGRAMS / "memory_stress.lisp"
REPORTED = """\
(define (grow x) (@ x x))

(define x (tensor-ones 1000 1000))
(define (twice f n)
  (if (> n 0) (begin (f) (twice f (- n 1)))))
(twice (lambda () (tensor-sum (grow x))) 2)
(print (tensor-item (tensor-sum
  (fold + 0 (map tensor-exp
                 (list x x x))))))
"""
READING = '(print (cdr (command-line)) (tensor-sum (tensor-ones 4)))\n'
PROFILED = """\
(define w (requires-grad! (tensor-ones 20 30)))
(define (loss x) (tensor-mean (tensor-relu (@ x w))))
(dotimes (i 5) (backward (loss (tensor-ones 10 20))))
(print (tensor-softmax (+ [1.0 2.0] 1) :dim 0) (tensor-add! (tensor-zeros 2) 3))
(guard (e (#t (print "caught"))) (@ w w))
"""
# Loops whose temporaries together are far larger than the memory that may stay in use.
LOOPS = """\
(define n (string->number (getenv "ITERATIONS")))
(define (resident)
  (let ((words (string-split (call-with-input-file "/proc/self/statm" read-line) " ")))
    (* 4096 (string->number (cadr words)))))
(define (live) (cdr (assq 'live-handles (tensor-memory))))
(define x (tensor-ones 1024 1024))
(define (step y) (+ (* y 0.5) x))
(define (run n y) (if (= n 0) y (run (- n 1) (step y))))
(define kept #f)
(define (assigning n)
  (dotimes (i n) (set! kept (step x)) (guard (e (#t #f)) (@ kept (tensor-ones 3)))))
(run 10 x)
(assigning 10)
(define handles (live))
(define before (resident))
(run n x)
(assigning (quotient n 10))
(print (- (live) handles) (< (- (resident) before) 40000000))
"""


@dataclass(frozen=True, slots=True)
class Result:
    output: str
    errors: str
    status: int


Run = Callable[..., Result]
BACK_ENDS = ("script", "executable")
MOST_OPERATIONS, ONE_IN = 100_000, 31  # operations that are made to fail: all would take an hour


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a text on a back end: options come before the file, or after the executable."""
    folder = tmp_path_factory.mktemp("memory")
    made: dict[str, Path] = {}

    def executable(text: str) -> Path:
        if text not in made:
            made[text] = folder / f"program{len(made)}"
            source = folder / "demo.lisp"
            source.write_text(text)
            here = Path.cwd()
            os.chdir(folder)  # locations show the name as given
            try:
                compile_file("demo.lisp", made[text])
            finally:
                os.chdir(here)
        return made[text]

    def run(
        back_end: str, text: str, *options: str, after: tuple[str, ...] = (),
        space: int | None = None, **environment: str,
    ) -> Result:
        source = folder / "demo.lisp"
        command = [sys.executable, "-m", "lambent.lang", *options, "demo.lisp", *after]
        if back_end == "executable":
            command = [str(executable(text)), *options, *after]
        source.write_text(text)
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT,
            env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
            preexec_fn=space and (lambda: resource.setrlimit(resource.RLIMIT_AS, (space, space))),
        )
        return Result(done.stdout, done.stderr, done.returncode)

    return run


# The stress program.


@pytest.mark.slow
def test_stress_program_under_sanitizers(tmp_path: Path, all_random: bool) -> None:
    """No wrong access and no leak; with --all-random, operations also fail, one in each run."""
    text = STRESS.read_text()
    binary = build_texts({"stress": text}, tmp_path)
    expected = [line.split("; => ")[1] for line in text.splitlines() if "; =>" in line]
    output, errors, status = finish([str(binary), "stress"], tmp_path)
    assert (output.splitlines(), status) == (expected, 0), errors
    if all_random:
        operations = map(str, range(1, MOST_OPERATIONS, ONE_IN))
        output, errors, status = finish([str(binary), "stress", "inject", *operations], tmp_path)
        assert status == 0, output + errors


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_stress_program_under_valgrind(tmp_path: Path, all_random: bool) -> None:
    """Only with --all-random; `test_executables.py` always runs a program under valgrind."""
    if not all_random:
        pytest.skip("only with --all-random")
    compile_file(str(STRESS), tmp_path / "stress")
    done = subprocess.run(
        ["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full",
         "--errors-for-leak-kinds=definite,indirect", "--show-leak-kinds=definite,indirect",
         tmp_path / "stress"],
        env={**os.environ, "LAMBENT_ALLOC": "malloc", "LAMBENT_CHECK_LEAKS": "1"},
        capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == "live handles: 0, live objects: 0\n"


# Reports.


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_memory_report(run: Run, back_end: str) -> None:
    by_option = run(back_end, REPORTED, "--memory-report")
    by_variable = run(back_end, REPORTED, LAMBENT_MEMORY_REPORT="1")
    for result in (by_option, by_variable):
        assert (result.output, result.status) == ("8154845.0\n", 0)
        lines = result.errors.splitlines()
        assert lines[0] == "tensor memory:"
        assert re.fullmatch(r"  live         \d tensors?, .*", lines[1])
        peak = r"  peak         (\d+\.\d) MiB \(\d+ bytes\), at demo\.lisp:8:3"
        assert re.fullmatch(peak, lines[2]), lines
        assert lines[3].strip() == "8 |   (fold + 0 (map tensor-exp"
        assert re.fullmatch(r"  allocations  \d+, .* \(\d+ bytes\)", lines[4])
        assert re.fullmatch(r"  cached       .*", lines[5])
        assert len(lines) == 6


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_program_that_reads_its_command_line_gets_the_options(run: Run, back_end: str) -> None:
    words = run(back_end, READING, after=("--memory-report", "a"))
    assert words == Result("(--memory-report a) 4.0\n", "", 0)
    asked = run(back_end, READING, after=("a",), LAMBENT_MEMORY_REPORT="1")
    assert asked.output == "(a) 4.0\n"
    assert asked.errors.startswith("tensor memory:\n")


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_reports_of_a_program_without_tensors(run: Run, back_end: str, tmp_path: Path) -> None:
    trace = tmp_path / "out.json"
    result = run(back_end, "(print 1)", "--memory-report", "--profile", str(trace))
    said = "tensor memory: none was used\ntensor operators: none was called\n"
    assert result == Result("1\n", said, 0)
    assert json.loads(trace.read_text()) == {"traceEvents": []}


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_report_after_an_error(run: Run, back_end: str) -> None:
    result = run(back_end, "(define x (tensor-ones 5))\n(@ x (tensor-ones 3))", "--memory-report")
    assert result.status == 70
    error, report = result.errors.split("tensor memory:\n")
    assert error.startswith("demo.lisp:2:1: tensor-matmul: ")
    assert ", at demo.lisp:2:6\n" in report


def test_profile_counts_are_equal_on_both_back_ends(run: Run, tmp_path: Path) -> None:
    counts = []
    for back_end in BACK_ENDS:
        trace = tmp_path / f"{back_end}.json"
        result = run(back_end, PROFILED, "--profile", str(trace))
        assert result.status == 0, result.errors
        events = json.loads(trace.read_text())["traceEvents"]
        _check_events(events)
        table = _table(result.errors)
        assert table["backward"] == 5
        assert table["tensor-matmul"] == 6  # the one that fails, too
        assert table["tensor-relu"] == table["tensor-mean"] == 5
        assert table["tensor-add!"] == table["tensor-softmax"] == 1
        located = Counter(event["name"] for event in events if "location" in event["args"])
        assert located == Counter({name: n for name, n in table.items() if name != "all"})
        matmul = next(e for e in events if e["name"] == "tensor-matmul")
        assert matmul["args"] == {"shapes": "(10 20) (20 30)", "location": "demo.lisp:2:44"}
        counts.append((table, Counter(event["name"] for event in events)))
    assert counts[0] == counts[1]


def _check_events(events: list[dict[str, object]]) -> None:
    for event in events:
        assert event["ph"] == "X"
        for key in ("ts", "dur"):
            moment = event[key]
            assert isinstance(moment, float)
            assert moment >= 0
        name = event["name"]
        assert isinstance(name, str)
        assert "::" not in name
        assert "_" not in name or not name.startswith("tensor-")


def _table(errors: str) -> dict[str, int]:
    """The calls by operator, from the summary."""
    head, *rows = errors.splitlines()
    assert head.split() == ["operator", "calls", "total", "ms", "share"]
    return {name: int(calls) for name, calls, *_ in map(str.split, rows)}


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_profile_that_cannot_be_written(run: Run, back_end: str) -> None:
    result = run(back_end, PROFILED, LAMBENT_PROFILE="/no/such/folder/out.json")
    said = "cannot write /no/such/folder/out.json: No such file or directory\n"
    assert result == Result("", said, 66)


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_time_it(run: Run, back_end: str) -> None:
    text = """\
(print (time-it (tensor-item (tensor-sum
                  (tensor-ones 1000)))))
(print (guard (e (#t 'caught))
         (time-it (car 5))))
"""
    result = run(back_end, text)
    assert (result.output, result.status) == ("1000.0\ncaught\n", 0)
    first, second = result.errors.splitlines()
    assert re.fullmatch(r"line 1: [\d.]+ ms; \d allocations of 3\.9 KiB, 3\.9 KiB at most", first)
    assert re.fullmatch(r"line 4: [\d.e-]+ ms", second)


# Limits.


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_allocation_larger_than_the_machine(run: Run, back_end: str) -> None:
    """Linux would grant the memory, and kill the process that uses it."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")
    text = f"""\
(define (get key) (cdr (assq key (tensor-memory))))
(define before (get 'live-bytes))
(print (guard (e (#t (error-object-message e))) (tensor-empty {total} :dtype 'int8)))
(print (- (get 'live-bytes) before) (tensor-sum (tensor-ones 10 10)))
(tensor-empty {total} :dtype 'int8)
"""
    result = run(back_end, text)
    size = rf"tensor-empty: not enough memory for a tensor of [\d.]+ GiB \({total} bytes\)"
    first, second = result.output.splitlines()
    assert re.fullmatch(size, first)
    assert second == "0 100.0"
    assert re.fullmatch(
        rf"demo.lisp:5:1: {size}\n.*\n.*\nhint: the machine has [\d.]+ \wiB left\n", result.errors
    )
    assert result.status == 70


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_allocation_larger_than_the_process_may_use(run: Run, back_end: str) -> None:
    text = """\
(define (try n)
  (guard (e (#t (error-object-message e))) (tensor-item (tensor-sum (tensor-ones n 1000 1000)))))
(print (try 3000))
(print (try 3))
"""
    result = run(back_end, text, space=9 << 30)
    refused = "tensor-ones: not enough memory for a tensor of 11.2 GiB (12000000000 bytes)"
    assert result == Result(f"{refused}\n3000000.0\n", "", 0)


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_limits_from_the_environment(run: Run, back_end: str) -> None:
    text = "(print (tensor-cache-limit! 5) (tensor-memory-limit! #f))"
    result = run(back_end, text, LAMBENT_CACHE_MB="3", LAMBENT_MEMORY_MB="64")
    assert result == Result("3145728 67108864\n", "", 0)


# Loops.


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_resident_size_does_not_grow_in_loops(run: Run, back_end: str, all_random: bool) -> None:
    """A hundred thousand iterations with temporaries of 4 MiB, or three hundred."""
    result = run(back_end, LOOPS, ITERATIONS="100000" if all_random else "300")
    assert result == Result("0 #t\n", "", 0)
