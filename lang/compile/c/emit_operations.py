"""Operations of ANF as C statements.

Each function here writes one kind of operation into a frame.  What an operation consumes is taken
from the frame before its call is written, since it is gone also when the call fails.

    t1 = car(x)         =>  rt_value t1 = rt_car(x);
                            if (rt_failed(&t1)) { rt_at(&locations[3]); goto free_x; }
    t2 = length(x)      =>  int64_t t2;
                            if (rt_failed_status(rt_length(x, &t2))) { ... }
    t3 = detach(x)      =>  ct_tensor *t3;
                            if (bridge_failed_in("detach", ct_detach(x, &t3), &t3)) { ... }
"""

from collections.abc import Sequence
from typing import assert_never

from lambent.lang.compile.c.emit_tables import returns_status
from lambent.lang.compile.c.frame import Frame, release
from lambent.lang.compile.ir.anf import (
    Apply,
    Bind,
    CellGet,
    CellSet,
    Convert,
    DirectCall,
    Dup,
    Fail,
    Function,
    GlobalGet,
    GlobalSet,
    GuardedFastPath,
    IndirectCall,
    IsAbsent,
    Literal,
    MakeClosure,
    MakeTensor,
    NewCell,
    NewSlot,
    Operation,
    PrimitiveValue,
    Representation,
    RestoreGradMode,
    SetGradMode,
    SlotGet,
    SlotSet,
    Truth,
)
from lambent.lang.compile.ir.c_constants import c_string
from lambent.lang.compile.ir.operands import consumed, never_returns, operands, returns_immediate
from lambent.lang.core.usage import plain_name
from lambent.lang.primitives.signature import Signature
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Primitive
from lambent.lang.primitives.typed import reuses, reusing_symbol
from lambent.lang.syntax.source import Span


def emit_operation(frame: Frame, bind: Bind) -> None:
    """Write `name = operation`; the frame owns the name from then on."""
    operation = bind.operation
    frame.mark(bind.span)
    frame.here_if(operation, bind.span)
    consume(frame, operation)
    owned = bind.representation.on_heap
    match operation:
        case Literal(value):
            text = frame.tables.literals.expression(value, bind.representation)
            frame.stand_for(bind.name, bind.representation, text)
            owned = False
        case MakeClosure(function, ()):
            text = f"rt_of_object(&closure_{frame.tables.close(function)})"
            frame.stand_for(bind.name, bind.representation, text)
            owned = False
        case PrimitiveValue(primitive):
            text = f"rt_of_object(&closure_{frame.tables.close_primitive(primitive)})"
            frame.stand_for(bind.name, bind.representation, text)
            owned = False
        case Dup(constant) if constant in frame.constants:  # which nobody counts
            frame.stand_for(bind.name, bind.representation, frame.operand(constant))
            owned = False
        case GlobalGet():
            _global_get(frame, bind, operation)
            owned = operation.owned and owned
        case _:
            owned = owned and not returns_immediate(operation, frame.types)
            owned = owned and not (isinstance(operation, Apply) and operation.borrows)
            _emit(frame, bind, operation)
    if owned:
        frame.acquire(bind.name)


def emit_raise(frame: Frame, bind: Bind) -> None:
    """Write an operation that never comes back, and leave the function."""
    frame.mark(bind.span)
    consume(frame, bind.operation)
    match bind.operation:
        case Fail(message, hint):
            text = f"{c_string(message)}, {'NULL' if hint is None else c_string(hint)}"
            frame.say(f"rt_fail_hint({text});")
            frame.leave(bind.span)
        case Apply(primitive, arguments) if never_returns(bind):
            texts = _arguments(frame, primitive.signature, arguments)
            frame.say(f"{primitive.symbol}({', '.join(texts)});")
            frame.leave(bind.span)
        case _:
            emit_operation(frame, bind)
            frame.leave(None)


