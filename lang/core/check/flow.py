"""Checks for useless code: unused values, unreachable code, and names that are defined twice.

    (define (f a b) (+ a b) (print a))   =>  the value of (+ a b) is not used
    (begin (error "no") (print 1))       =>  never reached: error does not return
    (if #f (print 1) 2)                  =>  never reached: the test is always false
    print "a"                            =>  print is not called
    (match x (a 1) (2 3))                =>  never reached: no value is left ...

Only forms in the program's text are reported, not those that macros and special forms create.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from lambent.lang.core.check.diagnostic import Diagnostic
from lambent.lang.core.forms.match import NAMES_PROCEDURE, NEVER_REACHED
from lambent.lang.core.forms.match_parser import CONSTRUCTORS
from lambent.lang.core.ir import (
    Begin,
    Const,
    Core,
    Define,
    Global,
    If,
    Lambda,
    Let,
    Namespace,
    PrimCall,
    PrimRef,
    Program,
    SetGlobal,
    Special,
)
from lambent.lang.core.modules.library import library_definition
from lambent.lang.core.traverse import children, walk
from lambent.lang.core.usage import plain_name, source_name
from lambent.lang.primitives.effects import Effects, Memory
from lambent.lang.primitives.operator_effects import operator_effects
from lambent.lang.primitives.signature import Type
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Boolean, Keyword
from lambent.lang.syntax.source import Span

_LONGEST_SHOWN = 60
_CLAUSE_NEVER_REACHED = "never reached: no value is left that this clause matches"


def check_flow(program: Program) -> Iterator[Diagnostic]:
    """The useless code in a program."""
    yield from _twice_defined(program.forms)
    yield from _dead_forms(program.forms, None)
    yield from _uncalled(program.forms)
    waiting: list[tuple[Core, bool]] = [(form, False) for form in program.forms]
    while waiting:
        node, guarded = waiting.pop()
        guarded = guarded or (isinstance(node, Lambda) and node.is_form_body)
        match node:
            case Begin(forms, span):
                yield from _dead_forms(forms, span)
                yield from _unused(forms, span, guarded)
            case Let(name, Const(), _, span) if source_name(name) == NEVER_REACHED:
                if span.within is None:
                    yield Diagnostic(_CLAUSE_NEVER_REACHED, span)
            case Let(name, Const(), _, span) if source_name(name) == NAMES_PROCEDURE:
                if span.within is None:
                    hint = f"write {CONSTRUCTORS[span.text]}: patterns look as values are printed"
                    yield Diagnostic(f"{span.text} is a variable in this pattern", span, hint)
            case If(Const(value, span), then, orelse) if span.within is None:
                is_true = not (isinstance(value, Boolean) and not value.value)
                yield from _dead_branch(orelse if is_true else then, span, is_true)
        waiting += [(child, guarded) for child in children(node)]


# Values.


def _unused(forms: Sequence[Core], around: Span, guarded: bool) -> Iterator[Diagnostic]:
    """Values in a body that are not used.  guarded: the form may be there to fail."""
    for form, following in pairwise(forms):
        if form.span == following.span:
            continue  # two nodes of one form: `(< a)` is a check, then #t
        if _is_written_in(form, around) and _is_idle(form, guarded):
            text = form.span.text
            what = text if "\n" not in text and len(text) <= _LONGEST_SHOWN else "this"
            yield Diagnostic(f"the value of {what} is not used", form.span)


def _is_idle(form: Core, guarded: bool) -> bool:
    match form:
        case Const(value):
            return not isinstance(value, Special)
        case Lambda():
            return not form.is_form_body
        case PrimRef():
            return True
        case Global(name, Namespace.LIBRARY):
            return _is_library_procedure(name)
        case PrimCall(primitive, arguments):
            if primitive.signature.result is Type.VOID:
                return False
            effects = _effects(primitive, arguments)
            fails = guarded and effects.may_fail
            idle = not (effects.writes & ~_UNNOTICED or effects.may_call or effects.never_returns)
            return idle and not fails and not primitive.is_private
    return False


_MOST_ARGUMENTS = 8  # that a hint shows


def _uncalled(forms: Sequence[Core]) -> Iterator[Diagnostic]:
    """Procedures whose names are forms at the top level: what was meant is a call."""
    procedures = {
        (form.namespace, form.name)
        for form in forms
        if isinstance(form, Define) and isinstance(form.value, Lambda)
    }
    for index, form in enumerate(forms):
        match form:
            case PrimRef():
                is_procedure = True
            case Global(name, Namespace.LIBRARY):
                is_procedure = _is_library_procedure(name)
            case Global(name, namespace):
                is_procedure = (namespace, name) in procedures
            case _:
                continue
        if is_procedure and form.span.within is None:
            call = _meant_call(form, forms[index + 1 : index + 1 + _MOST_ARGUMENTS])
            yield Diagnostic(f"{form.span.text} is not called", form.span, f"write {call}")


def _is_library_procedure(name: str) -> bool:
    return isinstance(library_definition(name).value, Lambda)


def _meant_call(name: Core, following: Sequence[Core]) -> str:
    """The call of a procedure with what follows its name on the line."""
    span, end = name.span, name.span.end
    text = span.source.text
    if text.startswith("(", end):  # print("a")
        rest = next((f.span for f in following if f.span.start >= end), span)
        inside = text[rest.start + 1 : rest.end] if rest is not span else ")"
        return f"({span.text} {inside}" if inside != ")" else f"({span.text})"
    for form in following:
        same = form.span.source is span.source and form.span.start >= end
        if not same or "\n" in text[end : form.span.end]:
            break
        end = form.span.end
    return f"({text[span.start : end]})"


def _effects(primitive: Primitive, arguments: Sequence[Core]) -> Effects:
    """The effects of a call.  An operator may overwrite a tensor that a keyword, such as `:out`,
    gives it."""
    if not primitive.operator:
        return primitive.effects
    return operator_effects(primitive.symbol, with_out=any(map(_is_keyword, arguments)))


def _is_keyword(argument: Core) -> bool:
    return isinstance(argument, Const) and isinstance(argument.value, Keyword)


# Nobody draws random numbers only to skip them.
_UNNOTICED = Memory.RANDOM


# Unreachable code.


def _dead_forms(forms: Sequence[Core], around: Span | None) -> Iterator[Diagnostic]:
    """The first form after one that does not return; around is None at the top level."""
    for form, following in pairwise(forms):
        name = _name_of_exit(form)
        if name is None or isinstance(following, Define):
            continue
        if around is None:
            follows = following.span.source is form.span.source
        else:
            follows = _is_written_in(form, around) and _is_written_in(following, around)
        if follows and following.span.start > form.span.start:
            yield Diagnostic(f"never reached: {name} does not return", following.span)
            return


def _name_of_exit(form: Core) -> str | None:
    match form:
        case PrimCall(primitive) if not primitive.returns and not primitive.is_private:
            return primitive.name
    return None


def _dead_branch(dead: Core, test: Span, is_true: bool) -> Iterator[Diagnostic]:
    while isinstance(dead, Begin | Let):
        dead = dead.forms[0] if isinstance(dead, Begin) else dead.value
    span = dead.span
    is_written = span.source is test.source and span.within is None and span.start >= test.end
    if is_written and not isinstance(dead, Const):
        always = "true" if is_true else "false"
        yield Diagnostic(f"never reached: the test is always {always}", span)


# Names.


def _twice_defined(forms: Sequence[Core]) -> Iterator[Diagnostic]:
    """Definitions that replace one whose value cannot have been used."""
    last: dict[tuple[str, Namespace], int] = {}
    for index, form in enumerate(forms):
        if not isinstance(form, Define) or not _is_written(form):
            continue
        key = form.name, form.namespace
        before = last.get(key)
        last[key] = index
        if before is not None and not _may_use(forms[before + 1 : index], form):
            location = forms[before].span.location
            name = plain_name(form.name)
            yield Diagnostic(f"{name} is defined twice; first at {location}", form.span)


def _is_written(form: Define) -> bool:
    """Whether the definition is in the program's text.

    Analysis may put definitions of library names before it.
    """
    return isinstance(form.value, Lambda) or _is_written_in(form.value, form.span)


def _may_use(between: Sequence[Core], again: Define) -> bool:
    """Whether the first value can be used before the name is defined again."""
    if not isinstance(again.value, Lambda) and _mentions(again.value, again.name):
        return True
    is_deferred = False
    for form in between:
        mentions = _mentions(form, again.name)
        if isinstance(form, Define) and isinstance(form.value, Lambda):
            is_deferred = is_deferred or mentions
        elif mentions or is_deferred:
            return True
    return False


def _mentions(core: Core, name: str) -> bool:
    return any(
        isinstance(node, Global | SetGlobal)
        and node.name == name
        and node.namespace is Namespace.PROGRAM
        for node in walk(core)
    )


def _is_written_in(form: Core, around: Span) -> bool:
    """Whether the text of a form is within that of another, and neither is from a macro."""
    span = form.span
    is_inside = around.start < span.start and span.end <= around.end
    is_expanded = span.within is not None or around.within is not None
    return not is_expanded and span.source is around.source and is_inside
