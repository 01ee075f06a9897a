"""Files kept between runs: when they are valid, and that a start loads only what it uses."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lambent.lang.interp.library import Library
from lambent.lang.interp.machine import Machine
from lambent.lang.interp.run import find_library, new_machine, program_unit
from lambent.lang.system import cache
from tests.support.programs_run import prepare_cache


class Sandbox:
    """A folder for programs, with its own cache, and a fallback folder for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        spare = folder / "tmp"
        spare.mkdir()
        self.spare = spare / f"lambent-{os.getuid()}"
        self.environment = {"LAMBENT_CACHE": str(folder / "cache"), "TMPDIR": str(spare)}

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "lambent.lang", *arguments],
            env={**os.environ, **self.environment}, cwd=self.folder, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )

    def run(self, *arguments: str) -> str:
        return self.start(*arguments).communicate(timeout=300)[0]

    def kept(self) -> dict[Path, int]:
        """Every file in the cache, with the time when it was written; not the C module."""
        return {
            path: path.stat().st_mtime_ns
            for path in (self.folder / "cache").rglob("*-*")
            if path.parent.name != "native"
        }


@pytest.fixture
def empty(tmp_path: Path) -> Sandbox:
    """Both folders are empty: the first program also analyses the library, which takes seconds."""
    return Sandbox(tmp_path)


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    """Both folders hold the library."""
    made = Sandbox(tmp_path)
    prepare_cache(tmp_path / "cache")
    prepare_cache(made.spare)
    return made


def test_a_definition_of_the_library_is_loaded_when_it_is_reached() -> None:
    machine = new_machine()
    machine.run(program_unit("(define sorted (sort '(2 1) <))", "t.lisp", machine, False))
    assert "l:sort" in machine.globals
    assert "l:fold" not in machine.globals and "fold" in machine.library.names()


def test_a_program_without_the_library_does_not_read_it() -> None:
    def nowhere() -> Library:
        raise AssertionError("the library is not needed")

    unit = program_unit("(define x (car '(1)))", "t.lisp", new_machine(), False)
    machine = Machine(nowhere)
    machine.run(unit)
    assert machine.globals["p:x"] == 1


def test_every_definition_of_the_library_loads_by_itself(all_random: bool) -> None:
    """One in twelve of them, all with --all-random."""
    library = find_library()
    for name in sorted(library.names())[:: 1 if all_random else 12]:
        machine = Machine(lambda: library)
        assert machine.globals["__builtins__"][f"l:{name}"] is machine.globals[f"l:{name}"]


def test_machines_share_the_library() -> None:
    """It takes megabytes, and machines are freed late, by the garbage collector."""
    assert new_machine().library is new_machine().library is find_library()


def test_the_library_of_another_cache_is_used(sandbox: Sandbox) -> None:
    """So that the other tests test what they say: nothing is analysed again."""
    sandbox.write("a.lisp", "(print (reverse '(1 2)))")
    before = sandbox.kept()
    assert len(before) == 1 and sandbox.run("a.lisp") == "(2 1)\n"
    assert before.items() < sandbox.kept().items()


def test_cache_key_is_the_text(sandbox: Sandbox) -> None:
    program = sandbox.write("a.lisp", "(print 1)")
    assert sandbox.run("a.lisp") == "1\n"
    before = sandbox.kept()
    program.touch()
    assert sandbox.run("a.lisp") == "1\n"
    assert sandbox.kept() == before
    program.write_text("(print 2)")
    assert sandbox.run("a.lisp") == "2\n"


def test_concurrent_writers(empty: Sandbox) -> None:
    """Two that write the library at about the same time, then six with a new program."""
    for count, sum_ in (2, 45), (6, 46):
        empty.write("a.lisp", f"(print (fold + {sum_ - 45} (iota 10)))")
        running = [empty.start("a.lisp") for _ in range(count)]
        said = [process.communicate(timeout=300)[0] for process in running]
        assert said == [f"{sum_}\n"] * count
        before = empty.kept()
        assert empty.run("a.lisp") == f"{sum_}\n"
        assert empty.kept() == before  # a second run writes nothing
    assert len(before) == 3  # two programs and the library


def test_a_cache_that_cannot_be_written(sandbox: Sandbox) -> None:
    """The fallback folder takes its place, so that the second start is a warm one."""
    sandbox.write("a.lisp", "(print (reverse '(1 2)))")
    sandbox.environment["LAMBENT_CACHE"] = "/proc/lambent"
    assert sandbox.run("a.lisp") == "(2 1)\n"
    kept = list((sandbox.spare / "units").iterdir())
    assert len(kept) == 2
    before = [path.stat().st_mtime_ns for path in kept]
    assert sandbox.run("a.lisp") == "(2 1)\n"
    assert [path.stat().st_mtime_ns for path in kept] == before


def test_fallback_folder_of_another_user_is_not_used(empty: Sandbox) -> None:
    empty.write("a.lisp", "(print 1)")
    empty.spare.mkdir()
    empty.spare.chmod(0o1777)  # other users could put code there
    empty.environment["LAMBENT_CACHE"] = "/proc/lambent"
    assert empty.run("a.lisp") == "1\n"
    assert list(empty.spare.iterdir()) == []


