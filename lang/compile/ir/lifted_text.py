"""The printed form of lifted programs, which `lambent show lift` prints.

    (function lambda [n] (x)
      (#%+ x n))

Captures are in square brackets; a binding says if its variable is a slot or a cell.
"""

from typing import assert_never

from lambent.lang.compile.ir.lifted import (
    Assign,
    AssignGlobal,
    Begin,
    CallFunction,
    CallValue,
    Closure,
    Const,
    Global,
    GradMode,
    If,
    Let,
    Lifted,
    LiftedFunction,
    LiftedProgram,
    Local,
    Loop,
    PrimCall,
    PrimRef,
    Recur,
    Storage,
    TensorLiteral,
    Unbound,
)
from lambent.lang.core.text import constant_text, global_text
from lambent.lang.syntax.layout import Form, Shape, form, layout
from lambent.lang.syntax.text import symbol_text


def to_text(program: LiftedProgram) -> str:
    """The variables of a program, its functions, and what its top level does."""
    variables = "".join(f"(global {global_text(*variable)})\n" for variable in program.variables)
    functions = [function_text(function) for function in program.functions]
    main = layout(_body("main", program.main)) + "\n"
    return "\n".join([*([variables] if variables else []), *functions, main])


def function_text(function: LiftedFunction) -> str:
    """One function on lines of its own."""
    captures = " ".join(map(symbol_text, function.parameters[: function.captures]))
    own = " ".join(map(symbol_text, function.parameters[function.captures :]))
    head = f"{symbol_text(function.name)}{f' [{captures}]' if captures else ''} ({own})"
    return layout(_body(f"function {head}", function.body)) + "\n"


def _body(head: str, body: Lifted) -> Shape:
    forms = body.forms if isinstance(body, Begin) else (body,)
    return Form((head, *map(_shape, forms)), before_body=0)


def _shape(node: Lifted) -> Shape:
    match node:
        case Const(value):
            return constant_text(value)
        case Local(name, storage):
            return _name(name) if storage is Storage.NAME else form("get", _name(name))
        case Global(name, namespace):
            return global_text(name, namespace)
        case PrimRef(primitive):
            return f"#%{symbol_text(primitive.name)}"
        case Unbound(name):
            return form("unbound", _name(name))
        case If(test, then, orelse):
            return form("if", _shape(test), _shape(then), _shape(orelse))
        case Let(name, storage, value):
            kind = "let" if storage is Storage.NAME else f"let-{storage.value}"
            return Form((kind, _name(name), _shape(value)))
        case Assign(name, storage, value):
            return form(f"set-{storage.value}!", _name(name), _shape(value))
        case AssignGlobal(name, namespace, value, checked):
            head = "set!-checked" if checked else "set!"
            return form(head, global_text(name, namespace), _shape(value))
        case Begin(forms):
            return form("begin", *map(_shape, forms))
        case PrimCall(primitive, arguments):
            return form(f"#%{symbol_text(primitive.name)}", *map(_shape, arguments))
        case CallFunction(function, captures, arguments, through_trampoline, caught=caught):
            suffix = "-by-trampoline" if through_trampoline else "-and-catch" if caught else ""
            head = f"call{suffix} {_name(function)}"
            return form(f"{head}{_captures(captures)}", *map(_shape, arguments))
        case CallValue(callee, arguments, spread):
            head = "apply" if spread else "call-value"
            return form(head, _shape(callee), *map(_shape, arguments))
        case Closure(function, captures):
            return f"(closure {_name(function)}{_captures(captures)})"
        case Loop(label, variables, body):
            starts = Form(tuple([form(_name(v.name), _shape(v.value)) for v in variables]))
            return Form((f"loop {_name(label)}", starts, *_forms(body)), before_body=1)
        case Recur(label, arguments):
            return form(f"recur {_name(label)}", *map(_shape, arguments))
        case TensorLiteral(shape, elements):
            sizes = f"({' '.join(map(str, shape))})"
            return form("tensor-literal", sizes, *map(_shape, elements))
        case GradMode(enabled, body):
            return form("with-grad" if enabled else "no-grad", *_forms(body))
    assert_never(node)


def _forms(body: Lifted) -> list[Shape]:
    return [_shape(form) for form in (body.forms if isinstance(body, Begin) else (body,))]


def _name(name: str) -> str:
    return symbol_text(name)


def _captures(names: tuple[str, ...]) -> str:
    return f" [{' '.join(map(symbol_text, names))}]" if names else ""
