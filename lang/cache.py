"""Where Lambent keeps what it can make again: compiled libraries, expanded sources.

Everything there is found under a hash of all that it was made from, so nothing there is ever out
of date, and deleting the folder costs only time.  Where it cannot be written, a private folder
beside the system's temporary files takes its place, so that a read-only home stops nobody.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from zlib import crc32

from lambent.lang.errors import UsageFault


def cache_folder() -> Path:
    """$LAMBENT_CACHE, or `lambent` in the user's cache folder."""
    if chosen := os.environ.get("LAMBENT_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "lambent"


def spare_folder() -> Path:
    """Where things go if the cache folder cannot be written."""
    return Path(os.environ.get("TMPDIR") or "/tmp") / f"lambent-{os.getuid()}"


def is_private(folder: Path) -> bool:
    """Whether nobody else can have put anything there: it holds code that is run."""
    status = folder.lstat()
    return status.st_uid == os.getuid() and status.st_mode & 0o022 == 0


def writable_folder() -> Path:
    """The cache folder, made if it is not there, or else the spare one."""
    wanted, spare = cache_folder(), spare_folder()
    if _is_writable(wanted, 0o777):
        return wanted
    if _is_writable(spare, 0o700) and is_private(spare):
        return spare
    raise UsageFault(
        f"cannot write to the cache folder {wanted}", hint="LAMBENT_CACHE names another folder"
    )


def _is_writable(folder: Path, mode: int) -> bool:
    try:
        folder.mkdir(mode=mode, parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def key_of(parts: Iterable[str | bytes]) -> str:
    """A short hash of the parts; where one ends and the next begins counts, too."""
    import hashlib  # here, because it takes long to load and a warm start needs no hash

    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:20]


_SEAL = "whole"  # the name of the file that says what a whole folder holds


def seal(folder: Path) -> None:
    """Note the size and the check sum of each file in the folder, which is finished."""
    lines = [
        f"{path.stat().st_size} {crc32(path.read_bytes()):08x} {path.name}\n"
        for path in sorted(folder.iterdir())
    ]
    (folder / _SEAL).write_text("".join(lines))


def is_whole(folder: Path) -> bool:
    """Whether every file is there in its whole length.

    A machine that crashes and a disk that is full leave files cut short, and to load such a
    library ends the process.
    """
    return all(
        path.is_file() and path.stat().st_size == size for path, size, _ in _sealed(folder)
    ) and (folder / _SEAL).exists()


def is_undamaged(folder: Path) -> bool:
    """The same for every byte, which takes longer than a start may."""
    return is_whole(folder) and all(
        crc32(path.read_bytes()) == check for path, _, check in _sealed(folder)
    )


def _sealed(folder: Path) -> Iterator[tuple[Path, int, int]]:
    try:
        lines = (folder / _SEAL).read_text().splitlines()
    except OSError:
        return
    for line in lines:
        size, check, name = line.split(" ", 2)
        yield folder / name, int(size), int(check, 16)
