"""Lambent in Python programs: the package `lambent` itself.

    import lambent
    lambent.eval("(map (lambda (x) (* x x)) (iota 5))")           =>  [0, 1, 4, 9, 16]
    lambent.eval("(@ a b)", a=numpy_array, b=torch_tensor)        =>  a lambent.Tensor
    square = lambent.eval("(lambda (x) (* x x))");  square(12)    =>  144
    lambent.compile("examples/digits.lisp", "digits")             =>  the path of the executable

Python's values become Lisp's and come back as they were:

    None (as an argument) #f        bool #t #f           int, Fraction, float     numbers
    str  a string                   Symbol, Keyword, Char, which are str          themselves
    list a list                     tuple a vector       dict a hash table        bytes a bytevector
    a numpy array, a torch tensor, whatever else speaks DLPack: a tensor on the same memory
    a callable: a procedure

The value of `(define ...)` and its kin comes back as None, several values as a tuple, a procedure
as a `Procedure`, which Python can call (`f(x, keep_dim=True)` passes `:keep-dim #t`), a tensor as a
`Tensor`, which numpy and torch take without copying (`numpy.from_dlpack(t)`, `t.numpy()`,
`t.torch()`), and anything else as an `Object`, which can be handed back.  What goes wrong is a
`LispError` whose text has the location, as everywhere in Lambent.

It stands in lang/package, because the folder lang is `lambent.lang`.
"""

from typing import TYPE_CHECKING, Any

if __name__ != "lambent":
    raise ImportError(f"import lambent, not {__name__}")

if TYPE_CHECKING:
    from lambent.lang.embedding import (
        Char,
        Keyword,
        LispError,
        Object,
        Procedure,
        Session,
        Symbol,
        Tensor,
        compile,
        eval,
    )

__all__ = [
    "Char", "Keyword", "LispError", "Object", "Procedure", "Session", "Symbol", "Tensor",
    "compile", "eval",
]


def __getattr__(name: str) -> Any:
    """The command `lambent` passes here, too, and wants nothing of this: so only when asked."""
    if name not in __all__:
        raise AttributeError(f"module 'lambent' has no attribute {name!r}")
    from lambent.lang import embedding

    value = globals()[name] = getattr(embedding, name)
    return value


def __dir__() -> list[str]:
    return __all__
