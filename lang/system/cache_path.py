"""Where the cache is, and whether it can be trusted.  Every start asks this, so this module imports
nothing large.

The cache contains code that is run, so a folder is used only if no other user can write to it: it
belongs to the user or to root, and is not writable for group and others.  If the user's own folder
is writable for others, for example after a umask of 002, its mode is changed; a shared folder like
/tmp is not used.
"""

# Loading pathlib takes longer than everything else here.
# ruff: noqa: PTH100, PTH101, PTH102, PTH103, PTH111, PTH112, PTH116, PTH117, PTH118, PTH120

import os
import stat
import sys

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
_MODE = 0o755  # of new folders, whatever the umask allows


def cache_path() -> str:
    """$LAMBENT_CACHE, or `lambent` in the user's cache folder; absolute.

    It is the spare folder for users without a home directory, as in some containers.
    """
    if chosen := os.environ.get("LAMBENT_CACHE"):
        return os.path.abspath(chosen)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # the XDG specification says to ignore such a path
        base = os.path.expanduser("~/.cache")
        if not os.path.isabs(base) or os.environ.get("HOME") == "":
            return spare_path()
    return os.path.join(base, "lambent")


def spare_path() -> str:
    """The folder to use if the cache folder cannot be used."""
    base = os.path.abspath(os.environ.get("TMPDIR") or "/tmp")
    return os.path.join(base, f"lambent-{os.getuid()}")


def report_damage(path: str) -> None:
    """Say that a file of the cache is damaged, as a crash of the machine leaves it, and that it
    will be created again."""
    print(f"lambent: a file of the cache is damaged, and is made again: {path}", file=sys.stderr)


def is_closed(path: str) -> bool:
    """Whether no other user can write to a folder, after changing its mode if that is possible."""
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            # The owner of the link decides where it leads.
            if status.st_uid not in (os.getuid(), 0):
                return False
            status = os.stat(path)
        if status.st_uid not in (os.getuid(), 0) or not stat.S_ISDIR(status.st_mode):
            return False
        if not status.st_mode & _OTHERS_MAY_WRITE:
            return True
        if status.st_uid != os.getuid() or status.st_mode & stat.S_ISVTX:
            return False
        os.chmod(path, stat.S_IMODE(status.st_mode) & ~_OTHERS_MAY_WRITE)
    except OSError:
        return False
    return True


def make_folder(path: str) -> bool:
    """Create a folder, unless it exists, to which no other user can write; False if that fails."""
    try:
        if not os.path.isdir(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.mkdir(path, _MODE)
    except FileExistsError:
        pass  # another process was faster
    except OSError:
        return False
    return is_closed(path)
