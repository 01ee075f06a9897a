"""What a check found.  It is shown like an error, with `warning:` before it."""

from lambent.lang.errors import LispError, render
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A likely mistake.  str() is its message on one line."""

    message: str
    span: Span
    hint: str | None = None

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint and not self.hint.startswith("usage: ") else ""
        return f"{self.span.location}: {self.message}{hint}"

    @property
    def text(self) -> str:
        """The whole text, without a final line end."""
        return "warning: " + render(LispError(self.message, self.span, self.hint))
