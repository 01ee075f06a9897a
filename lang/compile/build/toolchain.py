"""The C compiler, its options, and the libraries that it builds once.

The runtime is compiled once for each set of options and kept as a static library, so a small
program needs one short run of the compiler.  Programs without tensors are linked without the bridge
and LibTorch.

    Options(debug=True).flags  =>  ("-std=c99", "-Og", "-g", ...)
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import lambent.runtime
from lambent.lang.errors import UsageFault
from lambent.lang.system.cache import (
    ensure_folder,
    is_complete,
    is_damaged,
    key_of,
    seal,
    writable_folder,
)
from lambent.lang.system.cache_path import report_damage
from lambent.lang.system.compilers import (
    command_of,
    environment_failure,
    machine_of,
    own_machine,
)
from lambent.lang.system.dataclass import dataclass, replace
from lambent.lang.system.running import Job, run_all
from lambent.lang.system.scratch import scratch_folder

if TYPE_CHECKING:
    from lambent.ctorch.stubs_source import Site

RUNTIME = Path(lambent.runtime.__path__[0])
CTORCH = RUNTIME.parent / "ctorch"
BRIDGE = CTORCH / "bridge"

_INSTALL = "sudo apt install gcc (Debian, Ubuntu), sudo dnf install gcc (Fedora), " \
    "xcode-select --install (macOS)"
# A compiler rounds exp(1.0) better than the C library, which the interpreter asks.
_NO_FOLDING = tuple(
    f"-fno-builtin-{name}"
    for name in (
        "exp", "log", "sin", "cos", "tan", "tanh", "asin", "acos", "atan", "atan2", "pow",
    )
)
# What gcc compiles a program with instead of -O2 where it is to be quick: it takes 0.55 to 0.7 of
# the time.  Loops over floats then take up to twice theirs, most other programs as much as before.
# Tail calls need the one, and loops the order of blocks that -O2 has.  clang inlines next to
# nothing at -O1.
_QUICK = ("-O1", "-foptimize-sibling-calls", "-freorder-blocks-algorithm=stc")
# These passes take seconds for long arrays of arguments.  What they gain in the few loops over
# arrays is less than they cost where a few words are stored one by one and then read as a vector,
# such as the captures of a closure: the processor waits.
_NO_VECTORS = ("-fno-tree-slp-vectorize", "-fno-tree-loop-vectorize")
_NO_VECTORS_IN_CLANG = ("-fno-slp-vectorize", "-fno-vectorize")
_WARNINGS = (
    "-pedantic-errors", "-Wall", "-Wextra", "-Wconversion", "-Woverflow", "-Wshift-overflow",
    "-Wfloat-conversion", "-Werror",
)
# Processors that no program can be made for: the #error of runtime/rt.h.
_REFUSED = re.compile(r'error: (?:#error )?"?(Lambent needs [^"\n]*)')
# For this warning, gcc reads the file again up to each place that it looks at: that is three
# quarters of its time for 4 MB of C, and six sevenths for 13.
_LARGE = 50_000  # bytes of C
_NOT_FOR_LARGE = ("-Wno-misleading-indentation",)


@dataclass(frozen=True, slots=True)
class Options:
    """How to compile.  quick: with less optimization, while one works on a program.  The last four
    are for tests: no optimization, sanitizers, raise injection, and warnings in the emitted C as
    errors."""

    debug: bool = False
    quick: bool = False
    optimize: bool = True
    sanitize: bool = False
    inject: bool = False
    strict: bool = False

    @property
    def is_usual(self) -> bool:
        """Whether it is for running, not for debugging or tests: then compiled code is kept."""
        return self in (Options(), Options(quick=True), Options(optimize=False))

    @property
    def flags(self) -> tuple[str, ...]:
        # Sanitized code takes gcc three times as long with -O2 as with -O1.
        best = "-O1" if self.sanitize else "-O2"
        optimize = "-Og" if self.debug else best if self.optimize else "-O0"
        return (
            "-std=c99", optimize, "-pipe", "-ffunction-sections", "-fdata-sections",
            *(_NO_VECTORS if _is_gcc(find_compiler()) else _NO_VECTORS_IN_CLANG), *_NO_FOLDING,
            "-ffp-contract=off",  # (+ (* a b) c) is rounded twice, whatever the processor has
            "-fno-math-errno",   # nothing reads it
            "-fPIC", "-fvisibility=hidden",  # a shared library has the same object files
            *(("-g",) if self.debug or self.sanitize else ()),
            *(("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined",
               "-fno-omit-frame-pointer") if self.sanitize else ()),
            *(("-DRT_INJECT",) if self.inject else ()),
            *(_WARNINGS if self.strict else ()),
        )

    @property
    def program_flags(self) -> tuple[str, ...]:
        """Those for the C of programs."""
        return (*self.flags, *_QUICK) if self.quick and _is_gcc(find_compiler()) else self.flags


@dataclass(frozen=True, slots=True)
class BundledLibraries:
    """How a bundle's program finds its libraries.  site: ctorch and LibTorch, None without tensors.
    gmp: the linker's arguments for GMP."""

    site: "Site | None"
    gmp: tuple[str, ...]


