"""Errors outside of the program: each prints one clear message, without a traceback.

Nothing is mocked here: there is no compiler on PATH, no torch in the environment, and the cache
cannot be written.
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.programs_run import ProgramRunner, prepare_cache, prepare_runtime

TENSORS = "(define x [1.0 2.0])\n(print (+ x 1))\n"


@dataclass(frozen=True)
class Row:
    """A program with a mistake; parts of stderr in order, the same from both back ends."""

    source: str
    errors: list[str]
    status: int = 70
    files: dict[str, str] = field(default_factory=dict)


ROWS = {
    "missing file": Row(
        '(print (read-csv "gone.csv"))', ['"gone.csv": No such file or directory']
    ),
    "ragged csv": Row(
        '(print (read-csv "ragged.csv"))', ["case.lisp:1:8: ", "ragged.csv", "3"],
        files={"ragged.csv": "1,2\n3,4\n5\n"},
    ),
    "unclosed bracket": Row(
        "(define (f x)\n  (+ x 1)\n(f 1)\n", ["case.lisp:1:1: ", "unclosed ("], 65
    ),
    "unclosed tensor": Row("(print [[1 2] [3 4])\n", ["[ opened at 1:8 is closed by )"], 65),
    "unclosed string": Row('(print "abc)\n', ['case.lisp:1:8: unclosed "'], 65),
    "unknown name": Row(
        "(define total 1)\n(print totl)", ["case.lisp:2:8: unbound variable: totl", "total"]
    ),
    "wrong arity": Row(
        "(define (f x) x)\n(f 1 2)", ["case.lisp:2:1: f: expected 1 argument, got 2", "(f x)"]
    ),
    "unknown operator": Row(
        "(print (tensor-sofmax [1.0] 0))",
        ["case.lisp:1:9: unknown operator: tensor-sofmax", "tensor-softmax"],
    ),
}


@pytest.mark.parametrize("back_end", ["script", "executable"])
@pytest.mark.parametrize("name", ROWS)
def test_mistake_in_a_program(
    runner: ProgramRunner, tmp_path: Path, name: str, back_end: str
) -> None:
    row = ROWS[name]
    for file, text in row.files.items():
        (tmp_path / file).write_text(text)
    path = tmp_path / "case.lisp"
    path.write_text(row.source)
    runs = {"script": runner.run_script, "executable": runner.run_executable}
    outcome = runs[back_end](path)
    assert outcome.status == row.status, outcome.errors
    position = 0
    for part in row.errors:
        assert part in outcome.errors[position:], outcome.errors
        position = outcome.errors.index(part, position)
    assert outcome.output == ""
    assert outcome.leaks == ""
    assert "Traceback" not in outcome.errors


def lambent(
    folder: Path, *command: str, python: str | Path = sys.executable, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run the command with some of the environment replaced; it must print no traceback."""
    done = subprocess.run(
        [python, "-m", "lambent.lang", *command], cwd=folder, env={**os.environ, **env},
        capture_output=True, text=True, timeout=600,
    )
    assert "Traceback" not in done.stderr + done.stdout, done.stderr
    assert "internal error" not in done.stderr
    return done


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with a program that uses tensors and one that does not."""
    (tmp_path / "plain.lisp").write_text("(print (* 6 7))\n")
    (tmp_path / "tensors.lisp").write_text(TENSORS)
    return tmp_path


# No compiler on PATH.


def test_no_compiler_on_path(programs: Path) -> None:
    empty = programs / "bin"
    empty.mkdir()
    assert lambent(programs, "plain.lisp", PATH=str(empty)).stdout == "42\n"
    done = lambent(programs, "compile", "plain.lisp", PATH=str(empty), CC="")
    assert done.returncode == 64
    assert "compiler" in done.stderr and "gcc" in done.stderr
    assert not (programs / "plain").exists()


# No torch.


@pytest.fixture(scope="module")
def python_without_torch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with Lambent and what it needs, except for torch."""
    folder = tmp_path_factory.mktemp("without-torch")
    venv.create(folder, symlinks=True)
    here = Path(sysconfig.get_path("purelib"))
    there = next((folder / "lib").glob("python*/site-packages"))
    for pattern in ("lark", "cffi", "_cffi_backend*", "pycparser", "setuptools"):
        for found in here.glob(pattern):
            (there / found.name).symlink_to(found)
    (there / "lambent").mkdir()
    for part in ("lang", "runtime", "ctorch", "stdlib"):
        (there / "lambent" / part).symlink_to(ROOT / part)
    return folder / "bin/python"


def test_no_torch_installed(programs: Path, python_without_torch: Path) -> None:
    python = python_without_torch
    assert lambent(programs, "plain.lisp", python=python).stdout == "42\n"
    assert lambent(programs, "compile", "plain.lisp", python=python).returncode == 0

    done = lambent(programs, "tensors.lisp", python=python)
    assert done.returncode in (64, 70)
    assert "torch" in done.stderr and "install" in done.stderr
    assert len(done.stderr.splitlines()) <= 5, "one clear message"

    done = lambent(programs, "compile", "tensors.lisp", python=python)
    assert done.returncode == 64
    assert "torch" in done.stderr and "install" in done.stderr
    assert not (programs / "tensors").exists()


