"""Building ctorch on demand: once, completely, and with a clear message when it fails.

The compiler is a shell script that logs its calls and creates empty files.
"""

import errno
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from lambent.ctorch import build, compiling
from lambent.ctorch.distributed import gloo
from lambent.ctorch.library_flags import standard_library
from lambent.lang.errors import UsageFault
from lambent.lang.system import compilers
from lambent.lang.system.cache import SEAL

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
if [ -n "$STUCK" ] && [ $(wc -l < "$NOTES") -ge 3 ]; then
    sleep 600 & echo $! >> "$NOTES.children"
    wait
fi
sleep 0.02
"""
KILLED = "#!/bin/sh\nkill -9 $$\n"
# The message of gcc's driver when the system has killed the compiler that it started.
KILLED_BELOW = """#!/bin/sh
echo 'g++: fatal error: Killed signal terminated program cc1plus' >&2
exit 1
"""
BROKEN = """#!/bin/sh
echo 'some.cpp:3:4: error: no such thing' >&2
exit 1
"""


class Sandbox:
    """A separate cache folder, and a script as the compiler."""

    def __init__(self, folder: Path) -> None:
        self.cache = folder / "cache"
        self.notes = folder / "notes"
        self.compiler = folder / "g++"
        self.install_compiler(NOTING)

    def install_compiler(self, script: str) -> None:
        self.compiler.write_text(script)
        self.compiler.chmod(0o755)

    def start(self, code: str | list[str], **more: str) -> "subprocess.Popen[str]":
        environment = os.environ | {
            "CXX": str(self.compiler), "LAMBENT_CACHE": str(self.cache), "NOTES": str(self.notes),
        } | more
        return subprocess.Popen(
            [sys.executable, *(["-c", code] if isinstance(code, str) else code)],
            env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )

    def run(self, code: str, **more: str) -> tuple[str, str]:
        return self.start(code, **more).communicate()

    @property
    def linked(self) -> int:
        """How many times a library was linked."""
        return self.notes.read_text().count(build.LIBRARY)


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path)


def test_a_change_of_what_is_included_of_the_runtime_rebuilds() -> None:
    sources = [*build.cpp_sources(), *build.c_sources(), *build.headers()]
    included = {
        (build.ROOT / found).resolve()
        for source in sources
        for found in re.findall(r'#include "(?:\.\./)+(runtime/[^"]+)"', source.read_text())
    }
    assert included == set(build.SHARED_HEADERS)


def test_builds_once(sandbox: Sandbox) -> None:
    folder, said = sandbox.run(BUILT)
    assert said.startswith("lambent: building the LibTorch interface for torch ")
    names = {path.name for path in Path(folder.strip()).iterdir()}
    assert names == {build.MODULE, build.LIBRARY, SEAL}
    assert sandbox.run(BUILT) == (folder, "")
    assert sandbox.linked == 1


def test_two_builds_at_once_build_once(sandbox: Sandbox) -> None:
    both = [sandbox.start(BUILT), sandbox.start(BUILT)]
    outputs = [process.communicate()[0] for process in both]
    assert outputs[0] == outputs[1] != ""
    assert sandbox.linked == 1


def test_different_compiler_rebuilds(sandbox: Sandbox) -> None:
    first, _ = sandbox.run(BUILT)
    sandbox.install_compiler(NOTING + "# newer\n")
    second, _ = sandbox.run(BUILT)
    assert first != second
    assert sandbox.linked == 2


def test_existing_build_needs_no_compiler(sandbox: Sandbox) -> None:
    folder, _ = sandbox.run(BUILT)
    assert sandbox.run(BUILT, CXX="no-such-compiler") == (folder, "")


def test_no_compiler(sandbox: Sandbox) -> None:
    said, errors = sandbox.run(REFUSED, CXX="no-such-compiler")
    message, hint = said.splitlines()
    assert message.startswith("tensors need a C++ compiler")
    assert "g++" in hint
    assert errors == ""


def test_compile_error_names_the_log(sandbox: Sandbox) -> None:
    sandbox.install_compiler(BROKEN)
    said, _ = sandbox.run(REFUSED)
    message, hint = said.splitlines()
    assert message == (
        "building the LibTorch interface failed: some.cpp:3:4: error: no such thing"
    )
    log = Path(hint.split()[-1])
    assert "no such thing" in log.read_text()
    assert left_behind(log.parent) == []


def left_behind(folder: Path) -> list[Path]:
    """Half-built files in a cache folder of ctorch."""
    left = sorted(folder.glob("*/"))
    assert [path.name for path in left] == ["objects", "scratch"]
    return [*left[0].iterdir(), *left[1].iterdir()]


def test_rebuild_compiles_only_what_changed(sandbox: Sandbox) -> None:
    folder = Path(sandbox.run(BUILT)[0].strip())
    shutil.rmtree(folder)
    next((folder.parent / "objects").glob("typed-*.o")).unlink()
    sandbox.notes.unlink()
    assert sandbox.run(BUILT)[0].strip() == str(folder)
    written = [Path(line).name for line in sandbox.notes.read_text().split()]
    assert len(written) == 3 and written[0].startswith("typed-")
    assert written[1:] == [build.LIBRARY, build.MODULE]


def test_second_build_reports_that_it_waits(sandbox: Sandbox) -> None:
    both = [sandbox.start(BUILT), sandbox.start(BUILT)]
    said = "".join(process.communicate()[1] for process in both)
    assert said.count("lambent: building the LibTorch interface") == 1
    assert said.count("another process is building the LibTorch interface; waiting") == 1


def wait_for(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 100
    while not condition():
        assert time.monotonic() < end, "it never happens"
        time.sleep(0.02)


def children(sandbox: Sandbox) -> list[int]:
    notes = sandbox.notes.with_name("notes.children")
    return [int(line) for line in notes.read_text().split()] if notes.exists() else []


def is_running(process: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError as error:
        return error.errno not in (errno.ENOENT, errno.ESRCH)


def objects(sandbox: Sandbox) -> set[str]:
    return {path.name for path in (sandbox.cache / "ctorch" / "objects").iterdir()}


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_interrupted_build_resumes(
    sandbox: Sandbox, ending: signal.Signals
) -> None:
    process = sandbox.start(BUILT, LAMBENT_JOBS="1", STUCK="yes")  # at the third file
    wait_for(lambda: children(sandbox))
    process.send_signal(ending)
    process.communicate(timeout=60)
    kept = objects(sandbox)
    assert len(kept) == 2
    scratch = sandbox.cache / "ctorch" / "scratch"
    if ending is signal.SIGKILL:
        (left,) = scratch.iterdir()
        os.utime(left, (0, 0))  # a while later
        os.kill(*children(sandbox), signal.SIGKILL)
    else:
        assert not list(scratch.iterdir())
        wait_for(lambda: not any(map(is_running, children(sandbox))))

    sandbox.notes.unlink()
    folder, _ = sandbox.run(BUILT)
    assert (Path(folder.strip()) / build.LIBRARY).exists()
    assert not list(scratch.iterdir())
    written = {Path(line).stem for line in sandbox.notes.read_text().split()}
    assert not written & {name.rpartition("-")[0] for name in kept}, "compiled again"


def test_killed_build_does_not_block_the_next(sandbox: Sandbox) -> None:
    """Nor a process with the same id: in a new container, process ids start again."""
    code = f"import os; os.getpid = lambda: 7; {BUILT}"
    process = sandbox.start(code, STUCK="yes")
    wait_for(lambda: children(sandbox))
    process.kill()
    process.communicate(timeout=60)
    for child in children(sandbox):
        os.kill(child, signal.SIGKILL)
    folder, said = sandbox.run(code)
    assert folder, said
    assert (Path(folder.strip()) / build.LIBRARY).exists()


@pytest.mark.parametrize("command", [[], ["compile"]])
def test_ctrl_c_ends_the_compilers(
    sandbox: Sandbox, tmp_path: Path, command: list[str]
) -> None:
    program = tmp_path / "t.lisp"
    program.write_text("(print (tensor 1))\n")
    words = ["-m", "lambent.lang", *command, str(program)]
    process = sandbox.start(words, LAMBENT_JOBS="1", STUCK="yes")
    wait_for(lambda: children(sandbox))
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=100)[1]
    assert process.returncode == 130 and said.count("\n") == 1
    wait_for(lambda: not any(map(is_running, children(sandbox))))


@pytest.mark.parametrize("name", [build.LIBRARY, build.MODULE])
def test_truncated_library_is_rebuilt(sandbox: Sandbox, name: str) -> None:
    sandbox.install_compiler(NOTING.replace(': >', 'echo whole >'))
    folder = Path(sandbox.run(BUILT)[0].strip())
    os.truncate(folder / name, 3)
    assert sandbox.run(BUILT)[0].strip() == str(folder)
    assert (folder / name).read_text() == "whole\n"
    assert sandbox.linked == 2


def test_truncated_object_file_is_recompiled(sandbox: Sandbox) -> None:
    sandbox.install_compiler(NOTING.replace(': >', 'echo whole >'))
    folder = Path(sandbox.run(BUILT)[0].strip())
    shutil.rmtree(folder)
    cut = next((folder.parent / "objects").glob("typed-*.o"))
    os.truncate(cut, 3)
    sandbox.run(BUILT)
    assert cut.read_text() == "whole\n"


def test_compiler_command_with_several_words(sandbox: Sandbox) -> None:
    folder, said = sandbox.run(BUILT, CXX=f"env {sandbox.compiler} -m64")
    assert folder and said.count("\n") == 1
    sandbox.install_compiler(NOTING + "# newer\n")
    assert sandbox.run(BUILT, CXX=f"env {sandbox.compiler} -m64")[0] not in ("", folder)


@pytest.mark.parametrize(
    ("script", "message"),
    [(KILLED, "the compiler was killed by SIGKILL"), (KILLED_BELOW, "the compiler ran out of")],
)
def test_killed_compiler_is_reported(sandbox: Sandbox, script: str, message: str) -> None:
    sandbox.install_compiler(script)
    said, _ = sandbox.run(REFUSED)
    first, hint = said.splitlines()
    assert first.startswith(f"building the LibTorch interface failed: {message}")
    assert "LAMBENT_JOBS=1" in hint


def test_progress_on_a_terminal_is_one_line(sandbox: Sandbox) -> None:
    sandbox.install_compiler(NOTING.replace("0.02", "0.15"))
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", BUILT], stdout=subprocess.PIPE, stderr=theirs,
        env=os.environ | {"CXX": str(sandbox.compiler), "LAMBENT_CACHE": str(sandbox.cache),
                          "NOTES": str(sandbox.notes), "TERM": "xterm"},
    )
    os.close(theirs)
    process.communicate()
    said = os.read(ours, 100_000).decode()
    os.close(ours)
    assert " files compiled, about 5 seconds left" in said
    assert said.count("\n") == 1 and said.endswith("\r\x1b[K")


def test_source_changed_during_the_build_is_refused(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An object file that is kept under the key of a text was compiled from that text."""
    source, store = tmp_path / "a.cpp", tmp_path / "store"
    source.write_text("old")
    store.mkdir()
    sandbox.install_compiler(NOTING + f"echo new > {source}\n")
    one = compiling.Compilation(source, (str(sandbox.compiler),), (), "")
    monkeypatch.setenv("NOTES", str(sandbox.notes))
    with pytest.raises(UsageFault, match="changed while it was compiled"):
        compiling._objects([one], store, tmp_path, tmp_path / "log")
    assert list(store.iterdir()) == []


