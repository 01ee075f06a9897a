"""`lambent bundle`: programs run where there is nothing else, and print what scripts print."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from lambent.ctorch import build
from lambent.lang.bundle.libraries import FOLDER, closure, loaded_from
from lambent.lang.system.elf import Elf
from tests.support import model_folders
from tests.support.paths import ROOT
from tests.support.processes.empty_root import run_alone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bundles are for Linux")

HELLO = '(print "hello" (expt 2.5 3) (expt 3 100))\n(error "on purpose" 1)\n'
# LibTorch itself says this where /proc is missing, as in the empty root.
NO_PROC = b"Error in cpuinfo: failed to parse processor information from /proc/cpuinfo\n"


def lambent(
    *words: str | Path, cwd: Path = ROOT, umask: int = -1, **env: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lambent.lang", *map(str, words)], cwd=cwd, capture_output=True,
        text=True, timeout=500, env={**os.environ, **env}, umask=umask,
    )


def bundled(*words: str | Path, umask: int = -1, **env: str) -> str:
    """Make a bundle; what the command prints."""
    done = lambent("bundle", *words, umask=umask, **env)
    assert (done.stderr, done.returncode) == ("", 0), done.stdout
    return done.stdout


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


# Real programs in an empty root.


@pytest.fixture(scope="module")
def hello(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hello")
    (folder / "hello.lisp").write_text(HELLO)
    bundled(folder / "hello.lisp", "-o", folder / "made")
    return folder / "made"


def test_a_program_without_tensors_is_alone(hello: Path, tmp_path: Path) -> None:
    assert files_in(hello) == {"hello"}
    script = lambent(hello.parent / "hello.lisp")
    done = run_alone(hello, "hello", [], tmp_path)
    assert (done.stdout.decode(), done.returncode) == (script.stdout, 70)
    assert done.stderr.decode() == script.stderr


def test_regular_expressions_in_an_empty_root(tmp_path: Path) -> None:
    """PCRE2 comes along, and nothing else."""
    (tmp_path / "words.lisp").write_text('(print (regexp-extract (pregexp "\\\\w+") "añ b"))')
    bundled(tmp_path / "words.lisp", "-o", tmp_path / "made")
    assert files_in(tmp_path / "made") == {"words", f"{FOLDER}/libpcre2-8.so.0"}
    done = run_alone(tmp_path / "made", "words", [], tmp_path)
    assert (done.stdout.decode(), done.stderr, done.returncode) == ("(añ b)\n", b"", 0)


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("digits") / "read only, it's"
    data = "examples/data/digits.csv"
    said = bundled("examples/digits.lisp", "-o", folder, "--files", data, umask=0o077)
    assert re.fullmatch(r"\S.*: \d+\.\d MB, needs glibc \d+\.\d+; .*\n", said)
    return folder


def test_a_training_in_an_empty_root(digits: Path, tmp_path: Path) -> None:
    assert {"digits", "data/digits.csv"} == {
        name for name in files_in(digits) if not name.startswith(FOLDER)
    }
    script = lambent("examples/digits.lisp")
    done = run_alone(digits, "digits", [], tmp_path)
    assert (done.stdout.decode(), done.returncode) == (script.stdout, 0), done.stderr
    assert done.stderr.replace(NO_PROC, b"") == b""


def test_a_chat_in_an_empty_root(tmp_path: Path) -> None:
    """A model in a folder, its tokenizer with PCRE2."""
    model = model_folders.folder("llama")
    linked = tmp_path / "a model"
    linked.symlink_to(model)  # the bundle has the files themselves
    bundled("examples/chat.lisp", "-o", tmp_path / "chat.tar", "--files", linked)
    with tarfile.open(tmp_path / "chat.tar") as archive:
        archive.extractall(tmp_path, filter="data")
    words = ["--greedy", "--max-tokens", "8"]
    script = lambent("examples/chat.lisp", "generate", model, "Once", *words)
    assert script.returncode == 0
    place = "/the bundle/a model"
    done = run_alone(tmp_path / "chat", "chat", ["generate", place, "Once", *words], tmp_path)
    assert (done.stdout.decode(), done.returncode) == (script.stdout, 0), done.stderr


def test_libraries_of_other_versions_do_not_matter(digits: Path, tmp_path: Path) -> None:
    """LD_LIBRARY_PATH does not come before the bundle."""
    for path in (digits / FOLDER / "ctorch").iterdir():
        (tmp_path / path.name).write_text("no library")
    done = subprocess.run([digits / "digits"], env={"LD_LIBRARY_PATH": str(tmp_path)}, timeout=300,
                          capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


def test_through_a_link_and_with_characters_of_the_loader(digits: Path, tmp_path: Path) -> None:
    """$ORIGIN in the name of a folder is not replaced."""
    place = tmp_path / "a $ORIGIN:b"
    digits.rename(place)
    try:
        (tmp_path / "link").symlink_to(place / "digits")
        done = subprocess.run([tmp_path / "link"], env={}, cwd="/", capture_output=True)
    finally:
        place.rename(digits)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.endswith(b"test accuracy 0.9666\n")


# Damage.


@pytest.mark.parametrize("damage, said", [
    (lambda path: path.unlink(), "{} does not exist"),
    (lambda path: os.truncate(path, 1000), "{} is another file now: it has 1000 bytes instead of "),
])
def test_a_damaged_bundle(
    damage: Callable[[Path], object], said: str, digits: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(digits, copy, copy_function=os.link)
    library = copy / FOLDER / "ctorch" / "libz.so.1"
    data = library.read_bytes()
    library.unlink()
    library.write_bytes(data)
    damage(library)
    done = subprocess.run([copy / "digits"], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("", 70)
    assert re.fullmatch(
        rf"this program needs LibTorch \S+, but {re.escape(said.format(library))}\d*; "
        r"copy the whole bundle again\n", done.stderr)


def test_libtorch_of_another_folder(digits: Path, tmp_path: Path) -> None:
    """LAMBENT_LIBTORCH names another bundle, its libraries, or a torch package."""
    (tmp_path / "p.lisp").write_text("(print (tensor-sum (tensor '(1.5 2.5))))\n")
    bundled(tmp_path / "p.lisp", "-o", tmp_path / "made")
    shutil.rmtree(tmp_path / "made" / FOLDER)

    def run(folder: Path) -> tuple[str, str]:
        done = subprocess.run([tmp_path / "made/p"], capture_output=True, text=True,
                              env={"LAMBENT_LIBTORCH": str(folder)})
        return done.stdout, done.stderr

    assert run(digits) == ("4.0\n", "")
    assert run(digits / FOLDER / "ctorch") == ("4.0\n", "")
    said = "does not exist; copy the whole bundle again\n"
    assert run(build.find_torch().folder)[1].endswith(said)
    assert "which has no libtorch_cpu.so; set LAMBENT_LIBTORCH to" in run(tmp_path)[1]


# Machines that are too old.


def edited(executable: Path, target: Path, *changes: tuple[bytes, bytes]) -> Path:
    data = executable.read_bytes()
    for before, after in changes:
        assert data.count(before) == 1 and len(before) == len(after)
        data = data.replace(before, after)
    target.write_bytes(data)
    target.chmod(0o755)
    return target


def test_a_glibc_that_is_too_old(hello: Path, tmp_path: Path) -> None:
    """It lacks functions, too, as a glibc that is too old does."""
    needed = max(Elf.read(hello / "hello").needed_glibc(), (2, 17))
    [mark] = re.findall(rb"lambent needs glibc 2\.\d+", (hello / "hello").read_bytes())
    assert needed <= (2, 17)  # so the loader lets it start
    program = edited(hello / "hello", tmp_path / "p", (mark, mark[:-2] + b"99"),
                     (b"\0pthread_create\0", b"\0pthread_crxate\0"))
    done = subprocess.run([program], capture_output=True, text=True)
    here = os.confstr("CS_GNU_LIBC_VERSION") or ""
    said = f"this program needs glibc 2.99 or newer, and this machine has {here}\n"
    assert (done.stdout, done.stderr, done.returncode) == ("", said, 70)


@pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="qemu-user is not installed")
def test_a_processor_that_is_too_old(tmp_path: Path) -> None:
    (tmp_path / "p.lisp").write_text(HELLO)
    bundled(tmp_path / "p.lisp", "-o", tmp_path / "made", CC="gcc -mavx2")
    done = subprocess.run(["qemu-x86_64", "-cpu", "Nehalem", tmp_path / "made/p"],
                          capture_output=True, text=True)
    said = "this program needs a processor with avx, which this one lacks\n"
    assert (done.stdout, done.stderr, done.returncode) == ("", said, 70)


# The libraries.


def test_the_closure_is_what_the_loader_loads() -> None:
    library = build.built() / build.LIBRARY
    said = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^\s*(\S+) => (/\S+)", said, re.MULTILINE)
    others = {n: Path(p).resolve() for n, p in found if not Elf.read(Path(p)).is_of_libc}
    assert closure({library.name: library}) == {library.name: library, **others}
    assert {"libtorch_cpu.so", "libgomp.so.1", "libstdc++.so.6", "libz.so.1"} <= others.keys()


@pytest.mark.parametrize("name", ["libc.so.6", "libm.so.6", "libpthread.so.0", "libmvec.so.1"])
def test_libraries_of_libc(name: str) -> None:
    path = loaded_from(name)
    assert path is not None and Elf.read(path).is_of_libc
    assert not Elf.read(Path(shutil.which("sh") or "").resolve()).is_of_libc
    assert loaded_from("libno-such.so") is None


# Mistakes.


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a program, files, and what gets in the way."""
    (tmp_path / "p.lisp").write_text('(print "p")\n')
    (tmp_path / "wrong.lisp").write_text("(print (no-such 1)\n")
    (tmp_path / "other/data").mkdir(parents=True)
    (tmp_path / "other/data/x.txt").write_text("other")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/x.txt").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").write_text("x")
    (tmp_path / "p").write_text("x")
    (tmp_path / "file").write_text("x")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "ring").mkdir()
    (tmp_path / "ring/again").symlink_to(".")
    (tmp_path / "ring/data").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / FOLDER).mkdir()
    return tmp_path


