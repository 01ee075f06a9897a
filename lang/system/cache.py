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
from lambent.lang.system.cache_path import cache_path, is_closed, make_folder, spare_path


def cache_folder() -> Path:
    """$LAMBENT_CACHE, or `lambent` in the user's cache folder."""
    return Path(cache_path())


def usable_folders() -> Iterator[Path]:
    """The cache folder and the spare one, those of them that are there and hold only our code."""
    for path in dict.fromkeys((cache_path(), spare_path())):
        if is_closed(path):
            yield Path(path)


def writable_folder() -> Path:
    """The cache folder, made if it is not there, or else the spare one."""
    for path in dict.fromkeys((cache_path(), spare_path())):
        if make_folder(path) and os.access(path, os.W_OK):
            return Path(path)
    raise UsageFault(
        f"cannot use the cache folder {cache_path()}: {what_is_wrong(cache_folder())}",
        hint="LAMBENT_CACHE names another folder",
    )


def what_is_wrong(folder: Path) -> str | None:
    """Why nothing can be kept in a folder; None if it can."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not is_closed(str(folder)):
            return "other users can write to it"
        import tempfile  # here, because it takes long to load

        with tempfile.NamedTemporaryFile(dir=folder) as file:
            file.write(bytes(4096))
            file.flush()
        return None
    except OSError as error:
        return os.strerror(error.errno or 0)


def runs_programs(folder: Path) -> bool:
    """Whether libraries in the folder can be loaded: not from a device that is mounted noexec."""
    return not os.statvfs(folder).f_flag & os.ST_NOEXEC


def ensure_folder(folder: Path) -> Path:
    """A folder within the cache, made if it is not there, into which nobody else can write."""
    if not make_folder(str(folder)):
        raise UsageFault(
            f"cannot use the cache folder {folder}: {what_is_wrong(folder)}",
            hint="LAMBENT_CACHE names another folder",
        )
    return folder


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
    lines = []
    for path in sorted(folder.iterdir()):
        close_file(path)
        lines.append(f"{path.stat().st_size} {crc32(path.read_bytes()):08x} {path.name}\n")
    seal_file = folder / _SEAL
    seal_file.write_text("".join(lines))
    close_file(seal_file)


def close_file(path: Path) -> None:
    """Nobody else can write to it, whatever the umask allows."""
    path.chmod(path.stat().st_mode & ~0o022)


def is_complete(folder: Path) -> bool:
    """Whether every file is there in its whole length.

    A machine that crashes and a disk that is full leave files cut short, and to load such a
    library ends the process.
    """
    if not is_closed(str(folder)) or not (folder / _SEAL).exists():
        return False
    return all(_has_size(path, size) for path, size, _ in _sealed(folder))


def _has_size(path: Path, size: int) -> bool:
    """Nor can another user have put the file there."""
    try:
        found = path.stat()
    except OSError:
        return False
    return found.st_size == size and found.st_uid in (os.getuid(), 0) and not found.st_mode & 0o022


def is_undamaged(folder: Path) -> bool:
    """The same for every byte, which takes longer than a start may."""
    return is_complete(folder) and all(
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
