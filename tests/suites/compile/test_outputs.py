"""Files that `lambent compile` and reports write: inputs stay, and no scratch files are left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lambent.lang.cli import main
from lambent.lang.system import outputs, scratch
from lambent.lang.system.outputs import move_to_destination, write_text
from tests.support.programs_run import prepare_cache

FILES = {
    "main.lisp": '(import "lib.lisp")\n(print (f 1))\n',
    "lib.lisp": "(include \"text.scm\")\n(define (f x) x)\n",
    "text.scm": "(define (g x) x)\n",
    "script": "#!/usr/bin/env lambent\n(print 1)\n",
    "other.lisp": "(print 2)\n",
    "notes": "weeks of work\n",
    "notes.lisp": "(print 3)\n",
}
SOURCE = "it is the program's source"
SAME = "which the program is made from"
OTHER = "a Lisp source of that name exists"
ROWS = {
    "a script without an ending": (["compile", "script"], SOURCE),
    "its own name": (["compile", "main.lisp", "-o", "main.lisp"], SOURCE),
    "its own name in another spelling": (["compile", "./main.lisp", "-o", "main.lisp"], SOURCE),
    "C over its own name": (["compile", "main.lisp", "--emit-c", "-o", "main.lisp"], SOURCE),
    "a symbolic link": (["compile", "main.lisp", "-o", "symbolic"], SAME),
    "a hard link": (["compile", "main.lisp", "-o", "hard"], SAME),
    "C through a link": (["compile", "main.lisp", "--emit-c", "-o", "symbolic"], SAME),
    "an import": (["compile", "main.lisp", "-o", "lib.lisp"], OTHER),
    "an import through a link": (["compile", "main.lisp", "-o", "lib"], SAME),
    "an included file through a link": (["compile", "main.lisp", "--emit-c", "-o", "text"], SAME),
    "another program": (["compile", "-o", "other.lisp", "main.lisp"], OTHER),
    "a default name": (["compile", "notes.lisp"], "not an executable"),
    "a folder": (["compile", "main.lisp", "-o", "."], "Is a directory"),
    "no folder": (["compile", "main.lisp", "-o", "gone/main"], "No such file or directory"),
    "in a file": (["compile", "main.lisp", "-o", "notes/main"], "Not a directory"),
    "C to a folder": (["compile", "main.lisp", "--emit-c", "-o", "."], "Is a directory"),
    "no name": (["compile", "main.lisp", "-o", ""], "-o takes the name of the file to write"),
    "a profile": (["--profile", "main.lisp", "main.lisp"], SOURCE),
    "a profile through a link": (["--profile", "symbolic", "main.lisp"], SAME),
    "a profile over an import": (["--profile", "lib.lisp", "main.lisp"], OTHER),
}  # fmt: skip


def lambent(folder: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "lambent.lang", *command],
        cwd=folder, capture_output=True, text=True, timeout=300,
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "symbolic").symlink_to("main.lisp")
    (folder / "hard").hardlink_to(folder / "main.lisp")
    (folder / "lib").hardlink_to(folder / "lib.lisp")
    (folder / "text").symlink_to("text.scm")
    return folder


@pytest.mark.parametrize("name", ROWS)
def test_inputs_are_never_overwritten(
    sources: Path, name: str,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    command, said = ROWS[name]
    before = contents(sources)
    monkeypatch.chdir(sources)
    assert main(command) == (66 if "irectory" in said else 64)
    printed = capsys.readouterr()
    assert said in printed.err and "internal error" not in printed.err
    assert printed.out == "" and contents(sources) == before


def test_named_output_is_overwritten(sources: Path, tmp_path: Path) -> None:
    """An executable replaces a link, as it replaces a file; C is written through links."""
    (tmp_path / "notes").write_text("old")
    (tmp_path / "link.c").symlink_to("text.c")
    assert lambent(tmp_path, "compile", str(sources / "other.lisp"), "-o", "notes").stderr == ""
    assert subprocess.run([tmp_path / "notes"], capture_output=True).stdout == b"2\n"
    command = ["compile", str(sources / "other.lisp"), "--emit-c", "-o", "link.c"]
    assert lambent(tmp_path, *command).stderr == ""
    assert (tmp_path / "link.c").is_symlink() and "int main" in (tmp_path / "text.c").read_text()


def test_emitted_c_to_a_stream(sources: Path) -> None:
    done = lambent(sources, "compile", "other.lisp", "--emit-c", "-o", "/dev/stdout")
    assert "int main" in done.stdout and done.returncode == 0


def test_from_another_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Renaming cannot cross file systems; the copy is executable, and appears at once."""
    other = Path("/dev/shm")
    if not os.access(other, os.W_OK) or other.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is one file system only")
    made, output = other / f"lambent-test-{os.getpid()}", tmp_path / "program"
    output.write_text("old")
    try:
        made.write_bytes(b"new")
        made.chmod(0o755)
        move_to_destination(made, output)
        assert (output.read_bytes(), output.stat().st_mode & 0o777) == (b"new", 0o755)
    finally:
        made.unlink(missing_ok=True)
    assert [path.name for path in tmp_path.iterdir()] == ["program"]


def test_failed_compilation_keeps_the_old_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.c").write_text("old")
    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(outputs.MissingInput, match="No space left on device"):
        write_text(tmp_path / "a.c", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["a.c"]
    assert (tmp_path / "a.c").read_text() == "old"


# Compilers that are killed.  The C compiler reports that it has started and then sleeps.

SLOW = """#!/bin/sh
case "$*" in *-print-file-name*|*--version*) exec cc "$@" ;; esac
: > "$TMPDIR/half-made"
: > {started}
sleep 200 &
wait
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
def test_a_killed_compiler_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    folder, cache, started = (tmp_path / name for name in ("work", "cache", "started"))
    folder.mkdir()
    prepare_cache(cache)
    (folder / "hello.lisp").write_text('(print "hello")\n')
    (tmp_path / "slow-cc").write_text(SLOW.format(started=started))
    (tmp_path / "slow-cc").chmod(0o755)
    environment = {**os.environ, "CC": str(tmp_path / "slow-cc"), "LAMBENT_CACHE": str(cache)}
    command = [sys.executable, "-m", "lambent.lang", "compile", "hello.lisp"]
    with subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True,
                          stderr=subprocess.PIPE, text=True) as process:  # fmt: skip
        while not started.exists():
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(number)
        said = process.communicate(timeout=60)[1]
    assert process.returncode in (-number, 130) and said == ""
    assert contents(folder).keys() == {"hello.lisp"}
    left = list((cache / "scratch").iterdir())
    assert bool(left) == (number == signal.SIGKILL)
    # The next compiler deletes what the killed one left, when it is old enough.
    monkeypatch.setenv("LAMBENT_CACHE", str(cache))
    for path in left:
        os.utime(path, (0, 0))
    with scratch.scratch_folder() as mine:
        os.utime(mine, (0, 0))
        with scratch.scratch_folder() as other:  # does not delete a folder that is in use
            assert {*(cache / "scratch").iterdir()} == {mine, other}
    assert not list((cache / "scratch").iterdir())
