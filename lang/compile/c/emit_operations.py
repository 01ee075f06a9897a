"""Operations of ANF as C statements.

Each function here writes one operation.

    t1 = car(x)         =>  rt_value t1 = rt_car(x);
                            if (rt_failed(&t1)) { rt_at(&locations[3]); goto free_x; }
    t2 = length(x)      =>  int64_t t2;
                            if (rt_failed_status(rt_length(x, &t2))) { ... }
    t3 = detach(x)      =>  ct_tensor *t3;
                            if (bridge_failed_in("detach", ct_detach(x, &t3), &t3)) { ... }
"""

from collections.abc import Sequence
from typing import assert_never

from lambent.lang.compile.c.attribute_text import attribute_text
from lambent.lang.compile.c.c_constants import c_integer, c_string
from lambent.lang.compile.c.emit_tables import BOXED, returns_status
from lambent.lang.compile.c.function_writer import FunctionWriter, Place, name_span, release
from lambent.lang.compile.c.machine_text import MACHINE_TEXT
from lambent.lang.compile.ir.anf import (
    Apply,
    Bind,
    CellGet,
    CellSet,
    CheckStack,
    Convert,
    DirectCall,
    Doubles,
    Dup,
    Fail,
    Free,
    Function,
    GlobalGet,
    GlobalSet,
    HaveTypes,
    IndirectCall,
    IsAbsent,
    Literal,
    MakeClosure,
    MakeTensor,
    NewCell,
    NewSlot,
    Operation,
    PrimitiveValue,
    Refine,
    Representation,
    RestoreGradMode,
    SetGradMode,
    SlotGet,
    SlotSet,
    Truth,
)
from lambent.lang.compile.ir.operands import never_returns
from lambent.lang.core.usage import plain_name
from lambent.lang.primitives.machine import Machine
from lambent.lang.primitives.signature import Signature
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Container, Origin, Primitive, Variant
from lambent.lang.primitives.typed import operator_of_symbol, reuses, reusing_symbol
from lambent.lang.syntax.source import Span


def emit_operation(writer: FunctionWriter, bind: Bind) -> None:
    """Write `name = operation`."""
    operation = bind.operation
    writer.cleanup = bind.cleanup
    writer.line_directive(bind.span)
    writer.record_location(operation, bind.span)
    match operation:
        case Literal(value):
            text = writer.tables.literals.expression(value, bind.representation)
            writer.define_constant(bind.name, bind.representation, text)
        case MakeClosure(function, ()):
            text = f"rt_of_object(&closure_{writer.tables.closure_name(function)})"
            writer.define_constant(bind.name, bind.representation, text)
        case PrimitiveValue(primitive):
            text = f"rt_of_object(&closure_{writer.tables.primitive_closure_name(primitive)})"
            writer.define_constant(bind.name, bind.representation, text)
        case Dup(constant) if constant in writer.constants:  # constants are not counted
            writer.define_constant(bind.name, bind.representation, writer.operand(constant))
        case GlobalGet():
            _global_get(writer, bind, operation)
        case _:
            _emit(writer, bind, operation)


def emit_raise(writer: FunctionWriter, bind: Bind) -> None:
    """Write an operation that never returns, and leave the function."""
    writer.cleanup = bind.cleanup
    writer.line_directive(bind.span)
    match bind.operation:
        case Fail(message, hint):
            text = f"{c_string(message)}, {'NULL' if hint is None else c_string(hint)}"
            writer.write(f"rt_fail_hint({text});")
            writer.leave(bind.span)
        case Apply(primitive, arguments) if never_returns(bind):
            texts = _arguments(writer, primitive.signature, arguments)
            writer.write(f"{primitive.symbol}({', '.join(texts)});")
            writer.leave(bind.span)
        case _:
            emit_operation(writer, bind)
            writer.leave(None)


