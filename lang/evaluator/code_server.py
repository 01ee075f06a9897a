"""The process that makes code for a program which evaluates data: `eval`, `load`, environments.  It
draws plots, too, by a package of Python's.

    EVAL "(f 1)"  =>  CODE ...        LOAD "none.lisp"  =>  FAILURE load: cannot open ...

The evaluator starts it at the first question, and `lang/evaluator/machine/ask.c` is the other end
of its socket.  It analyses the program again, to know its names.  It ends when the socket does.
"""

import errno
import os
import select
import signal
import socket
import struct
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TypeVar

from lambent.lang.core.analyze import analyze
from lambent.lang.core.scope import Scope
from lambent.lang.deep import call_deep
from lambent.lang.errors import FileFault, LispError, of_run
from lambent.lang.evaluator.code import location_of_span
from lambent.lang.evaluator.code_file import MessageWriter, write_location
from lambent.lang.evaluator.run_code import program_modules
from lambent.lang.evaluator.world import FormCode, Run, World
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source
from lambent.lang.system.streams import prepare_output

# The questions, and the answers: as in ask.c.
BEGIN, EVAL, LOAD, ENVIRONMENT, NEXT, DONE, DROP, DRAW = range(8)
NOTHING, CODE, FAILURE, INTERRUPTED, REASON = range(5)
NOTES = (DONE, DROP)  # which have no answer
_SOCKET = 3  # its descriptor
_CATEGORIES = {"": 0, "file": 1, "read": 2}
_NO_SIGNAL = getattr(socket, "MSG_NOSIGNAL", 0)  # macOS has none
_IS_LAST, _KEEPS, _HAS_POSITIONS = 1, 2, 4
_T = TypeVar("_T")


class Question:
    """What a message says, which is read from its begin on."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def number(self) -> int:
        (number,) = struct.unpack_from("<q", self._data, self._at)
        self._at += 8
        return int(number)

    def text(self) -> str:
        size = self.number()
        data = self._data[self._at : self._at + size]
        self._at += size
        return data.decode("utf-8", "surrogateescape")


class CodeMaker:
    """Answers the questions about one program, or one session.

    runs: the forms that run, by their tokens; each was begun while the one before it ran.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._scopes: dict[int, Scope] = {0: world.scope}
        self._runs: list[Run] = []

    def answer(self, kind: int, question: Question) -> bytes:
        """The answer to a question."""
        if kind == NEXT:
            self._end(question.number(), ok=True)
            return self._next(self._runs[-1])
        number, position = question.number(), question.number()
        has_objects = question.number() != 0
        _go_to(question.text())
        text = question.text()
        self.world.reach(position)
        within = {EVAL: "eval", LOAD: "load", ENVIRONMENT: "environment"}[kind]
        if kind == ENVIRONMENT:
            self._scopes[number] = self.world.modules.new_scope("environment")
        source = _loaded(text) if kind == LOAD else Source(within, text)
        depth = len(self._runs)
        try:
            self._runs.append(self.world.begin(read(source), self._scopes[number], within))
            return self._next(self._runs[-1], has_objects)
        except BaseException:  # Ctrl-C, between any two steps
            del self._runs[depth:]
            raise

    def note(self, kind: int, question: Question) -> None:
        """Take note of what needs no answer, so nothing may interrupt it: DONE or DROP."""
        if kind == DONE:
            self._end(question.number(), ok=question.number() != 0)
            self._runs.pop()
        else:
            self._scopes.pop(question.number(), None)

    def _end(self, token: int, ok: bool) -> None:
        assert token == len(self._runs), token
        self.world.end(self._runs[-1], ok)

    def _next(self, run: Run, has_objects: bool = False) -> bytes:
        try:
            code = self.world.next(run, has_objects)
        except BaseException:
            self._runs.pop()
            raise
        if code is None:
            self._runs.pop()
            return _message(NOTHING)
        return _code_message(len(self._runs), code)


def _go_to(folder: str) -> None:
    """Be where the program is, to whose folder paths are relative; "" if there is none."""
    if folder and folder != str(Path.cwd()):
        os.chdir(folder)


def drawn(question: Question) -> bytes:
    """The answer to DRAW: a figure is in its file, or a reason why it cannot be drawn."""
    from lambent.lang.interp.builtins.plots import draw_written

    _go_to(question.text())
    reason = draw_written(question.text(), question.text())
    if reason is None:
        return _message(NOTHING)
    writer = MessageWriter(aligned=False)
    writer.number(REASON)
    writer.text(reason)
    return b"".join(writer.parts)


