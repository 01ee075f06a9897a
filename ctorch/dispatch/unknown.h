// unknown.h - values of a call that is looked at before the program runs.  C++ only.
//
//     (tensor-sum x :dimm 0), where nobody knows x yet  =>  unknown keyword :dimm
//
// `ct_op_bind` takes them: they suit every parameter.
#pragma once

#include "ctorch.h"

#include <cstring>

namespace ct {

// What the checks' placeholder prints as (lang/interp/meta_calls.py); no value of a program does.
constexpr const char *UNKNOWN = "#<unknown>";

inline bool is_unknown(const ct_value &value)
{
    return value.kind == CT_OTHER && std::strcmp(value.text, UNKNOWN) == 0;
}

}  // namespace ct
