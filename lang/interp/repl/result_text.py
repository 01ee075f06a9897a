"""How results are shown to a person: as `write` does, tensors in rows."""

from lambent.lang.interp.io.printing import written, written_prefix
from lambent.lang.interp.values.values import UNSPECIFIED, Lisp, Tensor

LONGEST_RESULT = 10_000  # characters, in a terminal


def result_text(value: Lisp, longest: int | None = None) -> str | None:
    """The text of a result; None for what shows as nothing.

    longest: what is longer is cut, and it is said how to see the rest.
    """
    if value is UNSPECIFIED:
        return None
    if isinstance(value, Tensor):
        from lambent.lang.interp.builtins import tensors

        return tensors.repl_text(value)
    if longest is not None and len(part := written_prefix(value, longest)) > longest:
        return f"{part[:longest]} ...\n(cut after {longest} characters; (write *1) writes all)"
    return written(value)
