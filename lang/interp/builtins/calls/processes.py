"""%process-call: what the library asks of the system about processes, as
`runtime/system/processes.c` does."""

import errno
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lambent.lang.interp.builtins.calls import Arguments, Call, system_call
from lambent.lang.interp.builtins.calls.signals import SIGNAL_CALLS
from lambent.lang.interp.interrupts.masking import frame_masked, interrupts_masked
from lambent.lang.interp.io.input_streams import BytesInput, InputFile, TextInput
from lambent.lang.interp.io.output_streams import PipeOutput, write_to_pipe
from lambent.lang.interp.values.values import (
    FALSE,
    UNSPECIFIED,
    Bytes,
    Lisp,
    Pair,
    Port,
    String,
    items_of,
    list_of,
    symbol,
)

_CHUNK = 1 << 16  # bytes that are read or written at once
_PATIENCE = 0.05  # seconds between two polls for Ctrl-C
_FIRST_NAP = 0.001  # seconds of the first wait for an end; then twice as long
_GRACE = 1.0  # seconds between a request to end and the end by force
_GENERATIONS = 20  # of processes that are ended together
_MILLISECONDS = 1000
_NANOSECONDS = 1_000_000_000
_CLOCKS = (
    time.CLOCK_REALTIME,
    time.CLOCK_MONOTONIC,
    time.CLOCK_PROCESS_CPUTIME_ID,
    time.CLOCK_THREAD_CPUTIME_ID,
)
_NOTHING = -1  # in place of a descriptor

_REASONS = (
    errno.EPERM, errno.ENOENT, errno.ESRCH, errno.EINTR, errno.EIO, errno.ENXIO, errno.E2BIG,
    errno.ENOEXEC, errno.EBADF, errno.ECHILD, errno.EAGAIN, errno.ENOMEM, errno.EACCES,
    errno.EFAULT, errno.EBUSY, errno.EEXIST, errno.EXDEV, errno.ENODEV, errno.ENOTDIR,
    errno.EISDIR, errno.EINVAL, errno.ENFILE, errno.EMFILE, errno.ENOTTY, errno.ETXTBSY,
    errno.EFBIG, errno.ENOSPC, errno.ESPIPE, errno.EROFS, errno.EMLINK, errno.EPIPE,
    errno.ENAMETOOLONG, errno.ENOTEMPTY, errno.ELOOP, errno.EOVERFLOW, errno.ENOTSUP, errno.ENOSYS,
    errno.EDQUOT, errno.ESTALE,
)  # fmt: skip


def process_call(
    name: Lisp, who: Lisp, verb: Lisp, subject: Lisp, first: Lisp, second: Lisp
) -> Lisp:
    return system_call(_CALLS, name.name, (who.text, verb.text), subject, first, second)


def _items(x: Lisp) -> list[Lisp]:
    """Of a list, which the library has made."""
    return items_of(x) or []


# Processes that this one has started.

_CHILDREN: dict[int, Any] = {}  # those whose end has not been told, as subprocess.Popen


def _status_at_end(number: int) -> int | None:
    """The exit status, or the negative number of the signal; None while it runs.  All that have
    ended are asked, so that none stays a zombie."""
    for process in _CHILDREN.values():
        process.poll()
    process = _CHILDREN.get(number)
    if process is None:
        return 0
    if process.returncode is None:
        return None
    del _CHILDREN[number]
    return int(process.returncode)


def _wait_for(number: int, seconds: float | None) -> int | None:
    """Its status; None if it has not ended in that time."""
    began, nap = time.monotonic(), _FIRST_NAP
    while True:
        status = _status_at_end(number)
        if status is not None:
            return status
        left = _PATIENCE if seconds is None else seconds - (time.monotonic() - began)
        if left <= 0:
            return None
        time.sleep(min(nap, left))
        nap = min(2 * nap, _PATIENCE)


@interrupts_masked
def _end(number: int) -> None:
    """End a process and what it has started, if need be by force."""
    if number not in _CHILDREN:
        return
    _signal_all(number, signal.SIGTERM)
    if _wait_for(number, _GRACE) is None:
        _signal_all(number, signal.SIGKILL)
        _wait_for(number, None)


def _signal_all(number: int, which: signal.Signals, depth: int = _GENERATIONS) -> None:
    """Send a signal to a process and to those that it has started, as far as /proc tells them: a
    shell does not end its commands."""
    if depth:
        with suppress(OSError):
            for other in Path(f"/proc/{number}/task/{number}/children").read_text().split():
                _signal_all(int(other), which, depth - 1)
    with suppress(ProcessLookupError):
        os.kill(number, which)


