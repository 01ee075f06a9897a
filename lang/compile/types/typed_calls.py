"""Which overload of an operator a call means, where the compiler can tell.

    (tensor-sum x :dim 0) with a tensor x
    =>  ct_aten_sum_dim_IntList(x, (ct_ints){1, (int64_t[]){0}}, false, &result)

`ctorch/dispatch/bind.cpp` has the same rules for calls at run time.  Here they are applied to
arguments whose types the compiler knows: tensors, numbers without boxes, and constants.  Both take
the costs of conversions from `primitives/conversions.py`, and
`tests/suites/compile/test_overload_choice.py` checks that both choose the same overloads.  All
other calls, and those that fit no overload of `primitives/typed.py`, go through the schema when the
program runs, which also reports mistakes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from lambent.lang.compile.ir.c_constants import c_double, c_string
from lambent.lang.compile.types.abstract_types import AbstractType, Argument
from lambent.lang.primitives.conversions import CONVERTED, COSTS, UNWRAPPED, Value
from lambent.lang.primitives.signature import Param, Signature
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Primitive, Variant
from lambent.lang.primitives.typed import Parameter, TypedOperator, typed_overloads
from lambent.lang.syntax.datum import Boolean, Keyword, List, Number, Symbol

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
    """One overload with the call's arguments for its parameters, as C expressions in which
    {0}, {1} ... stand for the arguments with the indices of `taken`.

    is_typed: whether all arguments can be passed to the typed entry point.
    """

    operator: TypedOperator
    cost: int = 0
    is_typed: bool = True
    taken: list[int] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)

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

    # Each of these adds the C argument for one parameter, and tells whether the argument fits.

    def argument(self, parameter: Parameter, index: int, argument: Argument) -> bool:
        if parameter.is_left_out:  # it may fit, but the typed entry point does not have it
            self.is_typed = False
            return True
        if parameter.is_optional and _is_absent(argument, parameter):
            return self.pass_text(_absent(parameter))
        if parameter.is_list:
            return self.list_argument(parameter, index, argument)
        cost = _cost(parameter, argument)
        if cost is None:
            return False
        self.cost += cost
        text = self.converted(parameter, index, argument)
        if text is None:
            self.is_typed = False
        return text is None or self.pass_text(text)

    def list_argument(self, parameter: Parameter, index: int, argument: Argument) -> bool:
        match argument.literal:
            case List(items, None):
                return self.integers([_small_integer(item) for item in items])
        text = self.integer(index, argument) if parameter.length else None
        self.cost += CONVERTED
        return text is not None and self.integers([text] * parameter.length)

    def converted(self, parameter: Parameter, index: int, argument: Argument) -> str | None:
        """The C expression of an argument that fits; None if the typed entry point does not take
        it."""
        match parameter.type.removesuffix("?"):
            case "Tensor":
                return self.take(index)
            case "int" | "SymInt":
                text = self.integer(index, argument)
                return f"ct_int({text})" if text and parameter.is_optional else text
            case "float":
                if argument.abstract_type in _INTEGERS:  # messages would show a float
                    return None
                text = self.real(index, argument)
                return f"ct_float({text})" if text and parameter.is_optional else text
            case "Scalar":
                return self.number(index, argument)
            case "bool":
                return self.boolean(index, argument)
            case "str":
                assert isinstance(argument.literal, Symbol), argument
                return _escaped(c_string(argument.literal.name))
        raise AssertionError(parameter)

    def integers(self, texts: Sequence[str | None]) -> bool:
        found = [text for text in texts if text is not None]
        return len(found) == len(texts) and self.pass_text(_ints(found))

    def integer(self, index: int, argument: Argument) -> str | None:
        if argument.abstract_type not in _INTEGERS:
            return None
        return str(argument.integer) if argument.integer is not None else self.take(index)

    def real(self, index: int, argument: Argument) -> str | None:
        match argument.literal:
            case Number(value):
                return c_double(float(value))
        return self.take(index) if argument.abstract_type is AbstractType.FLOAT else None

    def number(self, index: int, argument: Argument) -> str | None:
        integer = self.integer(index, argument)
        if integer is not None:
            return f"ct_int({integer})"
        real = self.real(index, argument)
        return None if real is None else f"ct_float({real})"

    def boolean(self, index: int, argument: Argument) -> str:
        match argument.literal:
            case Boolean(value):
                return "true" if value else "false"
        return self.take(index)

    def take(self, index: int) -> str:
        """The C expression of an argument that is not a constant."""
        if index not in self.taken:
            self.taken.append(index)
        return f"{{{self.taken.index(index)}}}"

    def pass_text(self, text: str) -> bool:
        self.passed.append(text)
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


def _small_integer(item: object) -> str | None:
    match item:
        case Number(int() as value) if not _is_large(value):
            return str(value)
    return None


def _is_large(value: int | float | Fraction) -> bool:
    """Whether it is an integer beyond a fixnum; the schema refuses it when the program runs."""
    return isinstance(value, int) and abs(value) >= 2**61


def _absent(parameter: Parameter) -> str:
    if parameter.is_list:
        return "(ct_ints){{0, NULL}}"
    return "NULL" if parameter.c_type.endswith("*") else "ct_none()"


def _default(parameter: Parameter) -> str:
    """The C expression of a default: `1`, `None`, `[]`, `'none'`."""
    text = parameter.default
    assert text is not None, parameter
    if text == "None":
        return _absent(parameter)
    if text == "[]":
        return _ints([])
    if parameter.is_list:
        return _ints([text] * parameter.length)
    match parameter.type:
        case "bool":
            return text.lower()
        case "str":
            return f'"{text.strip(chr(39))}"'
        case "int" | "SymInt":
            return {"Mean": "1"}.get(text, text)
        case "float":
            return c_double(float(text))
        case "Scalar":
            is_integer = text.lstrip("-").isdigit()
            return f"ct_int({text})" if is_integer else f"ct_float({c_double(float(text))})"
    raise AssertionError(parameter)


def _ints(texts: Sequence[str]) -> str:
    if not texts:
        return "(ct_ints){{0, (int64_t[]){{0}}}}"
    return f"(ct_ints){{{{{len(texts)}, (int64_t[]){{{{{', '.join(texts)}}}}}}}}}"


def _escaped(text: str) -> str:
    """Text that str.format returns unchanged."""
    return text.replace("{", "{{").replace("}", "}}")
