"""A stress test of checkpoints: kill -9 at random times must not change what a training computes.

    python -m tests.stress.killed_training 20 [--seed 7] [--only script,executable]

A program trains with `fit`, prints the loss of each step, and saves a checkpoint every few steps.
It is killed again and again, while it starts, trains, loads or saves, and started anew, until it
has been killed so often; then it may end.  Each loss that any of the runs printed must be, in all
digits, the loss of a run that was not killed.  No checkpoint may be damaged, and no temporary file
may stay.  `tests/suites/models/test_killed_training.py` kills a few.
"""

import argparse
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.programs_run import command_of

PATIENCE = 300  # seconds without a line after which a program counts as hanging
STEPS_EACH = 40  # steps in the program for each kill, so that it does not end before the last one
BATCHES = 20  # in an epoch
LONGEST_LIFE = 0.4  # seconds from the first step of a run until it is killed
STARTING = 0.2  # the share of the kills that come before the first step
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
  ((inside (linear 64 256)) (middle (linear 256 256)) (out (linear 256 1)))
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
    epochs = max(2, kills * STEPS_EACH // BATCHES)
    command = command_of(PROGRAM, back_end, folder)
    whole = _finish([*command, str(folder / "whole"), str(epochs)])
    expected = _lines(whole.stdout)
    if whole.returncode or whole.stderr or "end" not in expected:
        report.wrong.append(f"the undisturbed run: {whole.stderr or whole.stdout[-200:]}")
        return report
    disturbed = [*command, str(folder / "disturbed"), str(epochs)]
    for _ in range(kills):
        _kill_one(disturbed, chance, expected, report)
    last = _finish(disturbed)
    if last.returncode:
        report.wrong.append(f"the last run exits {last.returncode}")
    _compare(last.stdout, last.stderr, expected, report)
    if "end" not in _lines(last.stdout):
        report.wrong.append("the last run does not end")
    report.wrong += [f"{path.name} stays" for path in (folder / "disturbed").glob(".saving.*")]
    return report


def _finish(command: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def _lines(output: str) -> dict[str, str]:
    """The printed numbers by their names: "step 3" => "0.25"."""
    words = [line.split() for line in output.splitlines()]
    return {" ".join(line[:2]): " ".join(line[2:]) for line in words}


def _kill_one(
    command: list[str], chance: random.Random, expected: dict[str, str], report: Report
) -> None:
    """Start the program and kill it at a random time, before its first step or after it."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL)
        assert process.stdout
        if chance.random() < STARTING:
            time.sleep(chance.random() * 2 * LONGEST_LIFE)
            moment = "starting"
        else:
            select.select([process.stdout], [], [], PATIENCE)
            time.sleep(chance.random() * LONGEST_LIFE)
            moment = "training"
        process.send_signal(signal.SIGKILL)
        output = process.stdout.read().decode()
        process.stdout.close()
        status = process.wait()
        report.kills[moment if status == -signal.SIGKILL else f"ended with {status}"] += 1
        errors.seek(0)
        _compare(output, errors.read(), expected, report)


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
