"""Ctrl-C in calls of C++ that take seconds: it ends them within one, and the program cleans up."""

import json
import os
import signal
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from lambent.lang.pipeline import compile_file
from tests.support.png_files import SIGNATURE, chunk, header

PROGRAM = """
(define name (cadr (command-line)))
(define path (caddr (command-line)))
(define (write-packed path)
  (save-npz path (list (cons "x" (tensor-rand 20000000))) :compress #t))
(define reader
  (cdr (assoc name
         (list (cons "names" load-tensors) (cons "text" load-tensors)
               (cons "table" read-table) (cons "arrays" load-npz) (cons "image" load-image)
               (cons "json" read-json) (cons "tokenizer" load-tokenizer)
               (cons "written" write-packed)
               (cons "values" (lambda (path) (gguf-metadata path :longest 100000000)))))))
(tensor-ones 1)
(dynamic-wind
  (lambda () #f)
  (lambda ()
    (print "begin")
    (flush-output-port)
    (reader path)
    (print "end"))
  (lambda () (print "after")))
"""

WAITS = (0.3, 0.1, 0.03, 0.01)  # seconds before the signal: less if the call had ended by then
PATIENCE = 1.0  # seconds after it
TRIES = 3  # of which one must end in time: the machine may do something else in between
MEBIBYTE = 1 << 20


def names() -> bytes:
    """A safetensors file of very many tensors."""
    tensors = {f"model.layers.{k}.weight": {"dtype": "U8", "shape": [1], "data_offsets": [k, k + 1]}
               for k in range(700_000)}
    text = json.dumps(tensors).encode()
    return struct.pack("<Q", len(text)) + text + bytes(len(tensors))


def text() -> bytes:
    """A safetensors file whose header has long texts."""
    texts = {str(k): "\u00e9" * (7 * MEBIBYTE) for k in range(6)}
    head = json.dumps({"__metadata__": texts}, ensure_ascii=False).encode()
    return struct.pack("<Q", len(head)) + head


def table() -> bytes:
    return b"a,b,c\n" + b'1.5,"x, y",some text\n' * 4_000_000


def arrays(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        size = 900 * MEBIBYTE
        head = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({size},), }}".encode()
        head += b" " * (117 - len(head)) + b"\n"
        with archive.open("x.npy", "w") as entry:
            entry.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head)
            for _ in range(900):
                entry.write(bytes(MEBIBYTE))


def image() -> bytes:
    size = 24_000
    packer = zlib.compressobj(1)
    rows = b"".join(packer.compress(b"\4" + bytes(size)) for _ in range(size)) + packer.flush()
    return SIGNATURE + header(size, size) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def json_text() -> bytes:
    return b'["' + b"ordinary text " * (10 * MEBIBYTE) + b'"]'


def tokenizer() -> bytes:
    vocabulary = {f"token{k}": k for k in range(1_500_000)}
    return json.dumps({"model": {"type": "WordLevel", "vocab": vocabulary,
                                 "unk_token": "token0"}}).encode()


def written() -> bytes:
    """What an interrupted save must leave as it was."""
    return b"before"


def values() -> bytes:
    """A GGUF file with an array of very many strings."""
    count = 6_000_000
    key = b"general.list"
    array = struct.pack("<IIQ", 9, 8, count) + (struct.pack("<Q", 4) + b"text") * count
    return struct.pack("<4sIQQQ", b"GGUF", 3, 0, 1, len(key)) + key + array


FILES: dict[str, Callable[[], bytes]] = {
    "names": names, "text": text, "table": table, "image": image, "json": json_text,
    "tokenizer": tokenizer, "values": values, "written": written,
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("long")
    (made / "program.lisp").write_text(PROGRAM)
    compile_file(str(made / "program.lisp"), made / "program")
    return made


@pytest.fixture(scope="module", params=["arrays", *FILES])
def file(request: pytest.FixtureRequest, folder: Path) -> Iterator[Path]:
    path = folder / request.param
    if request.param == "arrays":
        arrays(path)
    else:
        path.write_bytes(FILES[request.param]())
    yield path
    path.unlink()


@pytest.mark.slow
@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_interrupted(back_end: str, file: Path, folder: Path) -> None:
    command = ([sys.executable, "-m", "lambent.lang", str(folder / "program.lisp")]
               if back_end == "script" else [str(folder / "program")])  # fmt: skip
    command += [file.name, str(file)]
    leaks = b"live handles: 0, live objects: 0\n" if back_end == "executable" else b""
    waits = iter(WAITS)
    wait, tries = next(waits), 0
    while (took := interrupted(command, wait, leaks)) is None or took >= PATIENCE:
        if took is None:
            wait = next(waits)
        else:
            tries += 1
        assert tries < TRIES
    if file.name == "written":
        assert file.read_bytes() == written()
        assert [path.name for path in folder.iterdir() if path.name.startswith("written")] == [
            "written"
        ]


def interrupted(command: list[str], wait: float, leaks: bytes) -> float | None:
    """How many seconds a program goes on after the signal; None if its call ended before it."""
    program = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "LAMBENT_CHECK_LEAKS": "1"},
    )  # fmt: skip
    assert program.stdout is not None
    assert program.stdout.readline() == b"begin\n"
    time.sleep(wait)
    program.send_signal(signal.SIGINT)
    sent = time.monotonic()
    output, errors = program.communicate(timeout=60)
    took = time.monotonic() - sent
    if output == b"end\nafter\n":
        return None
    assert output == b"after\n"
    assert program.returncode == 130
    assert b"Traceback" not in errors
    if leaks:
        assert errors == leaks
    return took


WITHOUT_LOCK = """
import sys, time
from lambent.lang.interp.builtins.tensors import extension
from tests.support.ctorch_calls import procedure
extension()  # from now on ctorch polls
time.sleep(0.1)
names, columns = procedure("read-table", sys.argv[1], ",", False)
print(len(columns), len(columns[0]))
"""


def test_a_call_without_pythons_lock_polls_nothing(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b\n" + "1,x\n" * 200_000)
    done = subprocess.run([sys.executable, "-c", WITHOUT_LOCK, str(path)], check=False,
                          capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "2 200001\n"), done.stderr
