"""The declarations of `define-library`: its exports, and the body that is analysed as a module.

    (define-library (shapes) (export area) (import (scheme base)) (begin (define (area r) ...)))
    =>  body: (import (scheme base)) (define (area r) ...)
"""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from lambent.lang.core.denotation import Denotation
from lambent.lang.core.modules.features import chosen
from lambent.lang.core.special_forms import bad_form, shown
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Datum, List, Number, String, Symbol

if TYPE_CHECKING:
    from lambent.lang.core.modules.modules import Modules
    from lambent.lang.core.scope import Scope

LibraryName = tuple[str | int, ...]

_DECLARATION = "a declaration: export, import, begin, include, cond-expand ..."


def library_name(datum: Datum) -> LibraryName:
    """The library name that a datum writes: a list of identifiers and indices."""
    words: list[str | int] = []
    for item in datum.items if isinstance(datum, List) and datum.tail is None else ():
        match item:
            case Symbol(name) if "/" not in name and name not in (".", ".."):
                words.append(name)
            case Number(int(number)) if number >= 0:
                words.append(number)
            case _:
                words.clear()
                break
    if not words:
        message = f"expected a library's name, such as (shapes flat), got {shown(datum)}"
        raise SyntaxFault(message, datum.span)
    return tuple(words)


def shown_name(name: LibraryName) -> str:
    return f"({' '.join(map(str, name))})"


class Declarations:
    """What a `define-library` form declares.  body: its imports, then its forms."""

    def __init__(self, form: List, modules: "Modules") -> None:
        if len(form.items) < 2 or form.tail is not None:
            raise bad_form(form)
        self.name = library_name(form.items[1])
        self._modules = modules
        self._exports: list[tuple[Symbol, Symbol]] = []  # the name inside, the name outside
        self._imports: list[Datum] = []
        self._forms: list[Datum] = []
        for datum in form.items[2:]:
            self._declare(datum)

    @property
    def body(self) -> list[Datum]:
        return [*self._imports, *self._forms]

    def exported(self, scope: "Scope") -> dict[str, Denotation | None]:
        """What the exported names mean, once the body is analysed."""
        names: dict[str, Denotation | None] = {}
        for inner, outer in self._exports:
            meaning = scope.meaning(inner.name)
            if meaning is None:
                own = sorted(name for name in scope.names if isinstance(name, str))
                near = get_close_matches(inner.name, own, n=1)
                raise SyntaxFault(
                    f"export: {shown_name(self.name)} does not define {inner.name}",
                    inner.span,
                    hint=f"did you mean {near[0]}?" if near else None,
                )
            names[outer.name] = meaning
        return names

    def _declare(self, datum: Datum) -> None:
        match datum:
            case List((Symbol("export"), *specs), None):
                self._exports += [_export(spec) for spec in specs]
            case List((Symbol("import"), *_), None):
                self._imports.append(datum)
            case List((Symbol("begin"), *forms), None):
                self._forms += forms
            case List((Symbol("include" | "include-ci"), *_), None):
                self._forms += self._modules.included(datum)
            case List((Symbol("include-library-declarations"), *_), None):
                self._declare_all(self._modules.included(datum))
            case List((Symbol("cond-expand"), *_), None):
                self._declare_all(chosen(datum, self._modules))
            case _:
                message = f"define-library: expected {_DECLARATION}, got {shown(datum)}"
                raise SyntaxFault(message, datum.span)

    def _declare_all(self, data: Sequence[Datum]) -> None:
        for datum in data:
            self._declare(datum)


def _export(spec: Datum) -> tuple[Symbol, Symbol]:
    match spec:
        case Symbol():
            return spec, spec
        case List((Symbol("rename"), Symbol() as inner, Symbol() as outer), None):
            return inner, outer
    message = f"export: expected a name or (rename inner outer), got {shown(spec)}"
    raise SyntaxFault(message, spec.span)


def included_names(form: List) -> Iterator[String]:
    """The files that an `include` form names."""
    if len(form.items) < 2 or form.tail is not None:
        raise bad_form(form)
    for item in form.items[1:]:
        if not isinstance(item, String):
            raise bad_form(form, item, "the name of a file")
        yield item