@cache
def find_compiler() -> tuple[str, ...]:
    """The command of the C compiler: $CC, cc, gcc or clang."""
    if chosen := os.environ.get("CC"):
        if command_of("CC"):
            return tuple(shlex.split(chosen))
        raise UsageFault(f"no C compiler found: there is no {chosen}, which CC names")
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return (name,)
    raise UsageFault("no C compiler found", hint=_INSTALL)


@cache
def _is_gcc(compiler: tuple[str, ...]) -> bool:
    """Whether a C compiler is GNU's, whatever its command is called."""
    command = [*compiler, "--version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    except OSError:  # compiling says what is wrong with it
        return False
    return "Free Software Foundation" in done.stdout


def run_compiler(arguments: Sequence[str | Path], scratch: Path | None = None) -> None:
    """Run the C compiler.  An error is a bug of ours, unless a library is missing.

    scratch: the folder for its temporary files, which a killed compiler leaves there.
    """
    command = [*find_compiler(), *map(str, arguments)]
    run_all([Job(command[0], tuple(command))], 1, scratch, _require_success)


def _require_success(job: Job, status: int, said: str) -> None:
    if status == 0:
        return
    if "gmp" in said and ("cannot find" in said or "unable to find" in said):
        raise UsageFault("the linker does not find GMP", hint=_install_gmp())
    if found := environment_failure(status, said):  # the user's machine, not the program
        raise UsageFault(f"cannot compile: {found.message}", hint=found.hint)
    _refuse_processor()
    raise AssertionError(f"{shlex.join(job.command)}\n{said}")


def _refuse_processor() -> None:
    """A UsageFault if the compiler makes code for a processor that rt.h refuses.

    Another error may come first: such as that its C library's headers are not installed.
    """
    command = [*find_compiler(), "-E", "-x", "c", str(RUNTIME / "rt.h")]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL)
    if refused := _REFUSED.search(done.stderr):
        chosen = os.environ.get("CC")
        raise UsageFault(f"cannot compile: {refused[1]}", hint=chosen and f"CC names {chosen}")


def compile_objects(
    sources: Sequence[Path], folder: Path, options: Options, flags_of_c: Sequence[str] = (),
    done: Callable[[Path], None] = lambda path: None,
) -> list[Path]:  # fmt: skip
    """Compile each source to an object file in the folder, as many at once as there are cores.

    flags_of_c: the compiler's flags; without them, the options'.  done: called with each object
    file once it is there.
    """
    objects = [folder / f"{source.stem}.o" for source in sources]

    flags = [*find_compiler(), *(flags_of_c or options.flags), *include_flags(), "-c"]

    def command(source: Path, target: Path) -> tuple[str, ...]:
        large = options.strict and source.stat().st_size > _LARGE
        return (*flags, *(_NOT_FOR_LARGE if large else ()), str(source), "-o", str(target))

    jobs = [
        Job(source.stem, command(source, target))
        for source, target in zip(sources, objects, strict=True)
    ]

    def ended(job: Job, status: int, said: str) -> None:
        _require_success(job, status, said)
        done(folder / f"{job.name}.o")

    run_all(jobs, os.cpu_count() or 1, folder, ended)
    return objects


def include_flags() -> tuple[str, ...]:
    return (f"-I{RUNTIME}", f"-I{CTORCH}")


