"""`lambent doctor`: what Lambent needs, what is installed, and how to install the rest.

    ok       C compiler    gcc 12.2.0
    missing  C++ compiler  sudo apt-get install g++
    absent   libpng        only PNG images need it: sudo apt-get install libpng16-16
    absent   PCRE2         only regular expressions and ... need it: sudo apt-get install ...

Scripts without tensors need only Python, so the others may be missing on a machine that does not
compile; the exit status is 1 nevertheless.
"""

import ctypes
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from lambent.ctorch import build
from lambent.ctorch.library_flags import PACKAGE, zlib_flag
from lambent.lang.compile.build.toolchain import find_compiler
from lambent.lang.errors import UsageFault
from lambent.lang.system.cache import cache_folder, problem_with, runs_programs


@dataclass(frozen=True, slots=True)
class Found:
    detail: str


@dataclass(frozen=True, slots=True)
class Missing:
    """fix: one line that says how to fix it."""

    fix: str


@dataclass(frozen=True, slots=True)
class Absent:
    """What only some programs need.  fix: as above, after what it is for."""

    fix: str


def examine() -> int:
    """Print a line for each requirement; the exit status is 1 if any is missing."""
    findings = {what: look() for what, look in _LOOKS.items()}
    for what, finding in findings.items():
        match finding:
            case Found(detail):
                print(f"ok       {what:<14}{detail}")
            case Missing(fix):
                print(f"missing  {what:<14}{fix}")
            case Absent(fix):
                print(f"absent   {what:<14}{fix}")
    missing = [what for what, finding in findings.items() if isinstance(finding, Missing)]
    print(f"missing: {', '.join(missing)}" if missing else "everything is here")
    return 1 if missing else 0


def _python() -> Found | Missing:
    """Always found: an older Python than Lambent requires cannot import this module."""
    return Found(f"{platform.python_version()} ({sys.executable})")


def _c_compiler() -> Found | Missing:
    try:
        command = find_compiler()
    except UsageFault:
        return Missing(install("gcc"))
    return Found(_first_line([*command, "--version"]))


def _gmp() -> Found | Missing:
    """GMP is available if a program links with it, under either of its names."""
    try:
        command = find_compiler()
    except UsageFault:
        return Missing(f"first a C compiler, then {install('libgmp10')}")
    for flag in ("-l:libgmp.so.10", "-lgmp"):
        linked = subprocess.run(
            [*command, "-x", "c", "-", flag, "-o", os.devnull],
            input=b"int main(void) { return 0; }\n", capture_output=True, check=False,
        )
        if linked.returncode == 0:
            return Found(flag)
    return Missing(install("libgmp10"))


def _cxx_compiler() -> Found | Missing:
    """Needed once, to build ctorch."""
    command = build.find_compiler()
    return Found(_first_line([*command, "--version"])) if command else Missing(install("g++"))


def _zlib() -> Found | Missing:
    """Linked once, with ctorch."""
    command = build.find_compiler()
    if not command:
        return Missing(f"first a C++ compiler, then {install(PACKAGE)}")
    flag = zlib_flag(command)
    return Found(flag) if flag else Missing(install(PACKAGE))


@dataclass(frozen=True, slots=True)
class Library:
    """A library that is loaded by its name when it is first needed; tests compare the names with
    those in the source.  need: what needs it.  package: Debian's name of what has it.  optional:
    whether that works without it, too."""

    source: str
    names: tuple[str, ...]
    need: str
    package: str
    optional: bool = False

    def look(self) -> Found | Absent:
        for name in self.names:
            try:
                ctypes.CDLL(name)
            except OSError:
                continue
            return Found(name)
        return Absent(f"{self.need}: {install(self.package)}")


LIBRARIES = {
    "PCRE2": Library(
        "runtime/text/pcre2_abi.h", ("libpcre2-8.so.0", "libpcre2-8.so", "libpcre2-8.0.dylib"),
        "only regular expressions and language models' tokenizers need it", "libpcre2-8-0",
    ),
    "libpng": Library(
        "ctorch/images/png.cpp", ("libpng16.so.16", "libpng16.so", "libpng16.16.dylib"),
        "only PNG images need it", "libpng16-16",
    ),
    "libjpeg": Library(
        "ctorch/images/jpeg.cpp",
        ("libjpeg.so.62", "libjpeg.so.8", "libjpeg.8.dylib", "libjpeg.62.dylib"),
        "only JPEG images need it", "libjpeg62-turbo",
    ),
    "readline": Library(
        "runtime/ports/edit_line.c",
        ("libreadline.so.8", "libreadline.so.7", "libreadline.dylib", "libedit.so.2"),
        "only edit-line in executables is better with it", "libreadline8", optional=True,
    ),
}

# For executables that use gzip files.  Python itself needs it, so there is nothing to say about it.
GZIP = Library(
    "runtime/ports/zlib_abi.h", ("libz.so.1", "libz.so", "libz.1.dylib"), "gzip files need it",
    "zlib1g",
)  # fmt: skip


