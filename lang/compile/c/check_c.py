"""The verifier of emitted C: brackets pair, each function has the labels that it jumps to, and no
operation computes with C's int.

The C compiler would find the first two, but not say which pass and which function of the program
are to blame.  It takes `86400000 * 365`, which is wrong: the operands of operators are variables,
or numbers that say their type.  It runs in tests and where LAMBENT_VERIFY asks for it.
"""

import re

_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|/\*.*?\*/', re.DOTALL)
_FUNCTION = re.compile(r"^[^\s#{}][^;{}]*\)\n\{\n.*?^\}", re.MULTILINE | re.DOTALL)
_DIRECTIVE = re.compile(r"^#line.*\n", re.MULTILINE)
_JUMP = re.compile(r"\bgoto (\w+);")
_LABEL = re.compile(r"^\s*(\w+):(?!:)", re.MULTILINE)
# A number without a type, beside an operator: an operand.  Others are counts and indices, which
# are converted to the type of a parameter, a field, or a variable.
_INT = r"(?<![\w.])(?<![0-9]e[-+])(?:0x[0-9a-fA-F]+|[0-9]+)(?![\w.])"
_OPERATOR = r"(?:[-+*/%&|^~!?:]|<<|>>|[<>]=?|[=!]=)"
_OPERAND = re.compile(rf"(?<![0-9]e){_OPERATOR}(?:\(\w+\)|[(\s])*{_INT}|{_INT}[)\s]*{_OPERATOR}")
_CLOSING = {")": "(", "]": "[", "}": "{"}


class CError(Exception):
    """C text that no C compiler takes: a mistake of the emitter."""


def check_c(text: str) -> None:
    """Raise CError unless the text could be C."""
    bare = _QUOTED.sub(lambda match: "\n" * match[0].count("\n") or " ", text)
    _check_brackets(bare)
    _check_operands(bare)
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


def _check_operands(bare: str) -> None:
    if found := _OPERAND.search(bare):
        operation = " ".join(found[0].split())
        line = _line(bare, found.end() - 1)
        raise CError(f"line {line}: C would compute with an int: {operation}")


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
