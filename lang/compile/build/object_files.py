"""Object files in the cache, by the C that they were made of.

    library-1f2e.../4f09ab1c-8d03e5f2.o

The folder's name is a hash of the compiler, its flags and the runtime's headers.  An object file's
name is a hash of its C, and then the check sum of the file: a crash of the machine can leave
truncated files, and such with zeros.
"""

import os
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from zlib import crc32

from lambent.lang.compile.build.toolchain import (
    Options,
    compile_objects,
    compiler_identity,
    headers,
)
from lambent.lang.system.cache import close_file, ensure_folder, key_of, writable_folder
from lambent.lang.system.cache_path import report_damage
from lambent.lang.system.dataclass import dataclass
from lambent.lang.system.scratch import scratch_folder

_MOST_FILES = 5000  # beyond that, the half that was used longest ago is deleted
_USED_LATELY = 3600  # seconds: a use within them is not noted again, and the file may be linked
_NAME = re.compile(rb"[0-9a-f]+-[0-9a-f]{8}(-constants)?\.o")


@dataclass(frozen=True, slots=True)
class ObjectText:
    """A C text.  ending: what the name of its object file says of it."""

    text: str
    ending: str = ""


def program_objects(texts: Sequence[str], options: Options) -> list[Path]:
    """The object files of a program's C; missing ones are compiled."""
    folder = ensure_folder(object_folder("program", options.program_flags))
    return object_files([ObjectText(text) for text in texts], folder, options.program_flags)


def object_folder(name: str, flags: Sequence[str]) -> Path:
    """Where object files are kept that were made with these flags."""
    contents = [path.read_bytes() for path in headers()]
    key = key_of([compiler_identity(), *flags, *contents])
    return writable_folder() / f"{name}-{key}"


def object_files(texts: Sequence[ObjectText], folder: Path, flags: Sequence[str]) -> list[Path]:
    """The object file of each text; missing ones are compiled, as many at once as there are cores.

    They appear in the folder whole and one by one, so another process may do the same meanwhile,
    and what was compiled before an interrupt is kept.
    """
    drop_old_files(folder)
    keys = [key_of([text.text]) for text in texts]
    paths = _undamaged(folder, set(keys))
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in paths}
    if missing:
        with scratch_folder() as scratch:
            sources = [scratch / f"{key}.c" for key in missing]
            for source, text in zip(sources, missing.values(), strict=True):
                source.write_text(text.text, encoding="utf-8", errors="surrogateescape")

            def keep(path: Path) -> None:
                close_file(path)
                key = path.stem
                name = f"{key}-{crc32(path.read_bytes()):08x}{missing[key].ending}.o"
                paths[key] = path.replace(folder / name)

            compile_objects(sources, scratch, Options(), flags, keep)
    return [paths[key] for key in keys]


def _undamaged(folder: Path, keys: set[str]) -> dict[str, Path]:
    """The undamaged object files that were made of texts with these keys."""
    found: dict[str, Path] = {}
    for path in folder.glob("*.o"):
        key = path.name.partition("-")[0]
        if key in keys and key not in found and is_undamaged(path):
            found[key] = path
    return found


def is_object_name(name: bytes) -> bool:
    """Whether it is the name of an object file in such a folder."""
    return _NAME.fullmatch(name) is not None


def is_undamaged(path: Path) -> bool:
    """Whether a file is as it was written.  A damaged one is deleted, which is reported."""
    try:
        data = path.read_bytes()
        if path.stem.split("-")[1:2] == [f"{crc32(data):08x}"]:
            if time.time() - path.stat().st_mtime > _USED_LATELY:
                os.utime(path)
            return True
        report_damage(str(path))
        path.unlink()
    except OSError:
        pass
    return False


def drop_old_files(folder: Path) -> None:
    """Delete the half of many files that was used longest ago, but none that may be linked now."""
    paths = list(folder.iterdir())
    if len(paths) <= _MOST_FILES:
        return
    times: dict[Path, float] = {}
    for path in paths:
        with suppress(OSError):
            times[path] = path.stat().st_mtime
    oldest = sorted(times, key=lambda path: (times[path], path.name))[: len(times) // 2]
    for path in oldest:
        with suppress(OSError):
            if time.time() - times[path] > _USED_LATELY:
                path.unlink()
