"""Reports on a run: the peak of the tensors' memory, and the time that operators took.

    lambent --memory-report demo.lisp           LAMBENT_MEMORY_REPORT=1 lambent demo.lisp
    lambent --profile out.json demo.lisp        LAMBENT_PROFILE=out.json lambent demo.lisp

`ctorch` collects and writes them, for executables too.  This module tells it the program's current
source location, from the interpreter's stack.  It is loaded only if a report is switched on.  As
always, LibTorch is loaded by the first tensor; without a tensor there is nothing to report.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lambent.lang.errors import LispError, MissingInput
from lambent.lang.interp.builtins.memory import COLLECTED
from lambent.lang.interp.emit.unit import UNITS
from lambent.lang.interp.values.values import run_trampoline
from lambent.lang.system.outputs import refuse_inputs, refuse_sources

_EMPTY_PROFILE = '{"traceEvents": [\n]}\n'


def _is_set(name: str) -> bool:
    return os.environ.get(name, "0") not in ("", "0")


class Reports:
    """The reports that are switched on.  started: the library and cffi, after `begin`."""

    def __init__(self) -> None:
        self.memory = _is_set("LAMBENT_MEMORY_REPORT")
        self.profile = os.environ.get("LAMBENT_PROFILE") or None
        self.started: tuple[Any, Any] | None = None
        self.kept: list[Any] = []  # memory that the library points to
        self.locations: dict[tuple[str, int], Any] = {}


REPORTS = Reports()


def prepare(sources: Sequence[str]) -> None:
    """Check before the run whether the profile can be written.

    sources: the program's file; neither it nor a file that it may import is overwritten.
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
    """Start the reports: LibTorch has been loaded by the thread that runs the program."""
    if not (REPORTS.memory or REPORTS.profile):
        return

    @ffi.callback("bool(ct_location *)")  # type: ignore[untyped-decorator]
    def where(location: Any) -> bool:
        source_location = _current_location(ffi)
        if source_location is not None:
            location.file, location.line, location.column, location.text = source_location
        return source_location is not None

    profile = REPORTS.profile
    path = ffi.NULL if profile is None else ffi.new("char[]", os.fsencode(profile))
    if lib.ct_start_reports(where, REPORTS.memory, path):
        raise LispError(ffi.string(lib.ct_last_error()).decode())
    COLLECTED.watch(lib.ct_live_handles)
    REPORTS.kept.append(where)
    REPORTS.started = lib, ffi


def finish() -> None:
    """Print the reports to stderr at the end of the program."""
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
    if REPORTS.memory and COLLECTED.handles:
        pause = f"{1000 * COLLECTED.longest:.3f} ms"
        sys.stderr.write(
            f"tensors freed with cycles: {COLLECTED.handles}; longest pause: {pause}\n"
        )
    REPORTS.started = None


# The current source location.


def _current_location(ffi: Any) -> Any:
    """The innermost location in the program, not in the library; None if there is none."""
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
    """The unit of a frame and the number of its location (`unit.py`), if it has one."""
    code = frame.f_code
    if code is run_trampoline.__code__:
        unit, number = frame.f_locals["at"]
    else:
        unit, number = code.co_filename, frame.f_lineno
    return (unit, number) if unit in UNITS and number else None


def _shown(ffi: Any, key: tuple[str, int]) -> Any:
    """The fields of a ct_location, which stay alive until the process ends."""
    span = UNITS[key[0]].location(key[1]).span
    if span.source.library or not span.source.name:
        return None
    file = ffi.new("char[]", span.source.name.encode("utf-8", "surrogateescape"))
    text = ffi.new("char[]", span.line_text.encode())
    REPORTS.kept += [file, text]
    return file, span.line, span.column, text
