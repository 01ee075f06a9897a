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
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name.endswith(_SUFFIXES):
            status = entry.stat()
            yield f"{entry.path} {status.st_mtime_ns} {status.st_size}"
        elif "." not in entry.name and entry.name not in ("__pycache__", *leaving_out):
            yield from source_stamps(entry.path, leaving_out)
