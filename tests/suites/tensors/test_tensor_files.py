"""Files of tensors: compatible with other programs in both directions; damaged files are refused.

A writer in this module follows the description of the safetensors format; numpy and Python's torch
(imported only by tests) write and read the other formats.
"""

import contextlib
import fcntl
import gc
import io
import json
import resource
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from random import Random
from typing import Any

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from tests.support.ctorch_calls import FailedError, Handle, call, procedure, tensor
from tests.support.paths import ROOT

pytestmark = pytest.mark.usefixtures("no_live_handles")


def refusal(name: str, *arguments: Any) -> str:
    with pytest.raises(FailedError) as failed:
        procedure(name, *arguments)
    return str(failed.value)


# safetensors.


def safetensors(header: Any, data: bytes = b"", padding: int = 0) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text += b" " * padding
    return struct.pack("<Q", len(text)) + text + data


def info(dtype: str, shape: list[int], start: int, end: int, **more: Any) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end], **more}


DTYPES = {
    "F64": ("float64", struct.pack("<2d", 1, 2)), "F32": ("float32", struct.pack("<2f", 1, 2)),
    "F16": ("float16", struct.pack("<2e", 1, 2)), "BF16": ("bfloat16", b"\x80\x3f\x00\x40"),
    "I64": ("int64", struct.pack("<2q", 1, 2)), "I32": ("int32", struct.pack("<2i", 1, 2)),
    "I16": ("int16", struct.pack("<2h", 1, 2)), "I8": ("int8", b"\1\2"),
    "U64": ("uint64", struct.pack("<2Q", 1, 2)), "U32": ("uint32", struct.pack("<2I", 1, 2)),
    "U16": ("uint16", struct.pack("<2H", 1, 2)), "U8": ("uint8", b"\1\2"),
    "C64": ("complex64", struct.pack("<4f", 1, 0, 2, 0)), "F8_E4M3": ("float8-e4m3fn", b"\x38\x40"),
    "F8_E5M2": ("float8-e5m2", b"\x3c\x40"), "F8_E8M0": ("float8-e8m0fnu", b"\x7f\x80"),
    "F8_E4M3FNUZ": ("float8-e4m3fnuz", b"\x40\x48"),
    "F8_E5M2FNUZ": ("float8-e5m2fnuz", b"\x40\x44"),
}


@pytest.mark.parametrize("code", DTYPES)
@pytest.mark.parametrize("padding", [0, 1])
def test_every_dtype_loads_aligned_or_not(tmp_path: Path, code: str, padding: int) -> None:
    name, data = DTYPES[code]
    path = tmp_path / "x.safetensors"
    path.write_bytes(safetensors({"x": info(code, [2], 0, len(data))}, data, padding))
    (x,) = procedure("load-tensors", str(path)).values()
    assert x.dtype == name
    wide = call("to", x, "complex64" if code == "C64" else "float64")
    assert wide.text() == ("[1.0+0.0i 2.0+0.0i]" if code == "C64" else "[1.0 2.0]")


