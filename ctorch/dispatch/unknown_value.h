// unknown_value.h - unknown arguments of a call that is checked before the program runs.  C++ only.
//
//     (tensor-sum x :dimm 0), where x is not known yet  =>  unknown keyword :dimm
//
// `ct_op_bind` takes them: they suit every parameter.
#pragma once

#include "ctorch.h"

#include <cstring>

namespace ct {

// How the placeholder of lang/interp/meta_calls.py prints.  No value of a program prints like this.
constexpr const char *UNKNOWN = "#<unknown>";

inline bool is_unknown(const ct_value &value)
{
    return value.kind == CT_OTHER && std::strcmp(value.text, UNKNOWN) == 0;
}

}  // namespace ct