# Starting.


@dataclass(slots=True)
class _Files:
    """The first three descriptors of a process (_NOTHING to share ours), and our ends."""

    theirs: list[int] = field(default_factory=lambda: [_NOTHING] * 3)
    ours: list[int] = field(default_factory=lambda: [_NOTHING] * 3)

    def connect(self, which: int, what: str) -> None:
        if what in ("text", "bytes"):
            reader, writer = os.pipe()
            pair = (reader, writer) if which == 0 else (writer, reader)
            self.theirs[which], self.ours[which] = pair
        elif what == "null":
            self.theirs[which] = os.open(os.devnull, os.O_RDONLY if which == 0 else os.O_WRONLY)
        elif what == "output":
            self.theirs[which] = os.dup(1 if self.theirs[1] == _NOTHING else self.theirs[1])

    def close(self, which: int) -> None:
        """One of our ends."""
        if self.ours[which] != _NOTHING:
            os.close(self.ours[which])
            self.ours[which] = _NOTHING

    def close_ours(self) -> None:
        for which in range(3):
            self.close(which)

    def close_theirs(self) -> None:
        for file in self.theirs:
            if file != _NOTHING:
                os.close(file)


@interrupts_masked
def _start(given: Lisp) -> tuple[int, _Files]:
    """Start what a list describes: (command environment folder files)."""
    import sys
    from subprocess import Popen

    command, environment, folder, whats = _items(given)
    files = _Files()
    sys.stdout.flush()
    _status_at_end(0)
    try:
        for which, what in enumerate(_items(whats)):
            files.connect(which, what.name)
        stdin, stdout, stderr = (None if file == _NOTHING else file for file in files.theirs)
        process = Popen(
            [word.text for word in _items(command)],
            env=None if environment is FALSE else _variables(environment),
            cwd=None if folder is FALSE else folder.text,
            stdin=stdin, stdout=stdout, stderr=stderr,
        )
    except BaseException:
        files.close_ours()
        raise
    finally:
        files.close_theirs()
    _CHILDREN[process.pid] = process
    return process.pid, files


def _variables(environment: Lisp) -> dict[str, str]:
    """Of a list of texts like "NAME=value"."""
    entries = (entry.text.partition("=") for entry in _items(environment))
    return {name: value for name, _, value in entries}


# Running one to its end.


@dataclass(slots=True)
class _Exchange:
    """Bytes to and from a process that runs."""

    input: memoryview
    files: _Files
    read: tuple[bytearray, bytearray] = field(default_factory=lambda: (bytearray(), bytearray()))

    def all(self, number: int, seconds: float | None) -> int | None:
        """Until it has ended and its output too: its status.  None if that takes longer."""
        began = time.monotonic()
        while any(file != _NOTHING for file in self.files.ours):
            if seconds is not None and time.monotonic() - began >= seconds:
                return None
            self._some()
        return _wait_for(number, None if seconds is None else seconds - (time.monotonic() - began))

    def _some(self) -> None:
        from select import POLLIN, POLLOUT, poll

        waiting = poll()
        for which, file in enumerate(self.files.ours):
            if file != _NOTHING:
                waiting.register(file, POLLOUT if which == 0 else POLLIN)
        for file, _ in waiting.poll(_PATIENCE * _MILLISECONDS):
            which = self.files.ours.index(file)
            if which == 0:
                self._feed()
            else:
                self._collect(which)

    @interrupts_masked
    def _feed(self) -> None:
        """Write some of the input.  A process that does not want the rest is no failure."""
        try:
            written = write_to_pipe(self.files.ours[0], self.input[:_CHUNK])
            self.input = self.input[written:]
        except BlockingIOError:
            return
        except OSError:
            self.input = self.input[:0]
        if not self.input:
            self.files.close(0)

    @interrupts_masked
    def _collect(self, which: int) -> None:
        data = os.read(self.files.ours[which], _CHUNK)
        self.read[which - 1].extend(data)
        if not data:
            self.files.close(which)


@frame_masked
def _run(given: Arguments) -> Lisp:
    """A list of the status, #f if it was not over in time, of its output and of its errors."""
    number, files = _start(given.first)
    try:
        status, exchange = _exchanged(number, files, given.second)
    finally:
        _end(number)
        files.close_ours()
    results: list[Lisp] = [FALSE if status is None else status]
    return list_of(results + [Bytes(data) for data in exchange.read])


