"""Errors and control: raising, catching, escapes, parameters."""

import sys
from _thread import get_ident
from types import CellType, FunctionType
from typing import TYPE_CHECKING, NoReturn

from lambent.lang.errors import LispError
from lambent.lang.interp.errors.caught import Caught, catch
from lambent.lang.interp.errors.caught import rethrow as exception_of
from lambent.lang.interp.errors.faults import RESERVE, Escape, RaisedError, wrong_type
from lambent.lang.interp.interrupts.masking import DEFERRAL, catching
from lambent.lang.interp.values.values import (
    ABSENT,
    FALSE,
    TAIL,
    TRUE,
    UNSPECIFIED,
    Boolean,
    Condition,
    Lisp,
    Procedure,
    String,
    Values,
    boolean,
    list_of,
    run_trampoline,
)

if TYPE_CHECKING:
    from lambent.lang.interp.interrupts.ctrl_c import CtrlC

# Raising.


def error(message: Lisp, *irritants: Lisp) -> NoReturn:
    raise RaisedError(Condition(message, list_of(irritants), FALSE, ""))


def raise_(payload: Lisp) -> NoReturn:
    raise RaisedError(payload)


def wrong_type_(who: Lisp, noun: Lisp, x: Lisp) -> NoReturn:
    for text in (who, noun):
        if text.__class__ is not String:
            wrong_type("wrong-type", "a string", text)
    wrong_type(who.text, noun.text, x)


# Error objects.


def is_condition(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Condition)


def error_message(x: Lisp) -> Lisp:
    if x.__class__ is not Condition:
        wrong_type("error-object-message", "an error object", x)
    return x.message


def error_irritants(x: Lisp) -> Lisp:
    if x.__class__ is not Condition:
        wrong_type("error-object-irritants", "an error object", x)
    return x.irritants


def error_hint(x: Lisp) -> Lisp:
    if x.__class__ is not Condition:
        wrong_type("error-object-hint", "an error object", x)
    return x.hint


def is_file_error(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Condition and x.category == "file")


def is_read_error(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Condition and x.category == "read")


# Catching.


# From Python 3.13 on, an interrupt may arrive one step later than `delivery.py` requests it.  It
# must not arrive after the thunk.
_LATE = sys.version_info >= (3, 13)


@catching
def try_(thunk: Lisp) -> Lisp:
    try:
        result = thunk()
        if result is TAIL:
            result = run_trampoline()
        if _LATE:
            get_ident()  # any call of a C function, after which CPython looks for exceptions
        return result
    except MemoryError as failure:
        RESERVE.clear()
        return catch(failure)
    except BaseException as failure:  # any failure in Lisp; `catch` raises bugs again
        return catch(failure)


def or_failure(result: Lisp) -> Lisp:
    """In scripts every result is a value: `try_` returns failures as objects."""
    return result


def defer_interrupts() -> Lisp:
    DEFERRAL.depth += 1
    return UNSPECIFIED


def allow_interrupts() -> Lisp:
    DEFERRAL.depth -= 1
    return UNSPECIFIED


def is_caught(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Caught)


def caught_is_error(caught: Caught) -> Boolean:
    return boolean(caught.exception is None)


def forget_interrupt(caught: Caught) -> Boolean:
    """In a Python program, Ctrl-C is the program's: `executor.py`."""
    if not isinstance(caught.exception, KeyboardInterrupt) or not (watching := _watching()):
        return FALSE
    watching[-1].forget()
    return TRUE


def _watching() -> "list[CtrlC]":
    ctrl_c = sys.modules.get("lambent.lang.interp.interrupts.ctrl_c")
    return ctrl_c.WATCHING if ctrl_c else []


def caught_is_signalled(caught: Caught) -> Boolean:
    return boolean(caught.signalled)


def caught_signal(caught: Caught, signalled: Lisp) -> Lisp:
    caught.signalled = signalled is TRUE
    return UNSPECIFIED


def caught_payload(caught: Caught) -> Lisp:
    failure = caught.exception
    if failure is not None and isinstance(failure, Escape):
        return failure.results
    if caught.payload is None:
        from lambent.lang.interp.errors.trace import condition_of

        caught.payload = condition_of(caught)
    return caught.payload


def caught_replace(
    caught: Caught, message: Lisp, irritants: Lisp, hint: Lisp, alike: Boolean
) -> Lisp:
    old = caught_payload(caught)
    category = old.category if alike is TRUE and isinstance(old, Condition) else ""
    caught.error = None
    caught.payload = Condition(message, irritants, hint, category)
    caught.signalled = False
    return UNSPECIFIED


def rethrow(caught: Caught) -> NoReturn:
    raise exception_of(caught)


# Continuations.


def new_continuation() -> Lisp:
    return continuation_of([TRUE])


def continuation_of(state: list[Lisp]) -> Lisp:
    """state: one element, whether the continuation may be called."""

    def continuation(*results: Lisp) -> Lisp:
        if state[0] is FALSE:
            raise LispError(
                "continuation: its call/cc has returned already, and it can only escape from there"
            )
        raise Escape(state, results[0] if len(results) == 1 else Values(results))

    return continuation


CONTINUATION = new_continuation().__code__  # the code of all continuations


def end_continuation(continuation: Lisp) -> Lisp:
    _state_in(continuation)[0] = FALSE
    return UNSPECIFIED


def try_escape(continuation: Lisp, thunk: Lisp) -> Lisp:
    result = try_(thunk)
    if result.__class__ is Caught:
        if caught_is_escape(result, continuation) is FALSE:
            return result
        result = caught_payload(result)
    end_continuation(continuation)
    return result


def or_escape(continuation: Lisp, result: Lisp) -> Lisp:
    end_continuation(continuation)
    return result


def caught_is_escape(caught: Caught, continuation: Lisp) -> Boolean:
    failure = caught.exception
    return boolean(isinstance(failure, Escape) and failure.target is _state_in(continuation))


def _state_in(procedure: Lisp) -> list[Lisp]:
    """The one variable that a procedure captures, a list."""
    return procedure.__closure__[0].cell_contents  # type: ignore[no-any-return]


# Parameters.


def new_parameter(value: Lisp, converter: Lisp, set_: Lisp) -> Lisp:
    """set_: the procedure of the library that a call with an argument is passed on to."""
    state = [value, converter, set_]

    def parameter(value: Lisp = ABSENT) -> Lisp:
        return state[0] if value is ABSENT else _set_parameter(state, value)

    return parameter


def _set_parameter(state: list[Lisp], value: Lisp) -> Lisp:
    # The parameter is made again, because one that held itself would be a cycle.
    return state[2](_parameter_of(state), value)


def _parameter_of(state: list[Lisp]) -> Lisp:
    return FunctionType(PARAMETER, globals(), None, (ABSENT,), (CellType(state),))


PARAMETER = new_parameter(FALSE, FALSE, FALSE).__code__  # the code of all parameters


def state_of(parameter: Lisp) -> list[Lisp]:
    """The value and the converter of a parameter."""
    if parameter.__class__ is not Procedure or parameter.__code__ is not PARAMETER:
        wrong_type("parameterize", "a parameter", parameter)
    return _state_in(parameter)


def parameter_converter(parameter: Lisp) -> Lisp:
    return state_of(parameter)[1]


def parameter_swap(parameter: Lisp, value: Lisp) -> Lisp:
    state = state_of(parameter)
    old, state[0] = state[0], value
    return old
