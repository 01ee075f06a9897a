"""A comparison as a table, and as JSON.

    program              load s  cold start s  first token s  tokens/s  +-%  peak MB  output
    Lambent, executable    0.01          0.31          0.012     618.2  2.1      190  64/64 tokens
"""

import json
from typing import Any

from tests.bench.compare.judging import Judged
from tests.bench.compare.running import Task

_COLUMNS = (
    # title, figure, factor, digits after the point
    ("load s", "load_seconds", 1.0, 2),
    ("cold start s", "cold_start_seconds", 1.0, 2),
    ("first token s", "first_token_seconds", 1.0, 4),
    ("tokens/s", "tokens_per_second", 1.0, 1),
    ("variation %", "variation", 100.0, 1),
    ("peak MB", "peak_bytes", 1e-6, 0),
)


def table(rows: list[Judged], task: Task) -> str:
    """The table, with what it was measured on above it."""
    options = task.options
    head = (
        f"{options.folder}: {task.dtype}, {task.threads} threads, prompt of {len(task.prompt)} "
        f"tokens, {options.tokens} new tokens, {options.repeats} runs"
    )
    cells = [["program", *(title for title, *_ in _COLUMNS), "output"]]
    cells += [_cells(judged) for judged in rows if judged.row.figures is not None]
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    lines = [head, *(_line(row, widths) for row in cells)]
    lines += [f"{judged.row.name}: {judged.row.reason}" for judged in rows
              if judged.row.figures is None]
    return "\n".join(lines)


def _cells(judged: Judged) -> list[str]:
    figures = judged.row.figures or {}
    shown = [_shown(figures.get(name), factor, digits) for _, name, factor, digits in _COLUMNS]
    return [judged.row.name, *shown, judged.verdict]


def _shown(value: float | None, factor: float, digits: int) -> str:
    return "-" if value is None else f"{value * factor:.{digits}f}"


def _line(row: list[str], widths: list[int]) -> str:
    """Names and outputs to the left, numbers to the right."""
    first, *numbers, last = row
    middle = "  ".join(cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=False))
    return f"{first.ljust(widths[0])}  {middle}  {last}".rstrip()


def json_text(rows: list[Judged], task: Task) -> str:
    """The same as JSON, without the outputs."""
    options = task.options
    described: dict[str, Any] = {
        "folder": options.folder, "dtype": task.dtype, "threads": task.threads,
        "prompt_tokens": len(task.prompt), "new_tokens": options.tokens,
        "repeats": options.repeats, "programs": [_entry(judged) for judged in rows],
    }
    return json.dumps(described, indent=2) + "\n"


def _entry(judged: Judged) -> dict[str, Any]:
    row = judged.row
    if row.figures is None:
        return {"program": row.peer, "name": row.name, "reason": row.reason}
    kept = {name: value for name, value in row.figures.items() if name not in ("ids", "probe")}
    return {
        "program": row.peer, "name": row.name, **kept, "output": judged.verdict,
        "agrees": judged.agrees, "logit_difference": judged.difference,
    }
