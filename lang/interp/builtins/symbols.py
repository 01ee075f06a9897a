"""Symbols and keywords, and the kinds of what has no module of its own."""

from lambent.lang.interp.faults import wrong_type
from lambent.lang.interp.values import (
    Boolean,
    Keyword,
    Lisp,
    Procedure,
    String,
    Symbol,
    Tensor,
    boolean,
    symbol,
)


def is_symbol(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Symbol)


def is_keyword(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Keyword)


def is_procedure(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Procedure)


def is_tensor(x: Lisp) -> Boolean:
    return boolean(isinstance(x, Tensor))


def symbol_to_string(name: Lisp) -> String:
    if name.__class__ is not Symbol:
        wrong_type("symbol->string", "a symbol", name)
    return String(name.name)


def string_to_symbol(text: Lisp) -> Symbol:
    if text.__class__ is not String:
        wrong_type("string->symbol", "a string", text)
    return symbol(text.text)


_gensyms = 0


def gensym() -> Symbol:
    """A symbol that is in no table, and so is no other."""
    global _gensyms
    _gensyms += 1
    return Symbol(f"g{_gensyms}")
