"""Procedures of the library whose calls run in C or in Python, instead of the Lisp definition.

    (map f '(1 2))  =>  p(f, items), a Python function  =>  NATIVE.map(f, [items], lisp)

The Python function has the name, the location and so the facts of the Lisp definition, and looks
like it in errors: neither leaves a line in a trace.  Its line passes the list on in a box and
forgets it, so that no frame holds it while it is walked.  The Lisp definition is called for what is
not simple.
"""

from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any

from lambent.lang.interp.native import NATIVE
from lambent.lang.interp.values.values import FALSE, TRUE, items_of

_LISTS = "(f, items, /, *more): box = [items, *more]; items = more = None; return run(f, box, lisp)"
_FOLD = (
    "(f, first, items, /, *more): box = [first, items, *more]; first = items = more = None; "
    "return run(f, box, lisp)"
)
_ONE_LIST = "(f, items, /): box = [items]; items = None; return run(f, box, lisp)"
_SORT = (
    "(items, before, /): box = [items]; items = None; "
    "return run(before, box, lisp, find('l:<'), find('l:>'), find('l:string<?'))"
)
_DEFINITIONS = {
    "map": ("map", _LISTS),
    "for-each": ("for_each", _LISTS),
    "fold": ("fold", _FOLD),
    "fold-left": ("fold_left", _FOLD),
    "filter": ("filter", _ONE_LIST),
    "remove": ("remove", _ONE_LIST),
    "any": ("any", _LISTS),
    "every": ("every", _LISTS),
    "find": ("find", _ONE_LIST),
    "vector-map": ("vector_map", _LISTS),
    "vector-for-each": ("vector_for_each", _LISTS),
    "string-for-each": ("string_for_each", _LISTS),
    "sort": ("sort", _SORT),
}
# Their C functions know the Lisp definition.
_KEY = "(table, key, /): return run(table, key)"
_KEY_AND_VALUE = "(table, key, value, /): return run(table, key, value)"
_UPDATE = "(table, key, f, /, *otherwise): return run(table, key, f, *otherwise)"
_UPDATE_OR_LISP = (
    "(table, key, f, /, *otherwise): "
    "return lisp(table, key, f, *otherwise) if otherwise else run(table, key, f)"
)
_WITH_DEFINITION = {
    "hash-table-ref/default": ("table_ref", _KEY_AND_VALUE),
    "hash-table-set!": ("table_set", _KEY_AND_VALUE),
    "hash-table-contains?": ("table_has", _KEY),
    "hash-table-exists?": ("table_has", _KEY),
    "%table-ref": ("named_ref", "(who, table, key, value, /): return run(who, table, key, value)"),
    "%table-set!": ("named_set", "(who, table, key, value, /): return run(who, table, key, value)"),
    "%table-has?": ("named_has", "(who, table, key, /): return run(who, table, key)"),
    "hash-table-update!": ("table_update", _UPDATE_OR_LISP),
    "hash-table-update!/default": (
        "table_update", "(table, key, f, default, /): return run(table, key, f, default)"
    ),
    "hash-update!": ("table_update", _UPDATE),
    "hash-for-each": ("table_for_each", "(table, f, /): return run(table, f)"),
}
# The trees of SRFI 146, by the default order.
_WITH_DEFINITION |= {
    "%found{srfi_146}": (
        "tree_found",
        "(tree, key, before, /): return run(tree, key, before, find('l:%default-before?'))",
    ),
    "%inserted{srfi_146}": (
        "tree_inserted",
        "(tree, key, value, before, /): "
        "return run(tree, key, value, before, find('l:%default-before?'))",
    ),
}
_DEFINITIONS |= _WITH_DEFINITION
# Their C functions also find the classes of records.
_SEARCH = "(re, text, /, *range): return lisp(re, text, *range) if range else run(re, text)"
_SUBMATCH = "(m, field, /): return run(m, field)"
_REGEXP_DEFINITIONS = {
    "regexp-search": ("regexp_search", _SEARCH),
    "regexp-matches": ("regexp_matches", _SEARCH),
    "regexp-matches?": ("regexp_is_match", _SEARCH),
    "regexp-match-submatch": ("match_submatch", _SUBMATCH),
    "regexp-match-submatch-start": ("match_start", _SUBMATCH),
    "regexp-match-submatch-end": ("match_end", _SUBMATCH),
    "regexp-match->list": ("match_list", "(m, /): return run(m)"),
    "regexp-fold": (
        "regexp_fold",
        "(re, kons, knil, text, /, *options): return "
        "lisp(re, kons, knil, text, *options) if options else run(re, kons, knil, text)",
    ),
    "regexp": ("to_regexp", "(re, /): return run(re)"),
    "%match-position": ("match_position", "(m, k, /): return run(m, k)"),
    "%submatch-text": ("submatch_text", "(m, number, /): return run(m, number)"),
    "%matches-replaced": (
        "matches_replaced",
        "(who, re, text, subst, range, /): return run(who, re, text, subst, range)",
    ),
    "%fold-matches": (
        "fold_matches",
        "(who, re, text, range, kons, knil, /): return run(who, re, text, range, kons, knil)",
    ),
}
_DEFINITIONS |= _REGEXP_DEFINITIONS
# Functions in Python, by the module and their names.
_PYTHON_DEFINITIONS = {
    "%csv-rows": (
        "csv_text", "csv_rows",
        "(path, port, separator, rows, width, number, opened, value, /): "
        "return run(path, port, separator, rows, width, number, value, lisp)",
    ),
    "format": (
        "format_text", "format_",
        "(destination, /, *arguments): return run(destination, arguments, lisp)",
    ),
    "%formatted": (
        "format_text", "formatted",
        "(text, arguments, /): return run(text, items_of(arguments), lisp)",
    ),
}
# Functions that run procedures and catch failures, written by `escapes.py`.
_ESCAPES = (
    "dynamic-wind",
    "call-with-current-continuation", "call/cc", "call-with-escape-continuation",
)
# Two numbers of one of these classes: the operators never fail.  None is not a Lisp value.
_PLAIN = frozenset((int, float))
_OF_TWO = (
    "(x, y=None, /, *n): return ({}) if x.__class__ is y.__class__ and x.__class__ in plain "
    "and not n else lisp(x) if y is None else lisp(x, y, *n)"
)
_OF_ANY = (
    "(x=None, y=None, /, *n): return x {} y if x.__class__ is y.__class__ and x.__class__ in plain "
    "and not n else lisp() if x is None else lisp(x) if y is None else lisp(x, y, *n)"
)
_DEFINITIONS |= {name: ("", _OF_ANY.format(name)) for name in ("+", "*")}
_DEFINITIONS["-"] = ("", _OF_TWO.format("x - y"))
_DEFINITIONS |= {
    name: ("", _OF_TWO.format(f"TRUE if x {python} y else FALSE"))
    for name, python in {"<": "<", ">": ">", "<=": "<=", ">=": ">=", "=": "=="}.items()
}