def headers() -> list[Path]:
    """Every header that the C of a program may read, directly or not."""
    return sorted([*RUNTIME.rglob("*.h"), *CTORCH.glob("*.h"), *BRIDGE.glob("*.h")])


def link_flags(
    options: Options, *, tensors: bool, bundle: "BundledLibraries | None" = None
) -> list[str]:
    """The linker's arguments after the objects of a program.

    bundle: the libraries that the program finds beside itself.
    """
    options = replace(options, strict=False, quick=False)  # which change nothing here
    site = bundle.site if bundle else None
    stubs = [str(_stubs(options, site))] if tensors else []  # first: it looks for LibTorch
    gmp = bundle.gmp if bundle else _gmp()
    flags = [str(library("runtime", sorted(RUNTIME.rglob("*.c")), options)), *gmp, "-lm"]
    flags.append("-pthread")
    if tensors:
        bridge = library("bridge", sorted(BRIDGE.glob("*.c")), options)
        flags = [str(bridge), *stubs, *flags, "-ldl"]
    flags.append("-Wl,-dead_strip" if sys.platform == "darwin" else "-Wl,--gc-sections")
    return flags


def library(
    name: str, sources: Sequence[Path], options: Options, texts: Mapping[str, str] | None = None
) -> Path:
    """The static library of some sources, from the cache if nothing has changed.

    texts: generated sources, by their file names.
    """
    texts = texts or {}
    contents = [path.read_bytes() for path in (*sources, *headers())]
    key = key_of([compiler_identity(), *options.flags, *contents, *texts.values()])
    target = writable_folder() / f"{name}-{key}" / f"liblambent_{name}.a"
    if not is_complete(target.parent):
        if is_damaged(target.parent):
            report_damage(str(target))
        ensure_folder(target.parent)
        with scratch_folder() as folder:
            for file, text in texts.items():
                (folder / file).write_text(text)
            made = [folder / file for file in texts]
            objects = compile_objects([*sources, *made], folder, options)
            archive = folder / target.name
            command = ("ar", "rcs", *map(str, (archive, *objects)))
            run_all([Job("ar", command)], 1, folder, _require_success)
            archive.replace(target)
            seal(target.parent)
    return target


def require_own_machine(what: str) -> None:
    """A UsageFault if the C compiler makes code for another processor: LibTorch and other libraries
    are this machine's."""
    made = machine_of(find_compiler())
    if made not in (None, own_machine()):
        raise UsageFault(
            f"cannot compile {what} for {made}: the libraries that it needs are here for "
            f"{own_machine()} only",
            hint=f"compile it on a machine with such a processor; CC names {os.environ.get('CC')}",
        )


@cache
def compiler_identity() -> str:
    """What distinguishes compilers without running them."""
    command = find_compiler()
    path = Path(shutil.which(command[0]) or command[0]).resolve()
    status = path.stat()
    return f"{shlex.join(command)} {path} {status.st_size} {status.st_mtime_ns}"


@cache
def _gmp() -> tuple[str, ...]:
    """How to link GMP: by its version where only the library itself is installed."""
    command = [*find_compiler(), "-print-file-name=libgmp.so.10"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return ("-l:libgmp.so.10",) if Path(found).is_absolute() else ("-lgmp",)


def static_gmp() -> Path | None:
    """GMP as a static library, if it is installed."""
    command = [*find_compiler(), "-print-file-name=libgmp.a"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return Path(found) if Path(found).is_absolute() else None


def _install_gmp() -> str:
    names = {"aarch64": "arm64", "x86_64": "amd64"}  # Debian's
    made = machine_of(find_compiler())
    if made in (None, own_machine()):
        return "sudo apt install libgmp-dev"
    return f"sudo apt install libgmp-dev:{names.get(made, made)}, which is GMP for that processor"


def _stubs(options: Options, site: "Site | None") -> Path:
    """The stubs that load ctorch's functions at run time, from where the library is now if no other
    site is given."""
    from lambent.ctorch import build, library_path, stubs_source  # looks for LibTorch

    require_own_machine("a program that uses tensors")
    if site is None:
        path, torch = library_path().resolve(), build.find_torch()
        parts = ((path.name, path.stat().st_size),)
        site = stubs_source.Site(path.parent, torch.folder, torch.version, parts)
    return library("stubs", [], options, {"stubs.c": stubs_source.stubs_source(site)})
