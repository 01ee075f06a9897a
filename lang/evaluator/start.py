"""`lambent FILE`: the program runs on the evaluator, where that is built.

    hello.lisp  =>  evaluator ~/.cache/lambent/code/5d1c0a2e77.code hello.lisp

A program that was started before needs no pass: its code is in the cache, and the process becomes
the evaluator.
"""

# pathlib takes longer to load than all that is done here.
# ruff: noqa: PTH100, PTH107, PTH110, PTH116, PTH118, PTH120, PTH123

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING
from zlib import crc32

from lambent.lang.errors import LispError
from lambent.lang.interp.code_cache import fingerprint, read_cached, write_cached
from lambent.lang.interp.run import read_text, run_guarded, run_program
from lambent.lang.interp.run import run_file as interpret_file
from lambent.lang.system.cache_path import report_damage
from lambent.lang.system.source_stamps import source_stamps
from lambent.lang.system.timing import is_running, timed

if TYPE_CHECKING:
    from pathlib import Path

# The texts under which the paths of the evaluators are kept, by whether it is that for tensors.
_EVALUATORS = {False: ";; the evaluator", True: ";; the evaluator with tensors"}
# The same for the shared libraries.
_LIBRARIES = {False: ";; the library", True: ";; the library with tensors"}
_LANG = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


# What is kept for a program that the evaluator cannot run: the interpreter does.
_OF_INTERPRETER = ("", "")


def is_built() -> bool:
    """Whether the evaluators are there, as this Lambent and the installed LibTorch want them."""
    kinds = (False, True) if _torch_stamp() else (False,)
    return all(_built_evaluator(tensors) for tensors in kinds)


def run_file(path: str, arguments: Sequence[str]) -> int:
    """Run a program from a file; returns its status if the evaluator does not run it."""
    try:
        text = read_text(path)  # once: it may be a pipe
    except LispError:
        return interpret_file(path, arguments)  # which reports it
    return run_text(text, path, [path, *arguments], path)


def run_text(
    text: str, name: str, words: Sequence[str], *sources: str, shows: bool = False
) -> int:
    """Run a text as a program; returns as `run_file`.  words: what it finds in `(command-line)`.
    sources: files that no report may replace.  shows: the value of its last form."""
    command = _cached_command(text, name)
    if command is None:
        found: list[tuple[str, str]] = []

        def make() -> None:
            found.append(_new_command(text, name, shows))

        if status := run_guarded(make, *sources, goes_on=True):
            return status
        command = found[0]
    if command == _OF_INTERPRETER:
        return run_guarded(lambda: run_program(text, name, words, shows), *sources)
    return _become(command, words, ["--show"] if shows else [])


def run_input(arguments: Sequence[str]) -> int:
    """Run the whole standard input as one program; returns as `run_file`."""
    from lambent.lang.interp.repl.piped import NAME, whole_input

    found: list[tuple[str, tuple[str, str]]] = []

    def make() -> None:
        text = whole_input()
        found.append((text, _new_command(text, NAME)))

    if status := run_guarded(make, goes_on=True):
        return status
    ((text, command),) = found
    words = ["-", *arguments]
    if command == _OF_INTERPRETER:
        return run_guarded(lambda: run_program(text, NAME, words))
    return _become(command, words)


def _become(
    command: tuple[str, str], arguments: Sequence[str], options: Sequence[str] = ()
) -> int:
    """Run a program in this process; for a table of its time, wait for it and return its status.
    options: of the evaluator."""
    words = [command[0], *options, sys.executable, command[1], *arguments]
    sys.stdout.flush()  # of macros that have printed
    sys.stderr.flush()
    environment = evaluator_environment()
    if not is_running():
        os.execve(words[0], words, environment)
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is the program's
    with timed("run"):
        program = os.posix_spawn(words[0], words, environment, setsigdef=[signal.SIGINT])
        status = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
    return status if status >= 0 else 128 - status


def evaluator_environment() -> dict[str, str]:
    """The environment of an evaluator: this one's, and the reports that options ask for."""
    environment = dict(os.environ)
    if reports := sys.modules.get("lambent.lang.interp.reports"):
        asked = reports.REPORTS
        environment["LAMBENT_MEMORY_REPORT"] = "1" if asked.memory else ""
        environment["LAMBENT_PROFILE"] = asked.profile or ""
    return environment


