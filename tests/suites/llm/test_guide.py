"""Every block of docs/language-models.md runs: Lisp on both back ends, commands, Python."""

import os
import re
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PAGE = (ROOT / "docs/language-models.md").read_text(encoding="utf-8")
GENEROUS = 300  # seconds


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the examples, as in the repository; `lambent` is on the path."""
    path = tmp_path_factory.mktemp("guide")
    (path / "examples").symlink_to(ROOT / "examples")
    (path / "guide.lisp").write_text("\n".join(blocks("scheme")), encoding="utf-8")
    (path / "bin").mkdir()
    lambent = path / "bin" / "lambent"
    lambent.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m lambent.lang "$@"\n')
    lambent.chmod(0o755)
    return path


def run(folder: Path, *command: str) -> str:
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=GENEROUS,
                          env={**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"})
    assert (done.stderr, done.returncode) == ("", 0), done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def printed(folder: Path) -> dict[str, str]:
    """What the Lisp prints on each back end; the executable leaves the model in the folder."""
    found = {"script": run(folder, "lambent", "guide.lisp")}
    (folder / "tiny").rename(folder / "of-script")
    run(folder, "sh", "-c", "lambent compile guide.lisp -o guide 2> warnings")
    return {**found, "executable": run(folder, "./guide")}


def test_lisp(printed: dict[str, str], back_end: str) -> None:
    wanted = re.findall(r"; =>(.*)$", "\n".join(blocks("scheme")), re.M)
    lines = printed[back_end].splitlines()
    assert [line.strip() for line in lines] == [line.strip() for line in wanted]


def test_both_leave_the_same_model(printed: dict[str, str], folder: Path) -> None:
    """So the commands below do the same with the other one."""
    one, other = folder / "of-script", folder / "tiny"
    names = sorted(path.name for path in one.iterdir())
    assert names == sorted(path.name for path in other.iterdir())
    for name in names:
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


def test_commands(printed: dict[str, str], folder: Path) -> None:
    for block in blocks("console"):
        for command, wanted in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            assert run(folder, "sh", "-c", command) == wanted, command


def test_python(printed: dict[str, str], folder: Path) -> None:
    block = "".join(blocks("python"))
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = str(free.getsockname()[1])
    server = subprocess.Popen(
        [folder / "bin/lambent", "serve", "tiny", "--port", port], cwd=folder,
        stdout=subprocess.PIPE, text=True,
    )
    try:
        assert server.stdout is not None
        assert server.stdout.readline() == (
            f"serving tiny at http://127.0.0.1:{port}/v1 (Ctrl-C ends)\n"
        )
        (folder / "client.py").write_text(block.replace("8000", port))
        wanted = "".join(re.findall(r"^# (.*\n)", block, re.M))
        assert run(folder, sys.executable, "client.py") == wanted
    finally:
        server.terminate()
        server.communicate()
