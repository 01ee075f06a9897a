"""Executables: how they are built, what they need, and how fast they start."""

import errno
import os
import re
import subprocess
import time
from pathlib import Path

import pytest

from lambent.lang.compile.build import toolchain
from lambent.lang.compile.build.build import build_executable
from lambent.lang.compile.build.toolchain import Options, find_compiler, library
from lambent.lang.errors import LispError, MissingInput, UsageFault
from lambent.lang.pipeline import compile_source
from lambent.lang.syntax.source import Source
from lambent.lang.system.cache import cache_folder

HELLO = compile_source(Source("hello.lisp", '(print "hello")\n'))


@pytest.fixture(scope="module")
def hello(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hello") / "hello"
    build_executable(HELLO, path)
    return path


def test_executable_without_tensors_needs_no_torch(hello: Path) -> None:
    needed = subprocess.run(["ldd", hello], capture_output=True, text=True, check=True).stdout
    assert "torch" not in needed and "lambent" not in needed
    assert subprocess.run([hello], capture_output=True, check=True).stdout == b"hello\n"


def test_a_running_program_can_be_compiled_again(tmp_path: Path) -> None:
    waiting = compile_source(Source("w.lisp", '(read-line (open-input-file "/dev/stdin"))'))
    program = tmp_path / "program"
    build_executable(waiting, program)
    with subprocess.Popen([program], stdin=subprocess.PIPE) as running:
        build_executable(HELLO, program)
        assert running.poll() is None
        running.communicate(b"go\n")
    assert running.returncode == 0
    assert subprocess.run([program], capture_output=True, check=True).stdout == b"hello\n"
    assert [path.name for path in tmp_path.iterdir()] == ["program"]


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("/proc/hello", "cannot write /proc/hello: No such file or directory"),
        ("/no/such/folder/hello", "cannot write /no/such/folder/hello: No such file or directory"),
        (".", "cannot write .: Is a directory"),
        ("/dev/tty", "cannot write /dev/tty: it is not a regular file"),
    ],
)
def test_an_output_that_cannot_be_written(output: str, message: str) -> None:
    with pytest.raises(MissingInput) as failure:
        build_executable(HELLO, Path(output))
    assert failure.value.message == message


def test_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    find_compiler.cache_clear()
    try:
        with pytest.raises(UsageFault) as failure:
            build_executable(HELLO, tmp_path / "hello")
    finally:
        find_compiler.cache_clear()
    assert failure.value.message == "no C compiler found"
    assert failure.value.hint and "gcc" in failure.value.hint
    assert not (tmp_path / "hello").exists()


def test_missing_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CC", "no-such-compiler -m64")
    find_compiler.cache_clear()
    try:
        with pytest.raises(LispError, match="no-such-compiler"):
            build_executable(HELLO, tmp_path / "hello")
    finally:
        find_compiler.cache_clear()


def test_quick_programs_get_fewer_passes_of_gcc_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A compiler of another name may be gcc; clang inlines nothing of the runtime at -O1."""
    for words, last in {"exec gcc": "-O1", "echo 'clang version 17.0.6' #": "-O2"}.items():
        compiler = tmp_path / last
        compiler.write_text(f'#!/bin/sh\n{words} "$@"\n')
        compiler.chmod(0o755)
        monkeypatch.setenv("CC", str(compiler))
        find_compiler.cache_clear()
        try:
            levels = [flag for flag in Options(quick=True).program_flags if flag.startswith("-O")]
        finally:
            find_compiler.cache_clear()
        assert levels[-1] == last
    for options in (Options(debug=True), Options(optimize=False), Options(sanitize=True)):
        assert options.program_flags == options.flags


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("kill -9 $$", "cannot compile: the compiler was killed by SIGKILL"),
        ("kill -TERM $$", "cannot compile: the compiler was killed by SIGTERM"),
        ("echo 'x: No space left on device' >&2; exit 1", "cannot compile: no space is left"),
        ("echo 'cc1: out of memory' >&2; exit 1", "cannot compile: the compiler ran out of memory"),
    ],
)
def test_compiler_that_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, message: str
) -> None:
    """It is not a bug in Lambent, and is not reported as one."""
    compiler = tmp_path / "cc"
    compiler.write_text(f"#!/bin/sh\n{script}\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    find_compiler.cache_clear()
    try:
        with pytest.raises(UsageFault) as failure:
            toolchain.run_compiler(["-c", "x.c"])
    finally:
        find_compiler.cache_clear()
    assert failure.value.message.startswith(message)


def test_full_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(_: Path, *rest: object, **more: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(UsageFault) as failure:
        build_executable(HELLO, tmp_path / "hello")
    folder = cache_folder()
    assert failure.value.message == f"cannot compile: {folder}: No space left on device"


def test_unclosed_quotation_in_cc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", 'gcc "-O2')
    find_compiler.cache_clear()
    try:
        with pytest.raises(UsageFault, match="which CC names"):
            find_compiler()
    finally:
        find_compiler.cache_clear()


def test_truncated_runtime_library_is_rebuilt(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LAMBENT_CACHE", str(tmp_path))
    source = tmp_path / "small.c"
    source.write_text("int small(void) { return 1; }\n")
    made = library("small", [source], Options())
    size = made.stat().st_size
    os.truncate(made, size // 2)
    assert library("small", [source], Options()) == made and made.stat().st_size == size


def test_the_runtime_is_compiled_once() -> None:
    sources = sorted(toolchain.RUNTIME.rglob("*.c"))
    first = library("runtime", sources, Options())
    assert library("runtime", sources, Options()) == first
    assert library("runtime", sources, Options(debug=True)) != first


def test_debuggers_see_lisp_lines(tmp_path: Path) -> None:
    program = tmp_path / "program"
    text = "(define (f x)\n  (car x))\n(print (f '(1)))\n"
    build_executable(compile_source(Source("case.lisp", text)), program, Options(debug=True))
    lines = subprocess.run(
        ["objdump", "--dwarf=decodedline", program], capture_output=True, text=True, check=True
    ).stdout
    rows = re.findall(r"^case\.lisp +(\d+) ", lines, re.MULTILINE)
    assert set(rows) == {"1", "2", "3"}
    assert subprocess.run([program], capture_output=True, check=True).stdout == b"1\n"


def best_time(command: Path, rounds: int) -> float:
    """The shortest time that a command takes, in seconds: other work on the machine only adds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run([command], stdout=subprocess.DEVNULL, check=True, env=dict(os.environ))
        times.append(time.perf_counter() - start)
    return min(times)


def test_executables_start_as_fast_as_c(hello: Path, tmp_path: Path) -> None:
    source, program = tmp_path / "hello.c", tmp_path / "hello"
    source.write_text('#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n')
    subprocess.run([*find_compiler(), "-O2", source, "-o", program], check=True)
    assert best_time(hello, 40) < 3 * best_time(program, 40)