MISTAKES = {
    "no output": (["p.lisp"], "bundle takes -o and the name of one folder"),
    "no program": (["-o", "out"], "no file is given"),
    "two programs": (["p.lisp", "p.lisp", "-o", "out"], "one file at a time"),
    "an option": (["p.lisp", "-o", "out", "--fast"], "unknown option: --fast"),
    "a full folder": (["p.lisp", "-o", "full"], "cannot write full: the folder is not empty"),
    "a file": (["p.lisp", "-o", "file"], "cannot write file: it is not a folder"),
    "the program": (["p.lisp", "-o", "p.lisp"], "cannot write p.lisp: it is not a folder"),
    "a link": (["p.lisp", "-o", "dangling"], "cannot write dangling: it is not a folder"),
    "no parent": (["p.lisp", "-o", "no/out"], "cannot write no/out: No such file or directory"),
    "no permission": (["p.lisp", "-o", "/proc/out"], "cannot write /proc/out: "),
    "missing program": (["q.lisp", "-o", "out"], "cannot open q.lisp: No such file or directory"),
    "a wrong program": (["wrong.lisp", "-o", "out"], "wrong.lisp:1:1"),
    "missing files": (["p.lisp", "-o", "out", "--files", "data", "no"],
                      "cannot bundle no: No such"),
    "a dangling link": (["p.lisp", "-o", "out", "--files", "dangling"], "cannot bundle dangling: "),
    "a ring of links": (["p.lisp", "-o", "out", "--files", "ring"],
                        "cannot bundle ring/again: the folder contains itself, through a link"),
    "a pipe": (["p.lisp", "-o", "out", "--files", "pipe"], "it is neither a file nor a folder"),
    "two of a name": (["other/q.lisp", "-o", "out", "--files", "data", "other/data"],
                      "each would be data/x.txt"),
    "our folder": (["p.lisp", "-o", "out", "--files", FOLDER],
                   f"{FOLDER} in the bundle is something else"),
    "the name of the executable": (["p.lisp", "-o", "out", "--files", "p"],
                                   "p in the bundle is something else"),
    "a file and a folder": (["other/q.lisp", "-o", "out", "--files", "ring/data", "other/data"],
                            "data would be a file and a folder"),
    "the program's folder": (["p.lisp", "-o", "out", "--files", "."], "it is the folder that the"),
    "inside": (["p.lisp", "-o", "data/out", "--files", "data"], "cannot write data/out: it is in"),
    "a folder as archive": (["p.lisp", "-o", "x.tar"], "cannot write x.tar: it is a folder"),
    "a program that evaluates": (["eval.lisp", "-o", "out"], "eval"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str, place: Path) -> None:
    words, said = MISTAKES[name]
    (place / "other/q.lisp").write_text('(print "q")\n')
    (place / "eval.lisp").write_text("(eval '(+ 1 2))\n")
    if name == "a folder as archive":
        (place / "x.tar").mkdir()
    before = sorted(place.rglob("*"))
    done = lambent("bundle", *words, cwd=place)
    assert said in done.stderr and "internal error" not in done.stderr
    assert done.stdout == "" and done.returncode != 0
    assert sorted(place.rglob("*")) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_is_interrupted_leaves_nothing(number: int, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (tmp_path / "p.lisp").write_text("(print (tensor-sum (tensor '(1.5 2.5))))\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "lambent.lang", "bundle", str(tmp_path / "p.lisp"), "-o",
         str(out / "made")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    while not any(out.rglob("libtorch_cpu.so")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    said, _ = process.communicate(timeout=100)
    assert process.returncode != 0 and "Traceback" not in said
    assert list(out.iterdir()) == []


# Files.


def test_files_keep_their_places(place: Path) -> None:
    """What is below the program's folder does, also with spaces; the rest stands beside it."""
    (place / "app").mkdir()
    (place / "app/the files").mkdir()
    (place / "app/the files/ä b").write_text("1")
    (place / "app/q.lisp").write_text(
        '(for-each (lambda (name) (print (call-with-input-file (string-append (program-folder) '
        'name) read-line))) (list "/the files/ä b" "/x.txt"))\n')
    (place / "app/x.txt").symlink_to("../data/x.txt")
    (place / "secret").write_text("")
    (place / "out").mkdir()  # an empty one may exist
    arguments: Sequence[str | Path] = (
        place / "app/q.lisp", "-o", place / "out", "--files", place / "app/the files",
        place / "app/x.txt", "--files", place / "secret")
    bundled(*arguments)
    assert files_in(place / "out") == {"q", "the files/ä b", "x.txt", "secret"}
    assert not (place / "out/x.txt").is_symlink()
    script = lambent(place / "app/q.lisp", cwd=Path("/"))
    done = subprocess.run([place / "out/q"], cwd="/", capture_output=True, text=True)
    assert done.stdout == script.stdout == "1\nx\n"


def test_one_file_that_unpacks_itself(place: Path) -> None:
    (place / "it's $p.lisp").write_text(
        '(print (cdr (command-line)) (file-exists? (string-append (program-folder) "/file")))\n')
    made = place / "x.run"
    bundled(place / "it's $p.lisp", "-o", made, "--files", place / "file")

    def run(file: Path = made, **env: str) -> tuple[str, str, int]:
        done = subprocess.run([file, "a b", "$c"], text=True, capture_output=True,
                              env={"PATH": os.environ["PATH"], **env})
        return done.stdout, done.stderr, done.returncode

    unpacked = place / "unpacked here"
    for _ in range(2):
        assert run(LAMBENT_UNPACK=str(unpacked)) == ('(a b $c) #t\n', "", 0)
    [folder] = unpacked.iterdir()  # and nothing half made
    assert run(HOME=str(place)) == ('(a b $c) #t\n', "", 0)
    assert (place / ".cache" / folder.name).is_dir()
    said = "it's $p: set LAMBENT_UNPACK to the folder in which it may unpack itself\n"
    assert run() == ("", said, 70)
    damaged = place / "y.run"
    damaged.write_bytes(made.read_bytes()[:-1000])
    damaged.chmod(0o755)
    said, errors, status = run(damaged, LAMBENT_UNPACK=str(place / "other place"))
    assert (said, status) == ("", 70) and "is damaged" in errors
    assert list((place / "other place").iterdir()) == []


def test_the_same_archive_again(place: Path) -> None:
    """A bundle follows from its program alone, not from times and users."""
    for kind in ("tar", "tar.gz", "run"):
        names = (place / f"x.{kind}", place / f"other/x.{kind}")
        for name in names:
            bundled(place / "p.lisp", "-o", name)
        assert names[0].read_bytes() == names[1].read_bytes()
