"""python -m lambent.lang.bundle.wheel PURE.whl FOLDER: a wheel that carries what is compiled here.

    lambent-0.1.0-py3-none-any.whl  =>  lambent-0.1.0-cp311-cp311-linux_x86_64.whl, with
        lambent/built/ctorch/2.13.0+cpu-cpython-311-5d1c.../liblambent_ctorch.so, ...
        lambent/built/native/1a2b3c4d-5e6f7a8b.so       the interpreter's C module
        lambent/built/start/library, core               the analysed library

It is for one version of torch and of Python: with them nothing needs a compiler, and the first
start analyses nothing.  With others, all is made as usual: nothing is wrong about installing it
beside them.  LibTorch is found from there in the torch package, which pip puts in the same folder.
"""

import base64
import hashlib
import marshal
import shutil
import sys
import sysconfig
import zipfile
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

from lambent.ctorch import build
from lambent.ctorch.cached_operators import cached_operators
from lambent.lang.compile.units import library, library_units
from lambent.lang.compile_library import compile_all_units
from lambent.lang.core.modules import cached_library
from lambent.lang.core.modules.library import analyse_library
from lambent.lang.errors import UsageFault
from lambent.lang.interp import native, run
from lambent.lang.interp.code_cache import fingerprint
from lambent.lang.system.cache import seal
from lambent.lang.system.carried import write_entry
from lambent.lang.system.elf import Elf
from lambent.lang.system.scratch import scratch_folder

_PURE = "py3-none-any"
_EXECUTABLE = 0o755 << 16  # as zip files hold permissions
_READABLE = 0o644 << 16


def make_wheel(pure: Path, folder: Path) -> Path:
    """Add what is built here to a wheel without it; the new wheel, in the folder."""
    if not pure.name.endswith(f"-{_PURE}.whl"):
        raise UsageFault(f"{pure.name} is not a wheel that ends with {_PURE}.whl")
    tag = _tag()
    target = folder / pure.name.replace(_PURE, tag)
    with scratch_folder() as scratch:
        built = scratch / "built"
        _collect(built)
        wheel = scratch / target.name
        _write(pure, wheel, tag, {f"lambent/{p.relative_to(scratch)}": p for p in _files(built)})
        shutil.copyfile(wheel, target)
    return target


def _tag() -> str:
    """Which Pythons and machines it is for: "cp311-cp311-linux_x86_64"."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{machine}"


def _collect(built: Path) -> None:
    """The folders that the wheel carries, as the cache has them."""
    torch = build.find_torch()
    library = built / "ctorch" / build.carried_name(torch)
    library.mkdir(parents=True)
    cached_operators()  # a file beside the library, which check asks
    for path in build.built().iterdir():
        if path.suffix == ".json":
            shutil.copyfile(path, library / path.name)
        elif path.suffix == ".so":
            copy = Elf.read(path)
            copy.drop_symbols()
            copy.search_in(f"$ORIGIN/{build.FROM_CARRIED}/torch/lib:$ORIGIN")
            copy.write(library / path.name)
    seal(library)
    _collect_start(built)


def _collect_start(built: Path) -> None:
    """What the first start of a script would make."""
    path = native.found_file(native.key())
    if not path:
        raise UsageFault("the interpreter's C module cannot be compiled here")
    module = Path(path).read_bytes()
    target = built / "native" / native.file_name(native.carried_key(), module)
    target.parent.mkdir()
    target.write_bytes(module)
    write_entry(built, run.CARRIED, marshal.dumps(run.library_fields(fingerprint())))
    analyse_library()
    core = cached_library.library_data()
    if core is None:
        raise UsageFault("the library's analysis is not in the cache", hint="lambent doctor")
    write_entry(built, cached_library.CARRIED, core)
    _collect_units(built)


def _collect_units(built: Path) -> None:
    """The compiled units of the library, which the first compilations would make."""
    compile_all_units()
    write_entry(built, library_units.CARRIED, library_units.units_data())
    for index in range(len(library_units.library_units().files)):
        for tensors, ending in product((False, True), library.ENDINGS):
            data = library.unit_data(index, tensors, ending)
            assert data is not None, library.unit_name(index)
            write_entry(built, library.carried_name(index, tensors, ending), data)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


# The archive.


def _write(pure: Path, wheel: Path, tag: str, added: Mapping[str, Path]) -> None:
    rows: list[str] = []
    with (
        zipfile.ZipFile(pure) as before,
        zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for entry in before.infolist():
            data = before.read(entry)
            if entry.filename.endswith(".dist-info/RECORD"):
                record = entry
                continue
            if entry.filename.endswith(".dist-info/WHEEL"):
                text = data.decode().replace(f"Tag: {_PURE}", f"Tag: {tag}")
                data = text.replace("Root-Is-Purelib: true", "Root-Is-Purelib: false").encode()
            rows.append(_row(entry.filename, data))
            after.writestr(entry, data)
        for name, path in added.items():
            data = path.read_bytes()
            new = zipfile.ZipInfo(name)
            new.external_attr = _EXECUTABLE if path.suffix == ".so" else _READABLE
            new.compress_type = zipfile.ZIP_DEFLATED
            rows.append(_row(name, data))
            after.writestr(new, data)
        rows.append(f"{record.filename},,")
        after.writestr(record, "\n".join([*rows, ""]))


def _row(name: str, data: bytes) -> str:
    """A line of RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    quoted = f'"{name}"' if "," in name else name
    return f"{quoted},sha256={digest},{len(data)}"


if __name__ == "__main__":
    try:
        print(make_wheel(Path(sys.argv[1]), Path(sys.argv[2])))
    except UsageFault as fault:
        sys.exit(f"lambent: {fault}" + (f"\nhint: {fault.hint}" if fault.hint else ""))
