"""How results are shown to a person: as `write` does, tensors in rows."""

from lambent.lang.interp.printing import written
from lambent.lang.interp.values import UNSPECIFIED, Lisp, Tensor


def result_text(value: Lisp) -> str | None:
    """The text of a result; None for what shows as nothing."""
    if value is UNSPECIFIED:
        return None
    if isinstance(value, Tensor):
        from lambent.lang.interp.builtins import tensors

        return tensors.repl_text(value)
    return written(value)
