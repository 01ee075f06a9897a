"""A damaged cache: a power cut leaves files that are empty, truncated, or full of zeros.

Files that compiling and running a program leaves in the cache are damaged in several ways.  Then
the program compiles and runs as before, and what was damaged is reported, once.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lambent.lang.system.cache import SEAL, is_complete, seal
from tests.support.programs_run import prepare_cache, prepare_runtime, prepare_units

TEXT = """
(define (f l) (sort (map (lambda (x) (* x 86400000)) l) <))
(print (f '(3 1 2)) (string-split "a b" " ") (assoc 2 '((1 a) (2 b))))
"""
OUTPUT = "(86400000 172800000 259200000) (a b) (2 b)\n"
PART_OF_LIBRARY = 5  # one of so many of its files, which are alike, takes seconds and not minutes
REPORT = "lambent: a file of the cache is damaged, and is made again: "
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "truncated": lambda data: data[: len(data) // 2],
    "one byte short": lambda data: data[:-1],
    "zeros": lambda data: bytes(len(data)),
    "zeros inside": lambda data: data[: len(data) // 3] + bytes(64) + data[len(data) // 3 + 64 :],
    "one bit": lambda data: data[: len(data) // 2]
    + bytes([data[len(data) // 2] ^ 1])
    + data[len(data) // 2 + 1 :],
}


def run(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "LAMBENT_CACHE": str(folder / "cache")}
    command = [sys.executable, "-m", "lambent.lang", *words]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )


def compiled_and_run(folder: Path) -> str:
    """What the command says while it compiles the program and runs it on both back ends."""
    done = run(folder, "compile", "case.lisp", "-o", "case")
    assert done.returncode == 0, done.stderr
    script = run(folder, "case.lisp")
    assert (script.stdout, script.returncode) == (OUTPUT, 0), script.stderr
    assert subprocess.check_output([folder / "case"], text=True) == OUTPUT
    return done.stderr + script.stderr


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the program, and the cache after it was compiled and run.

    Most of it comes from this process's cache: making all of it takes minutes.
    """
    folder = tmp_path_factory.mktemp("filled")
    prepare_cache(folder / "cache")
    prepare_runtime(folder / "cache")
    prepare_units(folder / "cache")
    (folder / "case.lisp").write_text(TEXT)
    compiled_and_run(folder)
    return folder


def files_of(cache: Path) -> list[Path]:
    """The files of the cache that the program uses."""
    found = [path.relative_to(cache) for path in cache.rglob("*") if path.is_file()]
    return sorted(path for path in found if path.parts[0] not in ("ctorch", "scratch"))


def test_every_kind_of_file_is_here(filled: Path) -> None:
    kinds = {path.parts[0].partition("-")[0] for path in files_of(filled / "cache")}
    assert {"library", "runtime", "core", "units"} <= kinds


@pytest.mark.parametrize("turn", range(2))
def test_damaged_files_are_made_again(filled: Path, turn: int, tmp_path: Path) -> None:
    """Neighbours are damaged in different ways, each file in another way in each turn."""
    folder = tmp_path / "copy"
    shutil.copytree(filled, folder)
    damages = list(DAMAGES.values())
    for number, path in enumerate(files_of(folder / "cache")):
        # What takes seconds to make again is damaged in one way here, and small units in each way
        # by test_evaluate.py.
        if turn > 0 and path.parts[0] in ("core", "units", "native", "library"):
            continue
        if path.parts[0] == "library" and number % PART_OF_LIBRARY:
            continue
        file = folder / "cache" / path
        data = damages[(number + 3 * turn) % len(damages)](file.read_bytes())
        file.chmod(0o644)
        file.write_bytes(data)
    said = compiled_and_run(folder)
    assert REPORT in said
    assert all(line.startswith(REPORT) for line in said.splitlines()), said
    assert compiled_and_run(folder) == ""


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_seal_or_file_is_found(damage: str, tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(bytes(range(256)) * 4)
    (tmp_path / "two").write_bytes(b"two" * 100)
    seal(tmp_path)
    assert is_complete(tmp_path)
    for name in ("one", "two", SEAL):
        path = tmp_path / name
        whole = path.read_bytes()
        path.write_bytes(DAMAGES[damage](whole))
        assert not is_complete(tmp_path), name
        path.write_bytes(whole)
    assert is_complete(tmp_path)
