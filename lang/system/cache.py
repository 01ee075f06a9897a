"""The cache: compiled libraries, expanded sources, and other files that Lambent can create again.

The key of an entry is a hash of everything that it was made from, so entries are never out of date,
and deleting the folder costs only time.  If the folder cannot be written, for example in a
read-only home directory, a private folder among the system's temporary files replaces it.
"""

import os
from collections.abc import Iterable, Iterator
from itertools import starmap
from pathlib import Path
from zlib import crc32

from lambent.lang.errors import UsageFault
from lambent.lang.system.cache_path import cache_path, is_closed, make_folder, spare_path


def cache_folder() -> Path:
    """$LAMBENT_CACHE, or `lambent` in the user's cache folder."""
    return Path(cache_path())


def usable_folders() -> Iterator[Path]:
    """The cache folder and the spare one, if they exist and no other user can write to them."""
    for path in dict.fromkeys((cache_path(), spare_path())):
        if is_closed(path):
            yield Path(path)


def writable_folder() -> Path:
    """The cache folder, or else the spare one; created if it does not exist."""
    for path in dict.fromkeys((cache_path(), spare_path())):
        if make_folder(path) and os.access(path, os.W_OK):
            return Path(path)
    raise UsageFault(
        f"cannot use the cache folder {cache_path()}: {problem_with(cache_folder())}",
        hint="LAMBENT_CACHE names another folder",
    )


def problem_with(folder: Path) -> str | None:
    """Why a folder cannot be used; None if it can."""
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
    """Whether libraries in the folder can be loaded: its device may be mounted noexec."""
    return not os.statvfs(folder).f_flag & os.ST_NOEXEC


def ensure_folder(folder: Path) -> Path:
    """A folder in the cache to which no other user can write; created if it does not exist."""
    if not make_folder(str(folder)):
        raise UsageFault(
            f"cannot use the cache folder {folder}: {problem_with(folder)}",
            hint="LAMBENT_CACHE names another folder",
        )
    return folder


def key_of(texts: Iterable[str | bytes]) -> str:
    """A short hash of the texts; the boundaries between them count, too."""
    import hashlib  # here, because it takes long to load and a warm start needs no hash

    digest = hashlib.sha256()
    for text in texts:
        data = text.encode(errors="surrogateescape") if isinstance(text, str) else text
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:20]


SEAL = "sealed"  # the name of the file that lists the files of a complete folder


def seal(folder: Path) -> None:
    """Record the size and the check sum of each file in a finished folder."""
    lines = []
    for path in sorted(path for path in folder.iterdir() if path.name != SEAL):
        close_file(path)
        lines.append(f"{path.stat().st_size} {crc32(path.read_bytes()):08x} {path.name}\n")
    text = "".join(lines)
    seal_file = folder / SEAL
    seal_file.write_text(f"{text}{crc32(text.encode()):08x}\n")
    close_file(seal_file)


def close_file(path: Path) -> None:
    """Let no other user write to a file, whatever the umask allows."""
    path.chmod(path.stat().st_mode & ~0o022)


def is_complete(folder: Path) -> bool:
    """Whether every file exists as it was when the folder was sealed.

    A crash of the machine or a full disk leaves truncated files, and such with zeros, and loading
    a damaged library ends the process.
    """
    if not is_closed(str(folder)):
        return False
    sealed = _sealed(folder)
    return sealed is not None and all(starmap(_is_undamaged, sealed))


def is_damaged(folder: Path) -> bool:
    """Whether a folder was complete, and is not any more."""
    return (folder / SEAL).exists() and not is_complete(folder)


def _is_undamaged(path: Path, size: int, check: int) -> bool:
    """Whether a file has a size and a check sum, and no other user can have written it."""
    try:
        status = path.stat()
        is_own = status.st_uid in (os.getuid(), 0)
        if status.st_size != size or not is_own or status.st_mode & 0o022:
            return False
        return crc32(path.read_bytes()) == check
    except OSError:
        return False


def _sealed(folder: Path) -> list[tuple[Path, int, int]] | None:
    """The files of a sealed folder with their sizes and check sums; None if there is no seal, or a
    damaged one."""
    try:
        *lines, check = (folder / SEAL).read_bytes().splitlines(keepends=True)
        if check != f"{crc32(b''.join(lines)):08x}\n".encode():
            return None
        entries = []
        for line in lines:
            size, each, name = line.decode().rstrip("\n").split(" ", 2)
            entries.append((folder / name, int(size), int(each, 16)))
        return entries
    except (OSError, ValueError):
        return None
