"""Plots in PNG and PDF files, through matplotlib.

It is imported when the first one is drawn, because that takes a second; Python's torch is not.
"""

from collections.abc import Sequence
from typing import Any

from lambent.lang.interp.builtins.arguments import text_of
from lambent.lang.interp.errors.faults import fail_file
from lambent.lang.interp.io.printing import written
from lambent.lang.interp.values.values import FALSE, TRUE, Lisp, String, items_of

_DOTS_PER_INCH = 100
# As in stdlib/train/plot-svg.lisp.
_COLOURS = ("#0b6fb8", "#d9632a", "#2a9155", "#b23a48", "#7a55b0", "#8a6d3b", "#c45ca2", "#5f6b73")


def draw_plot(path: Lisp, figure: Lisp) -> Lisp:
    """Write a figure of `stdlib/train/plot.lisp`; a string says why it cannot be drawn."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return String("this file needs Python's package matplotlib, which is not installed")
    kind, title, x_label, y_label, log_y, x_range, y_range, width, height, series = (
        items_of(figure) or []
    )
    drawing = Figure(figsize=(width / _DOTS_PER_INCH, height / _DOTS_PER_INCH),
                     dpi=_DOTS_PER_INCH, layout="constrained")  # fmt: skip
    axes = drawing.add_subplot()
    for number, one in enumerate(items_of(series) or []):
        name, xs, ys = one.items
        colour = _COLOURS[number % len(_COLOURS)]
        _draw(axes, kind.text, name, xs, ys, colour, log_y is not FALSE)
    axes.set_xlim(x_range.car, x_range.cdr)
    low, high = y_range.car, y_range.cdr
    if log_y is not FALSE:
        axes.set_yscale("log")
        low, high = 10**low, 10**high
    axes.set_ylim(low, high)
    for label, setter in (
        (title, axes.set_title), (x_label, axes.set_xlabel), (y_label, axes.set_ylabel),
    ):
        if label is not FALSE:
            setter(_plain(label))
    if any(one.items[0].text for one in items_of(series) or []):
        axes.legend()
    try:
        drawing.savefig(text_of("plot", path))
    except OSError as error:
        fail_file("plot", "write", written(path), error)
    return TRUE


def draw_written(path: str, figure: str) -> str | None:
    """The same for a figure that is written as a datum; the string, or None."""
    from lambent.lang.interp.io.data_reader import read_text

    result = draw_plot(String(path), read_text(figure))
    return None if result is TRUE else str(result.text)


def _draw(
    axes: Any, kind: str, name: Lisp, xs: Lisp, ys: Lisp, colour: str, log_y: bool
) -> None:
    across, up = _floats(xs), _floats(ys)
    label = _plain(name) or None
    match kind:
        case "histogram":
            axes.stairs(up, across, fill=True, alpha=0.6, color=colour, label=label)
        case "scatter":
            axes.scatter(across, _shown(up, log_y), s=9, color=colour, label=label)
        case _:
            axes.plot(across, _shown(up, log_y), color=colour, label=label)


def _shown(ys: list[float], log_y: bool) -> list[float]:
    """Lisp has taken the logarithms; matplotlib's axis takes them again."""
    return [10**y for y in ys] if log_y else ys


def _floats(vector: Lisp) -> list[float]:
    items: Sequence[Lisp] = vector.items
    return [float(item) for item in items]


def _plain(text: Lisp) -> str:
    """A text in which matplotlib sees no formulas."""
    return text_of("plot", text).replace("$", r"\$")
