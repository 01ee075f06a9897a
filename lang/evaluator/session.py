"""A session on the evaluator: this process reads and analyses entries, the evaluator runs them.

    session.evaluate(Source("repl", "(define x 1) (+ x 1)"))  =>  shows 2

The evaluator is a child process, with the same standard streams; `machine/session.c` is the other
end of the socket.  While an entry runs, the evaluator may ask for code, too: for `eval` and `load`.
"""

import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from lambent.lang.core.denotation import GlobalName
from lambent.lang.core.ir import Define, Lambda, Namespace, Program
from lambent.lang.core.modules.library import library_names
from lambent.lang.core.scope import Scope
from lambent.lang.core.usage import usage
from lambent.lang.deep import call_deep
from lambent.lang.errors import LispError, SyntaxFault, of_run
from lambent.lang.evaluator.code_server import (
    DRAW,
    INTERRUPTED_ANSWER,
    NOTES,
    CodeMaker,
    Question,
    drawn,
    failure_message,
    receive,
    send,
)
from lambent.lang.evaluator.run_code import has_tensors, program_modules
from lambent.lang.evaluator.start import evaluator_environment, evaluator_path
from lambent.lang.evaluator.world import World
from lambent.lang.interp.errors.faults import LispExit
from lambent.lang.interp.repl.result_text import LONGEST_RESULT, cut_text
from lambent.lang.interp.repl.session import Entries
from lambent.lang.interp.repl.terminal import Terminal
from lambent.lang.syntax.datum import Datum

# The orders, and what the evaluator says: as in session.c.
_RUN, _LINE, _LEAVE = range(3)
_RESULT, _FAILED, _STOPPED, _LEAVING, _LINE_READ, _END_OF_INPUT, _STARTED = range(16, 23)
_HAS_POSITIONS, _SHOWS, _REMEMBERS, _NAMES = 1, 2, 4, 8  # the bits of the names begin at 8
_STOP_SIGNAL = signal.SIGURG
_REMEMBERED = ("*1", "*2", "*3")
T = TypeVar("T")


class Interrupts:
    """Ctrl-C in a session: it ends what is typed, what is analysed, or what the evaluator runs."""

    def __init__(self) -> None:
        self._is_reading = self._is_analysing = self._is_running = False
        # The order has begun; an interrupt came before that; a signal was sent.
        self._is_started = self._is_early = self._is_stopped = False
        self.evaluator = 0  # its process

    @contextmanager
    def watched(self) -> Iterator[None]:
        before = signal.getsignal(signal.SIGINT)
        if before is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._handle)
        try:
            yield
        finally:
            if before is not None:
                signal.signal(signal.SIGINT, before)

    def run(self, function: Callable[[], T]) -> T:
        """What a job returns, or raises; KeyboardInterrupt if it was stopped."""
        self._is_running = True
        self._is_started = self._is_early = self._is_stopped = False
        try:
            return function()
        finally:
            self._is_running = False

    def check(self) -> None:
        """KeyboardInterrupt if there was an interrupt that nothing has ended for."""
        if self._is_early or self._is_stopped:
            raise KeyboardInterrupt

    def started(self) -> None:
        """The evaluator has begun what it was ordered, so a signal stops that."""
        self._is_started = True
        if self._is_early and self._is_running:
            self._stop()

    def _stop(self) -> None:
        # One signal for each entry: a second one would end the evaluator.
        self._is_running = False
        self._is_stopped = True
        os.kill(self.evaluator, _STOP_SIGNAL)

    def read(self, function: Callable[[], T]) -> T:
        """The result of a function that reads what the user types; KeyboardInterrupt ends it."""
        self._is_reading = True
        try:
            return function()
        finally:
            self._is_reading = False

    def analyse(self, function: Callable[[], T]) -> T:
        """The result of an analysis, on a large stack."""
        self._is_analysing = True
        try:
            return call_deep(function)
        finally:
            self._is_analysing = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._is_reading or self._is_analysing:
            self._is_reading = self._is_analysing = False
            raise KeyboardInterrupt
        if self._is_running and self._is_started:
            self._stop()
        elif self._is_running:
            self._is_early = True


