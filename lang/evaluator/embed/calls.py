"""Calls of the evaluator in Python's process, and what it calls in return.

    run_in(session, lambda: in_lisp(machine().lib.rt_guest_run, code, size, False, failure))

The library calls functions here for code, for Python's functions, for output, and where a slice of
a job is over.  None of them may raise: what goes wrong becomes a failure of Lisp's.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from lambent.lang.errors import LispError, of_run
from lambent.lang.evaluator.code_server import (
    DRAW,
    DROP,
    INTERRUPTED_ANSWER,
    NOTES,
    Question,
    drawn,
    failure_message,
)
from lambent.lang.evaluator.embed.library import (
    RUNNING,
    Held,
    Machine,
    decoded,
    free_dropped,
    machine,
    number_of,
    object_of_number,
)
from lambent.lang.evaluator.embed.values import elements, from_word, keyword_name, to_word
from lambent.lang.interp.embed.executor import EXECUTOR
from lambent.lang.interp.embed.python_functions import described, name_of, split_arguments
from lambent.lang.interp.embed.to_python import EmbeddedError
from lambent.lang.interp.interrupts.delivery import LISP_IN_C, LispInC
from lambent.lang.interp.interrupts.masking import catching, frame_masked, interrupts_masked

if TYPE_CHECKING:
    from lambent.lang.evaluator.embed.session import Session

# The kinds of failures: as in runtime/rt_internal.h.
_MISTAKE, _ESCAPE, _LEAVING, _INTERRUPTED = range(1, 5)

_leaving: list[BaseException] = []  # what ends the jobs that run: Python's exception, if it is one
_thread = threading.local()
_callbacks: list[Any] = []  # which cffi does not keep alive
_is_forking: list[bool] = []
_PATIENCE = 1.0  # seconds for Lisp to come to a poll
_MOMENT = 0.001


class EscapeError(BaseException):
    """An escape to a continuation passes through Python.  caught: the escape."""

    def __init__(self, caught: Held) -> None:
        super().__init__()
        self.caught = caught


@cache
def started() -> Machine:
    """The library, which has started."""
    lib, ffi = found = machine()
    host = ffi.new("struct rt_guest_host *")
    _callbacks.append(host)
    for name, kind, function in (
        ("answer", "void(char *, size_t)", _answer),
        ("call", "rt_value(uint64_t, rt_value)", _call),
        ("write", "void(int, char *, size_t)", _write),
        ("pause", "int(void)", _pause),
    ):
        callback = ffi.callback(kind, function)
        _callbacks.append(callback)
        setattr(host, name, callback)
    lib.rt_guest_start(host)
    LISP_IN_C.append(LispInC(
        in_lisp.__code__, lib.rt_guest_interrupt, lib.rt_guest_ask_for_pause
    ))  # fmt: skip
    os.register_at_fork(
        before=_stop_for_fork, after_in_parent=_is_forking.clear, after_in_child=_forked
    )
    return found


def _stop_for_fork() -> None:
    """Let Lisp that runs in another thread come to its next poll: a child copies what it is at."""
    _is_forking.append(True)
    patience = time.monotonic() + _PATIENCE
    while _is_lisp_in_c() and time.monotonic() < patience:
        machine().lib.rt_guest_ask_for_pause()
        time.sleep(_MOMENT)


def _is_lisp_in_c() -> bool:
    here = threading.get_ident()
    return any(
        frame.f_code is in_lisp.__code__
        for thread, frame in sys._current_frames().items()
        if thread != here
    )


def _forked() -> None:
    RUNNING.clear()
    _leaving.clear()
    _is_forking.clear()
    machine().lib.rt_guest_forked()


# Jobs.


@frame_masked
def in_lisp(function: Any, *arguments: Any) -> int:
    """The result of a function of the library that runs Lisp; its failure is its last argument."""
    word: int = function(*arguments)
    return word


def run_in(session: "Session", job: Callable[[], Any]) -> Any:
    """What a job returns that runs Lisp of a session, on a thread of the executor."""

    @frame_masked
    def inside() -> Any:
        begin(session)
        try:
            return job()
        finally:
            end()

    return EXECUTOR.run(inside)


@interrupts_masked
def begin(session: "Session") -> None:
    lib = started().lib
    if not RUNNING:
        _leaving.clear()
        lib.rt_guest_begin()
    free_dropped()
    RUNNING.append(session)
    _enter(session)
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        _direct_output(number, stream)


def _enter(session: "Session") -> None:
    lib = machine().lib
    stack = getattr(_thread, "stack", None)
    if stack is None:
        stack = _thread.stack = lib.rt_guest_stack()
    lib.rt_guest_enter(stack, session.pointer)


@interrupts_masked
def end() -> None:
    lib = machine().lib
    lib.rt_guest_flush()
    RUNNING.pop()
    free_dropped()
    if RUNNING:
        _enter(RUNNING[-1])  # a finalizer has run this; after a callback the library does it itself
    else:
        lib.rt_guest_end()


def _direct_output(number: int, stream: Any) -> None:
    """Lisp writes to the process's own files, unless the program has replaced Python's streams."""
    own: Any = sys.__stdout__ if number == 1 else sys.__stderr__
    try:
        is_own = own is not None and stream is own and own.fileno() == number
        if is_own:
            stream.flush()
    except (OSError, ValueError):
        is_own = False
    machine().lib.rt_guest_capture(number, not is_own)


@interrupts_masked
def failed(failure: Any) -> BaseException:
    """The exception for a failure of the library's, which is freed."""
    lib, ffi = machine()
    caught, payload = Held.of(failure.caught), failure.payload
    held = Held.of(payload) if payload else None
    try:
        if failure.kind == _INTERRUPTED:
            return _leaving.pop() if _leaving else KeyboardInterrupt()
        if failure.kind == _LEAVING:
            return _leaving.pop() if _leaving else SystemExit(failure.status)
        if failure.kind == _ESCAPE:
            return EscapeError(caught)
        location = None
        if failure.file != ffi.NULL:
            file = ffi.string(failure.file).decode("utf-8", "surrogateescape")
            location = file, failure.line, failure.column
        error = EmbeddedError.of_parts(
            decoded(ffi, failure.text, failure.text_size),
            decoded(ffi, failure.message, failure.message_size),
            decoded(ffi, failure.hint, failure.hint_size) if failure.hint != ffi.NULL else None,
            location,
            from_word(held.word) if held is not None else None,
        )
        error.caught = caught
        if failure.cause:
            error.__cause__ = object_of_number(failure.cause)
        return error
    finally:
        lib.rt_guest_free_failure(ffi.addressof(failure))


