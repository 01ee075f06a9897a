"""Whether rows may be compared: the same precision, and the same outputs.

    judged([script, torch])
        =>  [Judged(script, "reference"), Judged(torch, "64/64 tokens, logits within 0.002 %")]

The logits after the prompt must be close.  The tokens need not be equal to the last one: where two
logits are nearly equal, rounding decides, and the texts differ from there on.
"""

from dataclasses import dataclass

from tests.bench.compare.running import Row, Task

# The largest difference of logits, as a share of the largest logit.
TOLERANCES = {"float32": 1e-3, "float16": 2e-2, "bfloat16": 1e-1}
_REFERENCES = ("transformers", "torch", "script", "executable", "torch-compiled", "llama.cpp")


@dataclass(frozen=True, slots=True)
class Judged:
    """A row, and what its outputs are; agrees is None if it cannot be compared."""

    row: Row
    verdict: str
    agrees: bool | None
    difference: float = 0.0


def judged(rows: list[Row], task: Task) -> list[Judged]:
    """The rows with their verdicts; a row of another precision loses its figures."""
    equal = [_of_precision(row, task) for row in rows]
    reference = next((row for peer in _REFERENCES for row in equal
                      if row.peer == peer and row.figures is not None), None)
    return [_judge(row, reference, task) for row in equal]


def _of_precision(row: Row, task: Task) -> Row:
    if row.figures is None or row.figures["dtype"] == task.dtype:
        return row
    return Row(row.peer, reason=f"refused: it runs {row.figures['dtype']}, not {task.dtype}")


def _judge(row: Row, reference: Row | None, task: Task) -> Judged:
    if row.figures is None or reference is None or reference.figures is None:
        return Judged(row, row.reason, None)
    if row is reference:
        return Judged(row, "reference", True)
    ids, wanted = row.figures["ids"], reference.figures["ids"]
    same = next((k for k, (a, b) in enumerate(zip(ids, wanted, strict=False)) if a != b),
                min(len(ids), len(wanted)))
    difference = _difference(row.figures["probe"], reference.figures["probe"])
    agrees = difference <= TOLERANCES[task.dtype]
    share = f"{100 * difference:.2g} %"
    verdict = f"{same}/{len(wanted)} tokens, logits within {share}" if agrees else (
        f"logits differ by {share}"
    )
    return Judged(row, verdict, agrees, difference)


def _difference(probe: list[float], wanted: list[float]) -> float:
    """The largest difference, as a share of the largest logit; infinite if the sizes differ."""
    if len(probe) != len(wanted):
        return float("inf")
    largest = max(map(abs, wanted)) or 1.0
    differences = [abs(a - b) / largest for a, b in zip(probe, wanted, strict=True)]
    return max((d if d == d else float("inf") for d in differences), default=0.0)