def test_every_source_is_in_one_group_at_most() -> None:
    members = [member for group in compiling.GROUPS.values() for member in group]
    assert len(members) == len(set(members))
    paths = (path.relative_to(build.HERE) for path in build.cpp_sources())
    sources = {str(path.with_suffix("")) for path in paths} | {"typed"}
    assert set(members) <= sources, set(members) - sources


def test_number_of_compilers_fits_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAMBENT_JOBS", raising=False)
    assert compilers.parallel_jobs(1) == compilers.parallel_jobs(2) >= 1  # one for each core
    assert compilers.parallel_jobs(1 << 60) == 1
    monkeypatch.setenv("LAMBENT_JOBS", "7")
    assert compilers.parallel_jobs(1 << 60) == 7


def test_python_torch_is_not_imported() -> None:
    code = "import sys, lambent.ctorch as c; c.library_path(); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_cxx_library_is_shared(tmp_path: Path) -> None:
    """A g++ that would take the static one gets LibTorch's: two in one process crash it."""
    compiler = ("g++", "-static-libstdc++", "-fPIC")
    source, library = tmp_path / "text.cpp", tmp_path / "libtext.so"
    source.write_text("#include <sstream>\nvoid f() { std::ostringstream() << 1.5; }\n")

    def linked(*flags: str) -> str:
        """What a library needs, and the functions of C++'s library that it exports."""
        command = [*compiler, "-shared", str(source), *flags, "-o", str(library)]
        subprocess.run(command, check=True)
        needed = subprocess.run(["readelf", "-d", library], capture_output=True, text=True)
        defined = ["nm", "-D", "--defined-only", library]
        exported = subprocess.run(defined, capture_output=True, text=True)
        return needed.stdout + exported.stdout

    assert "_Znwm" in linked()
    said = linked(*standard_library(compiler))
    assert "libstdc++.so.6" in said and "_Znwm" not in said


