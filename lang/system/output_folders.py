"""Folders that a command writes: new ones, and either completely or not at all.

    check_folder(output)                        an error, before the work begins
    with unfinished_folder(output) as folder:
        fill(folder / "x")
        (folder / "x").replace(output)          what is left in the folder is removed
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lambent.lang.errors import UsageFault
from lambent.lang.system.outputs import UNFINISHED, cannot_write, check_parent_exists
from lambent.lang.system.scratch import held_folder


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
    check_parent_exists(output)
    if not os.access(output.absolute().parent, os.W_OK | os.X_OK):
        raise cannot_write(output, errno.EACCES)


@contextmanager
def unfinished_folder(output: Path) -> Iterator[Path]:
    """A folder beside the output, which is removed after the block, whatever ends it.

    An error of the system becomes one that names the output, or another file that it is about.
    """
    try:
        with held_folder(output.absolute().parent, UNFINISHED) as folder:
            yield folder
    except OSError as error:  # such as a full disk
        name = str(error.filename or UNFINISHED)
        raise cannot_write(output if UNFINISHED in name else name, error.errno) from None
