"""What the programs that generate beside Lambent share: the prompts, and how they answer.

The first line that they print is how long the weights took to load.  Then they answer lines:
`prompt N` is a prompt of N tokens, `decode N` a prompt of 16 and N tokens after it, one by one.
The answer is the seconds that the prompt, or the N tokens, took, and a checksum of the tokens.
"""

import sys
import time
from collections.abc import Callable
from typing import Protocol

PROMPT, CONTEXT = 16, 1024


class Model(Protocol):
    def step(self, ids: list[int], start: int) -> int:
        """The likeliest token after these ones, which begin at a position."""


def answer(load: Callable[[], Model]) -> None:
    """Load the model and answer the lines of standard input."""
    start = time.perf_counter()
    model = load()
    print(time.perf_counter() - start, flush=True)
    for line in sys.stdin:
        kind, count = line.split()
        print(*_run(model, kind, int(count)), flush=True)


def _prompt(count: int) -> list[int]:
    return [(7919 * k + 11) % 31991 for k in range(count)]


def _run(model: Model, kind: str, count: int) -> tuple[float, int]:
    start = time.perf_counter()
    if kind == "prompt":
        token = model.step(_prompt(count), 0)
        return time.perf_counter() - start, token
    token = model.step(_prompt(PROMPT), 0)
    total, start = token, time.perf_counter()
    for k in range(count):
        token = model.step([token], PROMPT + k)
        total = (total * 31 + token) % 1000003
    return time.perf_counter() - start, total
