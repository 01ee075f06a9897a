"""How a procedure of the program is called: the hint of arity errors, and what `(doc f)` shows.

    (define (f x :dim -1 . rest) ...)  =>  (f x [:dim] rest ...)
"""

import re

from lambent.lang.core.ir import Lambda

# The suffixes that `scope.Unit.fresh` and `Scope.core_name` add to make a name unique.
_SUFFIX = re.compile(r"(?<=.)(\.lib)?(\{[^{}]*\})?(\.[0-9]+)?\Z")
_MODULE = re.compile(r"(?<=.)\{([^{}]*)\}(\.[0-9]+)?\Z")


def usage(code: Lambda) -> str:
    """The call with the names of the parameters as the source has them."""
    words = [code.name or "lambda", *map(source_name, code.parameters)]
    words += [f"[:{keyword.keyword}]" for keyword in code.keywords]
    if code.rest:
        words.append(f"{source_name(code.rest)} ...")
    return f"({' '.join(words)})"


def source_name(unique: str) -> str:
    """The name in the source: `x` of the local variables `x.2` and `x.lib.2`."""
    return _SUFFIX.sub("", unique, count=1)


def plain_name(unique: str) -> str:
    """The name of a top-level variable in its module: `area` of `area{shapes}`."""
    return _MODULE.sub("", unique, count=1)


def module_of(unique: str) -> str:
    """The module that defines a top-level variable: `shapes` of `area{shapes}`, "" if none."""
    found = _MODULE.search(unique)
    return found[1] if found else ""
