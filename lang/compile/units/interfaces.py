"""The interfaces of a compiled unit: what callers see of its exported functions.

    fn string-index(borrowed s: value, own f: value) -> value ...
    =>  lib_string_index__5d1c0a2e: may fail, calls what it is given, changes nothing itself

Some facts hold of all that a function reaches, such as which objects the procedures may change that
it creates: those of what it calls in other units come from their interfaces.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from operator import or_
from typing import TypeVar
from zlib import crc32

from lambent.lang.compile.c.emit_tables import asks_for_arguments, is_small
from lambent.lang.compile.c.names import c_suffix
from lambent.lang.compile.ir.anf import (
    Anf,
    Block,
    Function,
    Interface,
    Literal,
    Raise,
    TensorSummary,
)
from lambent.lang.compile.ir.blocks import binds_in
from lambent.lang.compile.tensors.location_records import creates_itself, creating_values
from lambent.lang.compile.tensors.tensor_flow import tensor_summaries
from lambent.lang.compile.types.callers import called, mentioned, mentioned_values
from lambent.lang.compile.types.effects import calls_closures, catches_failures
from lambent.lang.compile.types.memory_use import (
    changed_by_primitives,
    changes_itself,
    is_non_allocating_itself,
)
from lambent.lang.compile.types.record_fields import stores_unnamed
from lambent.lang.compile.units.library import Entry
from lambent.lang.core.strong_components import strongly_connected_components
from lambent.lang.primitives.effects import NOTHING, Memory
from lambent.lang.syntax.datum import Bytes, Labelled, List, String, Vector
from lambent.lang.syntax.source import Source, Span
from lambent.lang.system.dataclass import dataclass, replace

_Value = TypeVar("_Value")
_NO_BODY = Block((), Raise())
_HIDDEN = Span(Source("library", "", library=True), 0, 0)


def interfaces_of(unit: Anf) -> dict[str, Function]:
    """The exported functions of a unit, each with its interface instead of its body."""
    facts = _Facts.of(unit)
    summaries = tensor_summaries(unit) if unit.uses_tensors else {}
    return {
        function.name: replace(
            function,
            body=_NO_BODY,
            escapes=True,
            span=_HIDDEN,
            interface=facts.interface(function.name, summaries.get(function.name)),
        )
        for function in unit.functions
        if function.name in unit.exports
    }


def entries_of(unit: Anf, files: Callable[[str], str]) -> dict[str, Entry]:
    """What is known of each function without its body.  files: the file of a function."""
    names = {e.name: e.interface.library_name for e in unit.externals if e.interface is not None}
    return {
        function.name: Entry(
            files(function.name) if has_symbol(function) else "",
            symbol_of(function.name),
            tuple(dict.fromkeys(names.get(name, name) for name in mentioned(function))),
        )
        for function in unit.functions
    }


def symbol_of(name: str) -> str:
    """The C name of a function of the library; Lisp names may have the same spelling."""
    return f"lib_{c_suffix(name)}__{crc32(name.encode()):08x}"


def has_symbol(function: Function) -> bool:
    """Whether other files may call it: not if it is small and has no mutable constants, which
    copies of it would not share.  Then each file that calls it has its C."""
    return function.escapes or not is_small(function) or any(mutable_constants(function))


def mutable_constants(
    function: Function,
) -> Iterator[String | List | Vector | Bytes | Labelled]:
    """The constants that programs can change."""
    for bind in binds_in(function.body):
        match bind.operation:
            case Literal(String() | List() | Vector() | Bytes() | Labelled() as constant):
                yield constant


@dataclass(frozen=True, slots=True)
class _Facts:
    """What holds of each function of a unit, with all that it calls or makes values of."""

    unit: Anf
    calls_unknown: Mapping[str, bool]
    allocates: Mapping[str, bool]
    changes: Mapping[str, Memory]
    closure_changes: Mapping[str, Memory]
    catches: Mapping[str, bool]
    creates_tensors: Mapping[str, bool]
    closures_create: Mapping[str, bool]
    stores_records: Mapping[str, bool]
    asks: Mapping[str, bool]

    @staticmethod
    def of(unit: Anf) -> "_Facts":
        functions = unit.by_name
        calls, all_uses = _Reach.of(functions, called), _Reach.of(functions, mentioned)
        tensors = unit.uses_tensors
        changes = calls.joined(lambda f: changes_itself(f)[0], NOTHING)
        creates = calls.joined(creates_itself, False)
        return _Facts(
            unit,
            calls.joined(calls_closures, False),
            calls.joined(lambda f: not is_non_allocating_itself(f, tensors), False),
            changes,
            all_uses.joined(lambda f: _closure_changes(f, changes), NOTHING),
            all_uses.joined(lambda f: catches_failures({f.name: f}), False),
            creates,
            all_uses.joined(lambda f: _closures_create(f, creates), False),
            all_uses.joined(stores_unnamed, False),
            all_uses.joined(asks_for_arguments, False),
        )

    def interface(self, name: str, summary: TensorSummary | None) -> Interface:
        return Interface(
            name,
            symbol_of(name),
            self.calls_unknown[name],
            self.allocates[name],
            self.changes[name],
            self.closure_changes[name],
            self.catches[name],
            self.creates_tensors[name],
            self.closures_create[name],
            self.stores_records[name],
            self.asks[name],
            summary or TensorSummary(),
        )


def _closure_changes(function: Function, changes: Mapping[str, Memory]) -> Memory:
    """What the procedures may change that a function makes values of."""
    if function.interface is not None:
        return function.interface.closure_changes
    found = changed_by_primitives({function.name: function})
    return reduce(or_, [changes[name] for name in mentioned_values(function)], found)


def _closures_create(function: Function, creates: Mapping[str, bool]) -> bool:
    if function.interface is not None:
        return function.interface.closures_create
    return creating_values(function) or any(creates[n] for n in mentioned_values(function))


@dataclass(frozen=True, slots=True)
class _Reach:
    """The functions that each leads to, by groups that lead to each other; callees come first."""

    functions: Mapping[str, Function]
    uses: Mapping[str, list[str]]
    groups: list[list[str]]

    @staticmethod
    def of(
        functions: Mapping[str, Function], targets: Callable[[Function], Iterator[str]]
    ) -> "_Reach":
        uses = {n: list(dict.fromkeys(targets(f))) for n, f in functions.items()}
        groups: dict[int, list[str]] = {}
        for name, number in strongly_connected_components(uses).items():
            groups.setdefault(number, []).append(name)
        return _Reach(functions, uses, list(groups.values()))

    def joined(
        self, fact: Callable[[Function], _Value], nothing: _Value
    ) -> dict[str, _Value]:
        """What a fact says of each function and of all that it leads to."""
        found: dict[str, _Value] = {}
        for group in self.groups:
            value = nothing
            for name in group:
                value |= fact(self.functions[name])  # type: ignore[operator]
                for other in self.uses[name]:
                    value |= found.get(other, nothing)
            found |= dict.fromkeys(group, value)
        return found