def consume(frame: Frame, operation: Operation) -> None:
    """Take what an operation consumes from the frame."""
    taken = consumed(operation, frame.tables.parameters)
    frame.consume(n for n, t in zip(operands(operation), taken, strict=True) if t)


def _emit(frame: Frame, bind: Bind, operation: Operation) -> None:
    name, representation, span = bind.name, bind.representation, bind.span
    match operation:
        case GlobalSet():
            _global_set(frame, operation, span)
        case Apply():
            _apply(frame, bind, operation)
        case DirectCall(function, arguments):
            _direct_call(frame, bind, frame.tables.functions[function], arguments)
        case IndirectCall(callee, arguments, spread):
            call = "rt_call_spread" if spread else "rt_call"
            value = f"{call}({frame.operand(callee)}, {_array(frame.operands(arguments))})"
            _bind_value(frame, bind, value)
        case MakeClosure(function, captures):
            array = _array(frame.operands(captures))
            description = f"&function_{frame.tables.close(function)}"
            frame.bind(name, representation, f"rt_new_closure({description}, {array})")
        case MakeTensor():
            _make_tensor(frame, bind, operation)
        case Convert():
            _convert(frame, bind, operation)
        case Truth(operand):
            if not frame.tables.tensors:
                frame.bind(name, representation, f"{frame.operand(operand)} != RT_FALSE")
                return
            text = frame.bind(name, representation, None)
            test = f"rt_failed_status(rt_truth({frame.operand(operand)}, &{text}))"
            frame.fail_if(test, span)
        case IsAbsent(operand):
            frame.bind(name, representation, f"{frame.operand(operand)} == RT_ABSENT")
        case NewCell(operand):
            frame.bind(name, representation, f"rt_new_cell({frame.operand(operand)})")
        case CellGet(cell):
            frame.bind(name, representation, f"rt_cell_get({frame.operand(cell)})")
        case CellSet(cell, value):
            frame.say(f"rt_cell_set({frame.operand(cell)}, {frame.operand(value)});")
        case NewSlot(operand):
            frame.bind(name, representation, frame.operand(operand))
        case SlotGet(slot):
            frame.bind(name, representation, _duplicate(frame, slot))
        case SlotSet(slot, value):
            text, representation = frame.operand(slot), frame.types[slot]
            if representation.on_heap:
                frame.say(release(representation, text))
            frame.say(f"{text} = {frame.operand(value)};")
        case SetGradMode(enabled):
            frame.bind(name, representation, f"ct_set_grad_mode({'true' if enabled else 'false'})")
        case RestoreGradMode(mode):
            frame.say(f"ct_set_grad_mode({frame.operand(mode)});")
        case Dup(operand):
            frame.bind(name, representation, _duplicate(frame, operand))
        case Fail() | Literal() | GlobalGet() | PrimitiveValue():
            raise AssertionError(operation)  # written by emit_raise and emit_operation
        case _:
            assert_never(operation)


def _duplicate(frame: Frame, name: str) -> str:
    text = frame.operand(name)
    match frame.types[name]:
        case Representation.VALUE:
            return f"rt_dup({text})"
        case Representation.NUMBER:
            return f"rt_dup_number({text})"
        case Representation.TENSOR:
            return f"ct_clone({text})"
    return text


# Top-level variables.


def _global_get(frame: Frame, bind: Bind, get: GlobalGet) -> None:
    variable = frame.tables.variable(get.name, get.namespace)
    if not get.checked:
        frame.bind(bind.name, bind.representation, f"rt_dup({variable})" if get.owned else variable)
        return
    name = c_string(plain_name(get.name))
    text = frame.bind(bind.name, bind.representation, f"rt_global({variable}, {name}, NULL)")
    frame.fail_if(f"rt_failed_status(rt_status({text}))", bind.span)
    if get.owned:
        frame.say(f"rt_dup({text});")