class EvaluatorSession(Entries):
    """words: what entries find in `(command-line)`.  terminal: where output and input meet."""

    def __init__(
        self,
        show: Callable[[str], None],
        interrupts: Interrupts,
        terminal: Terminal | None = None,
        words: Sequence[str] = (),
    ) -> None:
        super().__init__(show, terminal is not None)
        self._interrupts = interrupts
        self._terminal = terminal
        modules = program_modules(interactive=True)
        self._world = World(modules, modules.program_scope())
        self._maker = CodeMaker(self._world)
        self._is_waiting = False  # for the end of an order
        self._docs: dict[str, tuple[str, str | None]] = {}
        self._socket, its = socket.socketpair()
        sys.stdout.flush()
        command = [evaluator_path(has_tensors()), "--session", str(its.fileno()), *words]
        self._evaluator = subprocess.Popen(
            command, pass_fds=[its.fileno()], env=evaluator_environment()
        )
        interrupts.evaluator = self._evaluator.pid
        its.close()

    @property
    def scope(self) -> Scope:
        return self._world.scope

    def _run(self, datum: Datum, shows: bool) -> None:
        run = self._world.begin([datum], self.scope, None)
        code = self._interrupts.analyse(lambda: self._world.next(run))
        assert code is not None
        flags = _HAS_POSITIONS * code.has_positions | _SHOWS * shows
        names = self._remembered() if shows and self._interactive else []
        flags |= _REMEMBERS * bool(names) | sum(1 << _NAMES + _REMEMBERED.index(n) for n in names)
        ok = False
        try:
            self._interrupts.check()
            self._exchange(struct.pack("<QQ", _RUN, flags) + code.data, names)
            ok = True
            self._interrupts.check()  # it came when the form had ended, and other forms follow
        finally:
            self._world.end(run, ok)
            self._note_docs(code.program)

    def _remembered(self) -> list[str]:
        """The names of the last values that the session has not defined itself."""
        return [name for name in _REMEMBERED if name not in self.scope.own]

    def _exchange(self, order: bytes, names: Sequence[str] = ()) -> str | None:
        """Send an order, answer what the evaluator asks meanwhile, and show what it answers; the
        line that it has read."""
        sys.stdout.flush()
        self._is_waiting = True
        self._send(order)
        while True:
            message = receive(self._socket)
            if message is None:
                raise self._lost()
            question = Question(message)
            kind = question.number()
            if kind in NOTES:
                self._maker.note(kind, question)
            elif kind < _RESULT:
                self._send(self._answer(kind, question))
            elif kind == _STARTED:
                self._interrupts.started()
            else:
                return self._ended(kind, question, names)

    def _send(self, message: bytes) -> None:
        try:
            send(self._socket, message)
        except OSError:
            raise self._lost() from None

    def _lost(self) -> LispExit:
        """The session cannot go on: its definitions are gone."""
        status = self._evaluator.wait()
        if status >= 0:  # an entry has left at once
            return LispExit(status)
        if status == -signal.SIGPIPE:  # nobody reads the output
            return LispExit(128 + signal.SIGPIPE)
        print(f"the evaluator has ended, with status {status}", file=sys.stderr)
        return LispExit(LispError.status)

    def _answer(self, kind: int, question: Question) -> bytes:
        try:
            if kind == DRAW:
                return self._interrupts.analyse(lambda: drawn(question))
            return self._interrupts.analyse(lambda: self._maker.answer(kind, question))
        except LispError as error:
            return failure_message(of_run(error))
        except KeyboardInterrupt:
            return INTERRUPTED_ANSWER
        finally:
            sys.stdout.flush()  # of macros that have printed

    def _ended(self, kind: int, question: Question, names: Sequence[str]) -> str | None:
        """Show what an order has come to, or raise it."""
        self._is_waiting = False
        line_is_open = question.number() != 0
        if self._terminal is not None:
            self._terminal.note("-" if line_is_open else "\n")
        if kind == _FAILED:
            raise LispError(question.text())
        if kind == _STOPPED:
            raise KeyboardInterrupt
        if kind == _LEAVING:
            raise LispExit(question.number())
        if kind == _LINE_READ:
            return question.text()
        if kind == _END_OF_INPUT:
            return None
        for _ in range(question.number()):
            self._show(cut_text(question.text(), LONGEST_RESULT if self._interactive else None))
            self._name(names)
        return None

    def _name(self, names: Sequence[str]) -> None:
        """The names of the last values mean what the evaluator remembers."""
        for name in names:
            self.scope.names[name] = GlobalName(name, Namespace.PROGRAM)
        if self._interactive and "_" not in self.scope.own:
            self.scope.names["_"] = GlobalName("*1", Namespace.PROGRAM)

    def read_line(self, _prompt: str = "") -> str | None:
        """The next line of the standard input; None at its end.  Entries and the programs in them
        read the same input, so the evaluator does."""
        try:
            return self._exchange(struct.pack("<Q", _LINE))
        except LispError as error:
            raise SyntaxFault(error.message) from None

    def leave(self, status: int) -> int:
        """End the session; the exit status."""
        sys.stdout.flush()
        if self._evaluator.poll() is None:
            if self._is_waiting:  # Ctrl-C has ended the wait for what it does, such as a read
                os.kill(self._evaluator.pid, _STOP_SIGNAL)
            try:
                send(self._socket, struct.pack("<QQ", _LEAVE, status))
                while receive(self._socket) is not None:
                    pass  # what it drops: it would wait for room to say so
            except OSError:
                status = status or LispError.status
            ended = self._evaluator.wait()
            status = ended if ended > 0 else status
        self._socket.close()
        return status

    def _library_names(self) -> Iterable[str]:
        return library_names()

    def _usage(self, name: str) -> tuple[str, str | None] | None:
        return self._docs.get(name)

    def _note_docs(self, program: Program) -> None:
        """What `(doc name)` says of the procedures that an entry defines."""
        for form in program.forms:
            if isinstance(form, Define) and form.namespace is Namespace.PROGRAM:
                self._docs.pop(form.name, None)
                if isinstance(form.value, Lambda):
                    self._docs[form.name] = usage(form.value), form.value.doc