def test_written_files_follow_the_format(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    tensors = {"b": tensor([True]), "w": tensor([[1.0, 2.0]]), "é\"\n": tensor([]), "k": tensor(7)}
    procedure("save-tensors", str(path), tensors, {"format": "pt"})
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    assert length % 8 == 0
    assert header == {
        "__metadata__": {"format": "pt"},
        "b": info("BOOL", [1], 16, 17),
        "w": info("F32", [1, 2], 8, 16),
        "é\"\n": info("F32", [0], 16, 16),
        "k": info("I64", [], 0, 8),
    }
    assert list(header)[1:] == list(tensors) == list(procedure("load-tensors", str(path)))
    assert data[8 + length :] == struct.pack("<q2f?", 7, 1, 2, True)


def test_model_in_several_files(tmp_path: Path) -> None:
    one, two = info("F32", [1], 0, 4), info("F32", [2], 4, 12)
    (tmp_path / "m-1.safetensors").write_bytes(
        safetensors({"a": one, "unused": two}, struct.pack("<3f", 1, 2, 3)))
    (tmp_path / "m-2.safetensors").write_bytes(safetensors({"b": one}, struct.pack("<f", 4)))
    index = tmp_path / "model.safetensors.index.json"
    files = {"b": "m-2.safetensors", "a": "m-1.safetensors"}
    index.write_text(json.dumps({"metadata": {"total_size": 16}, "weight_map": files}))
    for path in (index, tmp_path):
        found = procedure("load-tensors", str(path))
        assert {name: x.to_list() for name, x in found.items()} == {"b": [4.0], "a": [1.0]}
    for wrong, message in [
        ({"weight_map": {"a": "../x"}}, "\"../x\" is not the name of a file beside the index"),
        ({"weight_map": {"a": "/etc/passwd"}}, "is not the name of a file beside the index"),
        ({"weight_map": {"z": "m-1.safetensors"}}, "tensor \"z\" is missing"),
        ({"weight_map": {"z": "m-3.safetensors"}}, "No such file"),
        ({"weight_map": {"z": 3}}, "expected a string, got a number"),
        ({}, "it has no \"weight_map\""),
        ([], "expected an object, got an array"),
    ]:
        index.write_text(json.dumps(wrong))
        assert message in refusal("load-tensors", str(tmp_path))


GOOD = info("F32", [1], 0, 4)
HOSTILE: list[tuple[Any, bytes, str]] = [
    (b"", b"", "byte 8: expected a value, got the end of the text"),
    (b"{", b"", "expected a key in double quotes, got the end of the text"),
    (b'{"a":' * 1001 + b"1", b"", "byte 5008: expected at most 1000 nested"),
    (b'{"a":{"x":' + b"[" * 100000, b"", "at most 1000 nested brackets"),
    (b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}} x', b"1234", "expected the end"),
    (b'{"a":1}', b"", "byte 13: expected an object, got a number"),
    (b'{"\xff":1}', b"", "byte 10: expected UTF-8"),
    (b'{"\\ud800":1}', b"", "expected a low surrogate"),
    (b'{"\\u0000":1}', b"", "expected no NUL in a string"),
    (b'{"a":{"dtype":"F32","shape":[01],"data_offsets":[0,4]}}', b"1234", "',' or ']', got '1'"),
    (b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},'
     b'"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', b"1234",
     'the name "a" occurs twice'),
    (b'{"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}}', b"1234",
     'the field "dtype" occurs twice'),
    (b'{"__metadata__":{"k":"1","k":"2"}}', b"", 'the name "k" occurs twice'),
    ({"a": {"dtype": "F32", "shape": [1]}}, b"", 'tensor "a" has no data_offsets'),
    ({"a": info("F33", [1], 0, 4)}, b"1234", 'LibTorch has no dtype for "F33"'),
    ({"a": info("F4", [2], 0, 1)}, b"1", 'LibTorch has no dtype for "F4"'),
    ({"a": info("F32", [-1], 0, 4)}, b"1234", "expected an integer from 0 to "),
    ({"a": info("F32", [1.0], 0, 4)}, b"1234", "775807, got 1.0"),  # type: ignore[list-item]
    ({"a": info("F32", [1] * 65, 0, 4)}, b"1234", "more than 64 dimensions"),
    ({"a": info("F32", [2**64], 0, 4)}, b"1234", "to 9223372036854775807, got 1844"),
    ({"a": info("F32", [2**62, 4], 0, 4)}, b"1234", "a shape that no tensor can have"),
    ({"a": info("F32", [2**62, 4, 0], 0, 0)}, b"", "a shape that no tensor can have"),
    ({"a": info("F32", [2**40], 0, 2**42)}, b"1234", "of the data, which has 4"),
    ({"a": info("F32", [2], 0, 4)}, b"1234", "takes 8 bytes, its offsets span 4"),
    ({"a": info("F32", [1], 4, 0)}, b"1234", "ends before it begins"),
    ({"a": info("F32", [1], 4, 8)}, b"12345678", "after a gap"),
    ({"a": GOOD, "b": GOOD}, b"1234", "inside another one"),
    ({"a": GOOD, "b": info("F32", [1], 2, 6)}, b"123456", "inside another one"),
    ({"a": GOOD}, b"123", "which has 3"),
    ({"a": GOOD}, b"12345", "1 bytes at the end belong to no tensor"),
    ({"a": {**GOOD, "data_offsets": [0, 4, 8]}}, b"1234", "expected two offsets, got more"),
    ({"a": {**GOOD, "data_offsets": [0]}}, b"1234", "expected two offsets, got fewer"),
    ({"__metadata__": {"a": 1}}, b"", "expected a string, got a number"),
    ({"__metadata__": []}, b"", "expected an object, got an array"),
]


@pytest.mark.parametrize(("header", "data", "message"), HOSTILE, ids=lambda x: str(x)[:40])
def test_hostile_headers(tmp_path: Path, header: Any, data: bytes, message: str) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(safetensors(header, data))
    said = refusal("load-tensors", str(path))
    assert message in said
    assert said.startswith(f'"{path}", byte ')


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "byte 0: it is too short for a safetensors file"),
        (b"1234567", "byte 7: it is too short"),
        (struct.pack("<Q", 3) + b"{}", "byte 0: the header takes 3 bytes, the file has 2"),
        (struct.pack("<Q", 2**63) + b"{}", "byte 0: a header of 9223372036854775808 bytes is no"),
        (struct.pack("<Q", 100000001) + b"{}", "bytes is not a safetensors header"),
        (b"GGUF" + bytes(100), "byte 0: it is a GGUF file, not a safetensors file"),
    ],
)
def test_hostile_lengths(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(data)
    assert message in refusal("load-tensors", str(path))


def test_unknown_fields_and_no_metadata_are_allowed(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    header = {"__metadata__": None, "a": {**GOOD, "more": [{"x": [1e5, True, None, "s"]}]}}
    path.write_bytes(safetensors(header, struct.pack("<f", 3)))
    assert procedure("load-tensors", str(path))["a"].to_list() == [3.0]
    assert procedure("tensors-metadata", str(path)) == {}


def test_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    procedure("save-npy", str(path), tensor([1]))
    before = path.read_bytes()
    sparse = call("to_sparse", tensor([[1.0]]))
    assert "only dense tensors can be saved" in refusal("save-npy", str(path), sparse)
    full = Path("/dev/full")
    if full.exists():
        said = refusal("save-npy", str(full), tensor([1]))
        assert said == 'cannot write "/dev/full": No space left on device'
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["x.npy"]


def test_files_that_killed_processes_left_are_removed(tmp_path: Path) -> None:
    for letters in ("stale0", "locked"):
        (tmp_path / f".saving.{letters}").write_bytes(b"half")
    (tmp_path / ".saving.is-not-ours").write_bytes(b"")
    with (tmp_path / ".saving.locked").open() as being_written:
        fcntl.flock(being_written, fcntl.LOCK_EX)
        procedure("save-npy", str(tmp_path / "x.npy"), tensor([1]))
        names = [".saving.is-not-ours", ".saving.locked", "x.npy"]
        assert sorted(path.name for path in tmp_path.iterdir()) == names
    procedure("save-npy", str(tmp_path / "x.npy"), tensor([1]))
    assert not (tmp_path / ".saving.locked").exists()


def test_a_full_disk_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    procedure("save-tensors", str(path), {"x": tensor([1])}, {})
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))  # Python ignores SIGXFSZ
    try:
        large = call("zeros", [10_000])
        assert "File too large" in refusal("save-tensors", str(path), {"x": large}, {})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [(path.name, before)]


