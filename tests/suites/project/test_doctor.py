"""`lambent doctor` reports what is installed, and how to fix what is missing, in one line each."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from lambent.ctorch import build
from lambent.lang.doctor import GZIP, LIBRARIES
from tests.support import model_folders
from tests.support.paths import ROOT
from tests.support.processes.mounts import run_with_mounts
from tests.support.programs_run import command_of, prepare_cache, run


def doctor(**env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lambent.lang", "doctor"], env={**os.environ, **env},
        capture_output=True, text=True, timeout=100,
    )


def test_everything_is_installed() -> None:
    done = doctor()
    assert (done.stderr, done.returncode) == ("", 0)
    assert "missing" not in done.stdout
    assert f"LibTorch      {build.find_torch().version} " in done.stdout
    assert f", of {build.supported_range()}\n" in done.stdout


def test_no_compilers() -> None:
    done = doctor(PATH="/nowhere", CC="", CXX="")
    assert (done.stderr, done.returncode) == ("", 1)
    lines = done.stdout.splitlines()
    assert "missing  C compiler    sudo apt-get install gcc" in lines
    assert "missing  C++ compiler  sudo apt-get install g++" in lines
    assert lines[-1] == "missing: C compiler, GMP, C++ compiler, zlib"


def test_no_zlib(tmp_path: Path) -> None:
    """The linker is tried, before minutes of compiling."""
    compiler = tmp_path / "g++"
    compiler.write_text('#!/bin/sh\ncase "$*" in *libz*|*-lz*) exit 1;; esac\nexec g++ "$@"\n')
    compiler.chmod(0o755)
    prepare_cache(tmp_path / "cache")
    env = {"CXX": str(compiler), "LAMBENT_CACHE": str(tmp_path / "cache")}
    assert problem("zlib", **env) == "sudo apt-get install zlib1g"
    program = tmp_path / "t.lisp"
    program.write_text("(print (tensor 1))\n")
    done = subprocess.run(
        [sys.executable, "-m", "lambent.lang", program], env={**os.environ, **env},
        capture_output=True, text=True, timeout=100,
    )
    assert done.returncode != 0
    assert "tensors need zlib, once, to build the LibTorch interface" in done.stderr
    assert "hint: sudo apt install zlib1g\n" in done.stderr


def problem(line: str, **env: str) -> str:
    """The problem that doctor reports in a line."""
    done = doctor(**env)
    assert (done.stderr, done.returncode) == ("", 1)
    return next(
        text.removeprefix(f"missing  {line:<14}")
        for text in done.stdout.splitlines() if text.startswith(f"missing  {line} ")
    )


def test_caches_that_cannot_be_used(tmp_path: Path) -> None:
    assert "is another folder wherever" in problem("cache folder", LAMBENT_CACHE="here")
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    assert problem("cache folder", LAMBENT_CACHE=str(shared)).startswith(
        f"{shared}: other users can write to it; "
    )
    assert problem("cache folder", LAMBENT_CACHE="/proc/x").startswith("/proc/x: No such file")
    file = tmp_path / "file"
    file.touch()
    assert problem("cache folder", LAMBENT_CACHE=str(file)).startswith(f"{file}: File exists")


def test_damaged_library(tmp_path: Path) -> None:
    """In the middle, so that its size does not change."""
    whole = build.built()
    cache = tmp_path / "cache" / "ctorch"
    damaged = cache / whole.name
    damaged.mkdir(parents=True)
    for path in whole.iterdir():
        data = bytearray(path.read_bytes())
        if path.name == build.LIBRARY:
            data[len(data) // 2] ^= 1
        (damaged / path.name).write_bytes(data)
    assert problem("ctorch", LAMBENT_CACHE=str(tmp_path / "cache")) == (
        f"{damaged} is damaged: it is built again at the first tensor"
    )


def test_torch_version_out_of_range(tmp_path: Path) -> None:
    """It is refused before anything is built."""
    package = tmp_path / "torch"
    (package / "lib").mkdir(parents=True)
    (package / "lib" / "libtorch_cpu.so").touch()
    (package / "__init__.py").touch()
    (package / "version.py").write_text("__version__ = '2.6.0+cpu'\n")
    prepare_cache(tmp_path / "cache")
    env = {"PYTHONPATH": str(tmp_path), "LAMBENT_CACHE": str(tmp_path / "cache")}
    remedy = f"-m pip install 'torch{build.supported_range()}'"
    assert problem("LibTorch", **env).endswith(remedy)
    program = tmp_path / "t.lisp"
    program.write_text("(print (tensor 1))\n")
    for command in ([], ["compile"]):
        done = subprocess.run(
            [sys.executable, "-m", "lambent.lang", *command, program], env={**os.environ, **env},
            capture_output=True, text=True, timeout=100,
        )
        said = f"tensors need torch {build.supported_range()}, and {package} is torch 2.6.0+cpu\n"
        assert said in done.stderr and remedy in done.stderr
        assert "building" not in done.stderr


def test_no_torch(tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").touch()
    remedy = f"-m pip install 'torch{build.supported_range()}'"
    assert problem("LibTorch", PYTHONPATH=str(tmp_path)).endswith(remedy)
    (tmp_path / "t.lisp").write_text("(print (tensor 1))\n")
    for command in ([], ["compile"]):
        done = subprocess.run(
            [sys.executable, "-m", "lambent.lang", *command, "t.lisp"], cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True,
            timeout=100,
        )
        assert "tensors need LibTorch: no torch package is installed\n" in done.stderr
        assert remedy in done.stderr


def test_torch_for_macos(tmp_path: Path) -> None:
    """It is not called absent."""
    (tmp_path / "torch/lib").mkdir(parents=True)
    (tmp_path / "torch/__init__.py").touch()
    (tmp_path / "torch/lib/libtorch_cpu.dylib").touch()
    (tmp_path / "t.lisp").write_text("(print (tensor 1))\n")
    done = subprocess.run(
        [sys.executable, "-m", "lambent.lang", "compile", "t.lisp", "-o", "t"], cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    said = f"tensors need LibTorch for Linux, and {tmp_path / 'torch'} has it for macOS\n"
    assert said in done.stderr and "pip install" not in done.stderr


# Caches on separate devices.

IN_CACHE = """
mount -t tmpfs -o mode=700,size=64m,$OPTIONS cache "$LAMBENT_CACHE"
mkdir "$LAMBENT_CACHE/ctorch"
cp -Rp "$BUILT" "$LAMBENT_CACHE/ctorch/"
cp -Rp library/core library/units "$LAMBENT_CACHE/"
[ "$FULL" ] && cat /dev/zero > "$LAMBENT_CACHE/zeros" 2> /dev/null
"""


def with_cache(folder: Path, *command: str, options: str = "rw", full: str = "") -> str:
    """The output of a command whose cache, with ctorch and the library, is a device of its own."""
    (folder / "cache").mkdir(exist_ok=True)
    prepare_cache(folder / "library")
    (folder / "t.lisp").write_text("(print (tensor-sum [1.5 2.5]))\n")
    done = run_with_mounts(
        IN_CACHE, [sys.executable, "-m", "lambent.lang", *command], folder,
        LAMBENT_CACHE=str(folder / "cache"), BUILT=str(build.built()), OPTIONS=options, FULL=full,
    )
    assert "internal error" not in done.stderr
    return done.stdout + done.stderr


def test_cache_on_a_noexec_device(tmp_path: Path) -> None:
    said = with_cache(tmp_path, "doctor", options="noexec")
    assert f"{tmp_path}/cache: no library can be loaded from it (noexec); set LAMBENT" in said
    for command in (["t.lisp"], ["compile", "t.lisp"]):
        said = with_cache(tmp_path, *command, options="noexec")
        assert "cannot load " in said
        assert said.endswith("hint: lambent doctor says what is wrong\n")


def test_cache_on_a_full_device(tmp_path: Path) -> None:
    said = with_cache(tmp_path, "doctor", full="yes")
    assert f"{tmp_path}/cache: No space left on device; set LAMBENT_CACHE" in said
    assert with_cache(tmp_path, "t.lisp", full="yes") == "4.0\n"
    said = with_cache(tmp_path, "compile", "t.lisp", full="yes")
    assert said.startswith(f"cannot compile: {tmp_path}/cache: No space left on device\n")


# Libraries that are loaded by their names.


def test_every_library_that_is_loaded_by_name_is_looked_for() -> None:
    """The names in doctor's list are those in the source, and no other file has such names."""
    named = re.compile(r'"(lib[\w.+-]+\.(?:so|dylib)[\w.]*)"')
    found = {
        str(path.relative_to(ROOT)): tuple(named.findall(text))
        for folder in ("ctorch", "runtime", "lang/interp")
        for path in sorted((ROOT / folder).rglob("*.c*")) if path.suffix in (".c", ".cpp")
        for text in [path.read_text("utf-8")] if "dlopen(" in text and named.search(text)
    }
    # LibTorch in the folder that LAMBENT_LIBTORCH names, the C++ library that it is linked to, and
    # the driver of a GPU, which LibTorch has loaded where there is one, with the compiler for it.
    assert found.pop("ctorch/cuda/driver.cpp") == ("libcuda.so.1",)
    assert found.pop("ctorch/cuda/compiler.cpp") == (
        "libcaffe2_nvrtc.so", "libnvrtc-builtins.so.")
    assert found.pop("ctorch/bridge/load.c") == ("libtorch_cpu.so",)
    assert found.pop("ctorch/tensor/devices.cpp") == ("libstdc++.so.6", "libtorch_cuda.so")
    # The names of PCRE2 are in a header, which two files include, and in Python.
    pcre2 = LIBRARIES["PCRE2"]
    for source in (pcre2.source, "lang/interp/builtins/regexps/pcre2.py"):
        assert tuple(named.findall((ROOT / source).read_text("utf-8"))) == pcre2.names
    assert tuple(named.findall((ROOT / GZIP.source).read_text("utf-8"))) == GZIP.names
    assert found == {
        library.source: library.names for library in LIBRARIES.values() if library is not pcre2
    }


