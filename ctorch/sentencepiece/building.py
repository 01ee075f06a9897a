"""Build SentencePiece, once, from the source package that pip downloads.

    sentencepiece-0.2.3.tar.gz  =>  ~/.cache/lambent/ctorch/sentencepiece-0.2.3-4f1c.../
                                        liblambent_sentencepiece.so, nfkc.bin ...

Versions of SentencePiece differ in some ids, and executables need a C++ library, which the
package's binary files do not export.  So one version is pinned and compiled here, with abseil.h and
protobuf.h in place of the two libraries that its source package lacks.  The set-up commands call
this, and so does the interpreter at the first tokenizer; other programs never load the library.
"""

import hashlib
import os
import re
import subprocess
import sys
import tarfile
from functools import cache
from pathlib import Path
from zlib import crc32

from lambent.ctorch.build import CARRIED, find_compiler, locked, no_compiler, say
from lambent.ctorch.library_flags import standard_library
from lambent.lang.errors import UsageFault
from lambent.lang.system.builds import run, run_all
from lambent.lang.system.cache import (
    ensure_folder,
    is_complete,
    is_damaged,
    seal,
    usable_folders,
    writable_folder,
)
from lambent.lang.system.cache_path import report_damage
from lambent.lang.system.compilers import parallel_jobs
from lambent.lang.system.running import Job
from lambent.lang.system.scratch import scratch_folder

HERE = Path(__file__).parent
LIBRARY = "liblambent_sentencepiece.so"
VERSION = "0.2.3"
SHA256 = "21618ad31f0453a1ebf5ec58defed99758d54af0b670546ecac639ddd8b86fbd"
SOURCE = "LAMBENT_SENTENCEPIECE"  # names the source package where pip cannot download it
MEMORY_EACH = 1 << 29  # bytes
WHAT = "SentencePiece"
_FLAGS = (
    "-O3", "-fPIC", "-DNDEBUG", "-w", "-fvisibility=hidden", "-ffunction-sections",
    "-fdata-sections",
)
# What is compiled together: headers take most of the time.  The slowest first.
_GROUPS = {
    "training": ("builder", "unicode_script", "trainer_factory", "trainer_interface",
        "word_model_trainer", "char_model_trainer", "sentencepiece_trainer",
        "unigram_model_trainer", "bpe_model_trainer"),
    "processing": ("util", "filesystem", "normalizer", "model_factory", "char_model",
        "word_model", "bpe_model", "sentencepiece_processor"),
    "models": ("model_interface", "unigram_model"),
}
_NEEDED = re.compile(r"[^/]+/sentencepiece/(src/[^/]+\.(?:cc|h|proto)|data/[^/]+\.bin"
                     r"|third_party/(?:darts_clone|libsais)/[^/]+\.[ch])$")
_FOREIGN = re.compile(r'^#include "((?:absl|google)/[^"]+)"', re.MULTILINE)


def folder_name() -> str:
    """The name of the folder, which changes with everything that the library is made of here."""
    check = crc32(VERSION.encode())
    for path in sorted(HERE.iterdir()):
        if path.suffix in (".py", ".h", ".cpp"):
            check = crc32(path.read_bytes(), check)
    return f"sentencepiece-{VERSION}-{check:08x}"


def built_already() -> Path | None:
    """The folder of the library, if it exists."""
    folders = (base / "ctorch" / folder_name() for base in (*usable_folders(), CARRIED))
    return next((folder for folder in folders if is_complete(folder)), None)


@cache
def built() -> Path:
    """The folder of the library, built now if necessary."""
    if found := built_already():
        return found
    compiler = find_compiler()
    if compiler is None:
        raise no_compiler()
    base = ensure_folder(writable_folder() / "ctorch")
    with locked(base, folder_name()):
        return built_already() or _build(compiler, base / folder_name())


def _build(compiler: tuple[str, ...], target: Path) -> Path:
    say(f"building SentencePiece {VERSION} (once, about half a minute)")
    log = target.with_name("sentencepiece.log")
    try:
        with scratch_folder(target.parent) as scratch:
            _unpack(_source_package(target.parent, scratch), scratch)
            output = scratch / "output"
            output.mkdir(mode=0o755)
            _compile(compiler, scratch, output, log)
            for data in (scratch / "data").iterdir():
                data.rename(output / data.name)
            seal(output)
            if is_damaged(target):
                report_damage(str(target))
            if target.exists():
                target.rename(scratch / "damaged")
            output.rename(target)
    except OSError as error:  # such as a full disk
        raise UsageFault(
            f"building SentencePiece failed: {target.parent}: {error.strerror}",
            hint="LAMBENT_CACHE names another folder",
        ) from None
    return target


