"""Units on disk, so that a warm start reads, expands and analyses nothing.

A unit is kept under a short hash of its text; the file holds the whole text, and what else the code
depends on, and counts only if all of it is the same.  Where the folder cannot be read or written,
programs run all the same.  Nothing heavy is imported here: this is the way of every start.

    ~/.cache/lambent/units/1a2b3c4d-120   =>   (fingerprint, text, CodeUnit's fields)
"""

# pathlib takes longer to load than all that is done here.
# ruff: noqa: PTH100, PTH103, PTH105, PTH111, PTH118, PTH120, PTH123

import marshal
import os
import sys
from zlib import crc32

from lambent.lang.interp.unit import CodeUnit

_LANG = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_SOURCES = ("", "syntax", "core", "primitives", "interp", "../stdlib")


def fingerprint() -> str:
    """What every unit depends on: Python, and each file of the front end and the library."""
    parts = [sys.version, "1"]
    for folder in _SOURCES:
        with os.scandir(os.path.join(_LANG, folder)) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name.endswith((".py", ".lark", ".lisp")):
                    status = entry.stat()
                    parts.append(f"{entry.name} {status.st_mtime_ns} {status.st_size}")
    return "\n".join(parts)


def read_unit(text: str, stamp: str) -> CodeUnit | None:
    """The unit of a text, if there is one that is still good."""
    try:
        with open(_path(text), "rb") as file:
            if os.fstat(file.fileno()).st_uid != os.getuid():
                return None  # someone else's code
            stored = marshal.loads(file.read())
        kept_stamp, kept_text, *fields = stored
        return CodeUnit(*fields) if (kept_stamp, kept_text) == (stamp, text) else None
    except (OSError, ValueError, EOFError, TypeError):
        return None


def write_unit(text: str, stamp: str, unit: CodeUnit) -> None:
    """Keep a unit, all of it or nothing: others may be reading and writing, too."""
    stored = (stamp, text, unit.key, unit.code, unit.builtins, unit.bounces, unit.tables)
    path = _path(text)
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(temporary, "wb") as file:
            file.write(marshal.dumps(stored))
        os.replace(temporary, path)
    except OSError:
        return


def _path(text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return os.path.join(_folder(), f"{crc32(data):08x}-{len(data)}")


def _folder() -> str:
    """As `lang/cache.py`, whose imports take longer than a whole warm start may."""
    chosen = os.environ.get("LAMBENT_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(chosen or os.path.join(base, "lambent"), "units")