def _global_set(frame: Frame, operation: GlobalSet, span: Span) -> None:
    variable = frame.tables.variable(operation.name, operation.namespace)
    value = frame.operand(operation.value)
    if operation.checked:
        call = f"rt_global_set(&{variable}, {value}, {c_string(plain_name(operation.name))}, NULL)"
        frame.fail_if(f"rt_failed_status({call})", span)
    else:
        frame.say(f"rt_global_define(&{variable}, {value});")


# Primitives and operators.


def _apply(frame: Frame, bind: Bind, apply: Apply) -> None:
    primitive, variant = apply.primitive, apply.variant
    if apply.borrows:
        _take_part(frame, bind, apply)
        return
    if variant is not None:
        texts = _variant_arguments(frame, variant.signature, apply.arguments)
        if "{" in variant.code:
            frame.bind(bind.name, bind.representation, _bare(variant.code).format(*texts))
        else:
            if variant.passed is not None:
                texts = [passed.format(*texts) for passed in variant.passed]
            symbol, texts = _freeing(apply, variant.code, texts)
            _call_c(frame, bind, primitive, symbol, texts, variant.fails)
        return
    texts = _arguments(frame, primitive.signature, apply.arguments)
    if primitive.is_operator:
        _call_operator(frame, bind, apply, texts)
    else:
        symbol, texts = _freeing(apply, primitive.symbol, texts)
        _call_c(frame, bind, primitive, symbol, texts, primitive.fails)


def _freeing(apply: Apply, symbol: str, texts: list[str]) -> tuple[str, list[str]]:
    """The form of an operation that frees arguments after it."""
    if not apply.frees:
        return symbol, texts
    if reuses(symbol):
        return reusing_symbol(symbol), texts
    which = ("RT_FIRST", "RT_SECOND", "RT_BOTH")[sum(i + 1 for i in apply.frees) - 1]
    return f"{symbol}_freeing", [*texts, which]


def _take_part(frame: Frame, bind: Bind, apply: Apply) -> None:
    """A part of an object, which keeps it; so there is nothing to release if it is said to fail."""
    form = apply.primitive if apply.variant is None else apply.variant
    call = f"{form.projection}({', '.join(frame.operands(apply.arguments))})"
    text = frame.bind(bind.name, bind.representation, call)
    value = text if bind.representation is Representation.VALUE else f"{text}.value"
    frame.fail_if(f"rt_failed_status(rt_status({value}))", bind.span)


def _variant_arguments(frame: Frame, signature: Signature, names: Sequence[str]) -> list[str]:
    """What a parameter takes that is a number may have any type of a number."""
    texts = frame.operands(names)
    return [
        _NUMBER_OF[frame.types[name]].format(text) if param.type is Declared.NUMBER else text
        for name, text, param in zip(names, texts, signature.params, strict=True)
    ]


_NUMBER_OF = {
    Representation.NUMBER: "{}",
    Representation.VALUE: "rt_number_of({})",
    Representation.FIXNUM: "rt_number_of_fixnum({})",
    Representation.FLOAT: "rt_number_of_double({})",
}


def _bare(code: str) -> str:
    """An expression as the whole of an initializer: `({0} + {1})` without its brackets."""
    return code[1:-1] if code.startswith("(") and "(" not in code[1:] else code


