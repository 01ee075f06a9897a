"""Which modules are compiled, and where the compiled ones are.

    lambent.lang.compile.ir.anf  <-  ~/.cache/lambent/mypyc/<key>/lambent.lang.compile.ir.anf.so

A key is a hash of all sources that types come from.  A start cannot read them all, so the command
that compiles also writes a mark: its name is a hash of the sources' paths, times and sizes, and its
text is the key.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from lambent.lang.system.cache import is_complete, usable_folders
from lambent.lang.system.source_stamps import source_stamps

LANG = Path(__file__).parent.parent
FOLDER = "mypyc"  # in the cache
MARK = "at-"
SUFFIX = ".so"
# Only these classes of `core` and `syntax` have no subclasses elsewhere, and no cached properties,
# which mypyc would compute again.
_FOLDERS = ("compile", "primitives")
_FILES = ("core/ir.py", "core/strong_components.py", "core/traverse.py", "core/usage.py")
# What the compiler does not import.
_APART = ("compare", "interp", "mypyc", "package", "reference", "serve")


def sources() -> list[Path]:
    """The modules to compile."""
    found = [path for folder in _FOLDERS for path in sorted((LANG / folder).rglob("*.py"))]
    return [*(path for path in found if path.stem != "__init__"), *(LANG / f for f in _FILES)]


def all_sources() -> Iterator[Path]:
    """Every module of which mypyc sees the types."""
    for path in sorted(LANG.rglob("*.py")):
        if path.relative_to(LANG).parts[0] not in _APART:
            yield path


def mark_name() -> str:
    """The name of the file that tells the key for the sources as they are now."""
    check = crc32(sys.implementation.cache_tag.encode())
    for stamp in source_stamps(str(LANG), leaving_out=_APART):
        check = crc32(stamp.encode(errors="surrogateescape"), check)
    return f"{MARK}{check:08x}"


def compiled_folder() -> Path | None:
    """The folder with the compiled modules of exactly these sources, if there is one."""
    folders = [base / FOLDER for base in usable_folders() if (base / FOLDER).is_dir()]
    name = mark_name() if folders else ""
    for folder in folders:
        try:
            key = (folder / name).read_text()
        except OSError:
            continue
        if is_complete(folder / key):
            return folder / key
    return None