@pytest.mark.parametrize("what", LIBRARIES)
def test_absent_libraries(what: str, tmp_path: Path) -> None:
    """Libraries of their names that cannot be loaded stand before the real ones."""
    done = doctor(LD_LIBRARY_PATH=unloadable(tmp_path, LIBRARIES[what].names))
    [line] = [line for line in done.stdout.splitlines() if line.split()[1] == what]
    assert line.startswith(f"absent   {what:<14}{LIBRARIES[what].need}: sudo apt-get install lib")
    assert done.returncode == 0


def unloadable(folder: Path, names: tuple[str, ...]) -> str:
    for name in names:
        (folder / name).write_text("nothing")
    return str(folder)


def test_a_tokenizer_without_pcre2(tmp_path: Path) -> None:
    """Its patterns need the library: an error that `guard` catches, on both back ends."""
    model = model_folders.folder("llama")
    text = f"""
    (guard (e (#t (print (error-object-message e)))) (load-tokenizer "{model}"))
    (print "on")
    (load-tokenizer "{model}")
    """
    absent = unloadable(tmp_path, LIBRARIES["PCRE2"].names)
    said = "the patterns of this tokenizer need the library PCRE2, which is not installed"
    for back_end in ("script", "executable"):
        command = ["env", f"LD_LIBRARY_PATH={absent}", *command_of(text, back_end, tmp_path)]
        outcome = run(command, tmp_path)
        assert outcome.status == 70, outcome
        assert said in outcome.output and outcome.output.endswith("on\n")
        assert said in outcome.errors
        assert "hint: sudo apt-get install libpcre2-8-0\n" in outcome.errors
