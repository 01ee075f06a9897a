"""A program and what it needs of the library.

    with_library(Program(... (Global map LIBRARY) (Global %state LIBRARY) ...))
    =>  Program((Define %state ...), ..., externals: map, and a copy of its body)

Procedures of the library are compiled once, in units (`library_units.py`), and a program that uses
one gets its head.  Where the body may be worth having at a call, `inline` gets a copy.  Variables
of the library belong to the program that uses them: their definitions come first, in the library's
order.
"""

from collections.abc import Iterable, Sequence, Set

from lambent.lang.compile.closures.first_uses import Mentions
from lambent.lang.compile.closures.top_level import needed_forms
from lambent.lang.compile.units.library_units import head, library_units, reached
from lambent.lang.core.ir import Core, Define, Externals, Lambda, Program
from lambent.lang.core.modules.library import (
    definition_names,
    library_definition,
    library_uses,
    mentioned_library,
)
from lambent.lang.core.tensor_use import mentions_tensors
from lambent.lang.deep import call_deep


def with_library(program: Program) -> Program:
    """The forms that the program needs, with the library's variables, and heads of procedures."""
    return call_deep(_with_library, program)


def _with_library(program: Program) -> Program:
    needed, _ = needed_forms(program, Mentions())
    used = {name for form in needed for name in mentioned_library(form)}
    all_reached = reached(sorted(used))
    tensors = not all_reached.isdisjoint(library_units().tensors) or any(
        map(mentions_tensors, needed)
    )
    forms, used = _definitions(needed, all_reached)
    externals = external_definitions(sorted(used), library_units().copied)
    return Program((*forms, *needed), externals, tensors=tensors, is_open=program.is_open)


def _definitions(forms: Sequence[Core], all_reached: set[str]) -> tuple[list[Define], set[str]]:
    """The definitions that a program has itself: of variables, and of procedures that no unit
    exports; and the names that these and the program use."""
    heads = library_units().heads
    names = [name for name in definition_names() if name in all_reached and name not in heads]
    own = {name for form in forms for name in mentioned_library(form)}
    definitions = {name: library_definition(name) for name in names}
    variables = definitions.keys() & library_units().variables
    kept, waiting = set(variables), [*variables, *(own & definitions.keys())]
    uses = library_uses()
    while waiting:
        name = waiting.pop()
        kept.add(name)
        waiting += [u for u in uses[name] if u in definitions and u not in kept]
    used = own | {other for name in kept for other in uses[name]}
    procedures = [definitions[name] for name in names if name in kept - variables]
    others = [definitions[name] for name in names if name in variables]
    return [*procedures, *others], used


def external_definitions(
    used: Iterable[str], copied: frozenset[str], defined: Set[str] = frozenset()
) -> Externals:
    """The exported procedures that some code uses, and those that copies of them use.

    copied: the procedures of which it may have copies.  defined: those that it defines itself.
    """
    units, uses = library_units(), library_uses()
    found: dict[str, Lambda] = {}
    copies: dict[str, Lambda] = {}
    waiting = list(used)
    while waiting:
        name = waiting.pop()
        if name in found or name in defined or name not in units.heads:
            continue
        found[name] = head(name)
        if name in copied:
            code = library_definition(name).value
            assert isinstance(code, Lambda), name
            copies[name] = code
            waiting += uses[name]
    return Externals(found, copies, _reaches(found), units.calling, units.assigned)


def _reaches(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The library's variables that each procedure reaches."""
    units = library_units()
    return {name: tuple(sorted(reached([name]) & units.variables)) for name in names}
