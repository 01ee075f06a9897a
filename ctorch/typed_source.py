"""The C++ of the typed entry points of operators, written from their schemas when ctorch is built.

    relu(Tensor self) -> Tensor
    =>  int ct_aten_relu(ct_tensor *self, ct_tensor **result)
        {
            return ct::guarded_typed(
                [&] { ct::return_tensor(op::relu::call(self->value), {self}, result); },
                [&] { return ct::report_typed("relu", "", {self}); });
        }
        {"relu", "", ct::direct<op::relu>, ct::direct<op::relu_>},

Compiled programs call the function.  Through the row of the table, calls that were bound by the
schema reach the same function of LibTorch without a stack of boxed values (direct_call.h).
"""

from collections.abc import Iterator

from lambent.lang.primitives.typed import Parameter, TypedOperator, typed_operators

_HEAD = """// typed.cpp - the typed entry points of operators.
// Made by typed_source.py from the schemas in lang/primitives/typed.py.

#include "autograd/linear.h"
#include "dispatch/attention.h"
#include "dispatch/direct_call.h"
#include "dispatch/typed_entry.h"
#include "dispatch/written.h"
#include "llm/llm.h"
#include "tensor/views.h"
"""

# What LibTorch gets for a parameter of a type, its list's length aside.
_PASSED = {
    "Tensor": "ct::operand({})",
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
_DEVICE = "ct::device_of_new()"


def typed_source() -> str:
    """The text of typed.cpp."""
    operators = typed_operators()
    names = sorted({o.name.removesuffix("_") for o in operators if not o.is_own})
    lines = [_HEAD, *(f"#include <ATen/ops/{name}_ops.h>" for name in names)]
    lines += ["", "namespace op = ct::op;", "", 'extern "C" {']
    for operator in operators:
        if operator.has_function:
            lines += ["", *_function(operator)]
        if operator.in_place is not None:
            lines += ["", *_reusing(operator, operator.in_place)]
    lines += ["", '}  // extern "C"', "", "const ct::Direct ct::DIRECT[] = {"]
    lines += [
        f'    {{"{o.name}", "{o.overload}", ct::direct<{_called(o, o.aten)}>, {_in_place(o)}}},'
        for o in operators
    ]
    lines += ["    {nullptr, nullptr, nullptr, nullptr},", "};", ""]
    return "\n".join(lines)


def _function(operator: TypedOperator) -> Iterator[str]:
    tensors = [p for p in operator.taken if p.type.startswith("Tensor")]
    among = ", ".join(p.name for p in tensors)
    if len(tensors) != 1 or tensors[0].is_optional:
        among = f"{{{among}}}"
    yield operator.declaration
    yield from _guarded(operator, _checked(operator), "ct::return_tensor(", f", {among}, result)")


def _guarded(operator: TypedOperator, called: str, before: str, after: str) -> Iterator[str]:
    """The body of a function that calls LibTorch, with what stands around that call."""
    creates = not any(p.type.startswith("Tensor") for p in operator.parameters)
    arguments = ", ".join(
        _DEVICE if creates and p.type == "Device?" else _argument(p) for p in operator.parameters
    )
    reported = ", ".join(p.name for p in operator.taken)
    names = f'"{operator.name}", "{operator.overload}"'
    yield "{"
    yield "    return ct::guarded_typed("
    yield f"        [&] {{ {before}{called}::call({arguments}){after}; }},"
    yield f"        [&] {{ return ct::report_typed({names}, {{{reported}}}); }});"
    yield "}"


def _in_place(operator: TypedOperator) -> str:
    return f"ct::direct<op::{operator.in_place}>" if operator.in_place else "nullptr"


# The operators that Lambent calls by functions of its own, which are faster or check more.
_OWN = {"linear": "ct::Linear", "scaled_dot_product_attention": "ct::Attention"}
# Those that LibTorch does in several threads however small their tensors are.
_SHARED_OUT = {
    "mm", "matmul", "bmm", "addmm", "mv", "conv2d", "max_pool2d", "avg_pool2d", "softmax_int",
    "log_softmax_int", "layer_norm", "cross_entropy_loss", "logsumexp",
    "max_dim", "min_dim", "tril", "triu", "gelu",
}


def _called(operator: TypedOperator, aten: str) -> str:
    if operator.is_own:
        return f"ct::llm::Operator<ct::llm::{operator.name}>"
    if aten in _OWN:
        return _OWN[aten]
    if aten in _SHARED_OUT:
        return f"ct::Small<op::{aten}>"
    return f"ct::View<op::{aten}>" if operator.returns_view else f"op::{aten}"


def _checked(operator: TypedOperator) -> str:
    """What the function calls: if it writes to its arguments, with a check of their memory."""
    called = _called(operator, operator.aten)
    count = operator.written_count
    return f"ct::Writing<{count}, {called}>" if count else called


def _reusing(operator: TypedOperator, in_place: str) -> Iterator[str]:
    """The function that consumes its first argument: in place if there is no other reference."""
    names = ", ".join(p.name for p in operator.taken)
    others = ", ".join(p.name for p in operator.taken[1:] if p.type == "Tensor")
    body = list(_guarded(operator, _called(operator, in_place), "", ""))
    yield operator.reusing_declaration
    yield "{"
    yield f"    if (!ct::may_overwrite(self, {{{others}}}))"
    yield f"        return ct::free_after(self, {operator.symbol}({names}, result));"
    yield body[1].replace("return", "int status =")
    yield from body[2:4]
    yield "    return ct::return_argument(self, status, result);"
    yield "}"


def _argument(parameter: Parameter) -> str:
    if parameter.is_left_out:
        assert parameter.default is not None, parameter
        return _LEFT_OUT[parameter.default]
    return _PASSED[_plain(parameter.type)].format(parameter.name)


def _plain(type_: str) -> str:
    """`int[2]` as `int[]`"""
    head, bracket, rest = type_.partition("[")
    return head + "[]" + rest.lstrip("0123456789").removeprefix("]") if bracket else type_
