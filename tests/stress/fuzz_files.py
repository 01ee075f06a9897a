"""Damage files at random and load them: `python -m tests.stress.fuzz_files FOLDER SEED COUNT`.

FOLDER holds undamaged files of each format.  Either a damaged file loads and all its elements can
be read, or the message names the file and shows no C++.  The memory of the process is limited, so
that files that ask for much are noticed.  A crash ends it: test_tensor_files.py runs it.
"""

import io
import random
import resource
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lambent.ctorch import load

SPARE_BYTES = 1 << 28
LOADERS = {
    ".safetensors": "load-tensors", ".json": "load-tensors", ".npy": "load-npy",
    ".npz": "load-npz", ".pt": "load-state-dict", ".pts": "load-module",
}
ARCHIVES = (".npz", ".pt", ".pts")
FORBIDDEN = ("not enough memory", "::", "INTERNAL", "Exception", "torch/csrc", "Aborted")

Damage = Callable[[random.Random, bytearray], None]


def flip(chance: random.Random, data: bytearray) -> None:
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def replace(chance: random.Random, data: bytearray) -> None:
    data[chance.randrange(len(data))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, ord("9"), ord('"')))


def truncate(chance: random.Random, data: bytearray) -> None:
    del data[chance.randrange(len(data)) :]


def cut(chance: random.Random, data: bytearray) -> None:
    start = chance.randrange(len(data))
    del data[start : start + chance.randrange(1, 40)]


def repeat(chance: random.Random, data: bytearray) -> None:
    start = chance.randrange(len(data))
    data[start:start] = data[start : start + chance.randrange(1, 40)]


def enlarge(chance: random.Random, data: bytearray) -> None:
    """A large number at a random position."""
    start, width = chance.randrange(len(data)), chance.choice((2, 4, 8))
    number = chance.choice((0, 1, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63, 2**64 - 1))
    data[start : start + width] = (number & (256**width - 1)).to_bytes(width, "little")


def enlarge_digits(chance: random.Random, data: bytearray) -> None:
    digits = [k for k, byte in enumerate(data) if 48 <= byte < 58]
    if digits:
        k = chance.choice(digits)
        data[k : k + 1] = chance.choice((b"9" * 10, b"-1", b"0", b"1e9", b"9" * 19, b"4294967296"))


DAMAGES: tuple[Damage, ...] = (flip, replace, truncate, cut, repeat, enlarge, enlarge_digits)


def main(folder: Path, seed: int, count: int) -> None:
    chance = random.Random(seed)
    lib, ffi = load()
    samples = sorted(path for path in folder.iterdir() if path.suffix in LOADERS)
    whole = {path: path.read_bytes() for path in samples}
    refused = 0
    for path in samples:
        message = attempt(lib, ffi, path)
        assert message is None, message
    limit_memory()
    for k in range(count):
        path = samples[k % len(samples)]
        inside = path.suffix in ARCHIVES and chance.random() < 0.5
        data = (damaged_inside if inside else damaged_bytes)(chance, whole[path])
        damaged = folder / f"damaged-{seed}{path.suffix}"
        damaged.write_bytes(data)
        message = attempt(lib, ffi, damaged)
        if message is not None:
            refused += 1
            assert any(part in message for part in (damaged.name, str(folder))) and not any(
                word in message for word in FORBIDDEN
            ), f"{message!r}, of file {path.name}, iteration {k}"
        damaged.unlink()
    assert lib.ct_live_handles() == 0
    print(f"{refused} of {count} refused")


def damaged_bytes(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        if changed:
            chance.choice(DAMAGES)(chance, changed)
    return bytes(changed)


def damaged_inside(chance: random.Random, archive: bytes) -> bytes:
    """A valid archive, checksums included, with damage in one of its files."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as whole, zipfile.ZipFile(out, "w") as changed:
        entries = whole.infolist()
        chosen = chance.choice(entries)
        for entry in entries:
            data = whole.read(entry)
            if entry is chosen:
                data = damaged_bytes(chance, data)
            changed.writestr(zipfile.ZipInfo(entry.filename), data, entry.compress_type)
    return out.getvalue()


def limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + SPARE_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def attempt(lib: Any, ffi: Any, path: Path) -> str | None:
    """Load a file and read all of it; return the message if that fails."""
    text = ffi.new("char[]", str(path).encode())
    argument, result = ffi.new("ct_value *"), ffi.new("ct_value *")
    argument.kind, argument.text = lib.CT_STRING, text
    if lib.ct_procedure(LOADERS[path.suffix].encode(), 1, argument, result):
        return str(ffi.string(lib.ct_last_error()).decode())
    touch(lib, ffi, result[0])
    lib.ct_value_clear(result)
    return None


def touch(lib: Any, ffi: Any, value: Any) -> None:
    if value.kind == lib.CT_TENSOR:
        text = ffi.new("char **")
        assert not lib.ct_to_text(value.tensor, lib.CT_DISPLAY, text)
        lib.ct_free_text(text[0])
    for k in range(value.count):
        touch(lib, ffi, value.items[k])
    if value.kind == lib.CT_OBJECT:
        touch_module(lib, ffi, value)


def touch_module(lib: Any, ffi: Any, module: Any) -> None:
    for name in (b"module-parameters", b"module-buffers"):
        tensors = ffi.new("ct_value *")
        assert not lib.ct_procedure(name, 1, ffi.new("ct_value *", module), tensors)
        touch(lib, ffi, tensors[0])
        lib.ct_value_clear(tensors)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
