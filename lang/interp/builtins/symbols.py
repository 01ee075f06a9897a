"""Symbols and keywords, and the predicates procedure? and tensor?."""

from functools import cache

from lambent.lang.interp.builtins.arguments import text_of
from lambent.lang.interp.errors.faults import wrong_type
from lambent.lang.interp.values.values import (
    Boolean,
    Keyword,
    Lisp,
    String,
    Symbol,
    Tensor,
    boolean,
    call_procedure,
    is_procedure,
    keyword,
    symbol,
)


def is_symbol(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Symbol)


def is_keyword(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Keyword)


def is_applicable(x: Lisp) -> Boolean:
    return boolean(is_procedure(x))


def accepts(procedure: Lisp, count: int) -> Boolean:
    from lambent.lang.interp.values.procedure_facts import facts_of  # few programs ask

    if not is_procedure(procedure):
        wrong_type("%accepts?", "a procedure", procedure)
    if call := call_procedure(procedure):
        procedure, count = call, count + 1
    facts = facts_of(procedure)
    return boolean(facts.least <= count and (facts.most is None or count <= facts.most))


def is_tensor(x: Lisp) -> Boolean:
    return boolean(isinstance(x, Tensor))


def _symbol(name: str, x: Lisp) -> str:
    if x.__class__ is not Symbol:
        wrong_type(name, "a symbol", x)
    return x.name


def _keyword(name: str, x: Lisp) -> str:
    if x.__class__ is not Keyword:
        wrong_type(name, "a keyword", x)
    return x.name


@cache
def _name_string(kind: type, text: str) -> String:
    """The one string that is the name of a symbol or keyword; strings never change."""
    return String(text)


def symbol_to_string(name: Lisp) -> String:
    text = _symbol("symbol->string", name)
    return _name_string(Symbol, text) if symbol(text) is name else String(text)


def string_to_symbol(text: Lisp) -> Symbol:
    return symbol(text_of("string->symbol", text))


def keyword_to_string(name: Lisp) -> String:
    return _name_string(Keyword, _keyword("keyword->string", name))


def string_to_keyword(text: Lisp) -> Keyword:
    return keyword(text_of("string->keyword", text))


def keyword_to_symbol(name: Lisp) -> Symbol:
    return symbol(_keyword("keyword->symbol", name))


def symbol_to_keyword(name: Lisp) -> Keyword:
    return keyword(_symbol("symbol->keyword", name))


def symbol_append(*symbols: Lisp) -> Symbol:
    return symbol("".join([_symbol("symbol-append", x) for x in symbols]))


def symbol_equal(a: Lisp, b: Lisp) -> Boolean:
    _symbol("symbol=?", a)
    _symbol("symbol=?", b)
    return boolean(a is b)


def symbol_less(a: Lisp, b: Lisp) -> Boolean:
    return boolean(_symbol("symbol<?", a) < _symbol("symbol<?", b))


def string_to_uninterned_symbol(text: Lisp) -> Symbol:
    """A new symbol, which is different from all others."""
    return Symbol(text_of("string->uninterned-symbol", text))
