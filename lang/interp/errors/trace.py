"""From a Python exception to the Lisp error: its message, location and trace.

Emitted code fails with any Python exception.  The line numbers of its frames in the traceback are
locations (`unit.py`).  The innermost one is the error's location; the others are the trace, without
calls in tail position, since Lisp has no frames for those.

    TypeError at location 12, a call of the local variable f, which holds 5
    =>  demo.lisp:3:5: not a procedure: 5
"""

from collections.abc import Sequence
from itertools import pairwise

from lambent.lang.errors import LispError, TraceFrame
from lambent.lang.interp.emit.unit import BIND, HIDDEN, PLAIN, TAIL_CALL, UNITS
from lambent.lang.interp.errors.caught import Caught, Step, TailCalls, catch, error_of
from lambent.lang.interp.errors.faults import NoMemoryError
from lambent.lang.interp.errors.location import Location
from lambent.lang.interp.errors.messages import DepthError, message_of
from lambent.lang.interp.values.module_calls import is_module_frame
from lambent.lang.interp.values.values import Condition, String, run_trampoline
from lambent.lang.syntax.source import Source, Span

_UNKNOWN = "unknown operator: "
_NOWHERE = Location(Span(Source("", ""), 0, 0), None, PLAIN, None)


def translate(exception: BaseException) -> LispError:
    """The LispError that an exception from emitted code means.

    Exceptions that are bugs of Lambent are raised again.
    """
    if isinstance(exception, LispError) and exception.span:
        return exception
    caught = catch(exception)
    error = error_of(caught) or _of_payload(caught)
    if error.span:
        return error
    error.module = caught.path.text if caught.path else None
    return _with_location(error, _shown(caught.trail))


def _of_payload(caught: Caught) -> LispError:
    """The error for a raised value that was not caught."""
    assert caught.exception is None, caught.exception
    from lambent.lang.interp.io.printing import condition_text, written

    payload = caught.payload
    if payload.__class__ is not Condition:
        return LispError(f"uncaught raise: {written(payload)}")
    hint = payload.hint.text if payload.hint.__class__ is String else None
    return LispError(condition_text(payload), hint=hint)


def condition_of(caught: Caught) -> Condition:
    """The error object of a built-in error that the program has caught."""
    from lambent.lang.interp.values.values import FALSE, NIL

    error = error_of(caught)
    assert error is not None, caught
    hint = error.hint
    if hint is not None and "{" in hint:
        hint = _with_arguments(error, _shown(caught.trail))
    hint_value = FALSE if hint is None else String(hint)
    return Condition(String(error.message), NIL, hint_value, error.category)


# The meaning of an exception that Python raised.


def meaning(exception: BaseException) -> LispError:
    """The error without its location."""
    traceback = exception.__traceback__
    key, head, in_trampoline, innermost = None, None, False, False
    while traceback is not None:
        frame, inner = traceback.tb_frame, traceback.tb_next
        while inner is not None and is_module_frame(inner.tb_frame):
            inner = inner.tb_next
        is_trampoline = frame.f_code is run_trampoline.__code__
        at = frame.f_locals["at"] if is_trampoline else (
            frame.f_code.co_filename, traceback.tb_lineno
        )
        innermost = inner is None and (is_trampoline or at[0] in UNITS)
        if at[0] in UNITS:
            key, head, in_trampoline = at, frame, is_trampoline
        elif is_trampoline and innermost:
            # `apply` as a value asked for this call; its location is the call of `apply`.
            head, in_trampoline = frame, True
        traceback = inner
    location = UNITS[key[0]].location(key[1]) if key else _NOWHERE
    return message_of(exception, location, head, innermost, in_trampoline)


# The location and the trace.


def _shown(trail: Sequence[Step]) -> list[Location]:
    """The locations that the trace shows, innermost first."""
    locations: dict[Step, Location] = {}
    shown: list[Location] = []
    is_first = True
    for step in trail:
        if step not in locations:
            locations[step] = step[0].location(step[1])
        location, tails = locations[step], step[2]
        if is_first and location.kind == BIND:
            continue  # the arguments were wrong, so the error is the caller's
        in_tail = tails is TailCalls.ONLY or (
            tails is TailCalls.HIDDEN and location.kind == TAIL_CALL)
        hidden = not is_first and (in_tail or location.kind == HIDDEN)
        is_first = False
        if not (hidden or location.span.source.library):
            shown.append(location)
    return shown


def _with_location(error: LispError, shown: Sequence[Location]) -> LispError:
    """The error with its location and its trace."""
    error.hint = _with_arguments(error, shown)
    if shown and not isinstance(error, NoMemoryError):
        if isinstance(error, DepthError):
            shown = shown[:1]
        error.span = _operator_in(shown[0].span, error)
        frames: dict[tuple[str, object], TraceFrame] = {}
        error.trace = tuple(
            frames.setdefault((name, id(outer)), TraceFrame(name, outer.span))
            for inner, outer in pairwise(shown)
            for name in [inner.procedure or "lambda"]
        )
    error.__traceback__ = None
    return error


def _operator_in(call: Span, error: LispError) -> Span:
    """The operator's name in a call of an unknown operator; any other call as it is."""
    words = call.text.removeprefix("(").split(None, 1)
    name = words[0].rstrip(")") if call.text.startswith("(") and words else ""
    if not name or error.message != f"{_UNKNOWN}{name}":
        return call
    return Span(call.source, call.start + 1, call.start + 1 + len(name), call.within)


def _with_arguments(error: LispError, shown: Sequence[Location]) -> str | None:
    """The hint with {0}, {1} replaced by the text of the arguments; None without the text."""
    hint = error.hint
    if hint is None or "{" not in hint:
        return hint
    from lambent.lang.interp.errors.quoting import quote_arguments

    return quote_arguments(hint, error.message, shown[0].span if shown else None)
