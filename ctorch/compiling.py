"""Compile the C++ sources to the library, and cffi's and Lambent's C to the Python module.

    handle.cpp call.cpp ..., typed.cpp, exports.c  => liblambent_ctorch.so
    ctorch.h through cffi, python/*.c             => _lambent_ctorch.so

A warm start only needs `build.py`.  Reading LibTorch's headers takes most of the time, up to five
seconds a file.  So sources that need the same headers are compiled together, as one text that
includes them:

    #include "guards/guards.cpp"
    #include "guards/layers.cpp"
    #include "guards/windows.cpp"

So names in anonymous namespaces must differ within a group.  A source that is in no group is
compiled by itself.  Object files are kept from build to build, each under a key of its sources, so
that a change costs one compilation, and a build that was stopped continues where it was.
"""

import os
import platform
import re
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from lambent.ctorch import conversions_source
from lambent.ctorch.build import (
    C_FLAGS,
    CXX_FLAGS,
    HERE,
    JSON,
    LIBRARIES,
    LIBRARY,
    MODULE,
    Torch,
    c_sources,
    cpp_sources,
)
from lambent.ctorch.distributed import gloo
from lambent.ctorch.library_flags import require_zlib, standard_library
from lambent.ctorch.stubs_source import exports_source
from lambent.ctorch.typed_source import typed_source
from lambent.lang.errors import UsageFault
from lambent.lang.system.builds import object_store, run, run_all
from lambent.lang.system.cache import close_file, seal
from lambent.lang.system.compilers import command_stamp, parallel_jobs
from lambent.lang.system.running import Job

