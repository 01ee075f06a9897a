"""Code on disk, so that a warm start reads, expands and analyses nothing.

A file's name is a short hash of the program's text, and of which Python and which Lambent run it,
so that several installations do not replace each other's files.  The file holds everything that the
code was compiled from, and is used only if all of it is unchanged: the text, the files that it
imports, Python, Lambent itself.  It begins with a check sum, because a crash of the machine leaves
damaged files, and code from them would end the process.  If the cache folder cannot be written, a
private folder beside the temporary files is used; if that fails too, programs run without a cache.
Nothing heavy is imported here, because every start loads this module.

    ~/.cache/lambent/units/1a2b3c4d-120   =>   (fingerprint, text, inputs, what is kept ...)
"""

# pathlib takes longer to load than all that is done here.
# ruff: noqa: PTH100, PTH105, PTH108, PTH118, PTH120, PTH123, PTH208

import marshal
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any
from zlib import crc32

from lambent.lang.interp.interrupts.masking import interrupts_masked
from lambent.lang.interp.native import NATIVE
from lambent.lang.system.cache_path import (
    cache_path,
    is_closed,
    make_folder,
    report_damage,
    spare_path,
)
from lambent.lang.system.source_stamps import source_stamps

_LANG = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_FORMAT = 3  # of the files
_MOST_FILES = 1000  # in a folder; beyond that, the half that was used longest ago is removed
_CHECK = 4  # bytes of the check sum
_USED_LATELY = 60  # seconds: a use within them is not noted again

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC

# Other files that code was compiled from: their bytes by path, None for one that did not exist.
Inputs = Mapping[str, bytes | None]


def fingerprint() -> str:
    """Identifies what all code depends on: Python, each file of the front end and the library."""
    library = os.path.join(os.path.dirname(_LANG), "stdlib")
    stamps = (*source_stamps(_LANG, ("compile",)), *source_stamps(library))
    return "\n".join((sys.version, str(NATIVE is None), *stamps))


def read_cached(text: str, stamp: str) -> tuple[Any, ...] | None:
    """What was cached for a text, if it is still valid."""
    for units in _folders():
        try:
            with open(_path(units, text), "rb") as file:
                status = os.fstat(file.fileno())
                if status.st_uid != os.getuid() or status.st_mode & 0o022:
                    continue  # another user may have written it
                data = file.read()
                _note_use(file.fileno(), status.st_mtime)
        except OSError:
            continue
        if not data or _check_sum(data[_CHECK:]) != data[:_CHECK]:
            report_damage(_path(units, text))
            continue
        cached_stamp, cached_text, inputs, *fields = marshal.loads(data[_CHECK:])
        if (cached_stamp, cached_text) == (stamp, text) and _are_unchanged(inputs):
            return tuple(fields)
    return None


def _note_use(file: int, last: float) -> None:
    """Make the file's time that of its last use."""
    if time.time() - last > _USED_LATELY:
        with suppress(OSError):
            os.utime(file)


@interrupts_masked
def write_cached(
    text: str, stamp: str, fields: tuple[Any, ...], inputs: Inputs | None = None
) -> None:
    """Cache something for a text, completely or not at all: other processes may read and write."""
    try:
        data = marshal.dumps((stamp, text, dict(inputs or {}), *fields))
    except ValueError:
        return  # a thousand nested procedures: more than marshal can write
    for units in _folders(make=True):
        path = _path(units, text)
        temporary = f"{path}.{os.urandom(6).hex()}"
        try:
            with open(os.open(temporary, _NEW, 0o644), "wb") as file:
                file.write(_check_sum(data) + data)
            os.replace(temporary, path)
        except OSError:
            with suppress(OSError):
                os.unlink(temporary)
            continue
        _drop_old_ones(units)
        return


def _check_sum(data: bytes) -> bytes:
    return crc32(data).to_bytes(_CHECK, "little")


def _read(path: str) -> bytes | None:
    """The bytes of a file; None if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _are_unchanged(inputs: Inputs) -> bool:
    return all(_read(path) == data for path, data in inputs.items())


def _path(units: str, text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    identity = f"{_FORMAT} {_LANG} {sys.version} {NATIVE is None}"
    own = crc32(identity.encode("utf-8", "surrogateescape"))
    return os.path.join(units, f"{crc32(data, own):08x}-{len(data)}")


def _folders(make: bool = False) -> Iterator[str]:
    """The folders that may hold code: only those that no other user can write."""
    for path in (cache_path(), spare_path()):
        units = os.path.join(path, "units")
        if (make_folder(path) and make_folder(units)) if make else is_closed(units):
            yield units


def _drop_old_ones(units: str) -> None:
    """Remove half of the files if there are too many, as every edit leaves one."""
    with suppress(OSError):
        names = os.listdir(units)
        if len(names) <= _MOST_FILES:
            return
        paths = [os.path.join(units, name) for name in names]
        for path in sorted(paths, key=os.path.getmtime)[: len(paths) // 2]:
            os.unlink(path)
