"""Compile the modules: mypyc writes C, and the C compiler makes a library for each module.

    sources, as lambent/lang/... in a scratch folder  =>  C  =>  objects  =>  <key>/*.so

The code is in one library, and that of a module only leads there.
"""

import json
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lambent.lang.errors import UsageFault
from lambent.lang.mypyc.modules import (
    FOLDER,
    LANG,
    MARK,
    SUFFIX,
    all_sources,
    mark_name,
    sources,
)
from lambent.lang.system.builds import object_store, run, run_all
from lambent.lang.system.cache import (
    SEAL,
    close_file,
    ensure_folder,
    is_complete,
    key_of,
    seal,
    writable_folder,
)
from lambent.lang.system.compilers import command_stamp, own_compiler, parallel_jobs
from lambent.lang.system.running import Job
from lambent.lang.system.scratch import scratch_folder

_WHAT = "the compiled passes"
_MEMORY_EACH = 1 << 30  # bytes
_MOST_KEPT = 8  # folders of modules, 10 MB each
_FLAGS = ("-fPIC", "-fwrapv", "-DNDEBUG")
_GROUP = "lambent_compiled"  # the library that holds the code
_PARTS = ("ctorch", "runtime", "stdlib")  # of the package, besides lang


@dataclass(frozen=True, slots=True)
class _Library:
    name: str
    sources: list[str]
    includes: list[str]
    flags: list[str]


def build() -> Path:
    """The folder with the compiled modules, compiled now if necessary."""
    try:
        folder = ensure_folder(writable_folder() / FOLDER)
        target = folder / _key()
        if not is_complete(target):
            with scratch_folder(folder) as scratch:
                _compile(scratch, target)
        target.touch()
        mark = folder / mark_name()
        mark.write_text(target.name, encoding="utf-8")
        close_file(mark)
        _delete_old(folder)
        return target
    except OSError as error:  # such as a full disk
        raise UsageFault(
            f"building {_WHAT} failed: {error.filename}: {error.strerror}",
            hint="LAMBENT_CACHE names another folder",
        ) from None


def _delete_old(folder: Path) -> None:
    """Delete all but the last folders of modules, and the marks that lead to none."""
    targets = [path for path in folder.iterdir() if (path / SEAL).exists()]
    targets.sort(key=lambda path: path.stat().st_mtime)
    for target in targets[:-_MOST_KEPT]:
        shutil.rmtree(target, ignore_errors=True)
    for mark in folder.glob(f"{MARK}*"):
        if not (folder / mark.read_text(encoding="utf-8")).exists():
            mark.unlink(missing_ok=True)


def _key() -> str:
    """A hash of the sources and of what compiles them; a UsageFault without mypy."""
    try:
        from mypy.version import __version__
    except ImportError:
        raise UsageFault(
            "compiling the passes needs mypy, which contains mypyc",
            hint=f"{sys.executable} -m pip install mypy setuptools",
        ) from None
    texts = (path.read_bytes() for path in all_sources())
    names = (str(path.relative_to(LANG)) for path in all_sources())
    own = (path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    return key_of([__version__, str(sys.implementation.cache_tag), *names, *texts, *own])


def _compile(scratch: Path, target: Path) -> None:
    log = target.with_name("build.log")
    compiler = own_compiler() or ("gcc",)
    libraries = _written_c(scratch, log)
    objects = _compile_objects(libraries, compiler, scratch, log)
    done = scratch / "done"
    done.mkdir()
    links = [
        Job(each.name, (*compiler, "-shared", *[str(objects[s]) for s in each.sources],
                        "-o", str(done / f"{each.name}{SUFFIX}")))
        for each in libraries
    ]
    run_all(links, parallel_jobs(_MEMORY_EACH), scratch, lambda _: None, log, _WHAT)
    seal(done)
    if not is_complete(target):  # another process may have built it meanwhile
        shutil.rmtree(target, ignore_errors=True)
        done.rename(target)


def _written_c(scratch: Path, log: Path) -> list[_Library]:
    tree = scratch / "tree"
    package = tree / "lambent"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    for part in (LANG, *(LANG.parent / part for part in _PARTS)):
        (package / part.name).symlink_to(part)
    names = [str(Path("lambent", "lang", path.relative_to(LANG))) for path in sources()]
    command = (sys.executable, "-m", f"{__package__}.to_c", str(tree), _GROUP, *names)
    run(Job("mypyc", command), scratch, log, _WHAT)
    written = json.loads((tree / "libraries.json").read_text(encoding="utf-8"))
    return [_Library(**each) for each in written]


def _compile_objects(
    libraries: Sequence[_Library], compiler: tuple[str, ...], scratch: Path, log: Path
) -> dict[str, Path]:
    """The object file of each C source, kept from build to build."""
    store = object_store(log)
    tree = scratch / "tree"
    headers = key_of(path.read_bytes() for path in sorted(tree.glob("c/**/*.h")))
    jobs: list[Job] = []
    objects: dict[str, Path] = {}
    for each in libraries:
        folders = (*each.includes, str(tree / "c"), sysconfig.get_path("include"))
        flags = (*compiler, *_FLAGS, *each.flags, *(f"-I{folder}" for folder in folders))
        for source in each.sources:
            key = key_of([command_stamp(compiler), *each.flags, headers, Path(source).read_bytes()])
            objects[source] = store / f"{key}.o"
            if objects[source].exists():
                objects[source].touch()
                continue
            made = (*flags, "-c", source, "-o", str(scratch / objects[source].name))
            jobs.append(Job(key, made, Path(source).stat().st_size))

    def keep(job: Job) -> None:
        (scratch / f"{job.name}.o").rename(store / f"{job.name}.o")

    jobs.sort(key=lambda job: -job.weight)
    run_all(jobs, parallel_jobs(_MEMORY_EACH), scratch, keep, log, _WHAT)
    return objects