CFFI_NAME = "_lambent_ctorch"
_WHAT = "the LibTorch interface"
MEMORY_EACH = 1 << 30  # bytes: gcc takes 0.9 GB for the largest
OUR_INCLUDE = re.compile(r'^#include "(.*)"', re.MULTILINE)
# The slowest first, so that none of them is left to run alone.
GROUPS = {
    "module": ("torchscript/module", "torchscript/archive", "torchscript/values",
        "dispatch/torchscript_overloads"),
    "typed": ("typed",),
    "distributed": ("distributed/settings", "distributed/sockets", "distributed/peers",
        "distributed/group", "distributed/operation", "distributed/collectives",
        "distributed/gradients", "distributed/unavailable"),
    "overloads": ("overloads/lookup", "overloads/functions", "overloads/images",
        "overloads/replacements", "overloads/division", "overloads/layers", "overloads/losses",
        "overloads/pools"),
    "errors": ("errors/report", "errors/message_cleaning", "errors/lisp_wording",
        "errors/messages_from_arguments", "tensor/printing", "errors/message_table",
        "memory/reports"),
    "memory": ("memory/out_of_memory", "memory/allocator", "memory/profile", "memory/device_times",
        "tensor/random_generator"),
    "calls": ("dispatch/call", "dispatch/bind", "dispatch/convert", "errors/given_arguments",
        "dispatch/choose", "guards/conditions", "tensor/indexing", "dispatch/results",
        "dispatch/one_thread", "dispatch/written", "errors/message_table_families"),
    "values": ("tensor/handle", "dispatch/reuse", "dispatch/values", "tensor/create",
        "tensor/elements", "files/storages", "tensor/dlpack", "files/mapping"),
    "autograd": ("autograd/autograd", "autograd/gradient_errors", "autograd/backward",
        "autograd/leaf_gradients", "autograd/activation_gradients", "autograd/linear",
        "autograd/custom_gradient", "autograd/recompute", "autograd/autocast",
        "autograd/inference", "autograd/accumulation"),
    "tensors": ("tensor/arithmetic", "tensor/division", "tensor/overlap", "tensor/parse_indices",
        "tensor/dtypes", "tensor/devices", "tensor/sparse"),
    "archives": ("files/zip", "files/zip_output", "files/compression", "files/pickle",
        "files/pickle_reader", "pt/legacy_pt", "pt/pt"),
    "schemas": ("dispatch/schema", "dispatch/lisp_names", "dispatch/pytorch_names",
        "errors/message_pattern", "memory/available", "errors/dtype_hint"),
    "guards": ("guards/guards", "guards/functions", "guards/layers", "guards/windows"),
    "llm": ("llm/operators", "llm/common", "llm/norms", "llm/rotary", "llm/attention",
        "llm/sampler", "llm/linear_rows"),
    "cuda": ("cuda/kernels", "cuda/driver", "cuda/compiler", "cuda/graph"),
    "data": ("data/batches", "data/characters", "data/csv"),
    "tokenizers": ("tokenizers/procedures", "tokenizers/pairs", "tokenizers/huggingface",
        "tokenizers/sentencepiece", "tokenizers/training"),
    "grammars": ("grammars/grammar", "grammars/procedures"),
    "tokenizer_steps": ("text/text", "text/json_tree", "text/regex", "text/byte_letters",
        "tokenizers/document", "tokenizers/ranks", "tokenizers/pattern",
        "tokenizers/precompiled", "tokenizers/framing", "tokenizers/added_tokens",
        "tokenizers/pipeline"),
    "pieces": ("pieces/vocabulary", "pieces/trie", "pieces/character_map", "pieces/model_file",
        "pieces/piece_normalizer", "pieces/piece_cutter", "pieces/piece_model"),
    "images": ("images/images", "images/png", "images/jpeg", "images/pnm", "images/resample"),
    "files": ("files/npy", "files/npy_header", "files/safetensors", "files/safetensors_index",
        "files/safetensors_output", "files/procedures",
        "lispe/system", "memory/pages"),
    "exported": ("exported/graph", "exported/sizes", "exported/run", "exported/trees",
        "exported/model", "exported/compiled", "exported/package"),
    "gguf": ("gguf/gguf", "gguf/types", "gguf/small_types", "gguf/tensors", "gguf/tokenizers",
        "gguf/quantizers", "gguf/writer", "quantize/packing"),
    "blocks": ("gguf/block_kernels", "gguf/block_operators"),
}
# The loops of language models are compiled once for each kind of processor (llm/kernel_choice.cpp).
KERNELS = "llm/kernels"
KERNEL_FLAGS = (
    "-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-Wno-psabi",
)
_AVX2 = ("-mavx2", "-mfma", "-mf16c")
_AVX512 = (*_AVX2, "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq")
PROCESSORS: dict[str, tuple[str, ...]] = {
    "AVX2_KERNELS": _AVX2,
    "AVX512_KERNELS": _AVX512,
    "AVX512_BF16_KERNELS": (*_AVX512, "-mavx512bf16"),
}
# What reading LibTorch's headers costs, counted in characters of Lambent's sources.
_HEADERS_WEIGH = 30_000


@dataclass(frozen=True, slots=True)
class Compilation:
    source: Path
    compiler: tuple[str, ...]  # with its flags
    includes: tuple[str, ...]  # folders of headers, which are not part of the key
    depends: str  # what else the result depends on: versions of tools


def compile_all(torch: Torch, compiler: tuple[str, ...], folder: Path, scratch: Path) -> None:
    """Make both files in the folder, which is next to the store of object files.

    A failure leaves the compiler's output in build.log there.
    """
    _check_headers()
    zlib = require_zlib(compiler)
    log, store = folder.with_name("build.log"), object_store(folder)
    library = list(_library_compilations(torch, compiler, scratch))
    module = list(_module_compilations(compiler, scratch))
    objects = _objects([*library, *module], store, scratch, log)
    output = scratch / "output"
    output.mkdir(mode=0o755)
    # Calls inside the library go straight to their functions.  What no library defines, because a
    # declaration does not fit this LibTorch, is an error now and not when the library is loaded.
    # The C++ library comes first: LibTorch's libraries, and some of CUDA's, export parts of one of
    # their own, and the real one, whose calls go through the loader, would get theirs: a process
    # with a GPU crashes then.
    run(Job(LIBRARY, (
        *compiler, "-shared", "-Wl,-Bsymbolic-functions", "-Wl,-z,defs",
        *map(str, objects[: len(library)]), "-o", str(output / LIBRARY), f"-L{torch.lib}",
        *standard_library(compiler), *(f"-l{name}" for name in LIBRARIES), zlib,
        *_search(torch.lib, "$ORIGIN"),
    )), scratch, log, _WHAT)
    run(Job(MODULE, (
        *compiler, "-shared", *map(str, objects[len(library) :]), "-o", str(output / MODULE),
        f"-L{output}", "-llambent_ctorch", "-Xlinker", "-rpath-link", "-Xlinker", str(torch.lib),
        *_search(torch.lib, "$ORIGIN"),
    )), scratch, log, _WHAT)
    seal(output)
    _put_in_place(output, folder, scratch)


