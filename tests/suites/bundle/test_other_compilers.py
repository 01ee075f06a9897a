"""clang's executables, and those for aarch64 under qemu, print what gcc's do here.

A few programs stand for all.  `--all-random` runs every program of tests/programs: those that use
tensors with clang only.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lambent.lang.compile.build.toolchain import (
    BRIDGE,
    RUNTIME,
    Options,
    find_compiler,
    include_flags,
)
from lambent.lang.errors import UsageFault
from lambent.lang.system.compilers import machine_of, own_machine
from tests.support.other_compilers import WARNINGS, chosen, outcome_of
from tests.support.paths import ROOT
from tests.support.programs_run import read_expectations

PROGRAMS = ROOT / "tests/programs"
# What compilers and processors may do in different ways.
USUAL = (
    "arithmetic_values", "bounds", "closures", "cycles", "deep_recursion", "doubles",
    "error_in_itself", "format", "hash_tables", "integer_ranges", "numbers_mixed",
    "program_folder", "rationals", "split_doubles", "strings", "tail_calls", "unicode",
    "winding_calls", "r7rs/6.2.6_functions", "r7rs/6.2.7_numerals", "r7rs/6.9_bytevectors",
)
TENSORS = ("tensor_arithmetic", "borrowed_beside_tensors")
CROSS, QEMU = "aarch64-linux-gnu-gcc", "qemu-aarch64"


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors name files as they are called from there."""
    monkeypatch.chdir(ROOT)


def sources_of_c() -> list[Path]:
    return sorted([*RUNTIME.rglob("*.c"), *BRIDGE.glob("*.c")])


