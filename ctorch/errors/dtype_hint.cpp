// dtype_hint.cpp - the change of dtype that makes a failed call work, as a hint.
//
//     dtypes differ: float32 and int64; given self float32 (2 3), mat2 int64 (3 4)
//  => (tensor-to {1|mat2} 'float32)

#include "errors/errors.h"

#include <c10/core/ScalarType.h>

namespace {

using ct::DtypeFix;
using ct::Given;
using ct::Givens;

// The dtype that this tensor should have; none if no dtype fixes the call.
std::optional<at::ScalarType> fitting(DtypeFix fix, const at::Tensor &x, const Givens &givens)
{
    at::ScalarType now = x.scalar_type();
    switch (fix) {
    case DtypeFix::SAME: {
        at::ScalarType common = now;
        for (const at::Tensor &other : ct::tensors_of(givens))
            common = c10::promoteTypes(common, other.scalar_type());
        return common;
    }
    case DtypeFix::TO_FLOAT: return at::isComplexType(now) || now == at::kFloat ? now : at::kFloat;
    case DtypeFix::TO_INT: return at::kLong;
    case DtypeFix::TO_BOOL: return at::kBool;
    case DtypeFix::NONE: break;
    }
    return std::nullopt;
}

// The argument that should have another dtype; NULL if there are several, or none.
const Given *misfit(DtypeFix fix, const Givens &givens)
{
    if (fix == DtypeFix::TO_INT)
        for (const char *name : {"index", "indices", "target"})
            if (const Given *given = ct::find_given(givens, name)) return given;
    if (fix == DtypeFix::TO_BOOL)
        for (const char *name : {"mask", "condition"})
            if (const Given *given = ct::find_given(givens, name)) return given;
    const Given *found = nullptr;
    for (const Given &given : givens) {
        if (given.value.kind != CT_TENSOR) continue;
        const at::Tensor &x = given.value.tensor->value;
        std::optional<at::ScalarType> dtype = fitting(fix, x, givens);
        if (!dtype || *dtype == x.scalar_type()) continue;
        if (found) return nullptr;
        found = &given;
    }
    return found;
}

}  // namespace

std::string ct::dtype_hint(DtypeFix fix, const Givens &givens)
{
    if (fix == DtypeFix::NONE) return "";
    const Given *given = misfit(fix, givens);
    if (!given) return "tensor-to changes the dtype";
    at::ScalarType dtype = *fitting(fix, given->value.tensor->value, givens);
    return "(tensor-to " + ct::quoted(*given) + " '" + dtype_name(dtype) + ")";
}
