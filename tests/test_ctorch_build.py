"""Building ctorch on demand: once, whole, and with a clear word when it cannot be.

The compiler is a shell script that notes its calls and makes empty files, so nothing is compiled.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tests.needs_libtorch  # noqa: F401 - skips this module where there is none
from lambent.ctorch import build

BUILT = "from lambent.ctorch import build; print(build.built())"
REFUSED = """
from lambent.ctorch import build
from lambent.lang.errors import UsageFault
try:
    build.built()
except UsageFault as fault:
    print(fault.message)
    print(fault.hint)
"""

NOTING = """#!/bin/sh
for word; do
    [ "$previous" = -o ] && { echo "$word" >> "$NOTES"; : > "$word"; }
    previous=$word
done
sleep 0.02
"""
BROKEN = """#!/bin/sh
echo 'some.cpp:3:4: error: no such thing' >&2
exit 1
"""


class Bench:
    """A cache folder of its own, and a compiler that is a script."""

    def __init__(self, folder: Path) -> None:
        self.cache = folder / "cache"
        self.notes = folder / "notes"
        self.compiler = folder / "g++"
        self.be(NOTING)

    def be(self, script: str) -> None:
        self.compiler.write_text(script)
        self.compiler.chmod(0o755)

    def start(self, code: str, **more: str) -> "subprocess.Popen[str]":
        environment = os.environ | {
            "CXX": str(self.compiler), "LAMBENT_CACHE": str(self.cache), "NOTES": str(self.notes),
        } | more
        return subprocess.Popen(
            [sys.executable, "-c", code], env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )

    def run(self, code: str, **more: str) -> tuple[str, str]:
        return self.start(code, **more).communicate()

    @property
    def linked(self) -> int:
        """How many times a library was linked."""
        return self.notes.read_text().count(build.LIBRARY)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_builds_once(bench: Bench) -> None:
    folder, said = bench.run(BUILT)
    assert said.startswith("lambent: building the LibTorch interface for torch ")
    names = {path.name for path in Path(folder.strip()).iterdir()}
    assert names == {build.MODULE, build.LIBRARY}
    assert bench.run(BUILT) == (folder, "")
    assert bench.linked == 1


def test_two_at_once_build_once(bench: Bench) -> None:
    both = [bench.start(BUILT), bench.start(BUILT)]
    outputs = [process.communicate()[0] for process in both]
    assert outputs[0] == outputs[1] != ""
    assert bench.linked == 1


def test_another_compiler_builds_again(bench: Bench) -> None:
    first, _ = bench.run(BUILT)
    bench.be(NOTING + "# newer\n")
    second, _ = bench.run(BUILT)
    assert first != second
    assert bench.linked == 2


def test_without_compiler_what_is_built_serves(bench: Bench) -> None:
    folder, _ = bench.run(BUILT)
    assert bench.run(BUILT, CXX="no-such-compiler") == (folder, "")


def test_no_compiler(bench: Bench) -> None:
    said, errors = bench.run(REFUSED, CXX="no-such-compiler")
    message, hint = said.splitlines()
    assert message.startswith("tensors need a C++ compiler")
    assert "g++" in hint
    assert errors == ""


def test_compile_error_names_the_log(bench: Bench) -> None:
    bench.be(BROKEN)
    said, _ = bench.run(REFUSED)
    message, hint = said.splitlines()
    assert message == (
        "building the LibTorch interface failed: some.cpp:3:4: error: no such thing"
    )
    log = Path(hint.split()[-1])
    assert "no such thing" in log.read_text()
    left = list(log.parent.glob("*/"))  # nothing half-built
    assert [folder.name for folder in left] == ["objects"] and not list(left[0].iterdir())


def test_builds_again_only_what_changed(bench: Bench) -> None:
    folder = Path(bench.run(BUILT)[0].strip())
    shutil.rmtree(folder)
    next((folder.parent / "objects").glob("typed-*.o")).unlink()
    bench.notes.unlink()
    assert bench.run(BUILT)[0].strip() == str(folder)
    written = [Path(line).name for line in bench.notes.read_text().split()]
    assert len(written) == 3 and written[0].startswith("typed-")
    assert written[1:] == [build.LIBRARY, build.MODULE]


def test_python_torch_is_not_imported() -> None:
    code = "import sys, lambent.ctorch as c; c.library_path(); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
