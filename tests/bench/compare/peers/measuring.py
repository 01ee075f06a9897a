"""What the scripts share: the task, a measured run, and the figures."""

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

PROBES = 64  # logits that are compared, as in stdlib/chat/model-bench.lisp


class Unavailable(Exception):  # noqa: N818 - it is not an error of the program
    """Why this program cannot run the task."""


def run(measure: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Read the task, measure, and write the figures, or why there are none."""
    task, result = Path(sys.argv[1]), Path(sys.argv[2])
    try:
        figures = measure(json.loads(task.read_text()))
    except Unavailable as reason:
        figures = {"unavailable": str(reason)}
    except ModuleNotFoundError as error:
        figures = {"unavailable": f"the package {error.name} is not installed"}
    result.write_text(json.dumps(figures))
    os._exit(0)  # some packages take seconds to clean up


def measured(
    task: dict[str, Any], load_seconds: float,
    generate: Callable[[Callable[[], None]], Sequence[int]], probe: Sequence[float],
    dtype: str,
) -> dict[str, Any]:
    """The figures.  generate: calls its argument after each token, and returns the tokens."""
    first_at, firsts, rates, ids = 0.0, [], [], list[int]()
    for k in range(task["repeats"] + 1):
        times: list[float] = []
        started = time.time()
        start = time.perf_counter()
        ids = list(generate(lambda times=times: times.append(time.perf_counter())))  # type: ignore[misc]
        if k == 0:  # not counted
            first_at = started + times[0] - start
            continue
        firsts.append(times[0] - start)
        rates.append((len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 else 0.0)
    mean = statistics.fmean(rates)
    spread = statistics.stdev(rates) if len(rates) > 1 else 0.0
    first = statistics.median(firsts)
    return {
        "dtype": dtype, "load_seconds": load_seconds, "first_token_at": first_at,
        "first_token_seconds": first,
        "prefill_tokens_per_second": len(task["prompt"]) / first,
        "tokens_per_second": statistics.median(rates),
        "variation": spread / mean if mean else 0.0, "peak_bytes": peak_bytes(), "ids": ids,
        "probe": list(probe)[:: max(1, len(probe) // PROBES)],
    }


def peak_bytes() -> int | None:
    """The most memory that the process has had."""
    try:
        text = Path("/proc/self/status").read_text()
    except OSError:
        return None
    lines = (line.split() for line in text.splitlines())
    return next((int(words[1]) * 1024 for words in lines if words[0] == "VmHWM:"), None)