def _emit(writer: FunctionWriter, bind: Bind, operation: Operation) -> None:
    name, representation, span = bind.name, bind.representation, bind.span
    match operation:
        case GlobalSet():
            _global_set(writer, operation, span)
        case Apply():
            _apply(writer, bind, operation)
        case DirectCall(function, arguments, caught):
            emit_call = _caught_call if caught else _direct_call
            emit_call(writer, bind, writer.tables.functions[function], arguments)
        case IndirectCall(callee, arguments, spread, is_last):
            call = "rt_call_spread" if spread else "rt_last_call" if is_last else "rt_call"
            value = f"{call}({writer.operand(callee)}, {_array(writer.operands(arguments))})"
            _bind_value(writer, bind, value)
        case MakeClosure(function, captures):
            array = _array(writer.operands(captures))
            description = f"&function_{writer.tables.closure_name(function)}"
            writer.bind(name, representation, f"rt_new_closure({description}, {array})")
        case MakeTensor():
            _make_tensor(writer, bind, operation)
        case Convert():
            _convert(writer, bind, operation)
        case Truth(operand) if not writer.tables.tensors:
            writer.bind(name, representation, f"{writer.operand(operand)} != RT_FALSE")
        case Truth(operand, plain=True):
            writer.bind(name, representation, f"rt_plain_truth({writer.operand(operand)})")
        case Truth(operand):
            text = writer.bind(name, representation, None)
            test = f"rt_failed_status(rt_truth({writer.operand(operand)}, &{text}))"
            writer.fail_if(test, span)
        case HaveTypes(names, types):
            tests = [_type_test(writer, n, type_) for n, type_ in zip(names, types, strict=True)]
            text = " && ".join(tests)
            if any(isinstance(type_, Doubles) for type_ in types):
                text = f"RT_LIKELY({text})"  # keeps the code for other vectors out of the way
            writer.bind(name, representation, text)
        case IsAbsent(operand):
            writer.bind(name, representation, f"{writer.operand(operand)} == RT_ABSENT")
        case NewCell(operand):
            writer.bind(name, representation, f"rt_new_cell({writer.operand(operand)})")
        case CellGet(cell):
            writer.bind(name, representation, f"rt_cell_get({writer.operand(cell)})")
        case CellSet(cell, value):
            writer.write(f"rt_cell_set({writer.operand(cell)}, {writer.operand(value)});")
        case NewSlot(operand):
            writer.bind(name, representation, writer.operand(operand))
        case SlotGet(slot):
            writer.bind(name, representation, _duplicate(writer, slot))
        case SlotSet(slot, value):
            text, representation = writer.operand(slot), writer.types[slot]
            if representation.on_heap:
                writer.write(release(representation, text))
            writer.write(f"{text} = {writer.operand(value)};")
        case SetGradMode(enabled):
            writer.bind(name, representation, f"ct_set_grad_mode({'true' if enabled else 'false'})")
        case RestoreGradMode(mode):
            writer.write(f"ct_set_grad_mode({writer.operand(mode)});")
        case CheckStack():
            enter = "rt_enter_steady" if writer.masks_interrupts else "rt_enter"
            writer.fail_if(f"rt_failed_status({enter}())", None)
        case Dup(operand):
            writer.bind(name, representation, _duplicate(writer, operand))
        case Fail() | Literal() | GlobalGet() | PrimitiveValue():
            raise AssertionError(operation)  # written by emit_raise and emit_operation
        case Refine():
            raise AssertionError(operation)  # replaced by `convert`
        case _:
            assert_never(operation)


def _type_test(writer: FunctionWriter, name: str, type_: Representation | Doubles) -> str:
    text = writer.operand(name)
    if isinstance(type_, Doubles):
        return f"rt_are_doubles({text}, {type_.length}U)"
    if writer.types[name] is Representation.NUMBER:
        if type_ is Representation.FLOAT:
            return f"{text}.value == RT_UNBOXED"
        text = f"{text}.value"
    return f"{_TESTS[type_]}({text})"


# The content of a value, which is moved out.
_CONTENTS = {
    Representation.TENSOR: "rt_tensor({})",
    Representation.FIXNUM: "rt_fixnum({})",
    Representation.FLOAT: "rt_take_double({})",
}
_TESTS = {
    Representation.TENSOR: "rt_is_tensor",
    Representation.FIXNUM: "rt_is_fixnum",
    Representation.FLOAT: "rt_is_double",
}


def _duplicate(writer: FunctionWriter, name: str) -> str:
    text = writer.operand(name)
    match writer.types[name]:
        case Representation.VALUE:
            return f"rt_dup({text})"
        case Representation.NUMBER:
            return f"rt_dup_number({text})"
        case Representation.TENSOR:
            return f"ct_clone({text})"
    return text


# Top-level variables.


def _global_get(writer: FunctionWriter, bind: Bind, get: GlobalGet) -> None:
    variable = writer.tables.variable(get.name, get.namespace)
    if not get.checked:
        if not get.owned and bind.name not in writer.used:
            return
        is_counted = get.owned and bind.representation is Representation.VALUE
        text = f"rt_dup({variable})" if is_counted else variable
        writer.bind(bind.name, bind.representation, text)
        return
    name = c_string(plain_name(get.name))
    text = writer.bind(bind.name, bind.representation, f"rt_global({variable}, {name}, NULL)")
    writer.fail_if(f"rt_failed_status(rt_status({text}))", bind.span)
    if get.owned:
        writer.write(f"rt_dup({text});")


