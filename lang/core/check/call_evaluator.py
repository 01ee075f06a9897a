"""What the checks of values know of them, and who computes it: see `values.py`."""

from collections.abc import Sequence
from typing import Protocol

from lambent.lang.core.ir import Special
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Datum
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass


class Unknown:
    """An unknown value.  may_be_keyword: it may be a keyword, which names the next argument."""

    def __init__(self, may_be_keyword: bool) -> None:
        self.may_be_keyword = may_be_keyword


ANYTHING = Unknown(may_be_keyword=True)
NO_KEYWORD = Unknown(may_be_keyword=False)


@dataclass(frozen=True, slots=True)
class Fault:
    """The certain error of a call.  of_keyword: it does not depend on unknown arguments."""

    message: str
    hint: str | None = None
    of_keyword: bool = False


class CallEvaluator(Protocol):
    """Computes calls with known arguments.  Values are the evaluator's own, or `Unknown`."""

    def constant(self, value: Datum | Special) -> object: ...

    def literal(self, shape: tuple[int, ...], elements: Sequence[object]) -> object: ...

    def is_false(self, value: object) -> bool:
        """Whether a test with a known value chooses the other branch."""

    def call(
        self, primitive: Primitive, arguments: Sequence[object], span: Span
    ) -> object | Fault: ...

    def mention(self, operator: Primitive) -> Fault | None:
        """The mistake in a mention of an operator that is not a call."""

    def failure(
        self, primitive: Primitive, arguments: Sequence[object], span: Span
    ) -> Fault | None:
        """The error that a call raises of a primitive that never returns; None if it is unknown."""

    def in_variable(self, value: object) -> object:
        """What remains known of a value in a variable, whatever the program does to it."""