# What the library calls.


@catching
def _call(number: int, arguments: int) -> int:
    """The result of a Python function for a list of arguments, which stays the library's."""
    try:
        return _called(object_of_number(number), arguments)
    except BaseException as failure:
        return _note(failure)


@frame_masked
def _called(function: Callable[..., Any], arguments: int) -> int:
    name = name_of(function)
    try:
        words = elements(arguments)
        keywords = [keyword_name(word) for word in words]
        positional, named = split_arguments(name, words, keywords, from_word)
        del words, keywords
        suspended = EXECUTOR.suspend_current()
        try:
            value = function(*positional, **named)
        finally:
            if suspended is not None:
                EXECUTOR.resume(suspended)
        return to_word(value)
    except (LispError, EmbeddedError):
        raise
    except Exception as error:
        raise _PythonError(described(name, error), error) from None


class _PythonError(Exception):
    """A function has failed: the message, and its exception."""

    def __init__(self, message: str, error: Exception) -> None:
        super().__init__(message)
        self.error = error


@interrupts_masked
def _note(failure: BaseException) -> int:
    """Let the library fail when the callback has returned."""
    lib, ffi = machine()
    match failure:
        case _PythonError(error=error):
            return _note_message(str(failure), None, number_of(error))
        case EmbeddedError(caught=Held() as caught) | EscapeError(caught=caught):
            words = ffi.new("rt_value *", caught.word)
            lib.rt_guest_rethrow(words)
            caught.replace(words[0])
            return 0
        case EmbeddedError(message=message, hint=hint) | LispError(message=message, hint=hint):
            return _note_message(message, hint, 0)
        case KeyboardInterrupt():
            lib.rt_guest_stop()
            return 0
        case SystemExit(code=code):
            _leaving[:] = [failure]
            status = code if isinstance(code, int) else 0 if code is None else 1
            lib.rt_guest_leave(status)
            return 0
    _leaving[:] = [failure]
    lib.rt_guest_leave(1)
    return 0


def _note_message(message: str, hint: str | None, cause: int) -> int:
    lib, ffi = machine()
    data = message.encode("utf-8", "surrogateescape")
    advice = hint.encode("utf-8", "surrogateescape") if hint is not None else ffi.NULL
    lib.rt_guest_fail(data, len(data), advice, 0 if hint is None else len(advice), cause)
    return 0


@catching
def _answer(data: Any, size: int) -> None:
    """Answer a question for code, or take note of what needs no answer."""
    lib, ffi = machine()
    message = bytes(ffi.buffer(data, size))
    question = Question(message)
    kind = question.number()
    if kind in NOTES:
        _take_note(message)
        return
    try:
        answer = _made(kind, question)
    except LispError as error:
        answer = failure_message(of_run(error))
    except KeyboardInterrupt:
        answer = INTERRUPTED_ANSWER
    except Exception as error:
        answer = failure_message(LispError(described("the analysis has failed", error)))
    lib.rt_guest_answer(answer, len(answer))


@interrupts_masked
def _take_note(message: bytes) -> None:
    """Of the end of code, of the session that runs; or of an environment, which may be of any."""
    from lambent.lang.evaluator.embed.session import SESSIONS

    kind = Question(message).number()
    for session in list(SESSIONS) if kind == DROP else RUNNING[-1:]:
        question = Question(message)
        question.number()
        session.maker.note(kind, question)


def _made(kind: int, question: Question) -> bytes:
    return drawn(question) if kind == DRAW else RUNNING[-1].maker.answer(kind, question)


@interrupts_masked
def _write(number: int, data: Any, size: int) -> None:
    stream = sys.stdout if number == 1 else sys.stderr
    text = bytes(machine().ffi.buffer(data, size)).decode("utf-8", "replace")
    with suppress(Exception):  # as where the reader of a pipe has ended
        if stream is not None:
            stream.write(text)


@interrupts_masked
def _pause() -> int:
    """The next poll of the library's after a reminder: whether to end what runs."""
    while _is_forking:
        time.sleep(_MOMENT)
    return int(EXECUTOR.pause_in_c())