def _global_set(writer: FunctionWriter, operation: GlobalSet, span: Span) -> None:
    variable = writer.tables.variable(operation.name, operation.namespace)
    value = writer.operand(operation.value)
    if operation.checked:
        call = f"rt_global_set(&{variable}, {value}, {c_string(plain_name(operation.name))}, NULL)"
        writer.fail_if(f"rt_failed_status({call})", span)
    elif writer.tables.held_as(operation.name, operation.namespace) is not Representation.VALUE:
        writer.write(f"{variable} = {value};")
    else:
        writer.write(f"rt_global_define(&{variable}, {value});")


# Primitives and operators.


def _apply(writer: FunctionWriter, bind: Bind, apply: Apply) -> None:
    primitive, variant = apply.primitive, apply.variant
    if apply.field is not None:
        _known_field(writer, bind, apply)
        return
    if apply.borrows:
        _borrow_projection(writer, bind, apply)
        return
    if variant is not None:
        texts = _variant_arguments(writer, variant.signature, apply.arguments)
        if isinstance(variant.code, Machine):
            text = MACHINE_TEXT[variant.code].format(*texts)
            writer.bind(bind.name, bind.representation, text)
        else:
            if variant.passed is not None:
                texts = [attribute_text(passed, texts) for passed in variant.passed]
            symbol, texts = _freeing(apply, variant.code, texts)
            symbol, texts = writer.recording(apply, bind.span, symbol, texts)
            _call_c(writer, bind, primitive, symbol, texts, variant)
        return
    texts = _arguments(writer, primitive.signature, apply.arguments)
    if primitive.is_operator:
        _call_operator(writer, bind, apply, texts)
    else:
        symbol, texts = _freeing(apply, primitive.symbol, texts)
        symbol, texts = writer.recording(apply, bind.span, symbol, texts)
        _call_c(writer, bind, primitive, symbol, texts, primitive)


def _known_field(writer: FunctionWriter, bind: Bind, apply: Apply) -> None:
    """A field that an object certainly has, borrowed or with a reference of its own."""
    owner = writer.operand(apply.arguments[0])
    field = _FIELDS[apply.primitive.indexes].format(owner, apply.field)
    if bind.representation is Representation.FLOAT:
        field = f"rt_double({field})"
    elif (
        bind.representation is Representation.NUMBER and apply.primitive.indexes is Container.VECTOR
    ):
        function = "rt_vector_number_projection" if apply.borrows else "rt_vector_number"
        field = f"{function}({owner}, {apply.field})"
    elif bind.representation is Representation.NUMBER:
        function = "rt_unboxed_projection" if apply.borrows else "rt_unboxed_copy"
        field = f"{function}({field})"
    elif not apply.borrows:
        field = f"rt_dup({field})"
    writer.bind(bind.name, bind.representation, field)


_FIELDS = {
    None: "rt_pair_of({0})->{1}",
    Container.VECTOR: "rt_vector_element({0}, {1})",
    Container.RECORD: "rt_record_of({0})->fields[{1}]",
}


def _freeing(apply: Apply, symbol: str, texts: list[str]) -> tuple[str, list[str]]:
    """The C function of an operation that also frees arguments, and its arguments."""
    if not apply.frees:
        return symbol, texts
    if reuses(symbol):
        return reusing_symbol(symbol), texts
    which = ("RT_FIRST", "RT_SECOND", "RT_BOTH")[sum(i + 1 for i in apply.frees) - 1]
    return f"{symbol}_freeing", [*texts, which]


def _borrow_projection(writer: FunctionWriter, bind: Bind, apply: Apply) -> None:
    """A projection borrowed from an object; it needs no release if the access fails."""
    declared = apply.primitive if apply.variant is None else apply.variant
    call = f"{declared.projection}({', '.join(writer.operands(apply.arguments))})"
    text = writer.bind(bind.name, bind.representation, call)
    if not declared.fails:
        return
    value = text if bind.representation is Representation.VALUE else f"{text}.value"
    writer.fail_if(f"rt_failed_status(rt_status({value}))", bind.span)


def emit_keeping_free(writer: FunctionWriter, free: Free) -> None:
    """Write the free of an object whose fields are owned from here on."""
    text, fields = writer.operand(free.name), {kept.field for kept in free.kept}
    container = free.kept[0].container
    if container is Container.PAIR:
        flags = ["true" if field in fields else "false" for field in ("car", "cdr")]
        writer.write(f"rt_free_keeping({text}, {', '.join(flags)});")
        return
    mask = sum(1 << index for index in fields if isinstance(index, int))
    array = _array(writer.operands(free.keeps))
    writer.write(f"rt_free_{container.value}_keeping({text}, 0x{mask:x}ULL, {array});")


