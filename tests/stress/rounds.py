"""A stress test of files, processes and regular expressions: nothing grows, nothing stays behind.

    python -m tests.stress.rounds 10000 [--only script,executable] [--interrupts 200] [--seed 1]

A program does a round of all three again and again, and stops ten times to be inspected: after the
first tenths it has as many descriptors and children as before, and no more memory.  Then it is
interrupted at random times: no temporary or partial file, child or lock stays.
`tests/suites/library/test_rounds.py` runs a few rounds.
"""

import argparse
import fcntl
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.programs_run import command_of

BACK_ENDS = ("script", "executable")
STOPS = 10
WARM_UP = 3  # of the stops
MOST_GROWTH = 2048  # KiB after the warm-up
PATIENCE = 120  # seconds
STAYING = {"data", "lock"}

PROGRAM = r"""
(define folder (list-ref (command-line) 1))
(define rounds (string->number (list-ref (command-line) 2)))
(define (at name) (path-join folder name))

(define (use-files k)
  (call-with-file-lock (at "lock")
    (lambda ()
      (call-with-atomic-output-file (at "data")
        (lambda (port) (write-string (make-string 5000 #\a) port)))))
  (call-with-temporary-folder
    (lambda (inside)
      (let ((file (path-join inside "a")) (copy (path-join inside "b")))
        (call-with-output-file file
          (lambda (port) (write-string (make-string (modulo k 3000) #\x) port)))
        (copy-file file copy)
        (rename-file copy (path-join inside "c"))
        (guard (e (#t #f)) (call-with-input-file file (lambda (port) (error "within"))))
        (guard (e (#t #f)) (open-input-file (path-join inside "missing")))
        (unless (and (equal? (map path-name (walk-folder inside)) '("a" "c"))
                     (= (string-length (string-join (read-lines file) "")) (modulo k 3000)))
          (error "the files are wrong:" k))))))

(define (use-processes k)
  (unless (string=? (run-output (run (list "cat") :input (number->string k)))
                    (number->string k))
    (error "the process is wrong:" k))
  (guard (e (#t #f)) (run '("no-such-program-at-all")))
  (let ((process #f))
    (dynamic-wind
     (lambda () (set! process (start-process '("sleep" "1000") :output 'null)))
     (lambda () (process-running? process))
     (lambda () (process-kill process) (process-wait process)))))

(define (use-regexps k)
  (let ((text (string-join (map number->string (iota 50 k)) " é, ")))
    (unless (= 50 (length (regexp-extract (pregexp "\\d+") text)))
      (error "the matches are wrong:" k))
    (regexp-replace-all (pregexp (string "(a|" k ")+")) text (lambda (m) "-"))
    (regexp-fold `(: ,(number->string k) (? "x")) (lambda (i m s n) (+ n 1)) 0 text)
    (guard (e (#t #f)) (pregexp (string "(" k)))
    (guard (e (#t #f)) (regexp-search (pregexp "(a+)+$") (make-string 30 #\a)))))

(define (stop k)
  (print "stop" k)
  (flush-output)
  (read-line))

(define (go k)
  (use-files k)
  (use-processes k)
  (use-regexps k)
  (when (= 0 (modulo (+ k 1) (max 1 (quotient rounds 10)))) (stop (+ k 1)))
  (when (< (+ k 1) rounds) (go (+ k 1))))

(print "go")
(flush-output)
(go 0)
"""


@dataclass(frozen=True, slots=True)
class State:
    """What a process has."""

    descriptors: int
    children: int
    kibibytes: int


def state_of(pid: int) -> State:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return State(
        len(os.listdir(f"/proc/{pid}/fd")),  # noqa: PTH208 - a path of many thousands of names
        sum(parent == pid for parent, _ in _processes()),
        pages * os.sysconf("SC_PAGE_SIZE") // 1024,
    )