def test_doctor_without_torch(programs: Path, python_without_torch: Path) -> None:
    done = lambent(programs, "doctor", python=python_without_torch)
    assert done.returncode == 1
    assert "missing" in done.stdout and "torch" in done.stdout


def test_tensors_without_a_compiler_or_anything_built(programs: Path) -> None:
    prepare_cache(programs / "cache")
    env = {"PATH": "/nowhere", "LAMBENT_CACHE": str(programs / "cache"), "CXX": "g++"}
    done = lambent(programs, "tensors.lisp", **env)
    assert done.returncode == 64
    assert "C++ compiler" in done.stderr and "install g++" in done.stderr
    assert done.stdout == ""


# The cache.


def built_ctorch() -> Path:
    from lambent.ctorch import build

    return build.built()


def built_ctorch_version() -> str:
    from lambent.ctorch import build

    return build.find_torch().version


@pytest.mark.parametrize("cache", ["/proc/lambent", "a-file/lambent"])
def test_cache_that_cannot_be_written(programs: Path, cache: str) -> None:
    """A fallback folder takes its place; it holds what is built once, which takes minutes."""
    (programs / "a-file").write_text("in the way")
    temporary = programs / "tmp"
    spare = temporary / f"lambent-{os.getuid()}"
    spare.mkdir(parents=True, mode=0o700)
    prepare_cache(spare)
    prepare_runtime(spare)
    shutil.copytree(built_ctorch(), spare / "ctorch" / built_ctorch().name)
    env = {"LAMBENT_CACHE": str(programs / cache), "TMPDIR": str(temporary)}

    assert lambent(programs, "plain.lisp", **env).stdout == "42\n"
    assert lambent(programs, "tensors.lisp", **env).stdout == "[2.0 3.0]\n"
    done = lambent(programs, "compile", "tensors.lisp", **env)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    assert subprocess.run([programs / "tensors"], capture_output=True).stdout == b"[2.0 3.0]\n"
    done = lambent(programs, "doctor", **env)
    assert done.returncode == 1
    assert env["LAMBENT_CACHE"] in done.stdout


def test_no_folder_that_can_be_written(programs: Path) -> None:
    env = {"LAMBENT_CACHE": "/proc/lambent", "TMPDIR": "/proc"}
    assert lambent(programs, "plain.lisp", **env).stdout == "42\n"
    for command in (["tensors.lisp"], ["compile", "plain.lisp"]):
        done = lambent(programs, *command, **env)
        assert done.returncode == 64
        assert "cannot use the cache folder /proc/lambent: No such file" in done.stderr
        assert "hint: LAMBENT_CACHE" in done.stderr


def test_libtorch_of_another_version_than_the_cache(programs: Path) -> None:
    """The build for another LibTorch is not used, and ctorch is built again.

    All objects but one are already compiled, because compiling them takes two minutes.
    """
    prepare_cache(programs / "cache")
    cache = programs / "cache/ctorch"
    name = built_ctorch().name
    version = built_ctorch_version()
    other = cache / name.replace(version, "2.12.0")
    shutil.copytree(built_ctorch(), other)
    objects = cache / "objects"
    objects.mkdir()
    for made in (built_ctorch().parent / "objects").glob("*.o"):
        if not made.name.startswith("exports-"):
            (objects / made.name).symlink_to(made)
    done = lambent(programs, "tensors.lisp", LAMBENT_CACHE=str(cache.parent))
    assert (done.stdout, done.returncode) == ("[2.0 3.0]\n", 0)
    assert done.stderr == (
        f"lambent: building the LibTorch interface for torch {version} (once, a minute or two)\n"
    )
    assert other.exists() and (cache / name).exists()
    assert len(list(objects.glob("exports-*.o"))) == 1


def test_damaged_script_cache_is_rebuilt(programs: Path) -> None:
    cache = programs / "cache"
    prepare_cache(cache)
    assert lambent(programs, "plain.lisp", LAMBENT_CACHE=str(cache)).stdout == "42\n"
    for file in cache.rglob("*"):
        if file.is_file():
            file.write_bytes(b"damaged")
    done = lambent(programs, "plain.lisp", LAMBENT_CACHE=str(cache))
    said = "lambent: a file of the cache is damaged, and is made again: "
    assert done.stdout == "42\n"
    assert done.stderr and all(line.startswith(said) for line in done.stderr.splitlines())
    again = lambent(programs, "plain.lisp", LAMBENT_CACHE=str(cache))
    assert (again.stdout, again.stderr) == ("42\n", "")


# Standard streams that are closed, or full.


@pytest.mark.parametrize("missing", ["<&-", ">&-", "2>&-"])
def test_closed_stream(programs: Path, missing: str) -> None:
    for words in ("plain.lisp", "", "-e '(print 1)'"):
        command = f"{shlex.quote(sys.executable)} -m lambent.lang {words} {missing}"
        done = subprocess.run(
            command, shell=True, cwd=programs, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, ""), words


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_full_disk(programs: Path) -> None:
    assert lambent(programs, "compile", "plain.lisp").returncode == 0
    for command in ([sys.executable, "-m", "lambent.lang", "plain.lisp"], ["./plain"]):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                command, cwd=programs, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
            )
        assert (done.returncode, done.stderr) == (70, "cannot write: No space left on device\n")
