"""Hints that quote the program: `{0}` stands for the text of a call's first argument.

`runtime/error.c` does the same for executables, by the same rules.

    "(tensor-transpose {1} 0 1)" at (tensor-matmul a (f b))  =>  "(tensor-transpose (f b) 0 1)"
"""

import re

from lambent.lang.syntax.source import Span


def quote_arguments(hint: str, message: str, span: Span) -> str | None:
    """The hint with its arguments; None if the call's text is not what the message speaks of."""
    parts = _parts(span.text) if "\n" not in span.text else []
    if not parts or (parts[0] != "@" and not message.startswith(f"{parts[0]}:")):
        return None
    numbers = [int(n) for n in re.findall(r"\{(\d)\}", hint)]
    if any(number + 1 >= len(parts) for number in numbers):
        return None
    return re.sub(r"\{(\d)\}", lambda found: parts[int(found[1]) + 1], hint)


def _parts(call: str) -> list[str]:
    """The data of a call's text, the head first."""
    if not call.startswith("("):
        return []
    parts: list[str] = []
    at = 1
    while True:
        while at < len(call) and call[at].isspace():
            at += 1
        end = _datum_end(call, at)
        if end == at:
            return parts
        parts.append(call[at:end])
        at = end


def _datum_end(text: str, at: int) -> int:
    """The next blank or closing bracket outside of brackets and strings."""
    depth = 0
    while at < len(text):
        char = text[at]
        if char == '"':
            at += 1
            while at < len(text) and text[at] != '"':
                at += 2 if text[at] == "\\" else 1
        elif char in "([":
            depth += 1
        elif char in ")]":
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and char.isspace():
            break
        at += 1
    return min(at, len(text))