@pytest.mark.parametrize("mode", [0o775, 0o777])
def test_cache_writable_by_others_is_closed(sandbox: Sandbox, mode: int) -> None:
    folder = sandbox.folder / "cache"
    folder.chmod(mode)
    sandbox.write("a.lisp", "(print 1)")
    assert sandbox.run("a.lisp") == "1\n"
    assert folder.stat().st_mode & 0o022 == 0 and len(sandbox.kept()) == 2


def test_shared_folder_is_not_used_as_cache(sandbox: Sandbox) -> None:
    folder = sandbox.folder / "cache"
    folder.chmod(0o1777)
    sandbox.write("a.lisp", "(print (reverse '(1 2)))")
    before = sandbox.kept()
    assert sandbox.run("a.lisp") == "(2 1)\n"
    assert sandbox.kept() == before
    assert len(list((sandbox.spare / "units").iterdir())) == 2
    sandbox.environment["TMPDIR"] = "/proc"
    said = sandbox.run("compile", "a.lisp")
    assert said == (
        f"cannot use the cache folder {folder}: other users can write to it\n"
        "hint: LAMBENT_CACHE names another folder\n"
    )


def test_code_that_others_may_write_is_not_run(sandbox: Sandbox) -> None:
    shutil.rmtree(sandbox.spare)
    sandbox.write("a.lisp", "(print 1)")
    sandbox.run("a.lisp")
    before = sandbox.kept()
    for path in before:
        path.chmod(0o666)
    assert sandbox.run("a.lisp") == "1\n"
    assert all(sandbox.kept()[path] != time for path, time in before.items())  # written anew


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_cache_of_another_user_is_not_used(sandbox: Sandbox) -> None:
    os.chown(sandbox.folder / "cache", 12345, 12345)
    sandbox.write("a.lisp", "(print 1)")
    before = sandbox.kept()
    assert sandbox.run("a.lisp") == "1\n"
    assert sandbox.kept() == before


@pytest.mark.parametrize("home", [None, "", "somewhere"])
def test_a_user_without_a_home(
    empty: Sandbox, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    """For example in containers, whose users need not be in passwd."""
    import pwd

    def no_such_user(_: int) -> pwd.struct_passwd:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", no_such_user)
    for name in ("LAMBENT_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    if home is not None:
        monkeypatch.setenv("HOME", home)
    monkeypatch.setenv("TMPDIR", empty.environment["TMPDIR"])
    expected = empty.spare
    assert cache.cache_folder() == expected == cache.writable_folder()


def test_relative_cache_path_is_resolved_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LAMBENT_CACHE", "here")
    assert cache.cache_folder() == tmp_path / "here"
    monkeypatch.delenv("LAMBENT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "here")  # which its specification says to ignore
    assert cache.cache_folder() == Path("~/.cache/lambent").expanduser()


@pytest.mark.skipif(not Path("/proc/mounts").exists(), reason="/proc is a device of Linux")
def test_noexec_devices() -> None:
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    flags = {folder: flags for _, folder, _, flags, *_ in mounts}
    assert cache.runs_programs(Path("/proc")) == ("noexec" not in flags["/proc"].split(","))
    assert cache.runs_programs(Path(sys.executable))


def test_odd_cache_names_and_an_open_umask(empty: Sandbox) -> None:
    """Commas, colons, quotes, dollars, bytes that are not UTF-8: in compiler, linker and loader."""
    empty.write("a.lisp", "(print (reverse '(1 2)))")
    strange = os.fsencode(empty.folder) + b"/a,b: 'c\" $ORIGIN %s \xff"
    empty.environment["LAMBENT_CACHE"] = os.fsdecode(strange)
    prepare_cache(Path(os.fsdecode(strange)))  # the analysed library, which takes longest
    before = os.umask(0)
    try:
        assert empty.run("compile", "a.lisp", "-o", "a") == ""
        assert empty.run("a.lisp") == "(2 1)\n"
    finally:
        os.umask(before)
    assert subprocess.run([empty.folder / "a"], capture_output=True).stdout == b"(2 1)\n"
    folder = Path(os.fsdecode(strange))
    made = [folder, *folder.rglob("*")]
    assert [path for path in made if path.stat().st_mode & 0o022] == []


def test_cache_size_is_bounded(empty: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    from lambent.lang.interp import code_cache

    for name, value in empty.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(code_cache, "_MOST_FILES", 10)
    for number in range(30):
        code_cache.write_cached(f"text {number}", "stamp", (number,))
    assert len(empty.kept()) <= 10
    assert code_cache.read_cached("text 29", "stamp") == (29,)


def test_what_is_used_stays(empty: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    from lambent.lang.interp import code_cache

    for name, value in empty.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(code_cache, "_MOST_FILES", 10)
    for number in range(10):
        code_cache.write_cached(f"text {number}", "stamp", (number,))
    for age, path in enumerate(sorted(empty.kept())):
        os.utime(path, (1000 + age, 1000 + age))
    assert code_cache.read_cached("text 3", "stamp") == (3,)
    code_cache.write_cached("one more", "stamp", ())
    assert len(empty.kept()) <= 10
    assert code_cache.read_cached("text 3", "stamp") == (3,)


def test_installations_keep_their_own_files(
    empty: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lambent.lang.interp import code_cache

    for name, value in empty.environment.items():
        monkeypatch.setenv(name, value)
    code_cache.write_cached("text", "mine", (1,))
    with monkeypatch.context() as other:
        other.setattr(code_cache, "_LANG", "/elsewhere/lang")
        code_cache.write_cached("text", "theirs", (2,))
    assert code_cache.read_cached("text", "mine") == (1,)
