"""The text of results in the REPL: as `write` prints them, with tensors in rows."""

from lambent.lang.interp.io.printing import written, written_prefix
from lambent.lang.interp.values.values import UNSPECIFIED, Lisp, Tensor

LONGEST_RESULT = 10_000  # characters, in a terminal


def result_text(value: Lisp, longest: int | None = None) -> str | None:
    """The text of a result; None for the unspecified value.

    longest: a longer text is cut, with a note on how to see all of it.
    """
    if value is UNSPECIFIED:
        return None
    if isinstance(value, Tensor):
        from lambent.lang.interp.builtins import tensors

        return tensors.repl_text(value)
    if longest is not None and len(part := written_prefix(value, longest)) > longest:
        return cut_text(part, longest)
    return written(value)


def cut_text(text: str, longest: int | None) -> str:
    """A text, or its begin with a note."""
    if longest is None or len(text) <= longest:
        return text
    return f"{text[:longest]} ...\n(cut after {longest} characters; (write *1) writes all)"
