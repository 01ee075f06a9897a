"""The files that a program reads, which its bundle takes along.

    find_files("examples/digits.lisp", ["examples/data"], {"digits"})
    =>  {"data/digits.csv": Path("examples/data/digits.csv"), ...}

What is below the program's folder keeps its place beside the program, so `(program-folder)` finds
it in the script and in the bundle alike.  Anything else comes directly beside the program.  Links
are followed: the bundle has the files themselves.
"""

import os
import stat
from collections.abc import Iterator, Sequence, Set
from pathlib import Path

from lambent.lang.errors import MissingInput, UsageFault


def find_files(program: str, names: Sequence[str], reserved: Set[str]) -> dict[str, Path]:
    """The files of the named files and folders, by their places in the bundle.

    reserved: the names in the bundle's folder that are not theirs.
    """
    beside = Path(os.path.abspath(program)).parent  # noqa: PTH100 - links keep their names
    targets: dict[str, Path] = {}
    for name in names:
        path = Path(os.path.abspath(name))  # noqa: PTH100
        place = path.relative_to(beside) if path.is_relative_to(beside) else Path(path.name)
        if place == Path():
            raise UsageFault(f"cannot bundle {name}: it is the folder that the program is in",
                             hint="--files takes the files and folders that the program reads")
        if (first := place.parts[0]) in reserved:
            raise UsageFault(f"cannot bundle {name}: {first} in the bundle is something else")
        for file, inner in _files_in(path, name, ()):
            target = str(place / inner)
            if targets.setdefault(target, file) != file:
                raise UsageFault(f"cannot bundle both {targets[target]} and {file}: "
                                 f"each would be {target}")
    for target in targets:
        for folder in map(str, Path(target).parents):
            if folder in targets:
                raise UsageFault(f"cannot bundle both {targets[folder]} and {targets[target]}: "
                                 f"{folder} would be a file and a folder")
    return targets


def _files_in(path: Path, name: str, above: tuple[str, ...]) -> Iterator[tuple[Path, Path]]:
    """The files of a file or folder, and their places in it.  above: the folders around it."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            path.open("rb").close()
            yield path, Path()
            return
        if not stat.S_ISDIR(mode):
            raise MissingInput(f"cannot bundle {name}: it is neither a file nor a folder")
        real = os.path.realpath(path)
        if real in above:
            raise UsageFault(f"cannot bundle {name}: the folder contains itself, through a link")
        entries = sorted(path.iterdir())
    except OSError as error:
        raise MissingInput(f"cannot bundle {name}: {os.strerror(error.errno or 0)}") from None
    for entry in entries:
        for file, inner in _files_in(entry, f"{name}/{entry.name}", (*above, real)):
            yield file, Path(entry.name) / inner