# The source package.


def _source_package(folder: Path, scratch: Path) -> Path:
    """The archive: what SOURCE names, what was downloaded before, or what pip downloads now."""
    name = f"sentencepiece-{VERSION}.tar.gz"
    if chosen := os.environ.get(SOURCE):
        if not _is_right(Path(chosen)):
            raise UsageFault(f"{chosen}, which {SOURCE} names, is not {name}")
        return Path(chosen)
    if not _is_right(folder / name):
        _download(scratch)
        (scratch / name).rename(folder / name)
    return folder / name


def _is_right(path: Path) -> bool:
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == SHA256


def _download(scratch: Path) -> None:
    wish = scratch / "wish.txt"
    wish.write_text(f"sentencepiece=={VERSION} --hash=sha256:{SHA256}\n")
    done = subprocess.run(
        (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
         "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--require-hashes",
         "--dest", str(scratch), "--requirement", str(wish)),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )
    if done.returncode or not _is_right(scratch / f"sentencepiece-{VERSION}.tar.gz"):
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise UsageFault(
            f"pip cannot download the source of SentencePiece {VERSION}"
            + (f": {said[-1].removeprefix('ERROR: ')}" if said else ""),
            hint=f"{SOURCE} may name a copy of sentencepiece-{VERSION}.tar.gz",
        )


def _unpack(package: Path, scratch: Path) -> None:
    with tarfile.open(package) as archive:
        for member in archive:
            found = _NEEDED.match(member.name)
            content = archive.extractfile(member) if found else None
            if found and content and not member.name.endswith("_test.cc"):
                path = scratch / found[1]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())


# Compiling.


def _compile(compiler: tuple[str, ...], scratch: Path, output: Path, log: Path) -> None:
    from lambent.ctorch.sentencepiece.messages_source import messages_source

    generated = scratch / "generated"
    generated.mkdir()
    for path in (scratch / "src").glob("*.proto"):
        (generated / f"{path.stem}.pb.h").write_text(messages_source(path.read_text()))
    (generated / "config.h").write_text('#define INSTALL_DATADIR "."\n')
    _write_stand_ins(scratch, generated)
    includes = [
        f"-I{folder}" for folder in
        (generated, HERE.parent, scratch / "src", *(scratch / "third_party").iterdir())
    ]
    jobs = []
    for name, members in _GROUPS.items():
        source = scratch / f"{name}.cpp"
        text = "".join(f'#include "{member}.cc"\n' for member in members)
        if name == "processing":
            text += '#include "sentencepiece/library.cpp"\n'
        source.write_text(text)
        jobs.append(Job(name, (
            *compiler, "-std=c++20", "-DDISABLE_EMBEDDED_DATA", *_FLAGS, *includes,
            "-c", str(source), "-o", str(scratch / f"{name}.o"),
        )))
    jobs.append(Job("libsais", (
        *compiler, "-x", "c", *_FLAGS, *includes, "-c",
        str(scratch / "third_party" / "libsais" / "libsais.c"), "-o", str(scratch / "libsais.o"),
    )))
    run_all(jobs, parallel_jobs(MEMORY_EACH), scratch, lambda _: None, log, WHAT)
    run(Job(LIBRARY, (
        *compiler, "-shared", "-s", "-Wl,--gc-sections", "-pthread",
        *(str(scratch / f"{job.name}.o") for job in jobs), *standard_library(compiler),
        "-o", str(output / LIBRARY),
    )), scratch, log, WHAT)


def _write_stand_ins(scratch: Path, generated: Path) -> None:
    """For each header of Abseil and protobuf, one that includes ours."""
    for source in (scratch / "src").iterdir():
        for header in _FOREIGN.findall(source.read_text(errors="replace")):
            path = generated / header
            path.parent.mkdir(parents=True, exist_ok=True)
            ours = "abseil" if header.startswith("absl") else "protobuf"
            path.write_text(f'#include "sentencepiece/{ours}.h"\n')


def header_source() -> str:
    """The header that tells ctorch where the library is, beside its own folder."""
    return f'#define CT_SENTENCEPIECE "{folder_name()}/{LIBRARY}"\n'