def replaced(
    name: str, lisp: Any, find: Callable[[str], Any], value: Callable[[str], Any]
) -> Any:
    """The function to call for a procedure of the library, whose Lisp definition is given.

    find: the value of a global variable, if it has one already.  value: its value, in any case.
    """
    if NATIVE is None or lisp.__class__ is not FunctionType:
        return lisp
    if name in _ESCAPES:
        from lambent.lang.interp.native.escapes import escaping

        return escaping(name, lisp)
    if name in _PYTHON_DEFINITIONS:
        module, function, text = _PYTHON_DEFINITIONS[name]
        run = getattr(import_module(f"lambent.lang.interp.native.{module}"), function)
    elif name in _DEFINITIONS:
        native, text = _DEFINITIONS[name]
        if name in _WITH_DEFINITION:
            run = NATIVE.with_definition(native, lisp)
        elif name in _REGEXP_DEFINITIONS:
            run = NATIVE.on_regexps(native, lisp, value)
        else:
            run = getattr(NATIVE, native, None)
    else:
        return lisp
    scope = {
        "run": run, "lisp": lisp, "find": find, "items_of": items_of,
        "plain": _PLAIN, "TRUE": TRUE, "FALSE": FALSE,
    }
    exec(f"def p{text}", scope)
    made: Any = scope["p"]
    code = lisp.__code__
    made.__code__ = made.__code__.replace(
        co_filename=code.co_filename, co_firstlineno=code.co_firstlineno, co_name=code.co_name
    )
    return made
