"""A stress test of trainings on several hosts: the death of a host must not change the losses.

    python -m tests.stress.machines.host_death 20 [--seed 7] [--only script,executable]
        [--same-machine]

Four hosts, network namespaces of this machine, each run `lambent launch` with one rank of a
training, which saves sharded checkpoints.  Again and again one of them dies, also while the ranks
join, load or save: its process is killed, or the host itself, whose cable is cut first, so that the
others are not told, and which starts again after a moment.  The others must notice, and all start
again from the last checkpoint.  Each loss that any rank 0 printed must be, in all digits, that of a
run in which nobody died.  `tests/suites/models/test_host_death.py` kills a few.
"""

import argparse
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tests.support.processes.hosts import Host, free_port, has_hosts, hosts, same_machine
from tests.support.programs_run import command_of

RANKS = 4
STEPS_EACH = 30  # of the training for each kill, so that it does not end before the last one
BATCHES = 10  # in an epoch
MOST_STEPS = 8  # between a return and the next kill
EARLY = 0.2  # the share of the kills that come before the first step
DOWN = 1.5  # the longest time, in seconds, for which a host is down
LONGEST = 240  # seconds to wait for a line
PROGRAM = """
(define folder (list-ref (command-line) 1))
(define epochs (string->number (list-ref (command-line) 2)))
(manual-seed 5)
(define x (tensor-randn EXAMPLES 16))
(define y (tensor-sin (tensor-sum x 1 :keepdim #t)))
(with-distributed :timeout 200
  (manual-seed 6)
  (define-module (net)
    ((inside (linear 16 40)) (middle (linear 40 40)) (out (linear 40 1)))
    (forward (x)
      (out (tensor-dropout (tensor-relu (middle (tensor-relu (inside x)))) 0.1 (training? self)))))
  (define model (net))
  (define optimizer (adamw (parameters model) :lr 1e-3))
  (data-parallel! model :shard-optimizer optimizer)
  (manual-seed (+ 10 (rank)))
  (define own (shard-dataset (tensor-dataset x y) (rank) (world-size)))
  (define (show run)
    (let ((mean (tensor-item (all-reduce (tensor (fit-loss run) :dtype 'float64) :op 'mean))))
      (when (= (rank) 0)
        (print "step" (fit-step run) mean "end")
        (flush-output))))
  (fit model (data-loader own :batch-size 2 :shuffle #t :seed 3)
       :optimizer optimizer :loss mse-loss :epochs epochs :progress #f
       :schedule (cosine-schedule optimizer :steps 1000)
       :checkpoint folder :checkpoint-every 3 :resume #t
       :callbacks (list (callback :batch show))))
(print "trained")
""".replace("EXAMPLES", str(2 * RANKS * BATCHES))

# What people should never read.
INTERNAL = re.compile(r"Traceback|internal error|terminate called|c10|gloo|Segmentation|SIGABRT")


@dataclass
class Report:
    """kills: how often a process or a host died, before or after the first line of its start.

    returned: seconds from each death to the next step.  wrong: what differs from the undisturbed
    run, or went wrong otherwise.
    """

    kills: Counter[str] = field(default_factory=Counter)
    returned: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


class Cluster:
    """The launchers of all hosts, and what they have printed."""

    def __init__(self, all_hosts: list[Host], program: list[str], folder: Path) -> None:
        self.hosts, self.program, self.folder = all_hosts, program, folder
        self.port = free_port(all_hosts[0])
        self.changed = threading.Condition()
        self.lines: list[str] = []
        self.errors: list[str] = []
        self.readers: list[threading.Thread] = []
        self.launchers = [self.start(host) for host in all_hosts]

    def start(self, host: Host) -> "subprocess.Popen[str]":
        launcher = subprocess.Popen(
            host.command([
                sys.executable, "-m", "lambent.lang", "launch", "-n", "1", "--restarts", "1000",
                "--machines", str(len(self.hosts)), "--machine", str(host.number),
                "--address", f"{self.hosts[0].address}:{self.port}", *self.program]),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=self.folder, env={**os.environ, "OMP_NUM_THREADS": "1"})
        for stream, target in ((launcher.stdout, self.lines), (launcher.stderr, self.errors)):
            assert stream
            reader = threading.Thread(target=self._read, args=(stream, target), daemon=True)
            reader.start()
            self.readers.append(reader)
        return launcher

    def _read(self, stream: IO[str], target: list[str]) -> None:
        with stream:
            for line in stream:
                with self.changed:
                    target.append(line)
                    self.changed.notify_all()

    def wait_for_lines(self, count: int) -> bool:
        """Whether so many lines come in time; not if all have ended before."""
        until = time.monotonic() + LONGEST
        with self.changed:
            while len(self.lines) < count:
                self.changed.wait(0.2)
                if time.monotonic() > until or all(p.poll() is not None for p in self.launchers):
                    return False
        return True

    def kill_process(self, number: int) -> bool:
        """Kill the rank of a host; its launcher stays.  Whether there was one."""
        ranks = _children(self.launchers[number].pid)
        for pid in ranks:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return bool(ranks)

    def kill_host(self, number: int, seconds: float) -> None:
        """Let a host die, and start again."""
        host, launcher = self.hosts[number], self.launchers[number]
        host.unplug()
        _kill_with_ranks(launcher)
        time.sleep(seconds)
        host.plug()
        self.launchers[number] = self.start(host)

    def end(self) -> None:
        for launcher in self.launchers:
            if launcher.poll() is None:
                _kill_with_ranks(launcher)
        for reader in self.readers:
            reader.join(timeout=10)


