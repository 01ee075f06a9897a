"""`cond-expand`: which of its clauses holds in this implementation.

    (cond-expand ((library (srfi 1)) (import (srfi 1))) (else ...))  =>  (import (srfi 1))
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lambent.lang.core.modules.standard_libraries import FEATURES
from lambent.lang.core.special_forms import bad_form, shown
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Datum, List, Symbol

if TYPE_CHECKING:
    from lambent.lang.core.modules.modules import Modules


def chosen(form: List, modules: "Modules | None") -> Sequence[Datum]:
    """The forms of the first clause that holds; none if no clause does."""
    clauses = form.items[1:]
    for number, clause in enumerate(clauses, 1):
        if not isinstance(clause, List) or not clause.items or clause.tail is not None:
            raise bad_form(form, clause, "(requirement form ...) for a clause")
        requirement = clause.items[0]
        if isinstance(requirement, Symbol) and requirement.name == "else":
            if number < len(clauses):
                raise SyntaxFault("else: expected in the last clause only", clause.span)
            return clause.items[1:]
        if _holds(requirement, modules):
            return clause.items[1:]
    return ()


def _holds(requirement: Datum, modules: "Modules | None") -> bool:
    match requirement:
        case Symbol(name):
            return name in FEATURES
        case List((Symbol("and"), *others), None):
            return all(_holds(other, modules) for other in others)
        case List((Symbol("or"), *others), None):
            return any(_holds(other, modules) for other in others)
        case List((Symbol("not"), other), None):
            return not _holds(other, modules)
        case List((Symbol("library"), name), None):
            return modules is not None and modules.has_library(name)
    raise SyntaxFault(
        f"cond-expand: expected a feature, (library name), and, or, not, got {shown(requirement)}",
        requirement.span,
    )
