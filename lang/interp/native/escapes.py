"""dynamic-wind and call/cc in Python, for calls that nothing unusual leaves.

    (dynamic-wind before thunk after), where thunk fails
    =>  the definition in Lisp, with a thunk that raises the failure again, and without before

The functions have the name and the location of the definitions in Lisp, and all of their code has
that one location: so they look like them in errors, and Ctrl-C does not interrupt them either.  The
definitions also report the calls of what is not a procedure, or of a procedure that takes other
arguments: such a call has done nothing yet, so it can be made twice.
"""

import sys
from _thread import get_ident
from collections.abc import Callable
from types import CodeType
from typing import Any, NoReturn

from lambent.lang.interp.builtins.control import continuation_of
from lambent.lang.interp.errors.caught import Caught, catch, rethrow
from lambent.lang.interp.errors.faults import RESERVE, Escape
from lambent.lang.interp.interrupts.masking import DEFERRAL
from lambent.lang.interp.library import MASKED_KEY
from lambent.lang.interp.values.module_calls import is_module_frame
from lambent.lang.interp.values.values import (
    FALSE,
    TAIL,
    TRUE,
    UNSPECIFIED,
    Lisp,
    run_trampoline,
)

_LATE = sys.version_info >= (3, 13)  # as in builtins/control.py
_UNITS_OF_ENTRY = 8  # instructions that one entry of a table of locations covers


def escaping(name: str, lisp: Any) -> Any:
    """The function to call instead of a definition in Lisp."""
    made: Any = _winding(lisp) if name == "dynamic-wind" else _with_continuation(lisp)
    made.__code__ = _at_one_location(made.__code__, lisp.__code__)
    return made


def _at_one_location(code: CodeType, lisp: CodeType) -> CodeType:
    """The code with the name and the location of other code; each instruction is in its line."""
    units = len(code.co_code) // 2
    lengths = [min(_UNITS_OF_ENTRY, units - k) for k in range(0, units, _UNITS_OF_ENTRY)]
    # PEP 626's format since Python 3.11: 13 is an entry without columns, then the line's change.
    table = b"".join(bytes((0x80 | 13 << 3 | length - 1, 0)) for length in lengths)
    return code.replace(
        co_filename=MASKED_KEY, co_firstlineno=lisp.co_firstlineno, co_name=lisp.co_name,
        co_linetable=table,
    )


def _winding(lisp: Callable[..., Lisp]) -> Callable[..., Lisp]:
    def dynamic_wind(before: Any, thunk: Any, after: Any, /) -> Lisp:
        try:
            if before() is TAIL:
                run_trampoline()
        except TypeError as failure:
            if not _is_bad_call(failure):
                raise
            again = before, thunk
        else:
            try:
                result = thunk()
                if result is TAIL:
                    result = run_trampoline()
                if _LATE:
                    get_ident()
            except BaseException as failure:
                if failure.__class__ is MemoryError:
                    RESERVE.clear()
                again = _nothing, thunk if _is_bad_call(failure) else _raiser(catch(failure))
            else:
                DEFERRAL.depth += 1
                try:
                    if after() is TAIL:
                        run_trampoline()
                    return result
                except TypeError as failure:
                    if not _is_bad_call(failure):
                        raise
                    again = _nothing, _nothing
                finally:
                    DEFERRAL.depth -= 1
        return lisp(*again, after)

    return dynamic_wind


def _with_continuation(lisp: Any) -> Callable[..., Lisp]:
    def call_with_continuation(receiver: Any, /) -> Lisp:
        state = [TRUE]
        continuation = continuation_of(state)
        try:
            result = receiver(continuation)
            if result is TAIL:
                result = run_trampoline()
            if _LATE:
                get_ident()
        except BaseException as failure:
            if failure.__class__ is MemoryError:
                RESERVE.clear()
            if failure.__class__ is Escape and failure.args[0] is state:
                state[0] = FALSE
                results = failure.args[1]
                catch(failure)
                return results
            caught = None if _is_bad_call(failure) else catch(failure)
        else:
            state[0] = FALSE
            return result
        if caught is None:
            return lisp(receiver)
        settled = _call(lisp, "l:%settle", caught)
        return _call(lisp, "l:%after-failure", continuation, settled)

    return call_with_continuation


def _is_bad_call(failure: BaseException) -> bool:
    """Whether a call failed before any code of the procedure ran."""
    if failure.__class__ is not TypeError or failure.__traceback__ is None:
        return False
    inner = failure.__traceback__.tb_next
    while inner is not None and is_module_frame(inner.tb_frame):
        inner = inner.tb_next
    return inner is None


def _call(lisp: Any, name: str, *arguments: Lisp) -> Lisp:
    """The result of a procedure of the library."""
    variables = lisp.__globals__
    function = variables.get(name) or variables["__builtins__"][name]
    result = function(*arguments)
    return run_trampoline() if result is TAIL else result


def _nothing() -> Lisp:
    return UNSPECIFIED


def _raiser(caught: Caught) -> Callable[[], NoReturn]:
    def raise_again() -> NoReturn:
        raise rethrow(caught)

    return raise_again
