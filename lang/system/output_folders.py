"""Folders that a command writes: new ones, and either completely or not at all.

    check_folder(output)                        an error, before the work begins
    with unfinished_folder(output) as folder:
        fill(folder / "x")
        (folder / "x").replace(output)          what is left in the folder is removed
"""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lambent.lang.errors import MissingInput, UsageFault
from lambent.lang.system.scratch import clean_exit_on_signals, locked, sweep

_UNFINISHED = ".lambent-part-"  # prefix of the names of unfinished folders


def check_folder(output: Path) -> None:
    """Raise an error if a new folder cannot be written there, or a full one exists."""
    if output.is_symlink() or (output.exists() and not output.is_dir()):
        raise UsageFault(f"cannot write {output}: it is not a folder", hint="name another folder")
    if output.is_dir() and any(output.iterdir()):
        raise UsageFault(f"cannot write {output}: the folder is not empty",
                         hint="name another folder, or delete it first")
    check_parent(output)


def check_parent(output: Path) -> None:
    """Raise an error if nothing new can be written beside the output."""
    parent = output.absolute().parent
    if not parent.is_dir():
        raise cannot_write(output, errno.ENOTDIR if parent.exists() else errno.ENOENT)
    if not os.access(parent, os.W_OK | os.X_OK):
        raise cannot_write(output, errno.EACCES)


@contextmanager
def unfinished_folder(output: Path) -> Iterator[Path]:
    """A folder beside the output, which is removed after the block, whatever ends it.

    An error of the system becomes one that names the output, or another file that it is about.
    """
    parent = output.absolute().parent
    try:
        sweep(parent, f"{_UNFINISHED}*")
        with clean_exit_on_signals():
            folder = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=parent))
            lock = locked(folder)
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)
    except OSError as error:  # such as a full disk
        name = str(error.filename or _UNFINISHED)
        raise cannot_write(output if _UNFINISHED in name else name, error.errno) from None


def cannot_write(name: str | Path, number: int | None) -> MissingInput:
    return MissingInput(f"cannot write {name}: {os.strerror(number or errno.EIO)}")
