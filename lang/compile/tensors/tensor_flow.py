"""Which names may hold a tensor: a tensor itself, or an object that one can be reached from.

    (define xs (list x y))                 holds tensors, if x or y is one
    (define shape (tensor-shape x))        does not: it is a list of numbers
    (define sizes (map car shapes))        does not, if nothing in shapes does

`show_frees` asks this, so that it marks tensors and no numbers, and `plain_truths`, whose tests
cannot fail then.  Values flow from name to name, into objects and out of them, through calls, and
through variables.  An object counts as holding what is put into any object that it came from or
went into; the analysis does not tell fields apart.

For each function the analysis finds what its result holds, as a set of bits: TENSOR, and two for
each parameter, for what that holds and for what a call of it returns.  A call replaces those of the
parameters by those of its arguments, so one call of `map` on tensors does not spoil the others.
Then it finds what the parameters hold in this program.  It repeats both until nothing changes.

Functions that are compiled elsewhere have summaries in their interfaces.  In these, a bit stands
for what all functions see: errors, parameters, the library's variables, and the arguments of calls
of unknown procedures.  The program that uses them knows what these hold.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar, assert_never

from lambent.lang.compile.ir.anf import Anf, Function, TensorSummary
from lambent.lang.compile.tensors.value_flows import (
    NO_FUNCTION,
    PARAMETERS,
    POSITIONS,
    RESULT,
    STATE,
    VARIABLE,
    VARIABLES,
    Call,
    Copy,
    Direct,
    Flow,
    OfType,
    Store,
    Tensors,
    flows_of,
    is_shared,
)
from lambent.lang.compile.types.callers import callers_of
from lambent.lang.core.ir import Namespace
from lambent.lang.core.strong_components import strongly_connected_components
from lambent.lang.system.dataclass import dataclass, field

_TENSOR = 1
# What all functions see, in the order of its bits.
_SHARED = (STATE, PARAMETERS, VARIABLES, POSITIONS)
_OF_LIBRARY = f"{VARIABLE}{Namespace.LIBRARY.value} "
_FIRST = 1 + len(_SHARED)  # the bit of the first parameter

# What a value holds, and what a call of it returns if its arguments hold no tensors.
Facts = tuple[int, int]
_NOTHING: Facts = (0, 0)

_Key = TypeVar("_Key")


def names_with_tensors(program: Anf) -> dict[str, set[str]]:
    """For each function the names that may hold a tensor."""
    flow = _TensorFlow(program.by_name)
    flow.settle()
    return {name: flow.concrete_names(name) for name in flow.functions}


def tensor_summaries(unit: Anf) -> dict[str, TensorSummary]:
    """How tensors flow through each function of a unit of the library."""
    flow = _TensorFlow(unit.by_name, is_unit=True)
    flow.settle()
    return {
        name: TensorSummary(
            flow.results[name],
            tuple(sorted(flow.parts[name].items())),
            tuple(sorted(flow.shared[name].items())),
        )
        for name in flow.functions
    }


@dataclass(slots=True)
class _Names:
    """What is known of one function.  sources: for each name those that were copied to it.  stored:
    the names into which something is stored.  parts: for a parameter, by its index, what the
    function stores into it."""

    flows: list[Flow]
    facts: dict[str, Facts] = field(default_factory=dict)
    sources: dict[str, list[str]] = field(default_factory=dict)
    stored: set[str] = field(default_factory=set)

    def add(self, target: str, facts: Facts) -> bool:
        """Whether the target now holds more than before."""
        before = self.facts.get(target, _NOTHING)
        after = before[0] | facts[0], before[1] | facts[1]
        self.facts[target] = after
        return after != before

    def of(self, name: str) -> Facts:
        return self.facts.get(name, _NOTHING)

    def store_into(self, container: str) -> bool:
        """What is stored into a name is held by those that it came from, too.  Whether that is
        news."""
        if container in self.stored:
            return False
        waiting = [container]
        while waiting:
            name = waiting.pop()
            if name in self.stored:
                continue
            self.stored.add(name)
            for source in self.sources.get(name, ()):
                self.flows.append(Copy(name, source))
                waiting.append(source)
        return True


@dataclass(slots=True)
class _TensorFlow:
    """is_unit: the functions are a unit of the library, whose callers are not known.  results,
    parts, shared: the summaries of functions.  arguments: what their parameters hold, which is
    TENSOR or nothing.  variables: what top-level variables hold.  positions: what the arguments of
    calls of unknown procedures hold, by their index."""

    functions: Mapping[str, Function]
    is_unit: bool = False
    names: dict[str, _Names] = field(default_factory=dict)
    results: dict[str, Facts] = field(default_factory=dict)
    parts: dict[str, dict[int, Facts]] = field(default_factory=dict)
    shared: dict[str, dict[str, Facts]] = field(default_factory=dict)
    arguments: dict[str, list[Facts]] = field(default_factory=dict)
    variables: dict[str, Facts] = field(default_factory=dict)
    positions: list[Facts] = field(default_factory=list)
    changed: bool = False

    def settle(self) -> None:
        self.results[NO_FUNCTION] = _TENSOR, _TENSOR
        for name, function in self.functions.items():
            self.names[name] = _Names(list(flows_of(function)))
            for flow in self.names[name].flows:
                if isinstance(flow, Copy | Store):
                    source = flow.source if isinstance(flow, Copy) else flow.value
                    target = flow.target if isinstance(flow, Copy) else flow.container
                    self.names[name].sources.setdefault(target, []).append(source)
            self.arguments[name] = [_NOTHING] * len(function.parameters)
        order = self.callees_first()
        self.changed = True
        while self.changed:
            self.changed = False
            for name in order:
                self.summarize(name)
            for name in reversed(order) if not self.is_unit else ():
                self.pass_arguments(name)

    def callees_first(self) -> list[str]:
        callees: dict[str, list[str]] = {name: [] for name in self.functions}
        for callee, callers in callers_of(self.functions).items():
            for caller in callers:
                callees[caller].append(callee)
        return list(strongly_connected_components(callees))

    # What the names of a function hold, by what its parameters hold.

    def summarize(self, name: str) -> None:
        names = self.names[name]
        interface = self.functions[name].interface
        if interface is not None:
            self.results[name] = interface.tensors.result
            self.parts[name] = dict(interface.tensors.parts)
            self.shared[name] = dict(interface.tensors.shared)
            return
        for index, parameter in enumerate(self.functions[name].parameters):
            names.add(parameter.name, _bits_of(index))
        again = True
        while again:
            again = False
            for flow in list(names.flows):
                again = self.follow(names, flow) or again
        self.results[name] = self.join(self.results, name, names.of(RESULT))
        parts = self.parts.setdefault(name, {})
        for index, parameter in enumerate(self.functions[name].parameters):
            if parameter.name in names.stored:
                own, held = _bits_of(index), names.of(parameter.name)
                parts[index] = self.join(parts, index, (held[0] & ~own[0], held[1] & ~own[1]))
        shared = self.shared.setdefault(name, {})
        for flow in names.flows:
            for what, facts in self.given_to_all(names, flow):
                shared[what] = self.join(shared, what, facts)

    def given_to_all(self, names: _Names, flow: Flow) -> Iterator[tuple[str, Facts]]:
        """What a flow gives to what all functions see."""
        match flow:
            case Copy(source, target) | Store(source, target) if is_shared(target):
                yield _shared_name(target), names.of(source)
            case Call(callee, arguments):
                given = _joined([names.of(callee), *[names.of(a) for a in arguments]])
                yield STATE, given
                yield POSITIONS, given
            case Direct(function, arguments, _, is_closure):
                passed = [names.of(argument) for argument in arguments]
                if is_closure and function in self.functions:  # unknown calls pass the others
                    others = len(self.functions[function].parameters) - len(passed)
                    passed += [_both(_bit_of(POSITIONS))] * others
                for what, facts in self.shared.get(function, {}).items():
                    yield what, self.replaced(facts, passed)

    def join(self, table: Mapping[_Key, Facts], key: _Key, facts: Facts) -> Facts:
        """What the table has under the key and these facts, which may be news."""
        before = table.get(key, _NOTHING)
        after = before[0] | facts[0], before[1] | facts[1]
        self.changed = self.changed or after != before
        return after

    def follow(self, names: _Names, flow: Flow) -> bool:
        """Whether a flow has brought something new."""
        match flow:
            case Copy(source, target):
                if is_shared(source):
                    names.add(source, self.held_by_all(source))
                return names.add(target, names.of(source))
            case OfType(source, target):
                return names.add(target, (0, names.of(source)[1]))
            case Store(value, container):
                news = names.store_into(container)
                return names.add(container, names.of(value)) or news
            case Tensors(target):
                return names.add(target, (_TENSOR, _TENSOR))
            case Call(callee, arguments, target):
                # The callee may be a parameter.
                returned = self.held_by_all(PARAMETERS)[0]
                for name in (callee, *arguments):  # a record that is called may return its fields
                    returned |= names.of(name)[0] | names.of(name)[1]
                return names.add(target, (returned, returned))
            case Direct():
                return self.direct(names, flow)
            case _:
                assert_never(flow)

    def direct(self, names: _Names, call: Direct) -> bool:
        given = [names.of(name) for name in call.arguments]
        result = self.replaced(self.results.get(call.function, _NOTHING), given)
        if call.is_closure:
            held = 0
            for facts in given:
                held |= facts[0]
            news = names.add(call.target, (held, result[0] | result[1]))
        else:
            news = names.add(call.target, result)
        for index, facts in self.parts.get(call.function, {}).items():
            if index < len(call.arguments):
                part = self.replaced(facts, given)
                if call.is_closure:  # the other arguments come later
                    part = _joined([part, *self.concrete(call.function, facts)])
                news = names.add(call.arguments[index], part) or news
                news = names.store_into(call.arguments[index]) or news
        return news

    # What the parameters hold in this program.

    def concrete(self, name: str, facts: Facts) -> list[Facts]:
        """The facts if the function's parameters hold what they do in this program."""
        if self.is_unit:
            others = [_both(_bit_of(POSITIONS))] * len(self.functions[name].parameters)
            return [self.replaced(facts, others)]
        return [self.replaced(facts, self.arguments[name])]

    def replaced(self, facts: Facts, given: Sequence[Facts]) -> Facts:
        """The facts of a callee with those of the arguments in place of those of its parameters,
        and what all functions see in place of its bits."""
        return self.replaced_bits(facts[0], given), self.replaced_bits(facts[1], given)

    def replaced_bits(self, bits: int, given: Sequence[Facts]) -> int:
        out = bits & _TENSOR
        for number, what in enumerate(_SHARED, 1):
            if bits & 1 << number:
                held, returned = self.held_by_all(what)
                out |= held | returned
        bits >>= _FIRST
        for held, returned in given:
            if not bits:
                break
            if bits & 1:
                out |= held
            if bits & 2:
                out |= returned
            bits >>= 2
        return out

    def held_by_all(self, name: str) -> Facts:
        """What errors, parameters, variables or the arguments of unknown calls hold."""
        if self.is_unit:
            return _both(_bit_of(_shared_name(name)))
        held = self.variables.get(name, _NOTHING)
        if name == POSITIONS:
            return _joined([held, *self.positions])
        if name == VARIABLES:
            others = [facts for n, facts in self.variables.items() if _shared_name(n) == VARIABLES]
            return _joined([held, *others])
        if _shared_name(name) == VARIABLES:
            return _joined([held, self.variables.get(VARIABLES, _NOTHING)])
        return held

    def pass_arguments(self, name: str) -> None:
        names = self.names[name]

        def held(argument: str) -> Facts:
            return self.concrete(name, names.of(argument))[0]

        for flow in names.flows:
            match flow:
                case Direct(callee, arguments):
                    passed = [held(argument) for argument in arguments]
                    for index, one in enumerate(passed):
                        self.give(callee, index, one)
                    self.give_elsewhere(callee, passed)
                case Call(callee, arguments, _, spread):
                    given = [held(argument) for argument in arguments]
                    self.give_unknown(given, spread)
                    self.give_unknown([held(callee), *given], spread)  # it may be a module
                case Copy(source, target) | Store(source, target) if is_shared(target):
                    self.variables[target] = self.join(self.variables, target, held(source))
        for variable in [n for n in names.stored if is_shared(n)]:
            self.variables[variable] = self.join(self.variables, variable, held(variable))
        function = self.functions[name]
        if function.escapes:
            for index in range(function.captures, len(function.parameters)):
                position = index - function.captures
                if position < function.required:
                    facts = self.positions[position : position + 1]
                else:
                    facts = self.positions[function.required :]
                unknown = self.variables.get(POSITIONS, _NOTHING)
                self.give(name, index, _joined([*facts, unknown]))

    def give(self, callee: str, index: int, facts: Facts) -> None:
        before = self.arguments[callee][index]
        after = before[0] | facts[0], before[1] | facts[1]
        if after != before:
            self.arguments[callee][index] = after
            self.changed = True

    def give_elsewhere(self, callee: str, given: Sequence[Facts]) -> None:
        """What a function that is compiled elsewhere gives to what all functions see."""
        if callee in self.functions and self.functions[callee].interface is not None:
            others = len(self.functions[callee].parameters) - len(given)
            unknown = self.held_by_all(POSITIONS)
            for what, facts in self.shared[callee].items():
                found = self.replaced(facts, [*given, *[unknown] * others])
                self.variables[what] = self.join(self.variables, what, found)

    def give_unknown(self, arguments: Sequence[Facts], spread: bool) -> None:
        """Arguments of a procedure that may be any that escapes, or a continuation."""
        self.variables[STATE] = self.join(self.variables, STATE, _joined(arguments))
        if spread and arguments:
            arguments = [*arguments, *[arguments[-1]] * 8]
        while len(self.positions) < len(arguments):
            self.positions.append(_NOTHING)
        for index, facts in enumerate(arguments):
            after = _joined([self.positions[index], facts])
            if after != self.positions[index]:
                self.positions[index] = after
                self.changed = True

    def concrete_names(self, name: str) -> set[str]:
        facts = self.names[name].facts
        return {n for n, held in facts.items() if self.concrete(name, held)[0][0]}


def _bits_of(index: int) -> Facts:
    """The bits of a parameter."""
    return 1 << _FIRST + 2 * index, 1 << _FIRST + 2 * index + 1


def _bit_of(shared: str) -> int:
    return 1 << 1 + _SHARED.index(shared)


def _both(bits: int) -> Facts:
    return bits, bits


def _shared_name(name: str) -> str:
    """The name of a bit: one stands for all variables of the library."""
    return VARIABLES if name.startswith(_OF_LIBRARY) else name


def _joined(facts: Iterable[Facts]) -> Facts:
    held = returned = 0
    for one in facts:
        held |= one[0]
        returned |= one[1]
    return held, returned
