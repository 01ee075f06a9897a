"""Where the cache is, and whom it can be trusted to: what every start asks, so that nothing heavy
is imported here.

The cache holds code that is run, so a folder counts only if nobody else can write to it: it is the
user's, or the system's, and closed to groups and others.  A folder of the user's that is open, as a
umask of 002 leaves it, is closed; one like /tmp, which is meant to be open, is not taken.
"""

# pathlib takes longer to load than all that is done here.
# ruff: noqa: PTH100, PTH101, PTH102, PTH103, PTH111, PTH112, PTH116, PTH117, PTH118, PTH120

import os
import stat

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
_MODE = 0o755  # of what is made here, whatever the umask allows besides


def cache_path() -> str:
    """$LAMBENT_CACHE, or `lambent` in the user's cache folder; absolute.

    Without a home, as for a user of a container who is not in passwd, it is the spare folder.
    """
    if chosen := os.environ.get("LAMBENT_CACHE"):
        return os.path.abspath(chosen)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # as its specification says
        base = os.path.expanduser("~/.cache")
        if not os.path.isabs(base) or os.environ.get("HOME") == "":
            return spare_path()
    return os.path.join(base, "lambent")


def spare_path() -> str:
    """Where things go if the cache cannot be used."""
    base = os.path.abspath(os.environ.get("TMPDIR") or "/tmp")
    return os.path.join(base, f"lambent-{os.getuid()}")


def is_closed(path: str) -> bool:
    """Whether nobody else can have put anything into a folder; it is closed if it can be."""
    try:
        found = os.lstat(path)
        if stat.S_ISLNK(found.st_mode):
            # The link's owner says what it leads to.
            if found.st_uid not in (os.getuid(), 0):
                return False
            found = os.stat(path)
        if found.st_uid not in (os.getuid(), 0) or not stat.S_ISDIR(found.st_mode):
            return False
        if not found.st_mode & _OTHERS_MAY_WRITE:
            return True
        if found.st_uid != os.getuid() or found.st_mode & stat.S_ISVTX:
            return False
        os.chmod(path, stat.S_IMODE(found.st_mode) & ~_OTHERS_MAY_WRITE)
    except OSError:
        return False
    return True


def make_folder(path: str) -> bool:
    """Make a folder, if it is not there, into which nobody else can write.  False if that fails."""
    try:
        if not os.path.isdir(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.mkdir(path, _MODE)
    except FileExistsError:
        pass  # another process was faster
    except OSError:
        return False
    return is_closed(path)
