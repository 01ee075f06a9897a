"""From a Python exception to the Lisp error: what happened, where, and how it came there.

Emitted code fails with whatever Python raises.  The traceback leads through the frames of emitted
code, whose line numbers are places (`unit.py`).  The innermost one is where the error is shown; the
others are the trace, except calls in tail position, whose frames Lisp does not have.

    TypeError at place 12, a call of the local variable f, which holds 5
    =>  demo.lisp:3:5: not a procedure: 5
"""

from dataclasses import dataclass
from itertools import pairwise
from types import FrameType, TracebackType

from lambent.lang.errors import Frame, LispError
from lambent.lang.interp.blame import DepthError, message_of
from lambent.lang.interp.place import Place
from lambent.lang.interp.unit import BIND, HIDDEN, TAIL_CALL, UNITS
from lambent.lang.interp.values import drive
from lambent.lang.syntax.source import Span

_UNKNOWN = "unknown operator: "


@dataclass(frozen=True, slots=True)
class Step:
    """One frame of emitted code, or of the driver, on the way to the error."""

    place: Place
    frame: FrameType
    driver: bool


def translate(exception: BaseException) -> LispError:
    """The LispError that an exception out of emitted code means.

    Exceptions that are bugs of ours come out of here as they are.
    """
    if isinstance(exception, LispError) and exception.span:
        return exception
    steps, last_frame = _steps(exception.__traceback__)
    while steps and steps[-1].place.kind == BIND:
        # The arguments were at fault, so the error is the caller's.
        last_frame = steps.pop().frame.f_back
    if not steps:
        raise exception
    head = steps[-1]
    error = message_of(exception, head.place, head.frame, head.frame is last_frame, head.driver)
    records = [head.place]
    records += [
        step.place
        for step in reversed(steps[:-1])
        if not step.driver and step.place.kind not in (TAIL_CALL, HIDDEN)
    ]
    return _placed(error, records)


def _steps(traceback: TracebackType | None) -> tuple[list[Step], FrameType | None]:
    """The frames that count, outermost first, and the last frame of all."""
    steps: list[Step] = []
    known: dict[tuple[str, int], Place] = {}
    frame = None
    while traceback is not None:
        frame = traceback.tb_frame
        code = frame.f_code
        if code is drive.__code__:
            key, is_driver = frame.f_locals["at"], True
        else:
            key, is_driver = (code.co_filename, traceback.tb_lineno), False
        if key[0] in UNITS:
            if key not in known:
                known[key] = UNITS[key[0]].place(key[1])
            steps.append(Step(known[key], frame, is_driver))
        elif is_driver and steps and traceback.tb_next is None:
            # `apply` as a value wants this call; it stands where apply was called.
            steps[-1] = Step(steps[-1].place, frame, True)
        traceback = traceback.tb_next
    return steps, frame


def _placed(error: LispError, records: list[Place]) -> LispError:
    """Give an error its place and its trace; what lies in the library does not show."""
    shown = [record for record in records if not record.span.source.library]
    if shown:
        if isinstance(error, DepthError):
            shown = shown[:1]
        error.span = _operator_in(shown[0].span, error)
        error.hint = _with_arguments(error, shown[0])
        frames: dict[tuple[str, object], Frame] = {}
        error.trace = tuple(
            frames.setdefault((name, id(outer)), Frame(name, outer.span))
            for inner, outer in pairwise(shown)
            for name in [inner.procedure or "lambda"]
        )
    error.__traceback__ = None
    return error


def is_unknown_operator(error: LispError) -> bool:
    return error.message.startswith(_UNKNOWN)


def _operator_in(call: Span, error: LispError) -> Span:
    """The name at the head of a call of an unknown operator; all of any other call."""
    parts = call.text.removeprefix("(").split(None, 1)
    name = parts[0].rstrip(")") if call.text.startswith("(") and parts else ""
    if not name or error.message != f"{_UNKNOWN}{name}":
        return call
    return Span(call.source, call.start + 1, call.start + 1 + len(name))


def _with_arguments(error: LispError, place: Place) -> str | None:
    """The hint with {0}, {1} replaced by the source text of the arguments, if that can be had."""
    hint = error.hint
    if hint is None or "{" not in hint:
        return hint
    from lambent.lang.interp.quoting import quote_arguments

    return quote_arguments(hint, error.message, place.span)
