"""Primitives as values, as in `(map car lists)`.

A builtin function is called with all its arguments in order, so most primitives are their own
values.  Those with keyword parameters get a function that binds the arguments first.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from lambent.lang.core.ir import Special
from lambent.lang.errors import LispError
from lambent.lang.interp.binding import split_keywords
from lambent.lang.interp.builtins import builtin
from lambent.lang.interp.values.procedure_facts import PRIMITIVE_VALUES
from lambent.lang.interp.values.values import ABSENT, Lisp

if TYPE_CHECKING:
    from lambent.lang.primitives.table import Primitive


@cache
def primitive_value(lisp_name: str) -> Callable[..., Any]:
    """A primitive with keyword parameters as a procedure."""

    @cache
    def find() -> Callable[..., Any]:
        from lambent.lang.primitives.library import TABLE

        return _binding_keywords(TABLE[lisp_name])

    def call(*arguments: Lisp) -> Lisp:
        return find()(*arguments)

    PRIMITIVE_VALUES[call] = lisp_name
    return call


@cache
def operator_value(lisp_name: str) -> Callable[..., Any]:
    """An operator of LibTorch as a procedure."""

    @cache
    def find() -> Callable[..., Any]:
        from lambent.lang.interp.builtins.tensors import find_operator
        from lambent.lang.primitives.table import operator_name

        return find_operator(operator_name(lisp_name))

    def call(*arguments: Lisp) -> Lisp:
        from lambent.lang.interp.builtins.tensors import naming

        function = find()
        with naming(lisp_name):
            return function(*arguments)

    PRIMITIVE_VALUES[call] = lisp_name
    return call


def _binding_keywords(primitive: "Primitive") -> Callable[..., Any]:
    signature, function = primitive.signature, builtin(primitive.symbol)
    named_parameters = [p for p in signature.params if p.default is not None]
    keywords = [p.name.replace("_", "-") for p in named_parameters]
    defaults = {k: _default(p.default) for k, p in zip(keywords, named_parameters, strict=True)}

    least, most = signature.least, signature.most

    def call(*arguments: Lisp) -> Lisp:
        positional, named = split_keywords(
            arguments, keywords, least, primitive.name, primitive.usage
        )
        if len(positional) < least or (most is not None and len(positional) > most):
            from lambent.lang.core.arity import arity_message

            message = arity_message(primitive.name, least, most, len(positional))
            raise LispError(message, hint=f"usage: {primitive.usage}")
        by_position = dict(zip(keywords, positional[least:], strict=False))
        by_name = {**defaults, **by_position, **named}
        return function(*positional[:least], *[by_name[keyword] for keyword in keywords])

    return call


def _default(text: str | None) -> Lisp:
    """The value of a default in a signature."""
    from lambent.lang.core.primitive_calls import default_datum
    from lambent.lang.interp.values.datum_values import DatumConverter

    assert text is not None
    datum = default_datum(text)
    return ABSENT if isinstance(datum, Special) else DatumConverter().value(datum)
