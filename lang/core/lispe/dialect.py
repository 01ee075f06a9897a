"""`(use 'lispe_torch)`: the rest of a program, or of a session, is LispE.

    (use 'lispe_torch) (setq x 3) (defpat f (0) 1) (defpat f (n) 2)
    =>  the names of stdlib/lispe are visible;
        (define x #f) (set! x 3) (define (f . arguments) ...)

The names of LispE that Scheme also has, such as `list`, are defined there as `lispe:list`.  The
text has been read by `syntax/lispe_reader.py`.  What follows from single forms is in the other
files of this folder; here is what needs the whole program: its global variables, its classes and
types, the clauses of its pattern functions, and the files that it loads.
"""

from collections.abc import Iterator, Sequence, Set
from pathlib import Path

from lambent.lang.core.denotation import Alias, Constant, Denotation, GlobalName, Macro, Variable
from lambent.lang.core.ir import Core, Namespace
from lambent.lang.core.lispe import control, functions, patterns
from lambent.lang.core.lispe.building import (
    DICTIONARY,
    FORMS,
    MODULE,
    assigned,
    forms_in,
    head_of,
    make,
    named,
)
from lambent.lang.core.lispe.classes import ClassText, call_value, class_text, constructor
from lambent.lang.core.scope import Env, Scope
from lambent.lang.core.special_forms import is_form, shown, special_form
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Boolean, Brackets, Datum, List, Number, String, Symbol
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source, Span
from lambent.lang.system.dataclass import dataclass, field, replace

__all__ = ["Lispe", "control", "functions", "in_dialect", "patterns"]

LIBRARIES = ("lispe_torch", "lispe_tiktoken", "liblispe_torch", "liblispe_tiktoken")
_PREFIX, _SUFFIX = "lispe:", f"{{{MODULE}}}"
_NOWHERE = Span(Source("ambient", ""), 0, 0)
_CONSTANTS = {"true": True, "false": False, "nil": False}


@special_form("use", "(use 'lispe_torch)")
def _use(form: List, env: Env) -> Core:
    raise SyntaxFault("use: expected at the top level", form.span)


def in_dialect(data: Sequence[Datum], env: Env) -> Sequence[Datum]:
    """The forms of a module, instead of its text, if a form of it says `use`."""
    if any(is_form(datum, "use", env) for datum in data):
        for datum in data:
            if is_form(datum, "use", env):
                _check_library(datum)
        _enter(env.unit.scope)
    dialect = env.unit.scope.dialect
    return data if dialect is None else dialect.prepared(data, env)


def _check_library(form: Datum) -> None:
    assert isinstance(form, List)
    match form.items:
        case (_, List((Symbol("quote"), Symbol(name)), None)) if name in LIBRARIES:
            return
        case (_, List((Symbol("quote"), Symbol(name)), None)):
            raise SyntaxFault(
                f"use: unknown library {name}", form.span, hint="Lambent has lispe_torch, which "
                "includes lispe_tiktoken"
            )  # fmt: skip
    raise SyntaxFault(f"use: expected (use 'lispe_torch), got {shown(form)}", form.span)


def _enter(scope: Scope) -> None:
    """Make the names of LispE visible."""
    if scope.dialect is not None:
        return
    scope.dialect = Lispe()
    meanings: dict[str, Denotation] = {**FORMS, "_current": _current()}
    for name, value in _CONSTANTS.items():
        meanings[name] = Constant(Boolean(value, _NOWHERE))
    for variable in scope.library:
        if variable.endswith(_SUFFIX) and not variable.startswith("%"):
            name = variable.removesuffix(_SUFFIX).removeprefix(_PREFIX)
            meanings[name] = GlobalName(variable, Namespace.LIBRARY)
    for name, meaning in meanings.items():
        if name not in scope.own:
            scope.names[name] = meaning
            scope.imported[name] = MODULE


def _current() -> Macro:
    """The folder of the file that mentions `_current`, with a slash at its end."""

    def folder(use: Symbol, env: Env) -> Datum:
        return String(f"{Path(use.span.source.name).parent}/", use.span)

    return Macro("_current", lambda form, env: form, "_current", visible=False, value=folder)