def test_unsupported_tensors_are_refused_before_writing(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    sparse = {"x": call("to_sparse", tensor([1.0, 0.0]))}
    message = "only dense tensors can be saved, got a tensor float32 (2)"
    assert message in refusal("save-tensors", str(path), sparse, {})
    assert not path.exists()


def test_longest_possible_file_name(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    procedure("save-tensors", str(path), {"x": tensor([1.0])}, {})
    assert procedure("load-tensors", str(path))["x"].to_list() == [1.0]


def test_symbolic_link_and_file_mode_are_kept(tmp_path: Path) -> None:
    real, link = tmp_path / "real.npy", tmp_path / "link.npy"
    procedure("save-npy", str(real), tensor([1]))
    real.chmod(0o640)
    link.symlink_to(real)
    procedure("save-npy", str(link), tensor([2]))
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert procedure("load-npy", str(real)).to_list() == [2]


def test_large_file_is_mapped_and_read_on_demand(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    size = 1 << 34
    path.write_bytes(safetensors({"x": info("U8", [size], 0, size)}, b""))
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size + size)
    x = procedure("load-tensors", str(path))["x"]
    assert x.shape == (size,)
    last = call("slice", x, 0, size - 2, size)
    assert last.to_list() == [0, 0]


def test_mapping_lives_as_long_as_its_tensors(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    procedure("save-tensors", str(path), {"a": tensor([1.0]), "b": tensor([2.0])}, [])

    def is_mapped() -> bool:
        return str(path) in Path("/proc/self/maps").read_text()

    found = procedure("load-tensors", str(path))
    part = call("slice", found["b"], 0, 0, 1)
    del found
    gc.collect()
    assert is_mapped()
    assert part.to_list() == [2.0]
    del part
    gc.collect()
    assert not is_mapped()


def test_the_safetensors_library_agrees(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.numpy")
    ours, theirs = str(tmp_path / "ours.safetensors"), str(tmp_path / "theirs.safetensors")
    procedure("save-tensors", ours, {"b": tensor([True]), "w": tensor([[1.0, 2.0]])}, [])
    arrays = library.load_file(ours)
    assert {name: array.tolist() for name, array in arrays.items()} == {
        "b": [True], "w": [[1.0, 2.0]]
    }
    library.save_file(arrays, theirs, {"format": "np"})
    assert procedure("load-tensors", theirs)["w"].to_list() == [[1.0, 2.0]]
    assert procedure("tensors-metadata", theirs) == {"format": "np"}


# numpy's files.

numpy = pytest.importorskip("numpy")

NUMPY_DTYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")


def as_numpy(x: Handle, folder: Path) -> Any:
    """The tensor as numpy reads it from a file that we wrote."""
    path = folder / "ours.npy"
    procedure("save-npy", str(path), x)
    return numpy.load(path)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("end", "<>")
@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
def test_npy_round_trip(tmp_path: Path, dtype: str, end: str, order: str) -> None:
    path = tmp_path / "x.npy"
    for shape in ((), (0,), (3,), (2, 3), (2, 0, 3), (2, 3, 2)):
        array = numpy.arange(numpy.prod(shape)).reshape(shape).astype(dtype)
        stored = numpy.asarray(array.astype(numpy.dtype(dtype).newbyteorder(end)), order=order)
        numpy.save(path, stored)
        back = as_numpy(procedure("load-npy", str(path)), tmp_path)
        assert back.dtype == array.dtype
        assert back.shape == array.shape
        assert numpy.array_equal(back, array)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_versions_of_npy(tmp_path: Path, version: tuple[int, int]) -> None:
    path = tmp_path / "x.npy"
    with path.open("wb") as file:
        numpy.lib.format.write_array(file, numpy.array([1.5, 2.5]), version)
    assert procedure("load-npy", str(path)).to_list() == [1.5, 2.5]


NPY_REFUSED = [
    (numpy.array([None]), 'Python objects ("|O")'),
    (numpy.array(["abc"]), 'strings ("<U3")'),
    (numpy.array([b"abc"]), 'byte strings ("|S3")'),
    (numpy.zeros(1, "V2"), 'raw bytes ("|V2")'),
    (numpy.zeros(1, "M8[s]"), "dates"),
    (numpy.zeros(1, "m8[s]"), "durations"),
    (numpy.zeros(1, [("a", "i4"), ("b", "f8")]), "records"),
    (numpy.zeros(1, "longdouble"), 'of another type ("<f16")'),
]


@pytest.mark.parametrize(("array", "message"), NPY_REFUSED, ids=lambda x: str(x)[:20])
def test_unsupported_element_types(tmp_path: Path, array: Any, message: str) -> None:
    path = tmp_path / "x.npy"
    numpy.save(path, array, allow_pickle=True)
    said = refusal("load-npy", str(path))
    assert f"its elements are {message}" in said
    assert "which no tensor can hold" in said


def npy(header: str, data: bytes = b"", version: bytes = b"\1\0") -> bytes:
    return b"\x93NUMPY" + version + struct.pack("<H", len(header)) + header.encode() + data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "byte 0: it is not an npy file"),
        (b"\x93NUMPY", "npy version 0 is not supported"),
        (b"\x93NUMPY\4\0\0\0", "npy version 4 is not supported"),
        (b"\x93NUMPY\1\0\xff\xff{}", "the header takes 65535 bytes, the file has 2"),
        (npy("{}"), "the header lacks descr, fortran_order or shape"),
        (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", b"1234"),
         "take 8 bytes, the file has 4"),
        (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }"),
         "expected a size from 0 up"),
        (npy("{'descr': '<f4', 'fortran_order': 1, 'shape': (2,), }"), "expected True or False"),
        (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 2), }"),
         "no tensor can have the shape (9223372036854775807 2)"),
        (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }"),
         "a size beyond 64 bits"),
        (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,), }", b"1234"),
         "take 4398046511104 bytes, the file has 4"),
        (npy("{'descr': '<f4', 'evil': (), 'shape': (2,), }"), 'an unexpected key "evil"'),
        (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }; import os", b"1234"),
         "the header goes on after its dictionary"),
        (npy("{'descr"), "a string in the header does not end"),
    ],
)
def test_hostile_arrays(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(data)
    assert message in refusal("load-npy", str(path))


def test_npz_round_trip(tmp_path: Path) -> None:
    path, ours = tmp_path / "x.npz", tmp_path / "ours.npz"
    chance = numpy.random.default_rng(0)
    arrays = {
        "noise": chance.random(1000), "zeros": numpy.zeros((100, 1000), "f4"),
        "text": chance.integers(97, 105, 5000).astype("u1"), "none": numpy.zeros((0, 2)),
        "one": numpy.array(3),
        "a/é": numpy.arange(300000) // 7, "big": numpy.arange(10, dtype=">i4"),
    }
    for save in (numpy.savez, numpy.savez_compressed):
        save(path, **arrays)
        found = procedure("load-npz", str(path))
        procedure("save-npz", str(ours), found, save is numpy.savez_compressed)
        back = numpy.load(ours)
        assert list(found) == back.files == list(arrays)
        for name, array in arrays.items():
            assert numpy.array_equal(back[name], array), name
        assert zipfile.ZipFile(ours).testzip() is None
    assert ours.stat().st_size < 1.5 * path.stat().st_size


def test_archives_with_zip64(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w") as archive, archive.open("x.npy", "w", force_zip64=True) as out:
        numpy.lib.format.write_array(out, numpy.array([1, 2]))
    assert procedure("load-npz", str(path))["x"].to_list() == [1, 2]


@pytest.mark.parametrize("level", [0, 1, 6, 9])
def test_deflate_at_every_level(tmp_path: Path, level: int) -> None:
    path = tmp_path / "x.npz"
    words = (b"the quick brown fox " * 500 + bytes(range(256)) * 20 + b"\0" * 70000)[: 1 << 16]
    array = numpy.frombuffer(words, "u1")
    archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=level)
    with archive, archive.open("x.npy", "w") as out:
        numpy.lib.format.write_array(out, array)
    assert numpy.array_equal(as_numpy(procedure("load-npz", str(path))["x"], tmp_path), array)


@pytest.mark.parametrize("size", [0, 1, (1 << 16) - 128, (1 << 16) - 127, 1 << 24, 1 << 25])
def test_deflated_entries_of_any_size(tmp_path: Path, size: int) -> None:
    """Also sizes that fill whole buffers, and entries that are inflated twice: the first time to
    check their declared size."""
    path, ours = tmp_path / "x.npz", tmp_path / "ours.npz"
    array = numpy.resize(numpy.random.default_rng(0).integers(0, 9, 1000).astype("u1"), size)
    numpy.savez_compressed(path, x=array)
    found = procedure("load-npz", str(path))
    assert numpy.array_equal(as_numpy(found["x"], tmp_path), array)
    procedure("save-npz", str(ours), found, True)
    assert numpy.array_equal(numpy.load(ours)["x"], array)


def test_large_damaged_deflated_entry(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    numpy.savez_compressed(path, x=numpy.zeros(1 << 25, "u1"))
    whole = path.read_bytes()
    end = whole.index(b"PK\1\2")
    for damage in (b"\xff" * 4, b"\0" * 4):
        path.write_bytes(whole[: end - 4] + damage + whole[end:])
        assert "does not unpack to 33554560 bytes" in refusal("load-npz", str(path))


def test_hostile_archives(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
    with archive, archive.open("x.npy", "w") as out:
        numpy.lib.format.write_array(out, numpy.zeros(1000))
    whole = path.read_bytes()
    directory = whole.index(b"PK\1\2")

    def damaged(at: int, new: bytes) -> str:
        path.write_bytes(whole[:at] + new + whole[at + len(new) :])
        return refusal("load-npz", str(path))

    assert "cannot unpack to 4294967294" in damaged(directory + 24, b"\xfe\xff\xff\xff")
    assert "take 8000 bytes, the file has 7999" in damaged(directory + 24, struct.pack("<I", 8127))
    assert "its array has 8128" in damaged(directory + 24, struct.pack("<I", 8129))
    assert "does not unpack to 8128" in damaged(directory - 4, b"\xff\xff\xff\xff")
    assert "its checksum differs" in damaged(directory + 16, b"abcd")
    assert "is encrypted" in damaged(directory + 8, b"\1\0")
    assert "packed by method 12" in damaged(directory + 10, b"\x0c\0")
    assert "does not fit into the file" in damaged(directory + 20, b"\xfe\xff\xff\x7f")
    assert "no ZIP entry begins here" in damaged(directory + 42, b"\5\0\0\0")
    assert "differs from its name" in damaged(30, b"y")
    assert "does not fit" in damaged(len(whole) - 22 + 10, b"\xfe\xff")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    assert 'the ZIP entry "readme.txt" is not an array' in refusal("load-npz", str(path))


# Python's torch.


def test_state_dicts_of_python(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = tmp_path / "x.pt"
    base = torch.arange(24.0)
    dtypes = (torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.bool,
              torch.int16, torch.int32, torch.int64, torch.complex64, torch.complex128)
    late = (torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn, torch.float8_e5m2)
    state = {
        "view": base.reshape(4, 6)[1:3, ::2], "transposed": base.reshape(4, 6).t(), "base": base,
        "expanded": torch.ones(1).expand(3), "empty": torch.zeros(0, 3), "one": torch.tensor(5),
        "parameter": torch.nn.Parameter(torch.ones(2)),
        **{str(dtype): torch.tensor([1, 0]).to(dtype) for dtype in (*dtypes, *late)},
    }
    for protocol in (2, 3, 4, 5):
        torch.save(state, path, pickle_protocol=protocol)
        found = procedure("load-state-dict", str(path))
        assert list(found) == list(state)
        for name, x in state.items():
            assert found[name].shape == tuple(x.shape)
            assert found[name].dtype.replace("-", "_") == str(x.dtype).removeprefix("torch.")
            assert call("to", found[name], "float64").to_list() == x.to(torch.float64).tolist()
        call("add_", found["base"], 100)
        assert found["view"].to_list() == (state["view"] + 100).tolist()
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(2, 2)).sum().backward()
    optimizer.step()
    state = {"m": model.state_dict(), "o": optimizer.state_dict(), "size": torch.Size([1])}
    torch.save(state, path)
    found = procedure("load-state-dict", str(path))
    assert list(found["m"]) == list(model.state_dict())
    assert found["o"]["state"][0]["step"].to_list() == 1.0
    assert found["size"] == [1]


class Thing:
    """A class that state dicts may not contain."""


def test_pickles_that_only_python_reads(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = tmp_path / "x.pt"
    for value, message in [
        ({"a": Thing()}, f"it holds a {__name__}.Thing, which only Python can create"),
        (print, "it holds a builtins.print, which only Python can create"),
        ({"a": {1, 2}}, "it holds a builtins.set"),
        ({(1, 2): 3}, "a key is neither a string nor an integer"),
        ({"a": b"123"}, "which only Python can create"),
        (torch.nn.Linear(1, 1), "torch.nn.modules.linear.Linear"),
        (2**40000, "an integer of more than 4096 bytes"),
    ]:
        torch.save(value, path)
        assert message in refusal("load-state-dict", str(path)).replace("__builtin__", "builtins")
    laughs: Any = ["ha"]
    for _ in range(40):
        laughs = [laughs] * 10
    torch.save(laughs, path)
    assert "values are repeated too often" in refusal("load-state-dict", str(path))
    cycle: list[Any] = []
    cycle.append(cycle)
    torch.save(cycle, path)
    assert "values nest more than 64 deep" in refusal("load-state-dict", str(path))


def every_kind_of_state() -> dict[str, Any]:
    torch = pytest.importorskip("torch")
    base = torch.arange(6.0).reshape(2, 3)
    scales, zeros = torch.tensor([0.1, 0.25]), torch.tensor([0, 3])
    return {
        "base": base, "view": base[:, 1:], "parameter": torch.nn.Parameter(torch.ones(2)),
        "integers": torch.arange(3), "half": torch.ones(3, dtype=torch.bfloat16), "number": 3,
        "coo": torch.eye(3).to_sparse(), "csr": torch.eye(3).to_sparse_csr(),
        "twice": torch.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (2,)),
        "csc": torch.eye(3).to_sparse_csc(), "bsr": torch.eye(4).to_sparse_bsr((2, 2)),
        "bsc": torch.eye(4).to_sparse_bsc((2, 2)), "none": torch.zeros(0, 2).to_sparse(),
        "quantized": torch.quantize_per_tensor(base, 0.1, 10, torch.quint8),
        "quantized-view": torch.quantize_per_tensor(base, 0.1, 0, torch.qint8).t(),
        "channels": torch.quantize_per_channel(base, scales, zeros, 0, torch.qint8),
        "q32": torch.quantize_per_tensor(base, 0.1, 0, torch.qint32),
    }


@pytest.mark.filterwarnings("ignore")  # torch's, of sparse layouts and quantization
@pytest.mark.parametrize("is_new", [True, False])
def test_sparse_and_quantized_tensors_in_both_formats(tmp_path: Path, is_new: bool) -> None:
    """The old format, of before PyTorch 1.6, is what torch.save writes on demand."""
    torch = pytest.importorskip("torch")
    path, state = tmp_path / "x.pt", every_kind_of_state()
    torch.save(state, path, _use_new_zipfile_serialization=is_new)
    found = procedure("load-state-dict", str(path))
    assert list(found) == list(state)
    for name, x in state.items():
        if name == "number":
            assert found[name] == 3
            continue
        assert tuple(found[name].shape) == tuple(x.shape)
        plain = call("dequantize", found[name]) if x.is_quantized else found[name]
        if x.layout != torch.strided:
            plain = call("to_dense", plain)
        right = (x.dequantize() if x.is_quantized else x.to_dense()).detach()
        assert call("to", plain, "float64").to_list() == right.to(torch.float64).tolist(), name
    call("add_", found["base"], 100)
    assert found["view"].to_list() == (state["view"] + 100).tolist()


def test_large_integers_in_state_dicts(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = tmp_path / "x.pt"
    powers = (7, 31, 62, 63, 64, 65, 127, 128, 2100)
    numbers = [sign * (2**k + d) for k in powers for d in (-1, 0, 1) for sign in (1, -1)]
    numbers += [10**30, -(10**45), 0]
    for is_new in (True, False):
        torch.save(numbers, path, _use_new_zipfile_serialization=is_new)
        assert procedure("load-state-dict", str(path)) == numbers


@pytest.mark.filterwarnings("ignore")  # the same
def test_damaged_old_files_are_refused(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = tmp_path / "x.pt"
    torch.save(every_kind_of_state(), path, _use_new_zipfile_serialization=False)
    whole = path.read_bytes()
    for size in range(0, len(whole), 37):
        path.write_bytes(whole[:size])
        refusal("load-state-dict", str(path))
    random = Random(5)
    for _ in range(400):  # an error or a result, and no crash
        damaged = bytearray(whole)
        for _ in range(random.randint(1, 4)):
            damaged[random.randrange(15, len(whole))] = random.randrange(256)
        path.write_bytes(damaged)
        with contextlib.suppress(FailedError):
            procedure("load-state-dict", str(path))


def test_sparse_tensors_with_bad_indices_are_refused(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = tmp_path / "x.pt"
    indices = torch.tensor([[0, 7]])
    bad = torch.sparse_coo_tensor(indices, torch.ones(2), (9,))
    torch.save({"a": bad}, path)
    data = {name: zipfile.ZipFile(path).read(name) for name in zipfile.ZipFile(path).namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in data.items():
            archive.writestr(name, content.replace(b"\x07\0\0\0\0\0\0\0", b"\x63\0\0\0\0\0\0\0")
                             if name.endswith("data/0") else content)
    assert "a damaged sparse tensor" in refusal("load-state-dict", str(path))


def test_a_shared_text_is_not_copied_without_end(tmp_path: Path) -> None:
    """1.5 KB of such a file took 5 GB."""
    torch = pytest.importorskip("torch")
    path = tmp_path / "x.pt"
    torch.save(["same text"] * 20000, path)
    assert procedure("load-state-dict", str(path)) == ["same text"] * 20000
    text = b"X" + (900_000).to_bytes(4, "little") + b"x" * 900_000 + b"q\0"
    for pickle in (b"(" + text + b"h\0" * 5000 + b"l", b"(" + text + b"Kat" + b"q\1" + b"0("
                   + b"h\1" * 5000 + b"l", b"}(" + text + b"N" + b"h\0N" * 5000 + b"u"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("x/data.pkl", b"\x80\2" + pickle + b".")
        assert "repeated too often" in refusal("load-state-dict", str(path))
    name = b"c" + b"o" * 900_000 + b"\nx\nq\0"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x/data.pkl", b"\x80\2(" + name + b"h\0" * 5000 + b"l.")
    assert len(refusal("load-state-dict", str(path))) < 1000


def test_pickle_bombs_are_refused(tmp_path: Path) -> None:
    """Some kilobytes of such a file would become gigabytes of values."""
    path = tmp_path / "x.pt"
    many, row = 5_000_000, b"(" + b"N" * 1000 + b"lq\0"
    small = 1_000_000  # what any pickle may unpack to
    for pickle, message in [
        (b"]" * many, "a pickle that unpacks from "),
        (b"N" * 2**25, "a pickle of more than 32 MiB"),
        (b"Nr" + b"\xff" * 4, "stores a value under memo number 4294967295"),
        (b"(" * small, "builds more than its size allows"),
        (b"]" * small, "builds more than its size allows"),
        (b"N" + b"\x85" * small, "builds more than its size allows"),
        (b"N" + b"\x94" * small, "builds more than its size allows"),
        (b"N" + b"2" * small, "builds more than its size allows"),
        (b"cos\nx\n" + b")R" * (small // 2), "builds more than its size allows"),
        (b"](" + b"K\1" * (small // 2) + b"e", "builds more than its size allows"),
        (b"]q\0" + b"h\0a" * (small // 3), "builds more than its size allows"),
        (row + b"(" + b"h\0" * 60000 + b"l", "values are repeated too often"),
    ]:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("x/data.pkl", b"\x80\2" + pickle + b".")
        assert message in refusal("load-state-dict", str(path))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x/data.pkl", b"\x80\2" + b"]" * many + b".")
    assert "a pickle of more than 4000000 values" in refusal("load-state-dict", str(path))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x/byteorder", b"little" * 1000)
        archive.writestr("x/data.pkl", b"\x80\2N.")
    assert "not little-endian" in refusal("load-state-dict", str(path))


def test_repacked_state_dicts(tmp_path: Path) -> None:
    """A pickle of thousands of similar names deflates well, and must not be refused for that."""
    torch = pytest.importorskip("torch")
    path, packed = tmp_path / "x.pt", tmp_path / "packed.pt"
    names = [f"model.layers.{k}.{part}.weight" for k in range(300) for part in ("q_proj", "up")]
    torch.save({name: torch.zeros(2, 2) for name in names}, path)
    deflated = zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
    with zipfile.ZipFile(path) as whole, deflated as archive:
        for name in whole.namelist():
            archive.writestr(name, whole.read(name))
    assert list(procedure("load-state-dict", str(packed))) == names


def test_archives_that_unpack_to_more_than_the_memory(tmp_path: Path) -> None:
    """The entry's bytes are a hole in the file; nothing of it is unpacked before the check."""
    name, stored, size = b"a.npy", 2**38, 2**46
    sizes = struct.pack("<HHQQ", 1, 16, size, stored)
    local = b"PK\3\4" + struct.pack("<5H3I2H", 20, 0, 8, 0, 0, 0, 2**32 - 1, 2**32 - 1, 5, 0) + name
    central = b"PK\1\2" + struct.pack(
        "<6H3I5H2I", 20, 20, 0, 8, 0, 0, 0, 2**32 - 1, 2**32 - 1, 5, len(sizes), 0, 0, 0, 0, 0
    ) + name + sizes
    at = len(local) + stored
    end_64 = b"PK\6\6" + struct.pack("<Q2H2I4Q", 44, 45, 45, 0, 0, 1, 1, len(central), at)
    locator = b"PK\6\7" + struct.pack("<IQI", 0, at + len(central), 1)
    end = b"PK\5\6" + struct.pack("<4H2IH", 0, 0, 2**16 - 1, 2**16 - 1, 2**32 - 1, 2**32 - 1, 0)
    path = tmp_path / "x"
    with path.open("wb") as file:
        file.write(local)
        file.seek(at)
        file.write(central + end_64 + locator + end)
    for read in ("load-npz", "load-state-dict"):
        assert "what it unpacks to takes 64.0 TiB, the machine has" in refusal(read, str(path))


def test_zip_bombs_are_refused(tmp_path: Path) -> None:
    """The file holds a thousandth of it, and only the array in its header is worth unpacking."""
    path = tmp_path / "x"
    small = io.BytesIO()
    numpy.lib.format.write_array(small, numpy.zeros(2, "f4"))
    zeros = bytes(2**26)
    for head, message in [
        (small.getvalue(), "unpacks to 67109000 bytes, its array has 136"),
        (b"", "it is not an npy file"),
        (small.getvalue()[:80], "the header goes on after its dictionary"),
    ]:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.npy", head + zeros)
        assert message in refusal("load-npz", str(path))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x/constants.pkl", b"\x80\2).")
        archive.writestr("x/data.pkl", b"\x80\2).")
        archive.writestr("x/extra/notes", zeros)
    assert '"x/extra/notes" unpacks to more than 32 MiB, which no pickle' in refusal(
        "load-module", str(path))


def test_quantized_dtype_in_a_file_is_refused(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = tmp_path / "x.pt"
    torch.save(torch.ones(2, dtype=torch.uint16), path)
    rewrite(path, {"/data.pkl": lambda pickle: pickle.replace(b"torch\nuint16", b"torch\nqint32")})
    assert "a quantized tensor without its scale" in refusal("load-state-dict", str(path))


def rewrite(path: Path, changes: dict[str, Callable[[bytes], bytes]]) -> None:
    """The same archive, still valid, with other bytes in the entries with these name endings."""
    with zipfile.ZipFile(path) as archive:
        entries = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            for end, change in changes.items():
                if name.endswith(end):
                    assert change(data) != data
                    data = change(data)
            archive.writestr(name, data)


def test_modules_whose_tensors_are_not_in_the_file(tmp_path: Path) -> None:
    """LibTorch trusts the size of a storage in a pickle, and would read past its end."""
    torch = pytest.importorskip("torch")
    path = tmp_path / "x.pt"

    def hostile(*changes: tuple[bytes, bytes]) -> str:
        torch.jit.script(torch.nn.Linear(4, 1, bias=False)).save(path)

        def change(pickle: bytes) -> bytes:
            for old, new in changes:
                pickle = pickle.replace(old, new)
            return pickle

        rewrite(path, {"/data.pkl": change})
        return refusal("load-module", str(path))

    large = b"J\0\0\0\x10"
    assert 'storage "0" of 268435456 elements takes 16 bytes in the file' in hostile(
        (b"K\4tQ", large + b"tQ"), (b"K\4t", large + b"t"))
    assert "stores a value under memo number 2147483647" in hostile((b"q\0", b"r\xff\xff\xff\x7f"))
    assert 'storage "1" is not in the file' in hostile((b"X\1\0\0\x000", b"X\1\0\0\x001"))
    assert "a storage is not described as torch.save does" in hostile((b"K\4tQ", b"NtQ"))
    torch.jit.script(torch.nn.Linear(4, 1)).save(path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("x/DATA.PKL", b"")
    assert 'the ZIP entry "x/DATA.PKL" occurs twice, in another case' in refusal(
        "load-module", str(path))


@pytest.mark.filterwarnings("ignore:.*quantized:UserWarning")
def test_values_that_modules_hold(tmp_path: Path) -> None:
    """Our check reads every type of value that LibTorch writes into a module's pickle."""
    torch = pytest.importorskip("torch")
    path = tmp_path / "x.pt"
    module = torch.nn.Module()
    base = torch.arange(4.0)
    quantized = torch.quantize_per_tensor(base, 0.5, 0, torch.quint8)
    buffers = {
        "view": base[1:3], "other": base.view(2, 2).t(), "empty": torch.zeros(0, 3),
        "odd": torch.ones(5, dtype=torch.int8)[:4].view(torch.int16), "quantized": quantized,
        "bits": torch.zeros(2, dtype=torch.uint8).view(torch.bits8), "number": torch.tensor(3),
        "float8": base.to(torch.float8_e5m2), "uint64": torch.ones(1, dtype=torch.uint64),
    }
    for name, x in buffers.items():
        module.register_buffer(name, x)
    module.a, module.b, module.c, module.d = (1, 2.5, "é", True), {"x": 2**40}, [base], 1j
    module.e, module.f, module.g = torch.device("cpu"), list(range(300)), Side.LEFT
    torch.jit.script(module).save(path)
    found = procedure("module-buffers", procedure("load-module", str(path)))
    assert {name: x.dtype.replace("-", "_") for name, x in found.items()} == {
        name: str(x.dtype).removeprefix("torch.") for name, x in buffers.items()
    }
    assert found["view"].to_list() == [1.0, 2.0]


class Side(Enum):
    LEFT = 1


def test_modules_that_recurse_or_nest_too_deep(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = tmp_path / "x.pt"
    module = torch.jit.ScriptModule()
    module.define("""
        def cycle(self) -> Any:
            items: List[Any] = []
            items.append(items)
            return items
        def shout(self, text: str, times: int):
            for _ in range(times):
                text = text + text
            raise RuntimeError(text)
    """)
    module.save(path)
    loaded = procedure("load-module", str(path))
    for arguments, message in [
        (("cycle",), "the result nests more than 10000 deep"),
        (("shout", "shout", 22), "shoutshout"),
    ]:
        assert message in refusal("call-module-method", loaded, *arguments)


# Python's torch says that TorchScript is deprecated.
def test_modules_of_python(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = tmp_path / "x.pt"
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.ReLU(), torch.nn.Flatten())
    example = torch.ones(1, 1, 4, 4)
    torch.jit.trace(model, example).save(path)
    module = procedure("load-module", str(path))
    assert repr(module) == "#<module Sequential>"
    made = procedure("call-module", module, "forward", tensor(example.tolist()))
    assert made.to_list() == [pytest.approx(model(example)[0].tolist())]
    whole = path.read_bytes()
    k = whole.index(b"\x80\x02") + 5
    path.write_bytes(whole[:k] + bytes([whole[k] ^ 1]) + whole[k + 1 :])
    assert "is damaged: its checksum differs" in refusal("load-module", str(path))
    path.write_bytes(whole[:-30])
    assert "it is not a ZIP archive" in refusal("load-module", str(path))


def test_damaged_files(tmp_path: Path, all_random: bool) -> None:
    torch = pytest.importorskip("torch")
    samples = tmp_path / "samples"
    samples.mkdir()
    names = {"w": tensor([[1.0, 2.0]]), "flags": tensor([True, False]), "e": tensor([])}
    procedure("save-tensors", str(samples / "a.safetensors"), names, {"k": "v"})
    files = {"weight_map": {"w": "a.safetensors", "e": "a.safetensors"}}
    (samples / "index.json").write_text(json.dumps(files))
    array = numpy.arange(12).reshape(3, 4)
    numpy.save(samples / "a.npy", numpy.asfortranarray(array.astype(">c16")))
    numpy.savez(samples / "stored.npz", a=array, b=numpy.array(True))
    numpy.savez_compressed(samples / "packed.npz", a=array * 1000, b=numpy.random.rand(50))
    state = {"model": torch.nn.Linear(2, 2).state_dict(), "view": torch.ones(6)[1::2], "epoch": 3,
             "more": [(1, "a", None), {"x": 0.5}]}
    torch.save(state, samples / "a.pt")
    torch.save(state, samples / "b.pt", pickle_protocol=4)
    module = samples / "module.pt"
    torch.jit.script(torch.nn.Linear(2, 2)).save(module)
    module.rename(samples / "module.pts")
    count = 100000 if all_random else 3000
    command = [sys.executable, "-m", "tests.stress.fuzz_files", str(samples), "5", str(count)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.endswith(f"of {count} refused\n")