def _sentencepiece() -> Found | Absent:
    """Imported by the process that train-tokenizer starts."""
    if find_spec("sentencepiece"):
        return Found(version("sentencepiece"))
    return Absent("only train-tokenizer needs it: pip install 'lambent[train-tokenizer]'")


def _cuda() -> Found | Absent:
    """LibTorch's part for GPUs, loaded only where there is one."""
    if not any(os.access(path, os.F_OK) for path in ("/dev/nvidiactl", "/dev/dxg")):
        return Found("not needed: this machine has no GPU for it")
    try:
        library = build.find_torch().folder / "lib" / "libtorch_cuda.so"
    except UsageFault:
        return Absent("first install torch")
    if library.exists():
        return Found(library.name)
    return Absent("the GPU is used only with a torch package that was built for CUDA")


def _aiohttp() -> Found | Absent:
    """Imported by `lambent serve`."""
    if find_spec("aiohttp"):
        return Found(version("aiohttp"))
    return Absent("only lambent serve needs it: pip install 'lambent[serve]'")


def _matplotlib() -> Found | Absent:
    """Imported when a script draws its first plot to a PNG or PDF file."""
    if find_spec("matplotlib"):
        return Found(version("matplotlib"))
    return Absent("only plots in PNG and PDF files need it: pip install matplotlib")


def _torch() -> Found | Missing:
    try:
        torch = build.find_torch()
    except UsageFault as fault:
        return Missing(fault.hint or fault.message)
    return Found(f"{torch.version} ({torch.folder}), of {build.supported_range()}")


def _ctorch() -> Found | Missing:
    try:
        folder = build.built_already()
    except UsageFault:
        return Missing("first install torch; ctorch is then built at the first tensor")
    if folder is None and (damaged := build.damaged_folder()):
        return Missing(f"{damaged} is damaged: it is built again at the first tensor")
    if folder is None:
        return Found("not built yet: it will be, at the first tensor")
    return Found(str(folder))


def _evaluator() -> Found:
    """Without it, programs run all the same."""
    if isinstance(_cache(), Found):
        from lambent.lang.evaluator.start import is_built  # which fills the cache

        if is_built():
            return Found("runs scripts and the REPL")
    return Found("not built yet, so the interpreter runs scripts: "
                 "LAMBENT_MACHINE=1 lambent FILE builds it (minutes, once)")


def _cache() -> Found | Missing:
    chosen, folder = os.environ.get("LAMBENT_CACHE"), cache_folder()
    remedy = "set LAMBENT_CACHE to a folder that can be used"
    if chosen and not Path(chosen).is_absolute():
        return Missing(
            f"{chosen} is another folder wherever Lambent is started: LAMBENT_CACHE={folder}"
        )
    if problem := problem_with(folder):
        return Missing(f"{folder}: {problem}; {remedy}")
    if not runs_programs(folder):
        return Missing(f"{folder}: no library can be loaded from it (noexec); {remedy}")
    if shutil.disk_usage(folder).free < _BUILD_TAKES:
        return Missing(f"{folder}: less than {_BUILD_TAKES >> 20} MB are free; {remedy}")
    return Found(str(folder))


_BUILD_TAKES = 100 << 20  # bytes of disk, for ctorch and intermediate files


_LOOKS: dict[str, Callable[[], Found | Missing | Absent]] = {
    "Python": _python,
    "C compiler": _c_compiler,
    "GMP": _gmp,
    "C++ compiler": _cxx_compiler,
    "zlib": _zlib,
    "LibTorch": _torch,
    "ctorch": _ctorch,
    "evaluator": _evaluator,
    "cache folder": _cache,
    **{name: library.look for name, library in LIBRARIES.items()},
    "CUDA": _cuda,
    "sentencepiece": _sentencepiece,
    "matplotlib": _matplotlib,
    "aiohttp": _aiohttp,
}


def install(debian_name: str) -> str:
    """The command that installs a system package with this machine's package manager."""
    names = {
        "gcc": {"dnf": "gcc", "pacman": "gcc", "brew": "gcc"},
        "g++": {"dnf": "gcc-c++", "pacman": "gcc", "brew": "gcc"},
        "zlib1g": {"dnf": "zlib", "pacman": "zlib", "brew": "zlib"},
        "libpcre2-8-0": {"dnf": "pcre2", "pacman": "pcre2", "brew": "pcre2"},
        "libreadline8": {"dnf": "readline", "pacman": "readline", "brew": "readline"},
        "libpng16-16": {"dnf": "libpng", "pacman": "libpng", "brew": "libpng"},
        "libjpeg62-turbo": {
            "dnf": "libjpeg-turbo", "pacman": "libjpeg-turbo", "brew": "jpeg-turbo"},
        "libgmp10": {"dnf": "gmp", "pacman": "gmp", "brew": "gmp"},
    }[debian_name]
    for manager, command in (
        ("dnf", "sudo dnf install"), ("pacman", "sudo pacman -S"), ("brew", "brew install"),
    ):
        if shutil.which("apt-get") is None and shutil.which(manager):
            return f"{command} {names[manager]}"
    return f"sudo apt-get install {debian_name}"


def _first_line(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout.splitlines() or [command[0]])[0]
