"""Runs the command `lambent` many times, and imports it once.

Starting Python, importing the interpreter and loading LibTorch take a third to half a second of
each run, and the tests run thousands of scripts.  So a server imports all of that, and forks for
each run.  The child is what `python -m lambent.lang` is once it has been imported: it has no
threads, its standard streams are files, and it ends by `os._exit` as the command does.  What this
cannot test, how a process starts, is tested by `suites/project/test_cli.py` and others, which start
processes of their own.

    python -m tests.support.processes.forked_commands     the server: one request a line, as JSON

With the environment variable PRETEND it loads the library that it names (pretend_device.py), and
with DEVICE new tensors are made on that device.
"""

import atexit
import ctypes
import json
import os
import pkgutil
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

COMMAND = [sys.executable, "-m", "lambent.lang"]
PRETEND, DEVICE = "LAMBENT_TEST_PRETEND", "LAMBENT_TEST_DEVICE"
_PACKAGES = ("syntax", "primitives", "core", "interp", "system")


# The client.

_LOCK = Lock()  # a server runs one command at a time
_servers: "dict[tuple[tuple[str, str], ...], subprocess.Popen[str]]" = {}


def is_forkable(command: Sequence[str]) -> bool:
    """Whether it is the command `lambent` with a script."""
    return list(command[:3]) == COMMAND and len(command) > 3


def run_forked(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: int
) -> "subprocess.CompletedProcess[bytes]":
    """What `subprocess.run` returns for the command, without input."""
    with _LOCK, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        server = _server(environment)
        request = {
            "words": list(command[3:]),
            "folder": str(folder),
            "streams": [f"/proc/{os.getpid()}/fd/{file.fileno()}" for file in (out, err)],
            "timeout": timeout,
        }
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        answer = server.stdout.readline()
        assert answer, "the server of commands has ended"
        status = json.loads(answer)
        out.seek(0)
        err.seek(0)
        if status is None:
            raise subprocess.TimeoutExpired(list(command), timeout, out.read(), err.read())
        return subprocess.CompletedProcess(list(command), status, out.read(), err.read())


def _server(environment: Mapping[str, str]) -> "subprocess.Popen[str]":
    """The server for an environment, which is started when it is first needed."""
    # pytest changes this one for each test.
    kept = {name: value for name, value in environment.items() if name != "PYTEST_CURRENT_TEST"}
    key = tuple(sorted(kept.items()))
    if key not in _servers:
        _servers[key] = subprocess.Popen(
            [sys.executable, "-m", "tests.support.processes.forked_commands"],
            cwd=Path(__file__).parents[3],
            env=kept,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        if len(_servers) == 1:
            atexit.register(_end_servers)
    return _servers[key]


def _end_servers() -> None:
    for server in _servers.values():
        assert server.stdin is not None
        server.stdin.close()
        server.wait()


# The server.


def serve() -> None:
    # Standard output belongs to the answers; what a child prints goes to its own files.
    answers = os.fdopen(os.dup(1), "w")
    _import_everything()
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _run(request["words"], request["folder"], request["streams"])
        print(json.dumps(_status(child, request["timeout"])), file=answers, flush=True)


def _import_everything() -> None:
    """What scripts need: their modules, the library, and LibTorch."""
    for name in _PACKAGES:
        _import_package(import_module(f"lambent.lang.{name}"))
    import_module("lambent.lang.command")
    import_module("lambent.lang.cli")
    from lambent import ctorch
    from lambent.lang.core.modules import library
    from lambent.lang.errors import UsageFault
    from lambent.lang.interp import run

    if pretend := os.environ.get(PRETEND):  # before ctorch, as LD_PRELOAD does
        ctypes.CDLL(pretend)
    with suppress(UsageFault):  # LibTorch is not installed
        _choose_device(ctorch.load().lib)
    library.library_names()
    run.find_library()


def _choose_device(lib: Any) -> None:
    if device := os.environ.get(DEVICE):
        assert not lib.ct_set_default_device(device.encode())


def _import_package(package: ModuleType) -> None:
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        import_module(module.name)


def _status(child: int, timeout: int) -> int | None:
    """The exit status of a child, negative for a signal; None if it ran for too long."""
    descriptor = os.pidfd_open(child)
    try:
        if not select.select([descriptor], [], [], timeout)[0]:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        os.close(descriptor)


def _run(words: list[str], folder: str, streams: list[str]) -> None:
    """Be the command, in the child; never returns."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    for number, path in enumerate(streams, start=1):
        os.dup2(os.open(path, os.O_RDWR | os.O_APPEND), number)
    os.closerange(3, 64)
    os.chdir(folder)
    for number, mode in enumerate(("r", "w", "w")):
        stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
        setattr(sys, ("stdin", "stdout", "stderr")[number], stream)
    sys.stderr.reconfigure(errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    sys.argv = ["lambent", *words]
    _silence_threads()
    from lambent.lang.command import main

    main()


def _silence_threads() -> None:
    """LibTorch's warnings are silenced in the thread that loads it, which runs Lisp otherwise."""
    from lambent import ctorch
    from lambent.lang.interp.interrupts import deep_thread

    start, silence = deep_thread._start, ctorch.load().lib.ct_silence_warnings

    def quiet(function: Callable[[], None]) -> int:
        def run() -> None:
            silence()
            function()

        return start(run)

    deep_thread._start = quiet


if __name__ == "__main__":
    serve()
