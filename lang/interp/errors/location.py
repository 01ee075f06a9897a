"""What emitted code is at one of its places: read from a unit's tables (`unit.py`) for an error."""

from dataclasses import dataclass
from typing import Any

from lambent.lang.syntax.source import Span

# Where a value is found in a frame: its globals or its locals, and the name there.
Where = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Location:
    span: Span
    procedure: str | None  # the Lisp name of the procedure that holds it; None for anonymous ones
    kind: str
    detail: Any
