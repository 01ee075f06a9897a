"""Compiles the C module into the cache; None if that is not possible here.

    key "1a2b3c4d"  =>  ~/.cache/lambent/native/1a2b3c4d-5e6f7a8b.so, whose name has its check sum

The first start also analyses the library, which takes longer; both are done at once.

A compilation that failed leaves the compiler's message in `1a2b3c4d.failed`, and the next one is
tried a day later.
"""

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from sysconfig import get_path
from tempfile import TemporaryFile

from lambent.lang.core.modules.library import analyse_library
from lambent.lang.errors import UsageFault
from lambent.lang.interp.native import COMPILERS, failure_of, file_name, sources
from lambent.lang.system.cache import ensure_folder, writable_folder
from lambent.lang.system.compilers import own_compiler

_FLAGS = ("-std=c99", "-O2", "-fPIC", "-fvisibility=hidden", "-shared", "-w")
_MOST_SECONDS = 120
_OLD = 30 * 24 * 3600  # seconds


def build(key: str) -> str | None:
    """The path of the compiled module."""
    compiler = own_compiler() or _usual_compiler()
    if compiler is None:
        return None
    try:
        return _compiled(compiler, ensure_folder(writable_folder() / "native"), key)
    except (OSError, UsageFault):
        return None


def _usual_compiler() -> tuple[str, ...] | None:
    return next(((path,) for name in COMPILERS if (path := shutil.which(name))), None)


def _compiled(compiler: tuple[str, ...], folder: Path, key: str) -> str | None:
    scratch = folder / f"{key}.{os.urandom(6).hex()}"
    files = [path for path in sources() if path.endswith(".c")]
    include = f"-I{get_path('include')}"
    command = [*compiler, *_FLAGS, include, *files, "-o", str(scratch)]
    try:
        with TemporaryFile() as said, subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=said, stderr=said
        ) as process:
            try:
                analyse_library()
                failed = process.wait(_MOST_SECONDS) != 0
            except BaseException:
                process.kill()
                raise
            if failed:
                said.seek(0)
                (folder / failure_of(key)).write_bytes(said.read())
                return None
        scratch.chmod(0o755)
        path = folder / file_name(key, scratch.read_bytes())
        scratch.replace(path)
        _remove_older(path)
        return str(path)
    except subprocess.TimeoutExpired:
        (folder / failure_of(key)).write_text(f"not done after {_MOST_SECONDS} s")
        return None
    finally:
        with suppress(OSError):
            scratch.unlink()


def _remove_older(module: Path) -> None:
    """Remove the modules of older sources, and what killed processes left."""
    for path in module.parent.iterdir():
        with suppress(OSError):
            if path.stat().st_mtime < module.stat().st_mtime - _OLD:
                path.unlink()
