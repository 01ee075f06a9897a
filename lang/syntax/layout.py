"""The layout of long expressions on several lines, for `lambent show`.

    layout(form("when", form("<", "x", "0"), form("print", "x")), width=16)
    =>  (when (< x 0)
          (print x))
"""

from dataclasses import dataclass
from typing import TypeAlias

from lambent.lang.syntax.datum import Brackets, Datum, List, Symbol, Vector
from lambent.lang.syntax.text import ABBREVIATIONS, to_text

WIDTH = 80
_BODY_INDENT = 2

# How many items after the head stay on its line; the others are a body, indented on lines below.
_BEFORE_BODY = {
    "define": 1, "lambda": 1, "let": 1, "let*": 1, "letrec": 1, "letrec*": 1, "when": 1,
    "unless": 1, "dotimes": 1, "case": 1, "do": 2, "begin": 0, "cond": 0, "no-grad": 0,
    "with-grad": 0, "inference-mode": 0, "with-autocast": 1,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Form:
    """A bracketed form; before_body as in _BEFORE_BODY, None for the layout of a call."""

    items: "tuple[Shape, ...]"
    opening: str = "("
    closing: str = ")"
    before_body: int | None = None


Shape: TypeAlias = str | Form


def form(*items: Shape) -> Form:
    """A form in parentheses, with the layout for its head."""
    before_body: int | None = None
    match items:
        case ("let", str(), *_):  # a named let
            before_body = 2
        case (str(head), *_):
            before_body = _BEFORE_BODY.get(head)
    return Form(items, before_body=before_body)


def layout(shape: Shape, width: int = WIDTH) -> str:
    """The text, broken into lines where it would be longer than width."""
    return _laid_out(shape, 0, width)


def data_text(data: list[Datum]) -> str:
    """Data one after another, each laid out: the printed form of the passes `read` and `expand`."""
    return "".join(layout(datum_shape(datum)) + "\n" for datum in data)


def datum_shape(datum: Datum) -> Shape:
    match datum:
        case List((Symbol(name), _), None) if name in ABBREVIATIONS:
            return to_text(datum)
        case List(items, None):
            return form(*[datum_shape(item) for item in items])
        case List(items, tail) if tail is not None:
            return form(*[datum_shape(item) for item in items], ".", datum_shape(tail))
        case Vector(items):
            return Form(tuple([datum_shape(item) for item in items]), "#(")
        case Brackets(items):
            return Form(tuple([datum_shape(item) for item in items]), "[", "]")
    return to_text(datum)


def _laid_out(shape: Shape, column: int, width: int) -> str:
    """The text of a shape that begins at a column."""
    if isinstance(shape, str):
        return shape
    flat = _flat(shape, width - column)
    if flat is not None:
        return flat
    if shape.before_body is not None and len(shape.items) > shape.before_body + 1:
        return _with_body(shape, shape.before_body, column, width)
    return _aligned(shape, column, width)


def _with_body(shape: Form, before_body: int, column: int, width: int) -> str:
    """`(head a` on the first line, the body below."""
    text, at = shape.opening, column + len(shape.opening)
    for index, item in enumerate(shape.items[: before_body + 1]):
        text += " " if index else ""
        at += 1 if index else 0
        laid_out = _laid_out(item, at, width)
        text += laid_out
        at = at + len(laid_out) if "\n" not in laid_out else len(laid_out.rpartition("\n")[2])
    indent = column + _BODY_INDENT
    for item in shape.items[before_body + 1 :]:
        text += "\n" + " " * indent + _laid_out(item, indent, width)
    return text + shape.closing


def _aligned(shape: Form, column: int, width: int) -> str:
    """A call: its arguments below each other; data: their items below each other."""
    if not shape.items:
        return shape.opening + shape.closing  # beyond the width: it cannot be shorter
    head = shape.items[0]
    text, at = shape.opening, column + len(shape.opening)
    rest = shape.items
    if shape.opening == "(" and isinstance(head, str) and len(rest) > 1:
        text += f"{head} "
        at += len(head) + 1
        rest = rest[1:]
    lines = [_laid_out(item, at, width) for item in rest]
    return text + ("\n" + " " * at).join(lines) + shape.closing


def _flat(shape: Shape, room: int) -> str | None:
    """The text on one line, or None if it is longer than room."""
    pieces: list[str] = []
    waiting: list[tuple[Shape, str]] = [(shape, "")]  # each with the text before it
    while waiting:
        item, before = waiting.pop()
        room -= len(before)
        pieces.append(before)
        if isinstance(item, Form):
            pieces.append(item.opening)
            room -= len(item.opening) + len(item.closing)
            waiting.append((item.closing, ""))
            room += len(item.closing)
            inner = [(one, " " if i else "") for i, one in enumerate(item.items)]
            waiting.extend(reversed(inner))
        else:
            pieces.append(item)
            room -= len(item)
        if room < 0:
            return None
    return "".join(pieces)