needs_gloo = pytest.mark.skipif(
    not gloo.is_there(build.find_torch()), reason="this LibTorch contains no Gloo"
)


@needs_gloo
def test_gloo_is_the_declared_one() -> None:
    """What ctorch refers to in Gloo is what was checked, and LibTorch defines it."""
    torch = build.find_torch()
    gloo.check(torch)
    names = subprocess.run(
        ["nm", "-D", "--undefined-only", build.built() / build.LIBRARY],
        capture_output=True, text=True, check=True,
    ).stdout.split()
    assert [name for name in names if "4gloo" in name] == [s.decode() for s in gloo.SYMBOLS]


@needs_gloo
@pytest.mark.parametrize(("line", "said"), [
    ("#include <gloo/transport/pair.h>", "includes gloo/transport/pair.h"),
    ("void f(gloo::transport::Pair &);", "uses gloo::transport::Pair"),
])
def test_gloo_that_c10d_uses_otherwise_is_refused(tmp_path: Path, line: str, said: str) -> None:
    torch = build.Torch(tmp_path, "2.99.0")
    header = torch.include / gloo.HEADER
    header.parent.mkdir(parents=True)
    (tmp_path / "lib").symlink_to(build.find_torch().lib)
    text = (build.find_torch().include / gloo.HEADER).read_text()
    header.write_text(f"// gloo::Comment\n{text}")
    gloo.check(torch)
    header.write_text(f"{text}\n{line}\n")
    with pytest.raises(UsageFault, match=f"torch 2.99.0 contains another Gloo .* {said}"):
        gloo.check(torch)