def _call_c(
    frame: Frame,
    bind: Bind,
    primitive: Primitive,
    symbol: str,
    texts: Sequence[str],
    fails: bool,
) -> None:
    """Call a function as the docstring of `primitives/table.py` says."""
    if not fails:
        call = f"{symbol}({', '.join(texts)})"
        if bind.representation is Representation.VOID:
            frame.say(f"{call};")
        else:
            frame.bind(bind.name, bind.representation, call)
        return
    if bind.representation in (Representation.VALUE, Representation.NUMBER):
        _bind_value(frame, bind, f"{symbol}({', '.join(texts)})")
        return
    if bind.representation is not Representation.VOID:
        texts = [*texts, f"&{frame.bind(bind.name, bind.representation, None)}"]
    if symbol.startswith("ct_aten_"):
        frame.tables.typed.setdefault(symbol)
    call = f"{symbol}({', '.join(texts)})"
    released = texts[-1] if bind.representation is Representation.TENSOR else "NULL"
    if symbol.startswith("ct_"):
        test = f"bridge_failed_in({c_string(primitive.name)}, {call}, {released})"
    elif bind.representation is Representation.TENSOR:
        test = f"bridge_failed({call}, {released})"
    else:
        test = f"rt_failed_status({call})"
    frame.fail_if(test, bind.span)


def _call_operator(frame: Frame, bind: Bind, apply: Apply, texts: Sequence[str]) -> None:
    """Find the operator, which fails at its name, and call it, which fails at the call."""
    primitive = apply.primitive
    operator = frame.tables.operator(primitive)
    frame.fail_if(f"rt_failed_status(bridge_find(&{operator}))", _name_span(bind.span, primitive))
    call = f"bridge_call(&{operator}, {', '.join(texts)})"
    if apply.fast_path is None:
        _bind_value(frame, bind, call)
        return
    text = frame.bind(bind.name, bind.representation, None)
    _guarded_fast_path(frame, text, apply, apply.fast_path)
    frame.say(f"else {text} = {call};")
    frame.fail_if(f"rt_failed(&{text})", bind.span)


def _guarded_fast_path(frame: Frame, text: str, apply: Apply, fast_path: GuardedFastPath) -> None:
    """`if (rt_is_tensor(x)) y = bridge_found("tensor-exp", ct_aten_exp(rt_tensor(x), &t), &t);`"""
    values = frame.operands(apply.arguments)
    unboxed = [value.format(*values) for value in fast_path.unboxed]
    found = f"&{frame.bind(f'{text}.found', Representation.TENSOR, None, used=True)}"
    frame.tables.typed.setdefault(fast_path.symbol)
    tests = " && ".join([test.format(*values) for test in fast_path.tests])
    passed = ", ".join([*[text.format(*unboxed) for text in fast_path.passed], found])
    name = c_string(apply.primitive.name)
    frame.say(f"if ({tests})")
    frame.depth += 1
    frame.say(f"{text} = bridge_found({name}, {fast_path.symbol}({passed}), {found});")
    frame.depth -= 1


def _name_span(span: Span, primitive: Primitive) -> Span:
    """The name at the head of a call, or the whole span if that is no such call."""
    end = span.start + 1 + len(primitive.name)
    if span.text.startswith("(" + primitive.name):
        return Span(span.source, span.start + 1, end)
    return span


def _arguments(frame: Frame, signature: Signature, names: Sequence[str]) -> list[str]:
    """The C arguments: the parameters', then count and array of the rest ones."""
    count = len(signature.params)
    texts = frame.operands(names[:count])
    if signature.rest:
        texts.append(_array(frame.operands(names[count:])))
    return texts


def _array(texts: Sequence[str]) -> str:
    return f"{len(texts)}, (rt_value[]){{{', '.join(texts)}}}" if texts else "0, NULL"


# Calls of functions of the program.


def _direct_call(frame: Frame, bind: Bind, function: Function, arguments: Sequence[str]) -> None:
    assert bind.representation is function.result, (bind, function.result)
    texts = frame.operands(arguments)
    symbol = frame.tables.call(function.name)
    if returns_status(function):
        if bind.representation is not Representation.VOID:
            texts.append(f"&{frame.bind(bind.name, bind.representation, None)}")
        frame.fail_if(f"rt_failed_status({symbol}({', '.join(texts)}))", bind.span, tail=bind.tail)
        return
    call = f"{symbol}({', '.join(texts)})"
    if function.may_tail:
        call = f"rt_finish({call})"
    if bind.representation is Representation.VOID:
        frame.say(f"{call};")
    elif not function.may_fail:
        frame.bind(bind.name, bind.representation, call)
    elif bind.representation is Representation.TENSOR:
        text = frame.bind(bind.name, bind.representation, call)
        frame.fail_if(f"bridge_failed({text} == NULL, &{text})", bind.span, tail=bind.tail)
    else:
        _bind_value(frame, bind, call)


