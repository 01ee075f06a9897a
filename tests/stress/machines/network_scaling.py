"""How much slower a step of data-parallel training is over the networks of real hosts.

    python -m tests.stress.machines.network_scaling [--ranks 2,4] [--steps 8]

The hosts are network namespaces; tc limits what leaves each (tbf), and delays it (netem), where the
kernel has these.  The program's step exchanges the gradients of 2 million numbers, and computes
little, because the hosts share this machine's cores: the table is of the exchange.  Each figure is
the median time of a step divided by that of the same number of ranks without a limit; the share is
what bfloat16 gradients need of the time of float32 ones.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.processes.hosts import Host, free_port, hosts
from tests.support.programs_run import command_of

WARM = 2  # steps that are not counted
PROGRAM = """
(define steps (string->number (list-ref (command-line) 1)))
(define compress (if (equal? (list-ref (command-line) 2) "bfloat16") 'bfloat16 #f))
(with-distributed :timeout 300
  (define w (requires-grad! (tensor-zeros 1000 2000)))
  (define x (tensor-ones 1 1000))
  (data-parallel! (list w) :compress compress)
  (dotimes (k steps)
    (barrier)
    (let ((start (current-jiffy)))
      (backward (tensor-sum (@ x w)))
      (when (= (rank) 0)
        (print (/ (- (current-jiffy) start) (inexact (jiffies-per-second))))))
    (zero-grad! w)))
"""


@dataclass(frozen=True, slots=True)
class Network:
    """rate: in Mbit/s, None without a limit.  delay: of a way, in ms."""

    name: str
    rate: int | None = None
    delay: float = 0


NETWORKS = (
    Network("no limit"), Network("10 GbE", 10_000, 0.05), Network("1 GbE", 1_000, 0.1),
    Network("WAN, 200 Mbit/s", 200, 20),
)


def has_netem(host: Host) -> bool:
    try:
        host.shape(["netem", "delay", "1ms"])
    except subprocess.CalledProcessError:
        return False
    return True


def shape(host: Host, network: Network, delays: bool) -> None:
    """Limit and delay what leaves a host."""
    if network.rate is None:
        host.shape(["pfifo_fast"])
    elif delays:
        host.shape(["netem", "delay", f"{network.delay}ms", "rate", f"{network.rate}mbit",
                    "limit", "100000"])
    else:
        burst = max(network.rate * 125, 65_536)  # bytes: those of a millisecond
        host.shape(["tbf", "rate", f"{network.rate}mbit", "burst", f"{burst}", "latency", "200ms"])


def step_time(all_hosts: Sequence[Host], program: list[str], steps: int, dtype: str) -> float:
    """The median seconds of a step."""
    address = f"{all_hosts[0].address}:{free_port(all_hosts[0])}"
    started = [
        subprocess.Popen(
            host.command([
                sys.executable, "-m", "lambent.lang", "launch", "-n", "1", "--machines",
                str(len(all_hosts)), "--machine", str(host.number), "--address", address,
                *program, str(steps + WARM), dtype]),
            stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        for host in all_hosts
    ]
    outputs = [process.communicate()[0] for process in started]
    assert all(process.returncode == 0 for process in started)
    return statistics.median([float(line) for line in outputs[0].split()][WARM:])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--steps", type=int, default=8)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = command_of(PROGRAM, "executable", Path(folder))
        for count in map(int, given.ranks.split(",")):
            with hosts(count) as all_hosts:
                _print_table(all_hosts, program, given.steps)


def _print_table(all_hosts: list[Host], program: list[str], steps: int) -> None:
    delays = has_netem(all_hosts[0])
    print(f"{len(all_hosts)} ranks; delays {'by netem' if delays else 'none: no netem here'}")
    base = 0.0
    for network in NETWORKS:
        for host in all_hosts:
            shape(host, network, delays)
        began = time.monotonic()
        whole = step_time(all_hosts, program, steps, "float32")
        half = step_time(all_hosts, program, steps, "bfloat16")
        base = base or whole
        print(f"  {network.name:24} {whole / base:6.2f}   bfloat16 {half / whole:.2f}"
              f"   ({time.monotonic() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