def _exchanged(number: int, files: _Files, given: Lisp) -> tuple[int | None, _Exchange]:
    """given: a pair of the input, a bytevector, and of the most milliseconds, -1 for any time."""
    if files.ours[0] != _NOTHING:
        os.set_blocking(files.ours[0], False)
    if not given.car.data:
        files.close(0)
    exchange = _Exchange(memoryview(bytes(given.car.data)), files)
    return exchange.all(number, _seconds(given.cdr)), exchange


def _seconds(milliseconds: int) -> float | None:
    return None if milliseconds < 0 else milliseconds / _MILLISECONDS


@interrupts_masked
def _start_process(given: Arguments) -> Lisp:
    """A list of its number and of ports for our ends, #f where there is none."""
    number, files = _start(given.first)
    kinds = [what.name for what in _items(_items(given.first)[3])]
    ports = (_port(which, files.ours[which], given.path, kinds[which] == "bytes")
             for which in range(3))
    return list_of([number, *ports])


def _port(which: int, file: int, name: str, binary: bool) -> Lisp:
    if file == _NOTHING:
        return FALSE
    if which == 0:
        return Port(None, PipeOutput(file, name), binary)
    stream = InputFile(file, name)
    return Port(BytesInput(stream) if binary else TextInput(stream), None, binary)


def _wait(given: Arguments) -> Lisp:
    status = _wait_for(given.first, _seconds(given.second))
    return FALSE if status is None else status


def _signal(given: Arguments) -> Lisp:
    os.kill(given.first, given.second)
    return UNSPECIFIED


# This process.


def _sleep(given: Arguments) -> Lisp:
    end = time.monotonic_ns() + given.first
    while (left := end - time.monotonic_ns()) > 0:
        time.sleep(min(left / _NANOSECONDS, _PATIENCE))
    return UNSPECIFIED


def _clock(given: Arguments) -> Lisp:
    """Nanoseconds that a clock shows, or, if the second argument is true, how fine it is."""
    clock = _CLOCKS[given.first]
    if given.second is FALSE:
        return time.clock_gettime_ns(clock)
    return round(time.clock_getres(clock) * _NANOSECONDS)


def _set_variable(given: Arguments) -> Lisp:
    if not given.path or "=" in given.path:
        raise OSError(errno.EINVAL, "")
    if given.first.__class__ is String:
        os.environ[given.path] = given.to
    else:
        os.environ.pop(given.path, None)
    return UNSPECIFIED


def _file_mask(given: Arguments) -> Lisp:
    before = os.umask(0 if given.first is FALSE else given.first)
    if given.first is FALSE:
        os.umask(before)
    return before


def _numbers(given: Arguments) -> Lisp:
    return list_of([os.getpid(), os.getppid(), os.getuid(), os.getgid(), os.geteuid(),
                    os.getegid()])


def _user(given: Arguments) -> Lisp:
    """Of a user's name or number, a list; #f if there is none."""
    import pwd

    try:
        one = pwd.getpwnam(given.to) if given.to else pwd.getpwuid(given.first)
    except KeyError:
        return FALSE
    return list_of([String(one.pw_name), one.pw_uid, one.pw_gid, String(one.pw_dir),
                    String(one.pw_shell), String(one.pw_gecos)])


def _group(given: Arguments) -> Lisp:
    import grp

    try:
        one = grp.getgrnam(given.to) if given.to else grp.getgrgid(given.first)
    except KeyError:
        return FALSE
    return list_of([String(one.gr_name), one.gr_gid])


def _reasons(given: Arguments) -> Lisp:
    """An alist of the reasons of the system, as messages word them, and of their names."""
    pairs = [Pair(String(os.strerror(reason)), symbol(errno.errorcode[reason]))
             for reason in _REASONS]
    return list_of(pairs)


_CALLS: dict[str, Call] = {
    "run": _run,
    "start": _start_process,
    "wait": _wait,
    "signal": _signal,
    "sleep": _sleep,
    "clock": _clock,
    "set-variable": _set_variable,
    "file-mask": _file_mask,
    "numbers": _numbers,
    "groups": lambda given: list_of(list(os.getgroups())),
    "change-priority": lambda given: os.nice(given.first),
    "user": _user,
    "group": _group,
    "reasons": _reasons,
    **SIGNAL_CALLS,
}