def _bind_value(frame: Frame, bind: Bind, call: str) -> None:
    """Bind a call that gives RT_ERROR where it fails."""
    assert bind.representation in (Representation.VALUE, Representation.NUMBER), bind
    text = frame.bind(bind.name, bind.representation, call)
    failed = "rt_failed" if bind.representation is Representation.VALUE else "rt_failed_number"
    frame.fail_if(f"{failed}(&{text})", bind.span, tail=bind.tail)


# Tensors and conversions.


def _make_tensor(frame: Frame, bind: Bind, literal: MakeTensor) -> None:
    shape, elements = literal.shape, frame.operands(literal.elements)
    sizes = f"{len(shape)}, (int64_t[]){{{', '.join(map(str, shape))}}}"
    array = _array(elements)
    if literal.spread:
        array = f"rt_vector_of({elements[0]})->length, rt_vector_of({elements[0]})->items"
    frame.say(f"/* shape ({' '.join(map(str, shape))}) */")
    text = frame.bind(bind.name, bind.representation, None)
    frame.fail_if(f"bridge_failed(bridge_literal({sizes}, {array}, &{text}), &{text})", bind.span)


def _convert(frame: Frame, bind: Bind, convert: Convert) -> None:
    operand = frame.operand(convert.operand)
    match frame.types[convert.operand], bind.representation:
        case Representation.FIXNUM, Representation.VALUE:
            frame.bind(bind.name, bind.representation, f"rt_of_fixnum({operand})")
        case Representation.FLOAT, Representation.VALUE:
            frame.bind(bind.name, bind.representation, f"rt_of_double({operand})")
        case Representation.BOOLEAN, Representation.VALUE:
            frame.bind(bind.name, bind.representation, f"rt_of_boolean({operand})")
        case Representation.TENSOR, Representation.VALUE:
            frame.bind(bind.name, bind.representation, f"rt_of_tensor({operand})")
        case Representation.FIXNUM, Representation.FLOAT:
            frame.bind(bind.name, bind.representation, f"(double){operand}")
        case Representation.NUMBER, Representation.VALUE:
            frame.bind(bind.name, bind.representation, f"rt_box({operand})")
        case Representation.VALUE, Representation.NUMBER:
            frame.bind(bind.name, bind.representation, f"rt_unbox({operand})")
        case representation, Representation.NUMBER:
            frame.bind(bind.name, bind.representation, _NUMBER_OF[representation].format(operand))
        case (
            Representation.VALUE,
            Representation.FIXNUM
            | Representation.FLOAT
            | Representation.BOOLEAN
            | Representation.TENSOR,
        ):
            _convert_value(frame, bind, convert, operand)
        case pair:
            raise AssertionError(pair)


def _convert_value(frame: Frame, bind: Bind, convert: Convert, operand: str) -> None:
    to = {
        Representation.FIXNUM: "fixnum",
        Representation.FLOAT: "double",
        Representation.BOOLEAN: "boolean",
        Representation.TENSOR: "tensor",
    }[bind.representation]
    text = frame.bind(bind.name, bind.representation, None)
    words = f"{c_string(convert.who)}, {c_string(convert.noun)}"
    call = f"rt_convert_{to}({operand}, {words}, &{text})"
    if bind.representation is Representation.TENSOR:
        frame.fail_if(f"bridge_failed({call}, &{text})", bind.span)
    else:
        frame.fail_if(f"rt_failed_status({call})", bind.span)
