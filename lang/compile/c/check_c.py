"""The verifier of emitted C: brackets pair, and each function has the labels that it jumps to.

The C compiler would find the same, but not say which pass and which function of the program are to
blame.  It runs in tests and where LAMBENT_VERIFY asks for it.
"""

import re

_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|/\*.*?\*/', re.DOTALL)
_FUNCTION = re.compile(r"^[^\s#{}][^;{}]*\)\n\{\n.*?^\}", re.MULTILINE | re.DOTALL)
_DIRECTIVE = re.compile(r"^#line.*\n", re.MULTILINE)
_JUMP = re.compile(r"\bgoto (\w+);")
_LABEL = re.compile(r"^\s*(\w+):(?!:)", re.MULTILINE)
_CLOSING = {")": "(", "]": "[", "}": "{"}


class CError(Exception):
    """C text that no C compiler takes: a mistake of the emitter."""


def check_c(text: str) -> None:
    """Raise CError unless the text could be C."""
    bare = _QUOTED.sub(lambda match: "\n" * match[0].count("\n") or " ", text)
    _check_brackets(bare)
    for function in _FUNCTION.findall(_DIRECTIVE.sub("", bare)):
        jumps, labels = set(_JUMP.findall(function)), _LABEL.findall(function)
        head = function.partition("\n{")[0]
        if missing := jumps - set(labels):
            raise CError(f"{head}: goto {', '.join(sorted(missing))} without a label")
        named = [label for label in labels if label != "default"]
        if len(named) != len(set(named)):
            raise CError(f"{head}: a label stands twice")


def _check_brackets(bare: str) -> None:
    opened: list[tuple[str, int]] = []
    for match in re.finditer(r"[()\[\]{}]", bare):
        bracket = match[0]
        if bracket not in _CLOSING:
            opened.append((bracket, match.start()))
        elif not opened or opened.pop()[0] != _CLOSING[bracket]:
            raise CError(f"line {_line(bare, match.start())}: {bracket} closes nothing")
    if opened:
        bracket, offset = opened[-1]
        raise CError(f"line {_line(bare, offset)}: {bracket} stays open")


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
