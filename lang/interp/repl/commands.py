"""Commands of a session: help, doc, apropos, quit.

    help   ?   (help)   (help car)   (doc car)   (apropos "tensor-cum")   quit   exit

They are not procedures, and programs do not have them.  If the session defines one of these names,
the name means what the session defined.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from lambent.lang.errors import LispError, SyntaxFault
from lambent.lang.interp.errors.faults import LispExit
from lambent.lang.syntax.datum import Datum, List, String, Symbol

if TYPE_CHECKING:
    from lambent.lang.interp.repl.session import Entries

HELP = """\
An entry is one form or several; it is evaluated when its brackets are closed.
  (doc car)             how a procedure or form is used, with an example
  (apropos "string-")   the names with this text, or about it; Tab completes a name
  *1  *2  *3            the last values shown; _ is *1
  (load "file.lisp")    run a file's forms here; lambent -i file.lisp starts with them
  (time form)           how long a form takes
  (trace f)             show the calls of f, until (untrace f)
  (pretty-print x)      a long value over several lines
  Ctrl-C                stop what runs, or drop the entry that is being typed
  Ctrl-D, quit, exit    leave
Names of PyTorch begin with tensor- here: torch.cumsum is tensor-cumsum."""

_APROPOS = 'apropos: expected (apropos "part of a name")'

Command = Callable[["Entries"], str]


def find_command(
    datum: Datum, is_defined: Callable[[str], bool], words: bool
) -> Command | None:
    """The command of an entry's form; None for a form to evaluate.

    words: a word without brackets may be a command; not so for a program from a pipe.
    """
    match datum:
        case Symbol(name) if words and name in _COMMANDS and not is_defined(name):
            return lambda session: _COMMANDS[name](session, [])
        case List((Symbol(name), *arguments), None) if name in _CALLED and not is_defined(name):
            return lambda session: _COMMANDS[name](session, arguments)
    return None


def _help(session: "Entries", arguments: list[Datum]) -> str:
    return _doc(session, arguments) if arguments else HELP


def _doc(session: "Entries", arguments: list[Datum]) -> str:
    match arguments:
        case []:
            return HELP
        case [asked]:
            return session.describe(_name_in("doc", asked))
    raise SyntaxFault("doc: expected (doc name)", arguments[1].span)


def _apropos(session: "Entries", arguments: list[Datum]) -> str:
    match arguments:
        case [asked]:
            return _names_with(_name_in("apropos", asked), session)
    raise LispError(_APROPOS)


def _names_with(part: str, session: "Entries") -> str:
    """The names that contain a text, or else those that are about it, one per line."""
    from lambent.lang.primitives.table import PRIVATE_PREFIX
    from lambent.lang.reference.pages import completions, names_about

    names = {*session.known_names(), *completions("tensor-")}
    if part.startswith(PRIVATE_PREFIX):
        names.update(completions(PRIVATE_PREFIX))
    matching = sorted(name for name in names if part in name) or names_about(part)
    if not matching:
        raise LispError(f"apropos: no name contains {part}, and no documentation")
    return "\n".join(matching)


def _quit(session: "Entries", arguments: list[Datum]) -> str:
    if arguments:
        raise SyntaxFault("quit: expected (quit); (exit n) leaves with a status", arguments[0].span)
    raise LispExit(0)


def _name_in(command: str, asked: Datum) -> str:
    """The name in a command's argument, which may be `name`, `'name` or `"name"`."""
    match asked:
        case List((Symbol("quote"), Symbol(name)), None) | Symbol(name) | String(name):
            return name
    raise SyntaxFault(f"{command}: expected ({command} name)", asked.span)


_COMMANDS: dict[str, Callable[["Entries", list[Datum]], str]] = {
    "help": _help, "?": _help, "doc": _doc, "apropos": _apropos, "quit": _quit, "exit": _quit,
}
_CALLED = {"help", "?", "doc", "apropos", "quit"}  # `(exit 3)` calls a procedure
