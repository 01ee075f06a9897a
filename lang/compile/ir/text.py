"""The printed form of ANF, which `lambent show anf` and `show owned` print.

    fn f(x: value, k: tensor) -> tensor
      t1: tensor = tensor-matmul(k, k)
      free k
      yield t1

A representation other than `value` is written out.  Parameters are owned unless `borrowed`.
"""

from collections.abc import Iterator
from typing import assert_never

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    CellGet,
    CellSet,
    CheckStack,
    Convert,
    DirectCall,
    DirectTailCall,
    Dup,
    Fail,
    Free,
    Function,
    GlobalGet,
    GlobalSet,
    HaveTypes,
    If,
    IndirectCall,
    IndirectTailCall,
    IsAbsent,
    Literal,
    Loop,
    MakeClosure,
    MakeTensor,
    NewCell,
    NewSlot,
    Operation,
    Parameter,
    PrimitiveValue,
    Raise,
    Recur,
    Refine,
    Representation,
    RestoreGradMode,
    SetGradMode,
    SlotGet,
    SlotSet,
    Statement,
    Terminator,
    Truth,
    Yield,
)
from lambent.lang.core.ir import Namespace
from lambent.lang.core.text import constant_text
from lambent.lang.primitives.attributes import (
    Absent,
    Attribute,
    Boolean,
    Double,
    Integer,
    Integers,
    Pointer,
    Scalar,
    Taken,
    Text,
)
from lambent.lang.primitives.ranges import FIXNUMS, Range


def to_text(anf: Anf) -> str:
    """The whole program: its variables, its functions, and main last."""
    parts = [
        f"global {_typed(_global(g.name, g.namespace), g.representation)}{_range(g.range)}"
        for g in anf.globals
    ]
    texts = [function_text(function) for function in (*anf.functions, anf.main)]
    return "\n\n".join([*(["\n".join(parts)] if parts else []), *texts]) + "\n"


def function_text(function: Function) -> str:
    parameters = ", ".join(_parameter(p) for p in function.parameters)
    result = f"{function.result.value}{_range(function.result_range)}"
    head = f"fn {function.name}({parameters}) -> {result}"
    return "\n".join([head, *_block_lines(function.body, 1)])


def _parameter(parameter: Parameter) -> str:
    borrowed = "" if parameter.own else "borrowed "
    kind = f"{parameter.representation.value}{_range(parameter.range)}"
    return f"{borrowed}{parameter.name}: {kind}"


def _range(declared: Range) -> str:
    """The range of integers, where it says more than the representation or the word counter."""
    return "" if declared == FIXNUMS or declared.is_counter else f" {declared}"


def _block_lines(block: Block, depth: int) -> Iterator[str]:
    for statement in block.statements:
        yield from _statement_lines(statement, depth)
    yield "  " * depth + terminator_text(block.end)


def _statement_lines(statement: Statement, depth: int) -> Iterator[str]:
    indent = "  " * depth
    yield indent + statement_head(statement)
    match statement:
        case If(then=then, orelse=orelse):
            yield from _block_lines(then, depth + 1)
            yield indent + "else"
            yield from _block_lines(orelse, depth + 1)
        case Loop(body=body):
            yield from _block_lines(body, depth + 1)
        case Bind() | Free():
            pass
        case _:
            assert_never(statement)


def statement_head(statement: Statement) -> str:
    """The first line of a statement: all of it except its blocks."""
    match statement:
        case Bind(name, representation, operation, cleanup=cleanup):
            text = _target(name, representation) + operation_text(operation)
            return text if not cleanup else f"{text}  failing frees {', '.join(cleanup)}"
        case If(name, representation, test):
            return f"{_target(name, representation)}if {test}"
        case Loop(name, representation, label, variables):
            starts = ", ".join(
                f"{'' if v.own else 'borrowed '}{_typed(v.name, v.representation)}"
                f"{_range(v.range)} = {v.initial}"
                for v in variables
            )
            return f"{_target(name, representation)}loop {label}({starts})"
        case Free(name):
            keeps = statement.keeps
            return f"free {name}" + (f" keeping {', '.join(keeps)}" if keeps else "")
        case _:
            assert_never(statement)


def place_text(place: Statement | Terminator | None) -> str:
    """Where a verifier is: a statement, an end, or before the first statement."""
    match place:
        case None:
            return "the parameters"
        case Bind() | If() | Loop() | Free():
            return statement_head(place)
        case _:
            return terminator_text(place)


def _target(name: str, representation: Representation) -> str:
    return "" if representation is Representation.VOID else f"{_typed(name, representation)} = "


def _typed(name: str, representation: Representation) -> str:
    return name if representation is Representation.VALUE else f"{name}: {representation.value}"