@needs_gloo
def test_gloo_without_a_declared_function_is_refused(tmp_path: Path) -> None:
    torch = build.Torch(tmp_path, "2.99.0")
    (tmp_path / "include").symlink_to(build.find_torch().include)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libtorch_cpu.so").write_bytes(b"\0" + gloo.C10D + b"\0")
    assert gloo.is_there(torch)
    with pytest.raises(UsageFault, match=r"does not define _ZN4gloo7Context10setTimeout"):
        gloo.check(torch)


def test_a_function_that_no_library_defines_is_an_error_of_the_build(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """A declaration by hand that does not fit this LibTorch: not an error when it is loaded."""
    kept = tmp_path / "undefined.o"
    source = tmp_path / "undefined.cpp"
    source.write_text("namespace gloo { void f(int); } void g() { gloo::f(1); }\n")
    subprocess.run(["g++", "-fPIC", "-c", source, "-o", kept], check=True)
    # Compiling makes empty files, except for one; linking is done by g++.
    sandbox.install_compiler(f"""#!/bin/sh
for word; do
    case $previous$word in
        -shared*) exec g++ -nostartfiles "$@";;
    esac
    [ "$previous" = -o ] && cp {kept} "$word"
    previous=$word
done
""")
    said, _ = sandbox.run(REFUSED)
    assert "gloo::f(int)" in said, said
