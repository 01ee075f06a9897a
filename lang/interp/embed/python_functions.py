"""How Python functions are called by Lisp, whatever runs it: their names, arguments and errors."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from lambent.lang.errors import LispError

T = TypeVar("T")


def name_of(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__


def split_arguments(
    name: str, arguments: Sequence[T], keywords: Sequence[str | None], convert: Callable[[T], Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments by position and by name.  keywords: the names of those that are keywords, each
    of which names the argument that follows."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    at = 0
    while at < len(arguments):
        keyword = keywords[at]
        if keyword is not None and at + 1 < len(arguments):
            keyword_name = keyword.replace("-", "_")
            if keyword_name in named:
                raise LispError(f"{name}: keyword :{keyword} is given twice")
            named[keyword_name] = convert(arguments[at + 1])
            at += 2
        else:
            positional.append(convert(arguments[at]))
            at += 1
    return positional, named


def described(name: str, error: Exception) -> str:
    """The message for an exception of a function."""
    try:
        message = f"{name}: {type(error).__name__}: {error}"
    except Exception:  # its __str__ fails
        message = f"{name}: {type(error).__name__}"
    return message.encode(errors="backslashreplace").decode()


def no_counterpart(value: Any) -> LispError:
    have = "numbers, strings, lists, tuples, dicts, bytes, callables and arrays do"
    return LispError(
        f"a Python value of type {type(value).__name__} has no counterpart in Lisp",
        hint="pass a list of its elements" if isinstance(value, Iterable) else have,
    )
