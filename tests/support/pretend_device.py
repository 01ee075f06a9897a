"""The pretend device: a second device for tests, where there is no GPU.

tests/pretend_device/ is a library that registers one with LibTorch, as PrivateUse1: "pretend:0".
Its operators are the CPU's, behind checks as strict as a GPU's: tensors on two devices in one
operator are an error, but for numbers and indices, and what reads its memory without an operator
of the device crashes.  The library is compiled once, and kept in the cache folder.

    on_device("pretend:0")      the environment of a script that creates its tensors on it
    loaded()                    that of a script that names the device itself
    preloaded()                 that of an executable that does
    plain(text)                 the text without the device's name, as it is on the CPU
"""

import os
import re
from functools import cache
from pathlib import Path
from zlib import crc32

from lambent.ctorch import build
from lambent.lang.system.builds import run, run_all
from lambent.lang.system.cache import ensure_folder, writable_folder
from lambent.lang.system.running import Job
from lambent.lang.system.scratch import scratch_folder
from tests.support.paths import ROOT
from tests.support.processes.forked_commands import DEVICE, PRETEND

NAME = "pretend:0"
SOURCES = ROOT / "tests/pretend_device"
_LIBRARY = "libpretend.so"
_FLAGS = tuple("-O0" if flag == "-O2" else flag for flag in build.CXX_FLAGS)


def on_device(name: str = NAME) -> dict[str, str]:
    return {**loaded(), DEVICE: name}


def loaded() -> dict[str, str]:
    # On the interpreter: the evaluator is another process, which would not have the library.
    return {PRETEND: str(library()), "LAMBENT_MACHINE": "0"}


def preloaded() -> dict[str, str]:
    return {"LD_PRELOAD": str(library())}


def plain(text: str) -> str:
    return re.sub(rf" on {NAME}|\({NAME}\)", "", text).replace(NAME, "cpu")


@cache
def library() -> Path:
    """The library, built now if necessary."""
    torch, compiler = build.find_torch(), build.find_compiler()
    if compiler is None:
        raise build.no_compiler()
    check = 0
    for path in sorted(SOURCES.iterdir()):
        check = crc32(path.read_bytes(), crc32(path.name.encode(), check))
    key = f"{torch.version}-{crc32(torch.headers_stamp.encode(), check):08x}"
    folder = ensure_folder(writable_folder() / "pretend-device")
    target = folder / key / _LIBRARY
    if not target.exists():
        with build.locked(folder, key):
            if not target.exists():
                _build(torch, compiler, target)
    return target


def _build(torch: build.Torch, compiler: tuple[str, ...], target: Path) -> None:
    with scratch_folder(target.parent.parent) as scratch:
        log = target.parent.parent / "build.log"
        made, jobs = [], []
        for source in sorted(SOURCES.glob("*.cpp")):
            made.append(str(scratch / f"{source.stem}.o"))
            jobs.append(Job(source.stem, (
                *compiler, *_FLAGS, "-isystem", str(torch.include), "-c", str(source), "-o",
                made[-1])))
        run_all(jobs, os.cpu_count() or 1, scratch, lambda _: None, log, "the pretend device")
        library = scratch / _LIBRARY
        run(Job("library", (
            *compiler, "-shared", *made, "-o", str(library), f"-L{torch.lib}",
            *(f"-l{name}" for name in build.LIBRARIES),
            "-Xlinker", "-rpath", "-Xlinker", str(torch.lib),
        )), scratch, log, "the pretend device")
        target.parent.mkdir(exist_ok=True)
        library.rename(target)