def _search(*folders: Path | str) -> Iterator[str]:
    """Where the loader searches.  Not by -Wl, which splits names at commas."""
    for folder in folders:
        yield from ("-Xlinker", "-rpath", "-Xlinker", str(folder))


def _put_in_place(output: Path, folder: Path, scratch: Path) -> None:
    """Move the complete folder there; a damaged one is moved to the scratch folder first."""
    with suppress(FileNotFoundError):
        folder.rename(scratch / "damaged")
    output.rename(folder)


def _library_compilations(
    torch: Torch, compiler: tuple[str, ...], scratch: Path
) -> Iterator[Compilation]:
    includes = ("-isystem", str(torch.include), f"-I{HERE}", f"-I{scratch}")
    depends = f"{torch.headers_stamp} {command_stamp(compiler)}"
    (scratch / "typed.cpp").write_text(typed_source())
    (scratch / conversions_source.FILE_NAME).write_text(conversions_source.conversions_source())
    for name, members in _groups():
        source = scratch / f"group_{name.replace('/', '_')}.cpp"
        source.write_text("".join(f'#include "{member}.cpp"\n' for member in members))
        if name == KERNELS:
            yield from _kernels(compiler, source, includes, depends)
        elif name == "distributed":
            yield _distributed(torch, compiler, source, includes, depends, scratch)
        else:
            yield Compilation(source, (*compiler, *CXX_FLAGS), includes, depends)
    exports = scratch / "exports.c"
    exports.write_text(exports_source())
    yield Compilation(exports, (*compiler, *C_FLAGS), (f"-I{HERE}",), command_stamp(compiler))
    yield Compilation(JSON, (*compiler, *C_FLAGS), (), command_stamp(compiler))


def _kernels(
    compiler: tuple[str, ...], source: Path, includes: tuple[str, ...], depends: str
) -> Iterator[Compilation]:
    """The loops for each kind of processor."""
    flags = (*compiler, *CXX_FLAGS, *KERNEL_FLAGS)
    yield Compilation(source, flags, includes, depends)
    if platform.machine() != "x86_64":
        return
    for name, processor in PROCESSORS.items():
        own = source.with_name(f"{source.stem}_{name.lower()}.cpp")
        own.write_text(source.read_text())
        yield Compilation(own, (*flags, f"-DCT_KERNELS={name}", *processor), includes, depends)


def _distributed(
    torch: Torch, compiler: tuple[str, ...], source: Path, includes: tuple[str, ...],
    depends: str, scratch: Path,
) -> Compilation:
    """The interface to c10d: where LibTorch has none, procedures that say so."""
    if not gloo.is_there(torch):
        return Compilation(source, (*compiler, *CXX_FLAGS), includes, depends)
    gloo.check(torch)
    for name in gloo.HEADERS:
        header = scratch / "gloo" / f"{name}.h"
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text('#include "distributed/gloo_abi.h"\n')
    api = str(torch.include / "torch" / "csrc" / "api" / "include")
    return Compilation(
        source, (*compiler, *CXX_FLAGS, "-DCT_GLOO"), (*includes, "-isystem", api), depends
    )


def _groups() -> Iterator[tuple[str, list[str]]]:
    """Every source once: in its group, or by itself."""
    left = {str(path.relative_to(HERE).with_suffix("")) for path in cpp_sources()} | {"typed"}
    for name, members in GROUPS.items():
        yield name, [member for member in members if member in left]
        left -= set(members)
    for name in sorted(left):
        yield name, [name]