def _variant_arguments(
    writer: FunctionWriter, signature: Signature, names: Sequence[str]
) -> list[str]:
    """The arguments of a variant; those for a NUMBER are converted from any representation."""
    texts = writer.operands(names)
    return [
        _NUMBER_OF[writer.types[name]].format(text) if param.type is Declared.NUMBER else text
        for name, text, param in zip(names, texts, signature.params, strict=True)
    ]


_NUMBER_OF = {
    Representation.NUMBER: "{}",
    Representation.VALUE: "rt_number_of({})",
    Representation.FIXNUM: "rt_number_of_fixnum({})",
    Representation.FLOAT: "rt_number_of_double({})",
}


def _call_c(
    writer: FunctionWriter,
    bind: Bind,
    primitive: Primitive,
    symbol: str,
    texts: Sequence[str],
    declared: Primitive | Variant,
) -> None:
    """Call a function as the docstring of `primitives/table.py` says."""
    if not declared.fails:
        call = f"{symbol}({', '.join(texts)})"
        if bind.representation is Representation.VOID:
            writer.write(f"{call};")
        else:
            writer.bind(bind.name, bind.representation, call)
        return
    if bind.representation in (Representation.VALUE, Representation.NUMBER):
        _bind_value(writer, bind, f"{symbol}({', '.join(texts)})")
        return
    if bind.representation is not Representation.VOID:
        texts = [*texts, f"&{writer.bind(bind.name, bind.representation, None)}"]
    if declared.symbol is not None and operator_of_symbol(declared.symbol) is not None:
        writer.tables.typed.setdefault(symbol)
    call = f"{symbol}({', '.join(texts)})"
    released = texts[-1] if bind.representation is Representation.TENSOR else "NULL"
    if declared.origin is Origin.CTORCH:
        test = f"bridge_failed_in({c_string(primitive.name)}, {call}, {released})"
    elif bind.representation is Representation.TENSOR:
        test = f"bridge_failed({call}, {released})"
    else:
        test = f"rt_failed_status({call})"
    writer.fail_if(test, bind.span)


def _call_operator(writer: FunctionWriter, bind: Bind, apply: Apply, texts: Sequence[str]) -> None:
    """Find the operator, which fails at its name, and call it, which fails at the call."""
    primitive = apply.primitive
    operator = writer.tables.operator(primitive)
    writer.fail_if(f"rt_failed_status(bridge_find(&{operator}))", name_span(bind.span, primitive))
    _bind_value(writer, bind, f"bridge_call(&{operator}, {', '.join(texts)})")


def _arguments(writer: FunctionWriter, signature: Signature, names: Sequence[str]) -> list[str]:
    """The C arguments: one for each parameter, then count and array of the rest arguments."""
    count = len(signature.params)
    texts = writer.operands(names[:count])
    if signature.rest:
        texts.append(_array(writer.operands(names[count:])))
    return texts


def _array(texts: Sequence[str]) -> str:
    return f"{len(texts)}, (rt_value[]){{{', '.join(texts)}}}" if texts else "0, NULL"


# Calls of functions of the program.


def _direct_call(
    writer: FunctionWriter, bind: Bind, function: Function, arguments: Sequence[str]
) -> None:
    assert bind.representation is function.result, (bind, function.result)
    place = Place.of(bind)
    if place is Place.TAIL and function.span.source.library:
        place = Place.LEFT
    texts = writer.operands(arguments)
    symbol = writer.tables.call(function.name)
    if returns_status(function):
        if bind.representation is not Representation.VOID:
            texts.append(f"&{writer.bind(bind.name, bind.representation, None)}")
        writer.fail_if(f"rt_failed_status({symbol}({', '.join(texts)}))", bind.span, place)
        return
    call = f"{symbol}({', '.join(texts)})"
    if function.may_tail:
        call = f"rt_finish({call})"
    if bind.representation is Representation.VOID:
        writer.write(f"{call};")
    elif not function.may_fail:
        writer.bind(bind.name, bind.representation, call)
    elif bind.representation is Representation.TENSOR:
        text = writer.bind(bind.name, bind.representation, call)
        writer.fail_if(f"bridge_failed({text} == NULL, &{text})", bind.span, place)
    else:
        _bind_value(writer, bind, call, place)