@dataclass(slots=True)
class Lispe:
    """variables: the global variables that `setq` makes.  constructors: the types of `data@`."""

    variables: set[str] = field(default_factory=set)
    classes: dict[str, ClassText] = field(default_factory=dict)
    constructors: set[str] = field(default_factory=set)
    clauses: dict[str, list[List]] = field(default_factory=dict)

    def copy(self) -> "Lispe":
        clauses = {name: [*forms] for name, forms in self.clauses.items()}
        return Lispe({*self.variables}, {**self.classes}, {*self.constructors}, clauses)

    def methods(self) -> Set[str]:
        return {name for text in self.classes.values() for name in text.methods}

    # The program.

    def prepared(self, data: Sequence[Datum], env: Env) -> list[Datum]:
        scope = env.unit.scope
        forms = list(self._loaded(data, scope))
        for form in forms:
            self._declare(form, scope)
        prepared = [*self._definitions(forms, env), *self._joined(forms)]
        if any(head_of(form) == "toclean" for form in forms_in(forms, _METHODS)):
            span = forms[-1].span
            prepared.append(List((named("%clean-all", _at(span), env),), None, span))
        return prepared

    def _loaded(self, data: Sequence[Datum], scope: Scope) -> Iterator[Datum]:
        """The forms, with those of the files that `load` names in their places."""
        for datum in data:
            if head_of(datum) == "use":
                continue
            if head_of(datum) == "load" and isinstance(datum, List) and len(datum.items) == 2:
                file = _file_of(datum.items[1])
                if file is None or scope.modules is None:
                    raise SyntaxFault(
                        "load: expected the name of a file in the text, got " + shown(datum),
                        datum.span, hint='write (load "file.lisp") or (load (+ _current "file"))',
                    )  # fmt: skip
                path = scope.modules.path_of(file)
                source = scope.modules.read_file(path, datum.span, "load")
                yield from self._loaded(read(replace(source, dialect=MODULE)), scope)
            else:
                yield datum

    def _declare(self, form: Datum, scope: Scope) -> None:
        """Note what a top-level form declares."""
        match head_of(form):
            case "class@":
                assert isinstance(form, List)
                text = class_text(form, self.classes)
                self.classes[text.name] = text
                scope.enter(Symbol(text.name, form.span), constructor(text.name))
            case "data@":
                assert isinstance(form, List)
                self.constructors |= {head_of(item) for item in patterns.types_of(form)}

    def _definitions(self, forms: Sequence[Datum], env: Env) -> Iterator[Datum]:
        """A definition for each global variable that the program does not define already."""
        scope = env.unit.scope
        assignments = assigned(forms, ("setq", "setqv", "seth"))
        assignments |= assigned(forms, ("setg", "seth"), everywhere=True)
        for name, target in assignments.items():
            self.variables.add(name)
            if name not in scope.own:
                at = _at(target.span)
                plain = Symbol(name, target.span)
                yield make(at, env, "define", plain, Boolean(False, target.span))

    def _joined(self, forms: Sequence[Datum]) -> Iterator[Datum]:
        """The forms; the clauses of a pattern function become one form, where the last one is."""
        counts: dict[str, int] = {}
        for form in forms:
            if isinstance(form, List) and head_of(form) == "defpat":
                name = patterns.clause_name(form)
                counts[name] = counts.get(name, 0) + 1
        for form in forms:
            if isinstance(form, List) and head_of(form) == "defpat":
                name = patterns.clause_name(form)
                self.clauses.setdefault(name, []).append(form)
                counts[name] -= 1
                if counts[name] == 0:
                    yield patterns.joined(self.clauses[name])
            else:
                yield form

    def shown(self, datum: Datum, env: Env) -> Datum:
        head = head_of(datum)
        if head in _DEFINITIONS or head.startswith(("def", "import")):
            return datum
        return make(_at(datum.span), env, "%quiet" if head in _QUIET else "%show", datum)

    # Expressions.

    def call(
        self, form: List, head: Symbol, meaning: Denotation | None, env: Env
    ) -> Datum | None:
        if isinstance(head, Alias):
            return None
        if head.name == DICTIONARY and meaning is None:
            return make(form, env, DICTIONARY, *form.items[1:])
        is_variable = isinstance(meaning, Variable) or (
            isinstance(meaning, GlobalName)
            and meaning.namespace is Namespace.PROGRAM
            and head.name in self.variables
        )
        return call_value(head, form, env) if is_variable else None

    def literal(self, datum: Datum, env: Env) -> Datum | None:
        match datum:
            case Brackets(items, span):
                head = items[0] if items else None
                if isinstance(head, Symbol) and env.resolve(head) is not None:
                    return List(items, None, span)
                return make(_at(span), env, "%list", *items)
            case List((), None, span):
                return make(_at(span), env, "%list")
            case List((Number() | String(), *_), None):
                return make(datum, env, "%list", *datum.items)
            case List((List((Number() | String(), *_)), *_), None):
                return make(datum, env, "%list", *datum.items)
            case List((function, *arguments), None) if head_of(function) not in _LAMBDAS:
                return make(datum, env, "%call", function, *arguments)
        return None


_DEFINITIONS = ("use", "load", "class@", "data@", "dethread", "begin")
_QUIET = ("setq", "setg", "setqv", "seth", "print", "println", "printerr", "printerrln")
_LAMBDAS = ("lambda", "λ", "\\")
_METHODS = ("class@", "defun", "defpat", "dethread", *_LAMBDAS)


def _at(span: Span) -> List:
    """An empty form there."""
    return List((), None, span)


def _file_of(datum: Datum) -> String | None:
    """The file that the text of a `load` names; None if that is known only at run time."""
    match datum:
        case String():
            return datum
        case List((Symbol("+"), Symbol("_current"), *parts), None, span):
            texts = [part.text for part in parts if isinstance(part, String)]
            if len(texts) == len(parts):
                return String("".join(texts).lstrip("/"), span)
    return None