def _loaded(path: str) -> Source:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - the path is shown as it is given
            data = file.read()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        shown = "".join(
            f"\\x{ord(c):x};" if c < " " else f"\\{c}" if c in '"\\' else c for c in path
        )
        reason = os.strerror(getattr(error, "errno", None) or errno.EINVAL)
        raise FileFault(f'load: cannot open "{shown}": {reason}') from None
    try:
        return Source(path, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise LispError(f"load: {path} is not UTF-8 text (byte {error.start})") from None


# Messages.


def _message(kind: int) -> bytes:
    return struct.pack("<Q", kind)


def _code_message(token: int, code: FormCode) -> bytes:
    flags = _IS_LAST * code.is_last | _KEEPS * code.keeps | _HAS_POSITIONS * code.has_positions
    return struct.pack("<QQQ", CODE, token, flags) + code.data


def failure_message(error: LispError) -> bytes:
    """An error of the analysis, as an error of the program that evaluates: its text, and where the
    excerpt and the trace find it."""
    writer = MessageWriter(aligned=False)
    writer.number(FAILURE)
    writer.number(_CATEGORIES[error.category])
    writer.text(error.message)
    writer.optional(error.hint)
    spans = [] if error.span is None else [error.span, *[f.called_at for f in error.trace]]
    names = [*[frame.name for frame in error.trace], None]
    writer.number(len(spans))
    for span, name in zip(spans, names, strict=False):
        write_location(writer, location_of_span(span, name))
    return b"".join(writer.parts)


INTERRUPTED_ANSWER = _message(INTERRUPTED)


# The socket.


def receive(connection: socket.socket) -> bytes | None:
    """The next message; None at the end."""
    head = _received(connection, 8)
    return None if head is None else _received(connection, struct.unpack("<Q", head)[0])


def _received(connection: socket.socket, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        try:
            part = connection.recv(size - len(data))
        except OSError:  # the other process has ended in the middle
            return None
        if not part:
            return None
        data += part
    return bytes(data)


def send(connection: socket.socket, message: bytes) -> None:
    """Send a message; an OSError, and not SIGPIPE, if the other process has ended."""
    connection.sendall(struct.pack("<Q", len(message)) + message, _NO_SIGNAL)


# The process.


class _Interrupts:
    """Ctrl-C stops a job; between two jobs it is too late for anything."""

    def __init__(self) -> None:
        self._is_busy = False
        signal.signal(signal.SIGINT, self._handle)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._is_busy:
            self._is_busy = False
            raise KeyboardInterrupt

    def stopping(self, job: Callable[[], _T]) -> _T:
        """What a job returns; KeyboardInterrupt if it was stopped."""
        self._is_busy = True
        try:
            return job()
        finally:
            self._is_busy = False


def _end_with(connection: socket.socket) -> None:
    """End the process when the other end is closed, whatever it does."""
    poll = select.poll()
    poll.register(connection.fileno(), 0)  # which reports a hang-up only

    def watch() -> None:
        poll.poll()
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


class _Server:
    """Answers messages.  program: the path and the text of the program, from its first message."""

    def __init__(self) -> None:
        self._interrupts = _Interrupts()
        self._program = "", ""
        self._maker: CodeMaker | None = None

    def answer(self, message: bytes) -> bytes | None:
        question = Question(message)
        kind = question.number()
        if kind == BEGIN:
            self._program = question.text(), question.text()
            return None
        if kind in NOTES:
            if self._maker is not None:
                self._maker.note(kind, question)
            return None
        try:
            return self._interrupts.stopping(lambda: call_deep(self._made, kind, question))
        except LispError as error:
            return failure_message(of_run(error))
        except KeyboardInterrupt:
            return INTERRUPTED_ANSWER

    def _made(self, kind: int, question: Question) -> bytes:
        if kind == DRAW:
            return drawn(question)
        if self._maker is None:
            self._maker = _begun(*self._program)
        return self._maker.answer(kind, question)


def _begun(path: str, text: str) -> CodeMaker:
    """The names of a program, which is analysed again."""
    modules = program_modules()
    scope = modules.program_scope(path)
    analyze(read(Source(path, text)), scope)
    modules.interactive = True
    return CodeMaker(World(modules, scope, scope.history))


def main() -> None:
    prepare_output()
    connection = socket.socket(fileno=_SOCKET)
    connection.set_inheritable(False)
    _end_with(connection)
    server = _Server()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # blocked while Python started
    while (message := receive(connection)) is not None:
        answer = server.answer(message)
        sys.stdout.flush()  # of macros that have printed
        sys.stderr.flush()
        if answer is not None:
            send(connection, answer)
    os._exit(0)


if __name__ == "__main__":
    main()
