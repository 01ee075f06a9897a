"""A stress test of memory: training for thousands of steps must not make a process larger.

    python -m tests.stress.training_memory [STEPS] [--model mlp,cnn]

trains the models of the benchmark on both back ends and prints their resident memory, after a tenth
of the steps and after all; `tests/suites/models/test_training_memory.py` takes fewer.
"""

import argparse
from dataclasses import dataclass

from tests.bench.build import OUT
from tests.bench.measure import Command
from tests.bench.training import MODELS, OURS, commands_of, running

STEPS = 10_000
PARTS = 10
# What may be added between the first part and the last: pages that the system counts late.
ALLOWED = 1 << 20


@dataclass(frozen=True, slots=True)
class Growth:
    """Resident bytes after each tenth of the steps."""

    resident: list[int]

    @property
    def is_flat(self) -> bool:
        return max(self.resident[1:]) - self.resident[0] <= ALLOWED


def train(command: Command, steps: int) -> Growth:
    """The growth of a process that trains on one thread."""
    resident: list[int] = []
    with running([*command, "1"]) as contender:
        for _ in range(PARTS):
            contender.take(steps // PARTS)
            resident.append(contender.resident())
    return Growth(resident)


def main() -> None:
    names = [model.name for model in MODELS]
    parser = argparse.ArgumentParser(prog="python -m tests.stress.training_memory")
    parser.add_argument("steps", nargs="?", type=int, default=STEPS)
    parser.add_argument("--model", default="mlp,cnn", help=", ".join(names))
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    grown = 0
    for model in MODELS:
        if model.name not in options.model.split(","):
            continue
        commands = commands_of(model)
        for name in OURS:
            growth = train(commands[name], options.steps)
            grown += not growth.is_flat
            shown = " ".join(f"{size / 1e6:.2f}" for size in growth.resident)
            verdict = "flat" if growth.is_flat else "GROWS"
            print(f"{model.name} {name}: {verdict}: {shown} MB", flush=True)
    if grown:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