def _module_compilations(compiler: tuple[str, ...], scratch: Path) -> Iterator[Compilation]:
    cffi_source = scratch / f"{CFFI_NAME}.c"
    write_cffi_source(cffi_source)
    includes = (f"-I{sysconfig.get_path('include')}", f"-I{HERE}")
    depends = f"{sys.implementation.cache_tag} {command_stamp(compiler)}"
    for source in (cffi_source, *c_sources()):
        yield Compilation(source, (*compiler, *C_FLAGS), includes, depends)


def _objects(
    compilations: list[Compilation], store: Path, scratch: Path, log: Path
) -> list[Path]:
    """The object files, compiled now where necessary; each is kept once it is complete."""
    names = [_name(compilation) for compilation in compilations]
    objects = {name: _kept(store, name) for name in names}
    jobs = [
        _job(compilation, scratch / f"{name}.o", name)
        for compilation, name in zip(compilations, names, strict=True)
        if objects[name] is None
    ]

    made_of = dict(zip(names, compilations, strict=True))

    def keep(job: Job) -> None:
        if _name(made_of[job.name]) != job.name:  # it must not be found under the wrong name
            raise UsageFault(f"{job.name}: its source changed while it was compiled: start again")
        object_file = scratch / f"{job.name}.o"
        close_file(object_file)
        # So that a crash of the machine leaves no damaged file.
        with object_file.open("rb") as file:
            os.fsync(file.fileno())
        size = object_file.stat().st_size
        objects[job.name] = object_file.rename(store / f"{job.name}-{size:x}.o")

    run_all(jobs, parallel_jobs(MEMORY_EACH), scratch, keep, log, _WHAT)
    return [path for name in names if (path := objects[name])]


def _job(compilation: Compilation, target: Path, name: str) -> Job:
    command = (
        *compilation.compiler, *compilation.includes,
        "-c", str(compilation.source), "-o", str(target),
    )  # fmt: skip
    is_cxx = compilation.source.suffix == ".cpp"
    weight = sum(map(len, _texts(compilation.source))) + _HEADERS_WEIGH if is_cxx else 1000
    return Job(name, command, weight)


def _name(compilation: Compilation) -> str:
    """The name of the object file, without its size."""
    check = crc32(os.fsencode(f"{compilation.depends} {' '.join(compilation.compiler[1:])}"))
    for text in _texts(compilation.source):
        check = crc32(text, check)
    stem = compilation.source.stem.removeprefix("group_")
    room = "python_" if compilation.source.parent.name == "python" else ""
    return f"{room}{stem}-{check:08x}"


def _kept(store: Path, name: str) -> Path | None:
    """The object file of that name, unless it is incomplete, as after a crash of the machine."""
    for path in store.glob(f"{name}-*.o"):
        if path.stem == f"{name}-{path.stat().st_size:x}":
            path.touch()
            return path
        path.unlink()
    return None


def _texts(source: Path) -> list[bytes]:
    """The source and those of Lambent's files that it includes, directly or not."""
    contents: dict[Path, bytes] = {}
    waiting = [source]
    while waiting:
        path = waiting.pop()
        if path not in contents and path.exists():
            contents[path] = path.read_bytes()
            for name in re.findall(OUR_INCLUDE, contents[path].decode()):
                waiting += [HERE / name, source.parent / name]
    return [contents[path] for path in sorted(contents, key=lambda p: p.name)]


def _check_headers() -> None:
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        raise UsageFault(
            f"tensors need Python's C headers, once, to build the LibTorch interface: "
            f"no {header}",
            hint=f"sudo apt install python{sysconfig.get_python_version()}-dev",
        )


def declarations() -> str:
    """The part of ctorch.h that cffi reads."""
    text = (HERE / "ctorch.h").read_text()
    return text.split("/* cffi: begin */")[1].split("/* cffi: end */")[0]


def write_cffi_source(path: Path) -> None:
    from cffi import FFI
    from cffi.recompiler import make_c_source

    ffi = FFI()
    ffi.cdef(declarations())
    make_c_source(ffi, CFFI_NAME, '#include "ctorch.h"', str(path))
