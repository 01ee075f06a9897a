"""Hints that quote the program: `{0}` is replaced by the text of a call's first argument.

`runtime/errors/error.c` follows the same rules for executables.

    "(tensor-transpose {1} 0 1)" at (tensor-matmul a (f b))  =>  "(tensor-transpose (f b) 0 1)"

`{1.0}` is the first argument of a second argument that is a call of `list`.  `{0|it}` is `it` if
the text is not available, for example because the call is in the library; without such a default,
the hint is dropped.
"""

import re

from lambent.lang.syntax.source import Span

_PLACEHOLDER = re.compile(r"\{(\d)(?:\.(\d+))?(?:\|([^}]*))?\}")


def quote_arguments(hint: str, message: str, span: Span | None) -> str | None:
    """The hint with its arguments; None if the span is not the call that the message is about."""
    data = _data(span.text) if span and "\n" not in span.text else []
    if data and data[0] != "@" and not message.startswith(f"{data[0]}:"):
        data = []
    quoted: list[str] = []
    end = 0
    for placeholder in _PLACEHOLDER.finditer(hint):
        text = _datum_at(data, int(placeholder[1]) + 1)
        if text is not None and placeholder[2]:
            inner = _data(text)
            text = _datum_at(inner, int(placeholder[2]) + 1) if inner[:1] == ["list"] else None
        if text is None:
            text = placeholder[3]
        if text is None:
            return None
        quoted += [hint[end : placeholder.start()], text]
        end = placeholder.end()
    return "".join([*quoted, hint[end:]])


def _datum_at(data: list[str], index: int) -> str | None:
    return data[index] if index < len(data) else None


def _data(call: str) -> list[str]:
    """The texts of a call's data, the operator first."""
    if not call.startswith("("):
        return []
    data: list[str] = []
    at = 1
    while True:
        while at < len(call) and call[at].isspace():
            at += 1
        end = _datum_end(call, at)
        if end == at:
            return data
        data.append(call[at:end])
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