def _kill_with_ranks(launcher: "subprocess.Popen[str]") -> None:
    """Kill a launcher and its processes; stopped first, it starts no other."""
    launcher.send_signal(signal.SIGSTOP)
    ranks = _children(launcher.pid)
    launcher.kill()
    launcher.wait()
    for pid in ranks:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def check(back_end: str, kills: int, seed: int, folder: Path, namespaces: bool) -> Report:
    """Kill so often, and compare all losses with an undisturbed run."""
    chance, report = random.Random(seed), Report()
    epochs = str(max(4, kills * STEPS_EACH // BATCHES))
    command = command_of(PROGRAM, back_end, folder)
    program = command[-1:]
    with hosts(RANKS) if namespaces else nullcontext(same_machine(RANKS)) as all_hosts:
        whole = Cluster(all_hosts, [*program, str(folder / "whole"), epochs], folder)
        began = time.monotonic()
        whole.wait_for_lines(1)
        start = time.monotonic() - began
        _finish(whole, report)
        expected = _losses(whole.lines)
        if len(expected) != BATCHES * int(epochs):
            report.wrong.append(f"the undisturbed run printed {len(expected)} losses")
            report.wrong += whole.errors
            return report
        disturbed = Cluster(all_hosts, [*program, str(folder / "disturbed"), epochs], folder)
        try:
            for _ in range(kills):
                _kill_one(disturbed, chance, start, report)
        finally:
            _finish(disturbed, report)
    found = _losses(disturbed.lines)
    report.wrong += [
        f"step {step}: {sorted(losses)}, not {sorted(expected.get(step, set()))}"
        for step, losses in found.items() if losses != expected.get(step)
    ]
    if found.keys() != expected.keys():
        report.wrong.append("steps are missing")
    report.wrong += [line for line in disturbed.errors if INTERNAL.search(line)]
    report.wrong += [f"{path.name} stays" for path in (folder / "disturbed").glob(".saving.*")]
    return report


def _kill_one(cluster: Cluster, chance: random.Random, start: float, report: Report) -> None:
    """Let one host or its process die at a random time, before the next step or after it."""
    before, moment = len(cluster.lines), "while they started"
    if chance.random() < EARLY:
        time.sleep(chance.random() * start)
    else:
        moment = "while they trained"
        if not cluster.wait_for_lines(before + chance.randint(1, MOST_STEPS)):
            report.wrong.append("no step came")
            report.wrong += cluster.errors[-20:]
            raise SystemExit(report.wrong)
        time.sleep(chance.random() * 0.05)
    victim = chance.randrange(len(cluster.hosts))
    died = time.monotonic()
    if chance.random() < 0.5:
        cluster.kill_host(victim, chance.random() * DOWN)
        kind = "a host died"
    elif cluster.kill_process(victim):
        kind = "a process was killed"
    else:
        kind = "there was no process"
    report.kills[f"{kind} {moment}"] += 1
    if cluster.wait_for_lines(len(cluster.lines) + 1):
        report.returned.append(time.monotonic() - died)


def _finish(cluster: Cluster, report: Report) -> None:
    """Wait until all launchers have ended, as they should, without an error."""
    until = time.monotonic() + LONGEST
    while time.monotonic() < until and any(p.poll() is None for p in cluster.launchers):
        time.sleep(0.1)
    statuses = [launcher.poll() for launcher in cluster.launchers]
    cluster.end()
    if any(statuses):
        report.wrong.append(f"the launchers exit with {statuses}")
    if cluster.lines.count("trained\n") < len(cluster.hosts):
        report.wrong.append("not all ranks have come to the end")


def _losses(lines: list[str]) -> dict[int, set[str]]:
    """The losses that were printed for each step; the last line of a killed run may be cut."""
    found: dict[int, set[str]] = {}
    for line in lines:
        words = line.split()
        if len(words) == 4 and words[0] == "step" and words[3] == "end":
            found.setdefault(int(words[1]), set()).add(words[2])
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kills", type=int)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--only", default="script,executable")
    parser.add_argument("--same-machine", action="store_true")
    given = parser.parse_args()
    namespaces = has_hosts() and not given.same_machine
    # What was started has to end with this process.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    print("seed", given.seed, "in network namespaces" if namespaces else "on one machine")
    failed = False
    for back_end in given.only.split(","):
        with tempfile.TemporaryDirectory() as folder:
            report = check(back_end, given.kills, given.seed, Path(folder), namespaces)
        print(f"{back_end}: {dict(report.kills)}")
        if report.returned:
            print(f"  seconds from a death to the next step: {min(report.returned):.1f} to "
                  f"{max(report.returned):.1f}, median {statistics.median(report.returned):.1f}")
        print("".join(f"  {line.rstrip()}\n" for line in report.wrong) or "  all losses are equal")
        failed |= bool(report.wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()
