"""The modification times of Lambent's own sources, for the keys of cache entries.

Every start asks for them, so nothing large is imported here, and no file is read.
"""

import os
from collections.abc import Iterator

_SUFFIXES = (".py", ".lark", ".lisp")


def source_stamps(folder: str, leaving_out: tuple[str, ...] = ()) -> Iterator[str]:
    """Path, time and size of each source below a folder, in a fixed order.

    leaving_out: names of folders to leave out.
    """
    for entry in _sources(folder, leaving_out):
        status = entry.stat()
        yield f"{entry.path} {status.st_mtime_ns} {status.st_size}"


def source_paths(folder: str, leaving_out: tuple[str, ...] = ()) -> Iterator[str]:
    """The path of each source below a folder, in the same order."""
    return (entry.path for entry in _sources(folder, leaving_out))


def _sources(folder: str, leaving_out: tuple[str, ...]) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as scanned:
        entries = sorted(scanned, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name.endswith(_SUFFIXES):
            yield entry
        elif "." not in entry.name and entry.name not in ("__pycache__", *leaving_out):
            yield from _sources(entry.path, leaving_out)