@cache  # it is asked for several times, and the command does not change its own files
def _stamp() -> str:
    """Identifies what code and the evaluators depend on."""
    compiler = source_stamps(os.path.join(_LANG, "compile"))
    root = os.path.dirname(_LANG)
    folders = [os.path.join(_LANG, "evaluator", "machine")]
    folders += [os.path.join(root, name) for name in ("runtime", "ctorch")]
    built = [stamp for folder in folders for stamp in _build_stamps(folder)]
    return "\n".join((fingerprint(), *compiler, *built, _torch_stamp()))


def _torch_stamp() -> str:
    """Identifies the installed LibTorch."""
    from importlib.util import find_spec

    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        return ""
    path = os.path.join(os.path.dirname(spec.origin), "version.py")
    try:
        status = os.stat(path)
    except OSError:
        return path
    return f"{path} {status.st_mtime_ns} {status.st_size}"


def _build_stamps(folder: str) -> Iterator[str]:
    """Those of the files in a folder that decide how its C is built."""
    for inside, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith((".c", ".h", ".cpp", ".py")):
                status = os.stat(os.path.join(inside, name))
                yield f"{inside} {name} {status.st_mtime_ns} {status.st_size}"


def _key(text: str, path: str) -> str:
    return f";; code {path} {os.environ.get('LAMBENT_PATH', '')}\n{text}"


def evaluator_path(tensors: bool) -> str:
    """The evaluator; finding out whether it is up to date takes half a second, so it is kept where
    it was found."""

    def make() -> "Path":
        from lambent.lang.evaluator.evaluator_program import evaluator_program  # all passes

        return evaluator_program(tensors)

    return _built_path(_EVALUATORS[tensors]) or _new_path(_EVALUATORS[tensors], make)


def _built_evaluator(tensors: bool) -> str | None:
    """The evaluator if it was made before."""
    return _built_path(_EVALUATORS[tensors])


def library_path() -> str:
    """The evaluator as a shared library, for the processes of Python programs."""
    tensors = bool(_torch_stamp())

    def make() -> "Path":
        from lambent.lang.evaluator.evaluator_program import evaluator_library

        return evaluator_library(tensors)

    return built_library() or _new_path(_LIBRARIES[tensors], make)


def built_library() -> str | None:
    """The same if it was made before."""
    return _built_path(_LIBRARIES[bool(_torch_stamp())])


def _built_path(kept: str) -> str | None:
    """The path that is kept under a text, if the file is there and up to date."""
    fields = read_cached(kept, _stamp())
    return str(fields[0]) if fields is not None and os.path.exists(fields[0]) else None


def _new_path(kept: str, make: Callable[[], "Path"]) -> str:
    """The path of what is made now."""
    found = str(make())
    write_cached(kept, _stamp(), (found,))
    return found


def _cached_command(text: str, path: str) -> tuple[str, str] | None:
    """The evaluator and the file of the program's code, if both were made before."""
    fields = read_cached(_key(text, path), _stamp())
    if fields is None or fields == _OF_INTERPRETER:
        return fields
    if not os.path.exists(fields[0]) or not _is_undamaged(fields[1]):
        return None
    return fields[0], fields[1]


def _new_command(text: str, path: str, shows: bool = False) -> tuple[str, str]:
    """The same for the text of a file, made now."""
    from lambent.lang.evaluator.code import UnsupportedError
    from lambent.lang.evaluator.run_code import code_of_program

    try:
        code = code_of_program(text, path, has_value=shows)
    except UnsupportedError as reason:
        command, inputs = _OF_INTERPRETER, reason.inputs
    else:
        command, inputs = (evaluator_path(code.tensors), _kept(code.data)), code.inputs
    write_cached(_key(text, path), _stamp(), command, inputs)
    return command


# The files of code.  Their names end with a check sum, by which a damaged one is noticed.


def _kept(code: bytes) -> str:
    """The file of some code, which is written if it is not there."""
    from lambent.lang.compile.build.object_files import drop_old_files
    from lambent.lang.system.cache import close_file, ensure_folder, key_of, writable_folder

    folder = ensure_folder(writable_folder() / "code")
    drop_old_files(folder)
    file = folder / f"{key_of([code])}-{crc32(code):08x}.code"
    if not (file.exists() and _is_undamaged(str(file))):
        temporary = file.with_suffix(f".{os.urandom(6).hex()}")
        temporary.write_bytes(code)
        close_file(temporary)
        temporary.replace(file)
    return str(file)


def _is_undamaged(path: str) -> bool:
    """Whether a file of code is as it was written.  A damaged one is deleted, which is reported."""
    try:
        with open(path, "rb") as file:
            code = file.read()
        if path.endswith(f"-{crc32(code):08x}.code"):
            return True
        report_damage(path)
        os.remove(path)
    except OSError:
        pass
    return False