def operation_text(operation: Operation) -> str:
    match operation:
        case Literal():
            return constant_text(operation.value)
        case GlobalGet(name, namespace, _, checked):
            return f"global {_global(name, namespace)}{' checked' if checked else ''}"
        case GlobalSet(name, namespace, value, checked):
            return f"set! {_global(name, namespace)} {value}{' checked' if checked else ''}"
        case Apply():
            return _apply(operation)
        case DirectCall(function, arguments, caught, is_tail):
            how = " and catch" if caught else " and return" if is_tail else ""
            return f"call{how} {function}({', '.join(arguments)})"
        case IndirectCall(callee, arguments, spread, is_last):
            last = "-last" if is_last else ""
            return f"call-value{last} {callee}({_arguments(arguments, spread)})"
        case PrimitiveValue(primitive):
            return f"primitive {primitive.name}"
        case MakeClosure(function, captures):
            return f"closure {function}[{', '.join(captures)}]"
        case MakeTensor(shape, elements, spread):
            return f"tensor ({' '.join(map(str, shape))}) [{_arguments(elements, spread)}]"
        case Convert(operand):
            return f"convert {operand}"
        case Truth(operand, plain):
            return f"{'plain ' if plain else ''}truth {operand}"
        case HaveTypes(names, types):
            tests = zip(names, types, strict=True)
            return " and ".join(f"{name} is {type_.value}" for name, type_ in tests)
        case Refine(operand, type_):
            return f"refine {operand} to {type_.value}"
        case IsAbsent(operand):
            return f"absent? {operand}"
        case NewCell(operand):
            return f"cell {operand}"
        case NewSlot(operand):
            return f"slot {operand}"
        case CellGet(box) | SlotGet(box):
            return f"get {box}"
        case CellSet(box, value) | SlotSet(box, value):
            return f"set {box} {value}"
        case SetGradMode(enabled):
            return f"grad-mode {'on' if enabled else 'off'}"
        case RestoreGradMode(mode):
            return f"restore {mode}"
        case CheckStack():
            return "check-stack"
        case Fail(message):
            return f"fail {message}"
        case Dup(operand):
            return f"dup {operand}"
        case _:
            assert_never(operation)


def _apply(operation: Apply) -> str:
    """The primitive's name; `own` before arguments that it takes over, `last` before those that it
    frees.  A typed overload of an operator shows what C passes, constants included."""
    variant = operation.variant
    if operation.primitive.operator and variant is not None and variant.passed is not None:
        names = [
            f"own {name}" if i in operation.frees else name
            for i, name in enumerate(operation.arguments)
        ]
        passed = [_attribute(attribute, names) for attribute in variant.passed]
        return f"{operation.primitive.name}({', '.join(passed)})"
    parameters = operation.primitive.signature.params
    own = [i < len(parameters) and parameters[i].own for i in range(len(operation.arguments))]
    arguments = [
        f"own {name}" if taken else f"last {name}" if i in operation.frees else name
        for i, (name, taken) in enumerate(zip(operation.arguments, own, strict=True))
    ]
    borrowed = "borrowed " if operation.borrows else ""
    if operation.field is not None and operation.primitive.pair_field is None:
        return f"{borrowed}known {operation.field} of {arguments[0]}"
    borrowed = f"{borrowed}known " if operation.field is not None else borrowed
    borrowed = f"{borrowed}inside " if variant is not None and variant.inside else borrowed
    return f"{borrowed}{operation.primitive.name}({', '.join(arguments)})"


def _attribute(attribute: Attribute, names: list[str]) -> str:
    match attribute:
        case Taken(index):
            return names[index]
        case Integer() | Double():
            return str(attribute.value)
        case Boolean(value):
            return "#t" if value else "#f"
        case Text(value):
            return f"'{value}"
        case Scalar(value) | Pointer(value):
            return _attribute(value, names)
        case Integers(elements):
            return f"({' '.join([_attribute(element, names) for element in elements])})"
        case Absent():
            return "none"
        case _:
            assert_never(attribute)


def _arguments(arguments: tuple[str, ...], spread: bool) -> str:
    return ", ".join(arguments) + (" ..." if spread else "")


def _global(name: str, namespace: Namespace) -> str:
    return name if namespace is Namespace.PROGRAM else f"{name} of the library"


def terminator_text(end: Terminator) -> str:
    match end:
        case Yield(name, borrowed):
            return f"yield borrowed {name}" if borrowed else f"yield {name}"
        case Recur(label, arguments):
            return f"recur {label}({', '.join(arguments)})"
        case DirectTailCall(function, arguments):
            return f"return call {function}({', '.join(arguments)})"
        case IndirectTailCall(callee, arguments, spread=spread):
            return f"return call-value {callee}({_arguments(arguments, spread)})"
        case Raise():
            return "raise"
        case _:
            assert_never(end)