def require_no_warnings() -> None:
    """Of the compiler that CC names, in the runtime and the bridge."""
    for source in sources_of_c():
        done = subprocess.run(
            [*find_compiler(), *Options().flags, *WARNINGS, *include_flags(), "-fsyntax-only",
             source], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


def require_equal(path: Path, folder: Path, *emulator: str) -> None:
    done = outcome_of(path, folder, *emulator)
    if done is None:
        pytest.skip("it uses tensors")
    expected = read_expectations(path)
    assert (done.output, done.errors, done.status, done.leaks) == (
        expected.output, expected.errors, expected.status, "")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "program" in metafunc.fixturenames:
        tensors = () if "aarch64" in metafunc.fixturenames else TENSORS
        metafunc.parametrize("program", _all_programs() if metafunc.config.getoption("--all-random")
                             else (*USUAL, *tensors))


def _all_programs() -> list[str]:
    paths = (*PROGRAMS.glob("*.lisp"), *PROGRAMS.glob("r7rs/*.lisp"))
    return sorted(str(path.relative_to(PROGRAMS).with_suffix("")) for path in paths)


# clang.


@pytest.fixture
def clang() -> Iterator[None]:
    if shutil.which("clang") is None:
        pytest.skip("clang is not installed")
    with chosen("clang", *WARNINGS):
        yield


@pytest.mark.slow
def test_clang_has_no_warnings(clang: None) -> None:
    require_no_warnings()


@pytest.mark.slow
def test_clang_prints_the_same(clang: None, program: str, tmp_path: Path) -> None:
    """A warning in the C of a program is an error, too."""
    require_equal(PROGRAMS / f"{program}.lisp", tmp_path)


# aarch64.


@pytest.fixture
def aarch64() -> Iterator[None]:
    for command in (CROSS, QEMU):
        if shutil.which(command) is None:
            pytest.skip(f"{command} is not installed")
    # A result that a failed operation leaves unset is never read, but gcc cannot prove it.
    with chosen(CROSS, *WARNINGS, "-Wno-maybe-uninitialized"):
        found = subprocess.run([CROSS, "-print-file-name=libgmp.so.10"], capture_output=True,
                               text=True).stdout.strip()
        if not Path(found).is_absolute():
            pytest.skip("libgmp-dev:arm64 is not installed")
        yield


@pytest.mark.slow
def test_aarch64_has_no_warnings(aarch64: None) -> None:
    require_no_warnings()


@pytest.mark.slow
def test_aarch64_prints_the_same(aarch64: None, program: str, tmp_path: Path) -> None:
    require_equal(PROGRAMS / f"{program}.lisp", tmp_path, QEMU)


def test_aarch64_has_no_tensors(aarch64: None, tmp_path: Path) -> None:
    with pytest.raises(UsageFault) as failure:
        outcome_of(PROGRAMS / "tensor_arithmetic.lisp", tmp_path)
    assert str(failure.value) == (
        "cannot compile a program that uses tensors for aarch64: the libraries that it needs are "
        f"here for {own_machine()} only")
    assert failure.value.hint and f"CC names {CROSS}" in failure.value.hint


@pytest.mark.slow
def test_a_bundle_for_aarch64(aarch64: None, tmp_path: Path) -> None:
    """It has GMP in itself, and the version of glibc that the other machine needs."""
    (tmp_path / "p.lisp").write_text("(print (expt 3 100) (exp 1.0))\n")
    done = subprocess.run(
        [sys.executable, "-m", "lambent.lang", "bundle", tmp_path / "p.lisp", "-o",
         tmp_path / "made"], capture_output=True, text=True)
    assert done.stderr == "" and "needs glibc 2." in done.stdout
    run = subprocess.run([QEMU, tmp_path / "made/p"], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == (
        "515377520732011331036461129765621272702107522001 2.718281828459045\n", "")


# ctorch's kernels for aarch64, without the rest, which needs LibTorch's libraries.


@pytest.mark.slow
def test_kernels_for_aarch64(tmp_path: Path) -> None:
    """Products with NEON are those of plain C++; a processor without dot products of bytes has
    those.  The kernels of language models are made of the compiler's vectors, and have no other
    path: they are compiled."""
    from lambent.ctorch import build
    from lambent.ctorch.compiling import KERNEL_FLAGS

    cross = CROSS.replace("gcc", "g++")
    for command in (cross, QEMU):
        if shutil.which(command) is None:
            pytest.skip(f"{command} is not installed")
    include = build.find_torch().folder / "include"
    flags = ("-std=c++20", "-Wno-psabi", "-isystem", include, "-isystem",
             include / "torch/csrc/api/include", f"-I{ROOT / 'ctorch'}")
    sources: dict[str, tuple[str, ...]] = {
        "ctorch/llm/kernels.cpp": ("-DCT_KERNELS=BASE_KERNELS", *KERNEL_FLAGS),
        "ctorch/llm/kernel_choice.cpp": ("-O2",),
        "ctorch/quantize/kernels.cpp": ("-O2",),
        "tests/ctorch/quantized_products.cpp": ("-O2",),
    }
    objects = []
    for name, own in sources.items():
        objects.append(tmp_path / f"{name.replace('/', '-')}.o")
        subprocess.run([cross, *flags, *own, "-c", ROOT / name, "-o", objects[-1]], check=True)
    subprocess.run([cross, *objects, "-o", tmp_path / "products"], check=True)

    def products(*words: str, **env: str) -> tuple[str, list[list[float]]]:
        done = subprocess.run([QEMU, *words, "-L", f"/usr/{CROSS[:-4]}", tmp_path / "products"],
                              capture_output=True, text=True, check=True, env=env)
        kernel, *lines = done.stdout.splitlines()
        return kernel, [[float(number) for number in line.split()] for line in lines]

    kernel, found = products()
    portable, expected = products(LAMBENT_KERNEL="portable")
    assert (kernel, portable, len(found)) == ("neon", "portable", 24)
    for row, other in zip(found, expected, strict=True):
        assert row == pytest.approx(other, rel=1e-6, abs=1e-3)
    assert products("-cpu", "cortex-a53") == ("portable", expected)


# Processors that cannot be.


@pytest.mark.parametrize("lines, said", [
    ({"-D__SIZEOF_POINTER__": "4"}, "Lambent needs a 64-bit processor"),
    ({"-D__BYTE_ORDER__": "__ORDER_BIG_ENDIAN__"}, "Lambent needs a little-endian processor"),
])
def test_processors_that_are_refused(
    lines: dict[str, str], said: str, tmp_path: Path
) -> None:
    """A compiler for one says so in one line, whatever it says after that."""
    (tmp_path / "p.lisp").write_text("(print 1)\n")
    [(name, value)] = lines.items()
    with chosen(*find_compiler(), "-Wno-builtin-macro-redefined", f"{name}={value}"):
        command = [sys.executable, "-m", "lambent.lang", "compile", str(tmp_path / "p.lisp"), "-o",
                   str(tmp_path / "p")]
        done = subprocess.run(command, capture_output=True, text=True)
    first, second = done.stderr.splitlines()
    assert first.startswith(f"cannot compile: {said}, and this compiler makes code for ")
    assert second.startswith("hint: CC names ")
    assert done.returncode == 64 and not (tmp_path / "p").exists()


def test_a_processor_with_32_bits_is_refused(tmp_path: Path) -> None:
    """The headers of its C library need not be installed."""
    (tmp_path / "p.lisp").write_text("(print 1)\n")
    with chosen(*find_compiler(), "-m32"):
        if machine_of(find_compiler()) != "x86_64":
            pytest.skip("this processor has no 32-bit mode in gcc")
        done = subprocess.run(
            [sys.executable, "-m", "lambent.lang", "compile", tmp_path / "p.lisp", "-o",
             tmp_path / "p"], capture_output=True, text=True)
    assert done.stderr.startswith("cannot compile: Lambent needs a 64-bit processor, and this")


def test_a_compiler_for_others_makes_nothing_for_this_machine(
    aarch64: None, tmp_path: Path
) -> None:
    """The interpreter's own module is made by the usual compiler."""
    from lambent.lang.system.compilers import own_compiler

    assert machine_of(find_compiler()) == "aarch64"
    assert own_compiler() is None
