"""The C++ of the typed ways into operators, written from their schemas when ctorch is built.

    relu(Tensor self) -> Tensor
    =>  int ct_aten_relu(ct_tensor *self, ct_tensor **result)
        {
            return ct::guarded({self}, [&] {
                ct::give(op::relu::call(self->value), {self}, result);
            });
        }
        {"relu", "", ct::direct<op::relu>},

The function is what compiled programs call; the line of the table leads calls through the schema
to the same function of LibTorch, without its stack of boxed values (direct.h).
"""

from collections.abc import Iterator

from lambent.lang.primitives.typed import Parameter, TypedOperator, typed_operators

_HEAD = """// typed.cpp - the typed ways into operators.
// Made by typed_source.py from the schemas in lang/primitives/typed.py.

#include "direct.h"
"""

# What LibTorch gets for a parameter of a type, its list's length aside.
_PASSED = {
    "Tensor": "{}->value",
    "Tensor?": "ct::optional({})",
    "int": "{}",
    "SymInt": "{}",
    "int?": "ct::integer({})",
    "float": "{}",
    "float?": "ct::real({})",
    "bool": "{}",
    "Scalar": "ct::scalar({})",
    "Scalar?": "ct::optional_scalar({})",
    "str": "{}",
    "int[]": "ct::ints({})",
    "int[]?": "ct::optional_ints({})",
    "SymInt[]": "ct::sizes({})",
}
_LEFT_OUT = {"contiguous_format": "at::MemoryFormat::Contiguous", "None": "std::nullopt"}


def typed_source() -> str:
    """The text of typed.cpp."""
    operators = typed_operators()
    names = sorted({operator.name.removesuffix("_") for operator in operators})
    lines = [_HEAD, *(f"#include <ATen/ops/{name}_ops.h>" for name in names)]
    lines += ["", "namespace op = ct::op;", "", 'extern "C" {']
    for operator in operators:
        if operator.has_function:
            lines += ["", *_function(operator)]
        if operator.in_place is not None:
            lines += ["", *_reusing(operator, operator.in_place)]
    lines += ["", '}  // extern "C"', "", "const ct::Direct ct::DIRECT[] = {"]
    lines += [
        f'    {{"{o.name}", "{o.overload}", ct::direct<op::{o.aten}>}},' for o in operators
    ]
    lines += ["    {nullptr, nullptr, nullptr},", "};", ""]
    return "\n".join(lines)


def _function(operator: TypedOperator) -> Iterator[str]:
    arguments = [_argument(p) for p in operator.parameters]
    tensors = "{" + ", ".join(_operands(operator)) + "}"
    yield operator.declaration
    yield "{"
    yield f"    return ct::guarded({tensors}, [&] {{"
    yield f"        ct::give(op::{operator.aten}::call({', '.join(arguments)}),"
    yield f"                 {tensors}, result);"
    yield "    });"
    yield "}"


def _reusing(operator: TypedOperator, in_place: str) -> Iterator[str]:
    """The form that consumes its first argument: in place if nobody else can tell."""
    names = [p.name for p in operator.taken]
    tensors = [p.name for p in operator.taken if p.type == "Tensor"]
    yield operator.reusing_declaration
    yield "{"
    yield f"    if (!ct::is_spare(self, {{{', '.join(tensors[1:])}}}))"
    yield f"        return ct::ending(self, {operator.symbol}({', '.join([*names, 'result'])}));"
    yield f"    int status = ct::guarded({{{', '.join(_operands(operator))}}}, [&] {{"
    yield f"        op::{in_place}::call({', '.join(map(_argument, operator.parameters))});"
    yield "    });"
    yield "    return ct::handing_on(self, status, result);"
    yield "}"


def _argument(parameter: Parameter) -> str:
    if parameter.is_left_out:
        assert parameter.default is not None, parameter
        return _LEFT_OUT[parameter.default]
    return _PASSED[_plain(parameter.type)].format(parameter.name)


def _operands(operator: TypedOperator) -> Iterator[str]:
    """The tensors by the position of the argument, which messages speak of."""
    waiting: list[str] = []
    for parameter in operator.positional:
        is_tensor = parameter.type in ("Tensor", "Tensor?")
        waiting.append(parameter.name if is_tensor else "nullptr")
        if is_tensor:
            yield from waiting
            waiting = []


def _plain(type_: str) -> str:
    """`int[2]` as `int[]`"""
    head, bracket, rest = type_.partition("[")
    return head + "[]" + rest.lstrip("0123456789").removeprefix("]") if bracket else type_
