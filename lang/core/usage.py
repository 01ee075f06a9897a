"""How a procedure of the program is called: the hint of arity errors, and what `(doc f)` shows.

    (define (f x :dim -1 . rest) ...)  =>  (f x [:dim] rest ...)

A constructor of the library's layers has the name of what PyTorch applies to a tensor, so the doc
of the layer says what does that here, and the usage repeats it:

    (relu)  =>  (relu) creates a layer; (tensor-relu x) applies it to a tensor
"""

import re

from lambent.lang.core.ir import Lambda

# The suffixes that `scope.Unit.fresh` and `Scope.core_name` add to make a name unique.
_SUFFIX = re.compile(r"(?<=.)(\.lib)?(\{[^{}]*\})?(\.[0-9]+)?\Z")
_APPLICATION = re.compile(r"\s(\([^.]*\))\s+applies\s+it\s+to\s+a\s+tensor\.\Z")
_MODULE = re.compile(r"(?<=.)\{([^{}]*)\}(\.[0-9]+)?\Z")


def usage(code: Lambda) -> str:
    """The call with the names of the parameters as the source has them."""
    words = [code.name or "lambda", *map(source_name, code.parameters)]
    words += [f"[:{keyword.keyword}]" for keyword in code.keywords]
    if code.rest:
        words.append(f"{source_name(code.rest)} ...")
    return f"({' '.join(words)}){_application(code)}"


def _application(code: Lambda) -> str:
    """What applies a layer of the library to a tensor, from the end of its doc."""
    if code.doc is None or not code.span.source.library:
        return ""
    match = _APPLICATION.search(code.doc)
    return f" creates a layer; {' '.join(match[1].split())} applies it to a tensor" if match else ""


def source_name(unique: str) -> str:
    """The name in the source: `x` of the local variables `x.2` and `x.lib.2`."""
    return _SUFFIX.sub("", unique, count=1)


def plain_name(unique: str) -> str:
    """The name of a top-level variable in its module: `area` of `area{shapes}`."""
    return _MODULE.sub("", unique, count=1)


def module_of(unique: str) -> str:
    """The module that defines a top-level variable: `shapes` of `area{shapes}`, "" if none."""
    match = _MODULE.search(unique)
    return match[1] if match else ""
