"""The interface of the package `lambent` for Python programs; see `lang/package/__init__.py`.

Like `cli.py`, it uses all back ends: `eval` the interpreter, or with LAMBENT_MACHINE=1 the
evaluator, and `compile` the compiler.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lambent.lang.errors import LispError as LangError
from lambent.lang.interp.embed.array_tensor import ArrayTensor as Tensor
from lambent.lang.interp.embed.to_python import Char, Keyword, Object, Symbol
from lambent.lang.interp.embed.to_python import EmbeddedError as LispError

if os.environ.get("LAMBENT_MACHINE") == "1":
    from lambent.lang.evaluator.embed.session import Session
    from lambent.lang.evaluator.embed.values import Procedure
else:
    from lambent.lang.interp.embed.embedded import (  # type: ignore[assignment]
        Procedure,
        Session,
    )

__all__ = [
    "Char", "Keyword", "LispError", "Object", "Procedure", "Session", "Symbol", "Tensor",
    "compile", "eval",
]

_sessions: list[Session] = []


def eval(text: str, names: Mapping[str, Any] | None = None, /, **more: Any) -> Any:
    """The value of the last form of a text, in a session that all calls of this function share.

    names, and keywords, are variables for this evaluation only: `eval("(+ x 1)", x=2)`.  Without
    them, the definitions of the text are kept for later evaluations.
    Raises LispError; `(exit)` raises SystemExit.
    """
    if not _sessions:
        _sessions.append(Session())
    return _sessions[0].eval(text, names, **more)


def compile(
    file: "str | os.PathLike[str]",
    output: "str | os.PathLike[str] | None" = None,
    *,
    debug: bool = False,
) -> Path:
    """Compile a program to an executable that needs no Python; the path of the executable.

    output: the executable, by default the file's name without its ending.  debug: for gdb.
    Raises LispError if the program cannot be read, expanded or written.
    """
    from lambent.lang.pipeline import compile_file

    source = Path(file)
    target = Path(output) if output is not None else Path(source.stem)
    try:
        compile_file(os.fspath(file), target, debug)
    except LangError as error:
        raise LispError(error) from None
    return target.absolute()
