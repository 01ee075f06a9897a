"""How the meanings of top-level names change while a program is analysed.

    (define-syntax m (syntax-rules () ((_) 1)))   ; form 1
    (write (m))                                   ; form 2: m is this macro
    (define-syntax m (syntax-rules () ((_) 2)))   ; form 3
    (write (m))                                   ; form 4: m is the other one

A macro holds from its definition to the next one of its name, as in a session that reads the forms
one by one.  A variable is also visible in the forms before its definition, because procedures may
mention each other, but not where its name means a macro or a special form.
"""

from bisect import bisect_right
from collections.abc import Mapping
from typing import TypeAlias

from lambent.lang.core.denotation import Denotation, Key, Macro, SpecialForm
from lambent.lang.core.ir import Core
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field

Meaning: TypeAlias = Denotation | None


@dataclass(frozen=True, slots=True)
class _Change:
    """From the form at position on, a name has a meaning, which was given at span.

    yields: a later definition of a variable of the name takes its place.
    """

    position: int
    meaning: Meaning
    yields: bool
    span: Span


@dataclass(slots=True, eq=False)
class Changes:
    """The changes of one analysis.  position: of the form that the first pass reads."""

    position: int = 0
    _before: dict[Key, Meaning] = field(default_factory=dict)
    _of_name: dict[Key, list[_Change]] = field(default_factory=dict)
    _macros: dict[Key, None] = field(default_factory=dict)  # names that mean one somewhere
    _switches: list[int] = field(default_factory=list)  # where macros come and go
    _positions: list[int] = field(default_factory=list)  # of all changes, in order
    _keys: list[Key] = field(default_factory=list)  # what they change

    def add(self, key: Key, before: Meaning, meaning: Meaning, yields: bool, span: Span) -> None:
        """Record a new meaning.  before: the meaning so far, which the first change keeps."""
        self._before.setdefault(key, before)
        changes = self._of_name.setdefault(key, [])
        changes.append(_Change(self.position, meaning, yields, span))
        self._positions.append(self.position)
        self._keys.append(key)
        if isinstance(meaning, Macro | SpecialForm) or isinstance(before, Macro | SpecialForm):
            self._macros[key] = None
            self._switches.append(self.position)

    def __contains__(self, key: Key) -> bool:
        return key in self._of_name

    def meaning_at(self, key: Key, position: int, ahead: bool) -> Meaning:
        """The meaning of a name that has changed.  ahead: variables are visible before they are."""
        changes = self._of_name[key]
        latest = next((each for each in reversed(changes) if each.position <= position), None)
        meaning = self._before[key] if latest is None else latest.meaning
        if isinstance(meaning, Macro | SpecialForm) or not ahead:
            return meaning
        if latest is not None and not latest.yields:
            return meaning
        for each in reversed(changes):
            is_variable = not isinstance(each.meaning, Macro | SpecialForm)
            if each.position > position and is_variable and (latest is None or not each.yields):
                return each.meaning
        return meaning

    def switch(self, before: int, position: int) -> bool:
        """Whether names become macros, or macros something else, after one position and before or
        at another one."""
        return bisect_right(self._switches, before) < bisect_right(self._switches, position)

    def differing(self, before: int, position: int) -> dict[Key, Meaning]:
        """The names that are macros somewhere and whose meanings at two positions differ, with
        those at the second one."""
        first, last = sorted((before, position))
        changed = self._keys[
            bisect_right(self._positions, first) : bisect_right(self._positions, last)
        ]
        return {
            key: meaning
            for key in dict.fromkeys(changed)
            if key in self._macros
            and (meaning := self.meaning_at(key, position, ahead=True))
            is not self.meaning_at(key, before, ahead=True)
        }

    def later_macro(self, key: Key, position: int) -> Span | None:
        """Where a name becomes a macro after a position, if it does."""
        for each in self._of_name.get(key, ()):
            if each.position > position and isinstance(each.meaning, Macro | SpecialForm):
                return each.span
        return None


@dataclass(frozen=True, slots=True)
class History:
    """The changes of a program's names, and the positions of its forms, by the forms' identity.

    `eval` asks for the meanings where the program is.
    """

    changes: Changes
    positions: Mapping[int, tuple[Core, int]]

    def position_of(self, form: Core) -> int | None:
        _, position = self.positions.get(id(form), (form, None))
        return position
