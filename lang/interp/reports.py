"""Reports on a run: where the tensors' memory was at its peak, which operators took the time.

    lambent --memory-report demo.lisp           LAMBENT_MEMORY_REPORT=1 lambent demo.lisp
    lambent --profile out.json demo.lisp        LAMBENT_PROFILE=out.json lambent demo.lisp

`ctorch` gathers and writes them, for executables too; here it learns where the program is, which
the interpreter's stack knows.  This module is loaded only where a report is wanted, and LibTorch,
as always, by the first tensor: without one there is nothing to tell.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lambent.lang.errors import LispError, MissingInput
from lambent.lang.interp.emit.unit import UNITS
from lambent.lang.interp.values.values import drive
from lambent.lang.system.outputs import refuse_inputs, refuse_sources

_EMPTY_PROFILE = '{"traceEvents": [\n]}\n'


def _is_set(name: str) -> bool:
    return os.environ.get(name, "0") not in ("", "0")


class Reports:
    """What is wanted.  started: the library and cffi, once they have been told."""

    def __init__(self) -> None:
        self.memory = _is_set("LAMBENT_MEMORY_REPORT")
        self.profile = os.environ.get("LAMBENT_PROFILE") or None
        self.started: tuple[Any, Any] | None = None
        self.kept: list[Any] = []  # what the library points to
        self.locations: dict[tuple[str, int], Any] = {}


REPORTS = Reports()


def prepare(sources: Sequence[str]) -> None:
    """Find out now, not when all is done, whether the profile can be written.

    sources: the program's file; neither it nor what it may import is written over.
    """
    profile = REPORTS.profile
    if profile is None:
        return
    try:
        refuse_inputs(profile, sources)
        refuse_sources(Path(profile))
        Path(profile).write_text(_EMPTY_PROFILE)
    except OSError as error:
        REPORTS.memory, REPORTS.profile = False, None
        raise MissingInput(f"cannot write {profile}: {error.strerror}") from None
    except LispError:
        REPORTS.memory, REPORTS.profile = False, None
        raise


def begin(lib: Any, ffi: Any) -> None:
    """LibTorch has been loaded, by the thread that runs the program."""
    if not (REPORTS.memory or REPORTS.profile):
        return

    @ffi.callback("bool(ct_location *)")  # type: ignore[untyped-decorator]
    def where(location: Any) -> bool:
        found = _place_here(ffi)
        if found is not None:
            location.file, location.line, location.column, location.text = found
        return found is not None

    profile = REPORTS.profile
    path = ffi.NULL if profile is None else ffi.new("char[]", os.fsencode(profile))
    if lib.ct_start_reports(where, REPORTS.memory, path):
        raise LispError(ffi.string(lib.ct_last_error()).decode())
    REPORTS.kept.append(where)
    REPORTS.started = lib, ffi


def finish() -> None:
    """Say at the end of the program what is to be said, on stderr."""
    if REPORTS.started is None:
        if REPORTS.memory:
            print("tensor memory: none was used", file=sys.stderr)
        if REPORTS.profile:
            print("tensor operators: none was called", file=sys.stderr)
        return
    lib, ffi = REPORTS.started
    text = ffi.new("char **")
    if not lib.ct_finish_reports(text):
        sys.stderr.write(ffi.string(text[0]).decode("utf-8", "surrogateescape"))
        lib.ct_free_text(text[0])
    REPORTS.started = None


# Where the program is.


def _place_here(ffi: Any) -> Any:
    """The innermost place of the program's own, not the library's; None outside of it."""
    frame = sys._getframe(2)
    while frame is not None:
        key = _key_of(frame)
        if key is not None:
            if key not in REPORTS.locations:
                REPORTS.locations[key] = _shown(ffi, key)
            if REPORTS.locations[key] is not None:
                return REPORTS.locations[key]
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _key_of(frame: Any) -> tuple[str, int] | None:
    """The unit and the number of a frame's place in it, if it has one (`unit.py`)."""
    code = frame.f_code
    if code is drive.__code__:
        unit, number = frame.f_locals["at"]
    else:
        unit, number = code.co_filename, frame.f_lineno
    return (unit, number) if unit in UNITS and number else None


def _shown(ffi: Any, key: tuple[str, int]) -> Any:
    """The fields of a ct_location, which live as long as the process."""
    span = UNITS[key[0]].location(key[1]).span
    if span.source.library or not span.source.name:
        return None
    file = ffi.new("char[]", span.source.name.encode("utf-8", "surrogateescape"))
    text = ffi.new("char[]", span.line_text.encode())
    REPORTS.kept += [file, text]
    return file, span.line, span.column, text
