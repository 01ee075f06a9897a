"""Macro expansion: the pass between reading and analysis.

    expand(datum, macros)  =>  the datum, with every use of a macro replaced by what it stands for

The language has no macros yet, so `Macros` holds none and the pass gives back what it gets.  It
keeps its place in the pipeline, because everything after it relies on one rule: no macro survives.
"""

from dataclasses import dataclass

from lambent.lang.syntax.datum import Datum


@dataclass(frozen=True, slots=True)
class Macros:
    """The macros that are visible to a source: none."""


def expand(datum: Datum, macros: Macros) -> Datum:
    """The datum without macro uses."""
    return datum
