"""A stress test of checkpoints: kill -9 at random times must not change what a training computes.

    python -m tests.stress.killed_training 20 [--seed 7] [--only script,executable]

A program trains with `fit`, prints the loss of each step, and saves a checkpoint every few steps.
It is killed again and again, while it starts, trains, loads or saves, and started anew, until it
has been killed so often; then it may end.  Each loss that any of the runs printed must be, in all
digits, the loss of a run that was not killed.  No checkpoint may be damaged, and no temporary file
may stay.  `tests/suites/models/test_killed_training.py` kills a few.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tests.support.programs_run import command_of

STEPS_EACH = 30  # steps in the program for each kill, so that it does not end before the last one
BATCHES = 10  # in an epoch
MOST_STEPS = 10  # that a run makes before it is killed
STARTING = 0.2  # the share of the kills that come before the first step
# More threads than cores make a busy machine much slower.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", **os.environ}
# Everything that a checkpoint keeps: dropout and (random) use both kinds of random numbers, the
# average and the schedule change with each step, the loader shuffles, and a pass ends within.
PROGRAM = """
(define (argument k) (list-ref (command-line) (+ k 1)))
(define epochs (string->number (argument 1)))
(manual-seed 5)
(random-seed! 6)
(define x (tensor-randn EXAMPLES 64))
(define y (tensor-sin (tensor-sum x 1 :keepdim #t)))
(define-module (net)
  ((inside (linear 64 320)) (middle (linear 320 320)) (out (linear 320 1)))
  (forward (x)
    (out (tensor-dropout (tensor-relu (middle (tensor-relu (inside x)))) 0.1 (training? self)))))
(define model (net))
(define optimizer (adamw (parameters model) :lr 1e-3))
(fit model (data-loader (tensor-dataset x y) :batch-size 8 :shuffle #t)
     :optimizer optimizer
     :batch-loss (lambda (x y) (* (+ 1 (random)) (mse-loss (model x) y)))
     :validate (data-loader (tensor-dataset x y) :batch-size 80)
     :schedule (cosine-schedule optimizer :steps 1000)
     :ema (ema (parameters model) :decay 0.9)
     :epochs epochs
     :checkpoint (checkpoint-folder (argument 0) :keep 2 :best "validation-loss")
     :checkpoint-every 3 :resume #t :progress #f
     :callbacks (list (callback :batch (lambda (run)
                                         (print "step" (fit-step run) (fit-loss run))
                                         (flush-output))
                                :epoch (lambda (run)
                                         (print "epoch" (fit-epoch run)
                                                (fit-metric run "loss")
                                                (fit-metric run "validation-loss"))
                                         (flush-output)))))
(print "end")
""".replace("EXAMPLES", str(8 * BATCHES))


@dataclass
class Report:
    """kills: how often a run was killed before and after its first line.

    wrong: what differs from the run that was not killed, or went wrong otherwise.
    """

    kills: Counter[str] = field(default_factory=Counter)
    resumed: list[int] = field(default_factory=list)  # the first step of each later run
    wrong: list[str] = field(default_factory=list)


def check(back_end: str, kills: int, seed: int, folder: Path) -> Report:
    """Kill the program that often, and compare what it printed with an undisturbed run."""
    chance, report = random.Random(seed), Report()
    epochs = max(6, kills * STEPS_EACH // BATCHES)
    command = command_of(PROGRAM, back_end, folder)
    expected, start = _undisturbed([*command, str(folder / "whole"), str(epochs)])
    disturbed = [*command, str(folder / "disturbed"), str(epochs)]
    for _ in range(kills):
        _kill_one(disturbed, chance, expected, start, report)
    last = _finish(disturbed)
    if last.returncode:
        report.wrong.append(f"the last run exits {last.returncode}")
    _compare(last.stdout, last.stderr, expected, report)
    if "end" not in _lines(last.stdout):
        report.wrong.append("the last run does not end")
    report.wrong += [f"{path.name} stays" for path in (folder / "disturbed").glob(".saving.*")]
    return report


def _undisturbed(command: list[str]) -> tuple[dict[str, str], float]:
    """What the program prints if it is not killed, and the seconds until its first line."""
    began = time.monotonic()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=ENVIRONMENT)
    assert process.stdout
    first = process.stdout.readline()
    start = time.monotonic() - began
    lines = _lines(first + process.stdout.read())
    process.stdout.close()
    assert process.wait() == 0
    assert "end" in lines
    return lines, start


def _finish(command: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=ENVIRONMENT)


def _lines(output: str) -> dict[str, str]:
    """The printed numbers by their names: "step 3" => "0.25"."""
    words = [line.split() for line in output.splitlines()]
    return {" ".join(line[:2]): " ".join(line[2:]) for line in words}


def _kill_one(
    command: list[str], chance: random.Random, expected: dict[str, str], start: float,
    report: Report,
) -> None:
    """Start the program and kill it at a random time, before its first step or after it."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, text=True,
            env=ENVIRONMENT)
        assert process.stdout
        if chance.random() < STARTING:
            time.sleep(chance.random() * start)
            lines = []
        else:
            lines = _some_lines(process.stdout, chance.randint(1, MOST_STEPS), chance)
        process.send_signal(signal.SIGKILL)
        output = "".join(lines) + process.stdout.read()
        process.stdout.close()
        status = process.wait()
        moment = "while it trained" if lines else "before"
        report.kills[moment if status == -signal.SIGKILL else f"ended with {status}"] += 1
        errors.seek(0)
        _compare(output, errors.read(), expected, report)


def _some_lines(output: IO[str], count: int, chance: random.Random) -> list[str]:
    """That many lines; then wait for up to three times as long as a line takes.

    So the moment after them may be inside a step or a save, however fast the machine is.
    """
    lines, times = [], []
    for _ in range(count):
        lines.append(output.readline())
        times.append(time.monotonic())
    each = (times[-1] - times[0]) / (count - 1) if count > 1 else 0.05
    time.sleep(3 * chance.random() * each)
    return lines


def _compare(output: str, errors: str, expected: dict[str, str], report: Report) -> None:
    complete = output[: output.rfind("\n") + 1]
    found = _lines(complete)
    report.wrong += [
        f"{name}: {value}, not {expected.get(name)}"
        for name, value in found.items() if expected.get(name) != value
    ]
    if errors:
        report.wrong.append(errors)
    steps = [int(name.split()[1]) for name in found if name.startswith("step")]
    report.resumed += steps[:1]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kills", type=int)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--only", default="script,executable")
    given = parser.parse_args()
    print("seed", given.seed)
    failed = False
    for back_end in given.only.split(","):
        with tempfile.TemporaryDirectory() as folder:
            report = check(back_end, given.kills, given.seed, Path(folder))
        print(f"{back_end}: killed {dict(report.kills)}, went on at steps {report.resumed}")
        print("".join(f"  {line}\n" for line in report.wrong) or "  all losses are equal")
        failed |= bool(report.wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()
