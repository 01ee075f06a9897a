"""What the emitted code at a location does: read from a unit's tables (`unit.py`) for an error."""

from dataclasses import dataclass
from typing import Any

from lambent.lang.syntax.source import Span

# A variable of a frame: "globals" or "locals", and its name.
Where = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Location:
    span: Span
    procedure: str | None  # the Lisp name of the enclosing procedure; None for anonymous ones
    kind: str
    detail: Any