def _caught_call(
    writer: FunctionWriter, bind: Bind, function: Function, arguments: Sequence[str]
) -> None:
    """A call whose failure the next statement turns into a value."""
    texts, result = writer.operands(arguments), function.result
    symbol = writer.tables.call(function.name)
    found = ""
    if returns_status(function) and result is not Representation.VOID:
        found = writer.bind(f"{bind.name}.found", result, None, used=True)
        texts.append(f"&{found}")
    call = f"{symbol}({', '.join(texts)})"
    if function.may_tail:
        call = f"rt_finish({call})"
    if returns_status(function):
        value = f"{call} ? RT_ERROR : {BOXED[result].format(found)}"
    elif result is Representation.VOID:
        writer.write(f"{call};")
        value = "RT_UNSPECIFIED"
    elif result is Representation.TENSOR:
        found = writer.bind(f"{bind.name}.found", result, call, used=True)
        value = f"{found} == NULL ? RT_ERROR : rt_of_tensor({found})"
    else:
        value = BOXED[result].format(call)
    writer.bind(bind.name, bind.representation, value)


def _bind_value(writer: FunctionWriter, bind: Bind, call: str, place: Place | None = None) -> None:
    """Bind a call that returns RT_ERROR when it fails."""
    assert bind.representation in (Representation.VALUE, Representation.NUMBER), bind
    text = writer.bind(bind.name, bind.representation, call)
    failed = "rt_failed" if bind.representation is Representation.VALUE else "rt_failed_number"
    writer.fail_if(f"{failed}(&{text})", bind.span, place or Place.of(bind))


# Tensors and conversions.


def _make_tensor(writer: FunctionWriter, bind: Bind, literal: MakeTensor) -> None:
    shape, elements = literal.shape, writer.operands(literal.elements)
    sizes = f"{len(shape)}, (int64_t[]){{{', '.join(map(c_integer, shape))}}}"
    array = _array(elements)
    if literal.spread:
        array = f"rt_vector_of({elements[0]})->length, rt_vector_of({elements[0]})->items"
    writer.write(f"/* shape ({' '.join(map(str, shape))}) */")
    text = writer.bind(bind.name, bind.representation, None)
    writer.fail_if(f"bridge_failed(bridge_literal({sizes}, {array}, &{text}), &{text})", bind.span)


def _convert(writer: FunctionWriter, bind: Bind, convert: Convert) -> None:
    operand = writer.operand(convert.operand)
    match writer.types[convert.operand], bind.representation:
        case (
            Representation.FIXNUM
            | Representation.FLOAT
            | Representation.NUMBER
            | Representation.BOOLEAN
            | Representation.TENSOR as representation,
            Representation.VALUE,
        ):
            writer.bind(bind.name, bind.representation, BOXED[representation].format(operand))
        case Representation.FIXNUM, Representation.FLOAT:
            writer.bind(bind.name, bind.representation, f"(double){operand}")
        case Representation.NUMBER, Representation.FLOAT:
            writer.bind(bind.name, bind.representation, f"{operand}.number")
        case Representation.NUMBER, Representation.FIXNUM:
            writer.bind(bind.name, bind.representation, f"rt_fixnum({operand}.value)")
        case Representation.VALUE, Representation.NUMBER:
            writer.bind(bind.name, bind.representation, f"rt_unbox({operand})")
        case representation, Representation.NUMBER:
            writer.bind(bind.name, bind.representation, _NUMBER_OF[representation].format(operand))
        case (
            Representation.VALUE,
            Representation.FIXNUM
            | Representation.FLOAT
            | Representation.BOOLEAN
            | Representation.TENSOR,
        ):
            _convert_value(writer, bind, convert, operand)
        case pair:
            raise AssertionError(pair)


def _convert_value(writer: FunctionWriter, bind: Bind, convert: Convert, operand: str) -> None:
    to = {
        Representation.FIXNUM: "fixnum",
        Representation.FLOAT: "double",
        Representation.BOOLEAN: "boolean",
        Representation.TENSOR: "tensor",
    }[bind.representation]
    if convert.fits:
        text = _CONTENTS[bind.representation].format(operand)
        writer.bind(bind.name, bind.representation, text)
        return
    text = writer.bind(bind.name, bind.representation, None)
    words = f"{c_string(convert.who)}, {c_string(convert.noun)}"
    call = f"rt_convert_{to}({operand}, {words}, &{text})"
    if bind.representation is Representation.TENSOR:
        writer.fail_if(f"bridge_failed({call}, &{text})", bind.span)
    else:
        writer.fail_if(f"rt_failed_status({call})", bind.span)
