"""%file-call: what the library asks of the file system, as `runtime/system/files.c` does."""

import errno
import fcntl
import os
import stat
from collections.abc import Callable

from lambent.lang.interp.builtins.calls import Arguments, Call, system_call
from lambent.lang.interp.interrupts.masking import interrupts_masked
from lambent.lang.interp.values.values import (
    FALSE,
    TRUE,
    UNSPECIFIED,
    Lisp,
    Pair,
    String,
    Vector,
    list_of,
    symbol,
)

_NANOSECONDS = 1_000_000_000
_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISREG, "file"), (stat.S_ISDIR, "folder"), (stat.S_ISLNK, "symlink"),
    (stat.S_ISFIFO, "fifo"), (stat.S_ISSOCK, "socket"),
)  # fmt: skip


def file_call(
    name: Lisp, who: Lisp, verb: Lisp, path: Lisp, first: Lisp, second: Lisp
) -> Lisp:
    return system_call(_CALLS, name.name, (who.text, verb.text), path, first, second)


# Questions.


def _status(given: Arguments) -> Lisp:
    """#f if there is no such file."""
    try:
        if given.first.__class__ is int:
            about = os.fstat(given.first)
        else:
            about = os.stat(given.path, follow_symlinks=given.first is TRUE)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return FALSE
        raise
    kind = next((word for is_kind, word in _KINDS if is_kind(about.st_mode)), "device")
    times = (about.st_atime_ns, about.st_mtime_ns, about.st_ctime_ns)
    return Vector([
        symbol(kind), stat.S_IMODE(about.st_mode), about.st_size, about.st_dev, about.st_ino,
        about.st_nlink, about.st_uid, about.st_gid, about.st_rdev, about.st_blksize,
        about.st_blocks, *(Pair(*divmod(time, _NANOSECONDS)) for time in times),
    ])


def _names(given: Arguments) -> Lisp:
    return list_of([String(name) for name in os.listdir(given.path)])


def _free_space(given: Arguments) -> Lisp:
    """first: a descriptor, if there is no path."""
    about = os.statvfs(given.path or given.first)
    return about.f_bavail * about.f_frsize


def _real_path(given: Arguments) -> Lisp:
    return String(os.path.realpath(given.path, strict=True))


# Changes.


def _change(function: Callable[..., object], *of: str) -> Call:
    """A call of a function of `os` with these of the arguments."""

    @interrupts_masked
    def call(given: Arguments) -> Lisp:
        function(*(getattr(given, name) for name in of))
        return UNSPECIFIED

    return call


def _nanoseconds(time: Lisp, unchanged: int) -> int:
    """Of a pair of seconds and nanoseconds, of #t for now, or of #f for no change."""
    from time import time_ns

    if time is TRUE:
        return time_ns()
    return time.car * _NANOSECONDS + time.cdr if time.__class__ is Pair else unchanged


@interrupts_masked
def _set_times(given: Arguments) -> Lisp:
    about = os.stat(given.path)
    times = (_nanoseconds(given.first, about.st_atime_ns),
             _nanoseconds(given.second, about.st_mtime_ns))
    os.utime(given.path, ns=times)
    return UNSPECIFIED


@interrupts_masked
def _truncate(given: Arguments) -> Lisp:
    """second: a descriptor, if there is no path."""
    os.truncate(given.path or given.second, given.first)
    return UNSPECIFIED


def _descriptor(given: Arguments) -> Lisp:
    """That of an open port; #f if its text is in memory only."""
    file = (given.first.input or given.first.output).descriptor
    return FALSE if file is None else file


# Files that are created or locked.


@interrupts_masked
def _create_file(given: Arguments) -> Lisp:
    """#f if there is one already."""
    try:
        os.close(os.open(given.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, given.first))
    except FileExistsError:
        return FALSE
    return TRUE


@interrupts_masked
def _lock(given: Arguments) -> Lisp:
    """A descriptor of the locked file; #f if another process has locked it."""
    file = os.open(given.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        kind = fcntl.LOCK_SH if given.first is TRUE else fcntl.LOCK_EX
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except OSError as error:
        os.close(file)
        if error.errno == errno.EWOULDBLOCK:
            return FALSE
        raise
    return file


@interrupts_masked
def _synchronize(given: Arguments) -> Lisp:
    """What was written to a file is on the disk."""
    file = os.open(given.path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
    return UNSPECIFIED


_CALLS: dict[str, Call] = {
    "status": _status,
    "names": _names,
    "read-link": lambda given: String(os.readlink(given.path)),
    "real-path": _real_path,
    "current-folder": lambda given: String(os.getcwd()),
    "free-space": _free_space,
    "create-folder": _change(os.mkdir, "path", "first"),
    "delete-folder": _change(os.rmdir, "path"),
    "create-link": _change(os.link, "path", "to"),
    "create-symlink": _change(os.symlink, "path", "to"),
    "create-fifo": _change(os.mkfifo, "path", "first"),
    "set-mode": _change(os.chmod, "path", "first"),
    "set-owner": _change(os.chown, "path", "first", "second"),
    "set-times": _set_times,
    "truncate": _truncate,
    "change-folder": _change(os.chdir, "path"),
    "create-file": _create_file,
    "lock": _lock,
    "unlock": _change(os.close, "first"),
    "synchronize": _synchronize,
    "descriptor": _descriptor,
}
