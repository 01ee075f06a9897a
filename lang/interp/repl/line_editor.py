"""Reads lines from a terminal, with editing, completion and a history, or from a pipe."""

import os
import re
import sys
from collections.abc import Callable
from glob import escape, glob
from pathlib import Path

_DELIMITERS = " \t\n()[]'`,\";"
_LONGEST_HISTORY = 1000
_SETTINGS = (
    "tab: complete",
    "set enable-active-region off",
    "set show-all-if-ambiguous on",
)


class LineEditor:
    """names returns the names that begin with a text.  keeps: the history, in a file."""

    def __init__(self, names: Callable[[str], list[str]], *, keeps: bool = True) -> None:
        self._names = names
        self._keeps = keeps
        self._interactive = sys.stdin.isatty()
        self._takes_pastes = os.environ.get("TERM", "dumb") != "dumb"
        self._history: list[str] = []
        if self._interactive:
            self._prepare()

    def read_line(self, prompt: str) -> str | None:
        """The next line without its end; None at the end of the input."""
        if self._interactive:
            try:
                return input(prompt)
            except EOFError:
                if not self._takes_pastes:  # else readline has ended the line itself
                    print()
                return None
        # Entries and the input that the program reads share one buffer.
        from lambent.lang.interp.builtins.ports import STANDARD_INPUT
        from lambent.lang.interp.builtins.reading import read_line
        from lambent.lang.interp.values.values import EOF

        line = read_line(STANDARD_INPUT)
        return None if line is EOF else line.text

    def remember(self, entry: str) -> None:
        """Add an entry with all its lines to the history."""
        entry = entry.strip("\n")
        if self._interactive and entry.strip() and entry not in self._history[-1:]:
            self._history.append(entry)
            import readline

            readline.add_history(entry)

    def save(self) -> None:
        """Write the history for the next session, one entry per line."""
        if not self._interactive or not self._keeps:
            return
        lines = [entry.replace("\\", "\\\\").replace("\n", "\\n") for entry in self._history]
        path = _history_path()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{line}\n" for line in lines[-_LONGEST_HISTORY:]), "utf-8")
        except OSError:
            return  # sessions work without a history file

    def _prepare(self) -> None:
        import readline

        readline.set_auto_history(False)
        readline.set_completer_delims(_DELIMITERS)
        readline.set_completer(self._complete)
        for setting in _SETTINGS:
            readline.parse_and_bind(setting)
        if self._takes_pastes:
            # Pasted text is one entry, and its tabs do not complete.  Python switches that off.
            readline.parse_and_bind("set enable-bracketed-paste on")
        if not self._keeps:
            return
        try:
            lines = _history_path().read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            lines = []
        for line in lines:
            self._history.append(_unescaped(line))
            readline.add_history(self._history[-1])

    def _complete(self, start: str, index: int) -> str | None:
        completions = self._completions(start)
        return completions[index] if index < len(completions) else None

    def _completions(self, start: str) -> list[str]:
        import readline

        before = readline.get_line_buffer()[: readline.get_begidx()]
        if not before.strip() and not start:
            return ["  "]  # indentation, instead of all names
        if _is_in_string(before):
            return sorted(glob(f"{escape(start)}*"))  # noqa: PTH207 - as it is typed
        return self._names(start)


def _is_in_string(text: str) -> bool:
    """Whether a text ends within a string, where file names are completed."""
    return re.sub(r"\\.", "", text).count('"') % 2 == 1


def _unescaped(line: str) -> str:
    pieces = [piece.replace("\\n", "\n") for piece in line.split("\\\\")]
    return "\\".join(pieces)


def _history_path() -> Path:
    state = os.environ.get("XDG_STATE_HOME")
    folder = Path(state) if state else Path.home() / ".local" / "state"
    return folder / "lambent" / "history"
