"""Files that a command writes: never over its own input, and either completely or not at all.

    refuse_inputs("a.lisp", ["a.lisp"])  =>  cannot write a.lisp: it is the program's source
"""

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from lambent.lang.errors import MissingInput, UsageFault
from lambent.lang.system.scratch import clean_exit_on_signals, locked, sweep

_HINT = "name another file"
_SOURCES = (".lisp", ".scm", ".sld")
# How executables begin: ELF, and Mach-O of one or of several machines.
_EXECUTABLES = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
UNFINISHED = ".lambent-part-"  # prefix of the names of unfinished files and folders


def refuse_inputs(output: str | Path, inputs: Iterable[str | Path]) -> None:
    """Refuse an output that is one of the input files, by name or through links."""
    for file in inputs:
        if not _is_same(output, file):
            continue
        which = "it is the program's source"
        if os.path.normpath(output) != os.path.normpath(file):
            which = f"it is the same file as {file}, which the program is made from"
        raise UsageFault(f"cannot write {output}: {which}", hint=_HINT)


def refuse_sources(output: Path) -> None:
    """Refuse to replace a program's source by a compiled file, as with `-o *.lisp`."""
    if output.suffix in _SOURCES and _has_contents(output):
        message = f"cannot write {output}: a Lisp source of that name exists"
        raise UsageFault(message, hint=_HINT)


def refuse_other_files(output: Path, command: str) -> None:
    """Refuse a default name if a file of that name exists that is not an executable.

    command: the command that writes over it nevertheless, for the hint.
    """
    if not _has_contents(output) or output.is_dir():
        return
    with output.open("rb") as file:
        if file.read(4) not in _EXECUTABLES:
            message = f"cannot write {output}: a file of that name exists, not an executable"
            raise UsageFault(message, hint=f"{command} writes over it")


def check_destination(output: Path) -> None:
    """Raise an error before the work begins if an executable cannot be written there."""
    if output.is_dir():
        raise cannot_write(output, errno.EISDIR)
    if output.exists() and not output.is_file():
        # A device, such as /dev/null, must not be replaced by a file.
        raise MissingInput(f"cannot write {output}: it is not a regular file")
    check_parent_exists(output)


def check_parent_exists(output: Path) -> None:
    """Raise an error if the folder that the output would be in does not exist."""
    if not output.parent.is_dir():
        raise cannot_write(output, errno.ENOTDIR if output.parent.exists() else errno.ENOENT)


def move_to_destination(file: Path, output: Path) -> None:
    """Move a finished file to its destination, even while an old executable there is running."""
    check_destination(output)
    try:
        file.replace(output)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise cannot_write(output, error.errno) from None
        _copy_to_destination(file, output)


def _copy_to_destination(file: Path, output: Path) -> None:
    """Copy a file from another file system."""
    try:
        _put(output, lambda path: shutil.copyfile(file, path), like=file)
    except OSError as error:
        raise cannot_write(output, error.errno) from None


def write_text(output: Path, text: str) -> None:
    """Write a text completely or not at all, except to a device or pipe.  Links are followed."""
    data = text.encode("utf-8", "surrogateescape")
    try:
        if _is_stream(output):
            output.write_bytes(data)
        else:
            target = Path(os.path.realpath(output))
            _put(target, lambda path: path.write_bytes(data), like=target)
    except OSError as error:
        raise cannot_write(output, error.errno) from None


def _put(output: Path, fill: Callable[[Path], object], like: Path) -> None:
    """Fill a file beside the output, and rename it, which is atomic within a file system.

    like: the file whose permissions it gets, if that exists.
    """
    sweep(output.parent, f"{UNFINISHED}*")
    path = output.parent / f"{UNFINISHED}{os.urandom(6).hex()}"
    with clean_exit_on_signals():
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o666))
        lock = locked(path)
        try:
            fill(path)
            if like.exists():
                path.chmod(stat.S_IMODE(like.stat().st_mode))
            path.replace(output)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        finally:
            os.close(lock)


def cannot_write(output: str | Path, number: int | None) -> MissingInput:
    return MissingInput(f"cannot write {output}: {os.strerror(number or errno.EIO)}")


def _is_stream(path: Path) -> bool:
    """Whether it must not be replaced: a device, a pipe, or /dev/stdout, even if that is a file."""
    return path.is_relative_to("/dev") or (path.exists() and not path.is_file())


def _is_same(one: str | Path, other: str | Path) -> bool:
    """Whether two names refer to one existing file."""
    with suppress(OSError):
        return Path(one).samefile(other)
    return False


def _has_contents(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0
