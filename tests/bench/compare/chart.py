"""A comparison as an SVG chart: a group of bars for each figure, Lambent's in colour."""

from xml.sax.saxutils import escape

from tests.bench.compare.judging import Judged
from tests.bench.compare.running import Task

_GROUPS = (
    # title, figure, factor, digits after the point
    ("tokens/s after the first (more is better)", "tokens_per_second", 1.0, 1),
    ("seconds from start to first token (less is better)", "cold_start_seconds", 1.0, 2),
    ("seconds from prompt to first token (less is better)", "first_token_seconds", 1.0, 4),
    ("peak memory in MB (less is better)", "peak_bytes", 1e-6, 0),
)
_WIDTH, _LEFT, _RIGHT = 760, 180, 90  # pixels; the bars are between
_BAR, _GAP, _HEAD = 18, 6, 34
_OURS, _OTHERS = "#0b6fb8", "#8a9199"


def chart(rows: list[Judged], task: Task) -> str:
    """The text of the file."""
    measured = [judged for judged in rows if judged.row.figures is not None]
    group = _HEAD + len(measured) * (_BAR + _GAP)
    height = 50 + len(_GROUPS) * group
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
        f'viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
        _text(16, 24, f"{task.options.folder}, {task.dtype}, {task.threads} threads", 15),
    ]
    for k, (title, figure, factor, digits) in enumerate(_GROUPS):
        top = 40 + k * group
        parts.append(_text(16, top + 18, title, 13))
        parts += _bars(measured, figure, factor, digits, top + _HEAD - 8)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _bars(
    rows: list[Judged], figure: str, factor: float, digits: int, top: int
) -> list[str]:
    """A bar for each program, with its name before and its value after it."""
    values = [float((judged.row.figures or {}).get(figure) or 0.0) * factor for judged in rows]
    largest = max(values, default=0.0) or 1.0
    parts = []
    for k, (judged, value) in enumerate(zip(rows, values, strict=True)):
        y = top + k * (_BAR + _GAP)
        width = (_WIDTH - _LEFT - _RIGHT) * value / largest
        colour = _OURS if judged.row.peer in ("script", "executable") else _OTHERS
        parts += [
            _text(_LEFT - 8, y + 13, judged.row.name, 12, "end"),
            f'<rect x="{_LEFT}" y="{y}" width="{width:.1f}" height="{_BAR}" fill="{colour}"/>',
            _text(_LEFT + width + 6, y + 13, f"{value:.{digits}f}", 12),
        ]
    return parts


def _text(x: float, y: float, text: str, size: int, anchor: str = "start") -> str:
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">'
            f"{escape(text)}</text>")