def _processes() -> Iterator[tuple[int, int]]:
    """The parent and the session of each process."""
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        yield int(fields[1]), int(fields[3])


def command_in(back_end: str, folder: Path) -> list[str]:
    """The program's command, without its arguments."""
    own = folder / f"program-{back_end}"
    own.mkdir()
    return command_of(PROGRAM, back_end, own)


def _started(command: Sequence[str], folder: Path, rounds: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*command, str(folder), str(rounds)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(folder)},
        start_new_session=True,
    )  # fmt: skip


def states(command: Sequence[str], folder: Path, rounds: int) -> list[State]:
    """What the process has at each stop."""
    found = []
    with _started(command, folder, rounds) as running:
        assert running.stdin is not None and running.stdout is not None
        for line in running.stdout:
            if line.startswith("stop"):
                found.append(state_of(running.pid))
                running.stdin.write("\n")
                running.stdin.flush()
        _, errors = running.communicate(timeout=PATIENCE)
    assert (running.returncode, errors) == (0, ""), errors
    return found


def growth(found: Sequence[State]) -> str | None:
    """What has grown after the warm-up; None if nothing has."""
    early, late = found[WARM_UP - 1], found[-1]
    if late.descriptors > early.descriptors or late.children > 0:
        return f"{early} became {late}"
    if late.kibibytes - max(s.kibibytes for s in found[:WARM_UP]) > MOST_GROWTH:
        return f"memory grows: {[s.kibibytes for s in found]}"
    return None


def interrupted(command: Sequence[str], folder: Path, seconds: float) -> str | None:
    """Interrupt the program that long after it has begun; what is wrong then, or None."""
    running = _started(command, folder, 1_000_000_000)
    assert running.stdout is not None
    running.stdout.readline()
    time.sleep(seconds)
    running.send_signal(signal.SIGINT)
    try:
        _, errors = running.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        return f"hangs after {seconds} s"
    if (running.returncode, errors) != (130, ""):
        return f"after {seconds} s: status {running.returncode}, stderr {errors[-1000:]!r}"
    return left_behind(folder, running.pid)


def left_behind(folder: Path, session: int) -> str | None:
    files = {path.name for path in folder.iterdir()} - STAYING
    if files:
        return f"files stay: {sorted(files)}"
    data = folder / "data"
    if data.exists() and data.read_text() != "a" * 5000:
        return "the file that is replaced in one step is damaged"
    if any(one == session for _, one in _processes()):
        os.killpg(session, signal.SIGKILL)
        return "a child stays"
    if (folder / "lock").exists():
        with (folder / "lock").open("r+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return "the lock stays"
    return None


def stress(back_end: str, rounds: int, interrupts: int, seed: int) -> list[str]:
    """What is wrong."""
    chance, wrong = random.Random(f"{back_end} {seed}"), []
    with tempfile.TemporaryDirectory(prefix="lambent-rounds-") as scratch:
        command = command_in(back_end, Path(scratch))
        folder = Path(scratch) / "work"
        folder.mkdir()
        if rounds:
            found = states(command, folder, rounds)
            early, late = found[WARM_UP - 1], found[-1]
            print(f"{back_end}: {rounds} rounds, {early}, then {late}", flush=True)
            wrong += [fault] if (fault := growth(found)) else []
        for _ in range(interrupts):
            if fault := interrupted(command, folder, chance.uniform(0, 0.1)):
                wrong.append(fault)
                shutil.rmtree(folder)
                folder.mkdir()
        print(f"{back_end}: {interrupts} interrupts, {len(wrong)} faults", flush=True)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", type=int)
    parser.add_argument("--interrupts", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(BACK_ENDS))
    chosen = parser.parse_args()
    wrong = []
    for back_end in chosen.only.split(","):
        wrong += [
            f"{back_end}: {fault}"
            for fault in stress(back_end, chosen.rounds, chosen.interrupts, chosen.seed)
        ]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
