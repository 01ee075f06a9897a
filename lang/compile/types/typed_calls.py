"""Which overload of an operator a call means, where the compiler can tell.

    (tensor-sum x :dim 0) with a tensor x
    =>  ct_aten_sum_dim_IntList(x, (ct_ints){1, (int64_t[]){0LL}}, false, &result)

`ctorch/dispatch/bind.cpp` has the same rules for calls at run time.  Here they are applied to
arguments whose types the compiler knows: tensors, numbers without boxes, and constants.  Both take
the costs of conversions from `primitives/conversions.py`, and
`tests/suites/compile/test_overload_choice.py` checks that both choose the same overloads.  All
other calls, and those that fit no overload of `primitives/typed.py`, go through the schema when the
program runs, which also reports mistakes.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from lambent.lang.compile.types.abstract_types import AbstractType, Argument
from lambent.lang.primitives import attributes
from lambent.lang.primitives.attributes import (
    Absent,
    Attribute,
    Double,
    Integer,
    Integers,
    Scalar,
    Taken,
    Text,
)
from lambent.lang.primitives.conversions import CONVERTED, COSTS, UNWRAPPED, Value
from lambent.lang.primitives.signature import Param, Signature
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Primitive, Variant
from lambent.lang.primitives.typed import Parameter, TypedOperator, typed_overloads
from lambent.lang.syntax.datum import Boolean, Keyword, List, Number, Symbol
from lambent.lang.system.dataclass import dataclass, field

# How C gets an argument.
_PARAMETERS = {
    AbstractType.TENSOR: Declared.TENSOR,
    AbstractType.COUNTER: Declared.FIXNUM,
    AbstractType.FIXNUM: Declared.FIXNUM,
    AbstractType.FLOAT: Declared.FLOAT,
    AbstractType.BOOLEAN: Declared.BOOLEAN,
}
_INTEGERS = (AbstractType.COUNTER, AbstractType.FIXNUM)
_VALUES = {
    AbstractType.TENSOR: Value.TENSOR,
    AbstractType.COUNTER: Value.INTEGER,
    AbstractType.FIXNUM: Value.INTEGER,
    AbstractType.FLOAT: Value.FLOAT,
    AbstractType.BOOLEAN: Value.BOOLEAN,
}


def is_typed(primitive: Primitive) -> bool:
    """Whether it is an operator that has typed entry points."""
    return primitive.operator and bool(typed_overloads(primitive.symbol))


def typed_call(
    primitive: Primitive, arguments: Sequence[Argument]
) -> tuple[Variant, tuple[int, ...]] | None:
    """The typed entry point of the overload that the call means, and the indices of the arguments
    that it takes; None if the overload is not known, or cannot be called with these arguments."""
    given = _split(arguments)
    if given is None:
        return None
    fitting = [
        fit
        for operator in typed_overloads(primitive.symbol)
        if operator.has_function and (fit := _Fit.of(operator, given)) is not None
    ]
    if not fitting:
        return None
    best = min(fitting, key=lambda fit: fit.cost)
    return best.variant(arguments) if best.is_typed else None


@dataclass(frozen=True, slots=True)
class _Given:
    """The positional arguments of a call, and those by keyword, with their indices."""

    positional: tuple[tuple[int, Argument], ...]
    named: Mapping[str, tuple[int, Argument]]


def _split(arguments: Sequence[Argument]) -> _Given | None:
    """None if a value may be a keyword, or a keyword is misplaced."""
    positional: list[tuple[int, Argument]] = []
    named: dict[str, tuple[int, Argument]] = {}
    index = 0
    while index < len(arguments):
        argument = arguments[index]
        match argument.literal:
            case Keyword(name):
                index += 1
                key = name.replace("-", "_")
                if index == len(arguments) or key in named or not _is_plain(arguments[index]):
                    return None
                named[key] = index, arguments[index]
            case _ if _is_plain(argument):
                positional.append((index, argument))
            case _:
                return None
        index += 1
    return _Given(tuple(positional), named)


def _is_plain(argument: Argument) -> bool:
    if argument.abstract_type in _PARAMETERS:
        return True
    return isinstance(argument.literal, Number | List | Symbol)


@dataclass(slots=True)
class _Fit:
    """One overload with the call's arguments for its parameters.

    taken: the indices of the arguments that are not constants.  passed: what the typed entry point
    takes.  is_typed: whether all arguments can be passed to it.
    """

    operator: TypedOperator
    cost: int = 0
    is_typed: bool = True
    taken: list[int] = field(default_factory=list)
    passed: list[Attribute] = field(default_factory=list)

    @staticmethod
    def of(operator: TypedOperator, given: _Given) -> "_Fit | None":
        fit = _Fit(operator)
        return fit if fit.bind(given) else None

    def variant(self, arguments: Sequence[Argument]) -> tuple[Variant, tuple[int, ...]]:
        parameters = [
            Param(f"x{index}", _PARAMETERS[arguments[index].abstract_type]) for index in self.taken
        ]
        signature = Signature(tuple(parameters), None, Declared.TENSOR)
        variant = Variant(
            signature, self.operator.symbol, self.operator.effects, passed=tuple(self.passed)
        )
        return variant, tuple(self.taken)

    def bind(self, given: _Given) -> bool:
        """Find the arguments of all parameters, in their order; False if the call does not fit."""
        rest = list(given.positional)
        named = dict(given.named)
        loose = _loose_parameter(self.operator)
        for parameter in self.operator.parameters:
            count = self.loose_count(parameter, rest) if parameter is loose else 0
            if count:
                elements = rest[:count]
                del rest[:count]
                self.cost += count * CONVERTED
                fits = self.integers([self.integer(*element) for element in elements])
            elif rest and not parameter.keyword_only:
                fits = self.argument(parameter, *rest.pop(0))
                if parameter.name in named:
                    return False
            elif parameter.name in named:
                fits = self.argument(parameter, *named.pop(parameter.name))
                # Hints refer to tensors by position, which keywords change.
                self.is_typed = self.is_typed and not parameter.type.startswith("Tensor")
            else:
                fits = self.default(parameter)
            if not fits:
                return False
        return not rest and not named

    def loose_count(self, parameter: Parameter, rest: list[tuple[int, Argument]]) -> int:
        """How many arguments are the elements of a list parameter."""
        positional = self.operator.positional
        after = positional[positional.index(parameter) + 1 :]
        count = len(rest) - sum(p.default is None for p in after)
        if count <= 0 or any(a.abstract_type not in _INTEGERS for _, a in rest[:count]):
            return 0
        return 0 if count == 1 and parameter.length else count

    def default(self, parameter: Parameter) -> bool:
        if parameter.is_left_out:
            return True
        if parameter.default is None:
            return False
        self.passed.append(_default(parameter))
        return True

    # Each of these adds what is passed for one parameter, and tells whether the argument fits.

    def argument(self, parameter: Parameter, index: int, argument: Argument) -> bool:
        if parameter.is_left_out:  # it may fit, but the typed entry point does not have it
            self.is_typed = False
            return True
        if parameter.is_optional and _is_absent(argument, parameter):
            return self.pass_on(_absent(parameter))
        if parameter.is_list:
            return self.list_argument(parameter, index, argument)
        cost = _cost(parameter, argument)
        if cost is None:
            return False
        self.cost += cost
        converted = self.converted(parameter, index, argument)
        if converted is None:
            self.is_typed = False
        return converted is None or self.pass_on(converted)

    def list_argument(self, parameter: Parameter, index: int, argument: Argument) -> bool:
        match argument.literal:
            case List(items, None):
                return self.integers([_small_integer(item) for item in items])
        element = self.integer(index, argument) if parameter.length else None
        self.cost += CONVERTED
        return element is not None and self.integers([element] * parameter.length)

    def converted(
        self, parameter: Parameter, index: int, argument: Argument
    ) -> Attribute | None:
        """What is passed for an argument that fits; None if the typed entry point does not take
        it."""
        match parameter.type.removesuffix("?"):
            case "Tensor":
                return self.take(index)
            case "int" | "SymInt":
                integer = self.integer(index, argument)
                if integer is None or not parameter.is_optional:
                    return integer
                return Scalar(integer, True)
            case "float":
                if argument.abstract_type in _INTEGERS:  # messages would show a float
                    return None
                real = self.real(index, argument)
                if real is None or not parameter.is_optional:
                    return real
                return Scalar(real, False)
            case "Scalar":
                return self.number(index, argument)
            case "bool":
                return self.boolean(index, argument)
            case "str":
                assert isinstance(argument.literal, Symbol), argument
                return Text(argument.literal.name)
        raise AssertionError(parameter)

    def integers(self, elements: Sequence[Taken | Integer | None]) -> bool:
        found = tuple([element for element in elements if element is not None])
        return len(found) == len(elements) and self.pass_on(Integers(found))

    def integer(self, index: int, argument: Argument) -> Taken | Integer | None:
        if argument.abstract_type not in _INTEGERS:
            return None
        constant = argument.integer
        return self.take(index) if constant is None else Integer(constant)

    def real(self, index: int, argument: Argument) -> Taken | Double | None:
        match argument.literal:
            case Number(value):
                return Double(float(value))
        return self.take(index) if argument.abstract_type is AbstractType.FLOAT else None

    def number(self, index: int, argument: Argument) -> Scalar | None:
        integer = self.integer(index, argument)
        if integer is not None:
            return Scalar(integer, True)
        real = self.real(index, argument)
        return None if real is None else Scalar(real, False)

    def boolean(self, index: int, argument: Argument) -> Taken | attributes.Boolean:
        match argument.literal:
            case Boolean(value):
                return attributes.Boolean(value)
        return self.take(index)

    def take(self, index: int) -> Taken:
        """An argument that is not a constant."""
        if index not in self.taken:
            self.taken.append(index)
        return Taken(self.taken.index(index))

    def pass_on(self, attribute: Attribute) -> bool:
        self.passed.append(attribute)
        return True


def _loose_parameter(operator: TypedOperator) -> Parameter | None:
    """The list parameter whose elements a call may give one by one: the last, or a creator's
    size."""
    positional = operator.positional
    if operator.creates_tensors:
        for parameter in positional:
            if parameter.is_list and parameter.name == "size":
                return parameter
    return positional[-1] if positional and positional[-1].is_list else None


def _cost(parameter: Parameter, argument: Argument) -> int | None:
    """What the conversion costs; None if the argument does not fit.

    A tensor for a number, and a number for a tensor, are left to the run time.  They cost more than
    all other conversions, so they never change which of the others is the best.
    """
    value = _value_type(argument)
    if value is None:
        return None
    cost = COSTS.get((parameter.type.removesuffix("?").replace("SymInt", "int"), value))
    return None if cost is None or cost >= UNWRAPPED else cost


def _value_type(argument: Argument) -> Value | None:
    match argument.literal:
        case Number(value):
            if _is_large(value):
                return None
            return Value.INTEGER if isinstance(value, int) else Value.FLOAT
        case Symbol():
            return Value.NAME
    return _VALUES.get(argument.abstract_type)


def _is_absent(argument: Argument, parameter: Parameter) -> bool:
    """Whether it leaves an optional parameter out.  The empty list is a value for a list."""
    match argument.literal:
        case Boolean(False):
            return True
        case List((), None):
            return not parameter.is_list
    return False


def _small_integer(item: object) -> Integer | None:
    match item:
        case Number(int() as value) if not _is_large(value):
            return Integer(value)
    return None


def _is_large(value: int | float | Fraction) -> bool:
    """Whether it is an integer beyond a fixnum; the schema refuses it when the program runs."""
    return isinstance(value, int) and abs(value) >= 2**61


def _absent(parameter: Parameter) -> Absent:
    if parameter.is_list:
        return Absent.INTEGERS
    return Absent.TENSOR if parameter.c_type.endswith("*") else Absent.NUMBER


def _default(parameter: Parameter) -> Attribute:
    """What is passed for a default: `1`, `None`, `[]`, `'none'`."""
    text = parameter.default
    assert text is not None, parameter
    if text == "None":
        return _absent(parameter)
    if text == "[]":
        return Integers(())
    if parameter.is_list:
        return Integers((Integer(int(text)),) * parameter.length)
    match parameter.type:
        case "bool":
            return attributes.Boolean(text == "True")
        case "str":
            return Text(text.strip("'"))
        case "int" | "SymInt":
            return Integer(_REDUCTIONS[text] if text in _REDUCTIONS else int(text))
        case "float":
            return Double(float(text))
        case "Scalar":
            is_integer = text.lstrip("-").isdigit()
            return Scalar(Integer(int(text)) if is_integer else Double(float(text)), is_integer)
    raise AssertionError(parameter)


_REDUCTIONS = {"Mean": 1}
