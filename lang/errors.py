"""The user's mistakes, and how they are shown.

A mistake in a user's program is a `LispError`; a mistake in Lambent itself is an assertion.
`render` returns the text, which is the same in REPL, scripts and executables (for these, in
`runtime/errors/error.c`):

    net.lisp:5:3: tensor-matmul: inner sizes differ: (2 3) times (2 3)
      5 |   (tensor-matmul a b)
        |   ^^^^^^^^^^^^^^^^^^^
    hint: (tensor-transpose b 0 1) has shape (3 2)
      in layer, called at net.lisp:9:12
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lambent.lang.syntax.source import Span

# Exit statuses, after BSD's sysexits.
EXIT_USAGE = 64  # bad usage of the command
EXIT_SYNTAX = 65  # source that cannot be read or expanded
EXIT_NO_INPUT = 66  # a source file that cannot be opened
EXIT_RUNTIME = 70  # an uncaught error at run time
EXIT_INTERRUPT = 130  # Ctrl-C

# How traces are kept short, as in runtime/errors/error.c.
_LONGEST_GROUP = 32  # lines that repeat together
_FIRST_LINES, _LAST_LINES = 20, 5  # of a trace that is too long
# How long lines are cut, as in runtime/errors/excerpt.c.
_LONGEST_LINE = 120  # characters of an excerpt
_CONTEXT = 40  # characters before the span, where the line is cut there
_CUT = "..."


class TraceFrame:
    """One line of a trace: a running procedure, and the location of its call.

    A plain class, because every start imports this module and `dataclasses` takes long to load.
    """

    __slots__ = ("called_at", "name")

    def __init__(self, name: str, called_at: "Span") -> None:
        self.name = name
        self.called_at = called_at


class LispError(Exception):
    """A mistake of the user: what happened, where, and how to fix it, if that is known.

    trace has the innermost call first; calls in tail position leave no frame.  module: the path and
    type of the model's module in which it happened.
    """

    status = EXIT_RUNTIME
    category = ""  # "file" or "read" for errors that file-error? or read-error? recognizes

    def __init__(
        self,
        message: str,
        span: "Span | None" = None,
        hint: str | None = None,
        trace: Sequence[TraceFrame] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.hint = hint
        self.trace: tuple[TraceFrame, ...] = tuple(trace)
        self.module: str | None = None


class FileFault(LispError):
    """A file that the program cannot open, read or write."""

    category = "file"


def of_run(error: LispError) -> LispError:
    """An error in text that a program evaluates, as one of that program."""
    if error.status == LispError.status:
        return error
    fault = FileFault if error.category == "file" else LispError
    return fault(error.message, error.span, error.hint, error.trace)


class ReadFault(LispError):
    """Text that `read` cannot parse."""

    category = "read"


class SyntaxFault(LispError):
    """Source that cannot be read or expanded."""

    status = EXIT_SYNTAX


class IncompleteInput(SyntaxFault):
    """Source that ends inside an open bracket or string: a REPL asks for another line."""


class MissingInput(LispError):
    """A source file that cannot be opened."""

    status = EXIT_NO_INPUT


class UsageFault(LispError):
    """A wrong command line, or a missing tool that the command needs."""

    status = EXIT_USAGE


def render(error: LispError) -> str:
    """The text of an error, without a final line end."""
    lines = [f"{error.span.location}: {error.message}" if error.span else error.message]
    if error.span:
        lines += excerpt(error.span)
    if error.hint:
        lines.append(f"hint: {error.hint}")
    if error.span:
        lines += expansion_lines(error.span.macros)
    if error.module:
        lines.append(f"  in module {error.module}")
    return "\n".join(lines + _trace_lines(error.trace))


def expansion_lines(macros: Sequence[str]) -> list[str]:
    """The lines about an error in the expansion of macros; the innermost comes first."""
    return _folded([f"  in the expansion of {macro}" for macro in macros])


def excerpt(span: "Span") -> list[str]:
    """The line of an error, with carets under the characters of the span.

    Of a long line it has the characters around the beginning of the span, however many errors the
    line has: a line of 20,000 mistakes is not printed 20,000 times.
    """
    source, number = span.source, str(span.line)
    index = source.line_index(span.start)
    line, line_end = source.line_starts[index], source.line_end(index)
    start, end = _window(span.start - line, span.width, line_end - line)
    shown = source.text[line + start : line + end]
    if start > 0:
        shown = _CUT + shown[len(_CUT) :]
    width = span.width
    if line + end < line_end:
        shown = shown[: -len(_CUT)] + _CUT
        width = min(width, line + end - len(_CUT) - span.start)
    padding = "".join("\t" if char == "\t" else " " for char in shown[: span.column - 1 - start])
    return [f"  {number} | {shown}", f"  {' ' * len(number)} | {padding}{'^' * width}"]


def _window(at: int, width: int, length: int) -> tuple[int, int]:
    """Which characters of a line are shown, if the span has `width` of them, from `at` on."""
    if length <= _LONGEST_LINE:
        return 0, length
    if at + min(width, _LONGEST_LINE - _CONTEXT) + len(_CUT) <= _LONGEST_LINE:
        return 0, _LONGEST_LINE
    start = max(0, min(at - _CONTEXT, length - _LONGEST_LINE))
    return start, start + _LONGEST_LINE


def _trace_lines(trace: Sequence[TraceFrame]) -> list[str]:
    """One line a frame."""
    return _folded([f"  in {f.name}, called at {f.called_at.location}" for f in trace])


def _folded(texts: Sequence[str]) -> list[str]:
    """The lines, shortened: repeated groups are printed once, with a count.

    If there are still too many lines, those in the middle are left out.
    """
    lines: list[str] = []
    at = 0
    while at < len(texts):
        period = _period(texts, at)
        times = _times(texts, at, period)
        lines += texts[at : at + period]
        if times > 1:
            what = "" if period == 1 else f"these {period} lines "
            lines.append(f"  ... {what}repeated {times - 1} more time{'s' if times > 2 else ''}")
        at += period * times
    if len(lines) <= _FIRST_LINES + _LAST_LINES + 1:
        return lines
    last = len(lines) - _LAST_LINES
    while lines[last].startswith("  ..."):  # its repeated lines would be left out
        last += 1
    return [
        *lines[:_FIRST_LINES],
        f"  ... {last - _FIRST_LINES} lines are left out",
        *lines[last:],
    ]


def _period(texts: Sequence[str], at: int) -> int:
    """The length of the shortest group of lines that repeats from here on; 1 if none does."""
    longest = min(_LONGEST_GROUP, (len(texts) - at) // 2)
    for period in range(1, longest + 1):
        if texts[at] == texts[at + period] and _times(texts, at, period) > 1:
            return period
    return 1


def _times(texts: Sequence[str], at: int, period: int) -> int:
    """How many times in a row the group of lines occurs here."""
    end = at + period
    while end < len(texts) and texts[end] == texts[end - period]:
        end += 1
    return (end - at) // period
