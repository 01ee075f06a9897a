// autocast.cpp - the regions of with-autocast.
//
//     (with-autocast 'bfloat16 (tensor-matmul x w))   =>   a bfloat16 product of float32 tensors
//
// LibTorch's dispatcher casts the arguments of the operators that it lists, on the CPU and on the
// machine's accelerator.  Typed entry points go through the dispatcher, too.  Views that skip its
// upper layers (tensor/views.h), and operators that overwrite an argument, do not change a dtype
// under autocast: the first see that the thread's layers differ from the default, the second only
// take float32 and float64 on the CPU, where autocast leaves the operators alone that have a form in
// place.

#include "autograd/autocast.h"
#include "files/procedures.h"

#include <ATen/DeviceAccelerator.h>
#include <ATen/autocast_mode.h>

#include <memory>
#include <vector>

namespace {

using ct::Autocast;
using ct::Failure;
using ct::Owned;
using ct::ProcedureArguments;

// The regions that the program is in, the innermost last.
std::vector<std::unique_ptr<Autocast>> &regions()
{
    thread_local std::vector<std::unique_ptr<Autocast>> all;
    return all;
}

// The dtype of with-autocast: #f, which is empty here, turns it off.
std::optional<at::ScalarType> region_dtype(const ct_value &value)
{
    if (value.kind == CT_BOOL && !value.i) return std::nullopt;
    if (value.kind == CT_SYMBOL || value.kind == CT_STRING) {
        at::ScalarType dtype = ct::dtype_from(value.text);
        if (dtype == at::kBFloat16 || dtype == at::kHalf) return dtype;
    }
    throw Failure{"expected 'bfloat16, 'float16 or #f, got " + ct::shown(value),
                  "with #f, operators compute in the dtypes of their arguments"};
}

// LibTorch keeps one cast of a parameter, whatever its dtype: one that a region in another dtype
// has kept must not be taken.
void forget_other_casts(at::ScalarType dtype)
{
    if (at::autocast::get_autocast_dtype(at::kCPU) != dtype) at::autocast::clear_cache();
}

}  // namespace

std::optional<at::ScalarType> ct::current_autocast()
{
    if (!at::autocast::is_autocast_enabled(at::kCPU)) return std::nullopt;
    return at::autocast::get_autocast_dtype(at::kCPU);
}

ct::Autocast::Autocast(std::optional<at::ScalarType> dtype)
    : cpu_{at::autocast::is_autocast_enabled(at::kCPU), at::autocast::get_autocast_dtype(at::kCPU)},
      device_(at::getAccelerator(false).value_or(at::kCUDA))
{
    other_ = {at::autocast::is_autocast_enabled(device_), at::autocast::get_autocast_dtype(device_)};
    at::autocast::increment_nesting();
    if (dtype) forget_other_casts(*dtype);
    for (at::DeviceType device : {at::kCPU, device_}) {
        at::autocast::set_autocast_enabled(device, dtype.has_value());
        if (dtype) at::autocast::set_autocast_dtype(device, *dtype);
    }
}

ct::Autocast::~Autocast()
{
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    else forget_other_casts(cpu_.dtype);
    at::autocast::set_autocast_enabled(at::kCPU, cpu_.is_on);
    at::autocast::set_autocast_dtype(at::kCPU, cpu_.dtype);
    at::autocast::set_autocast_enabled(device_, other_.is_on);
    at::autocast::set_autocast_dtype(device_, other_.dtype);
}

Owned ct::check_autocast(const ProcedureArguments &given)
{
    std::optional<at::ScalarType> dtype = region_dtype(given.values[0]);
    return dtype ? Owned::text(CT_SYMBOL, ct::dtype_name(*dtype)) : Owned::boolean(false);
}

Owned ct::enter_autocast(const ProcedureArguments &given)
{
    regions().push_back(std::make_unique<Autocast>(region_dtype(given.values[0])));
    return Owned::boolean(true);
}

Owned ct::leave_autocast(const ProcedureArguments &)
{
    regions().pop_back();
    return Owned::boolean(true);
}

Owned ct::autocast_dtype(const ProcedureArguments &)
{
    std::optional<at::ScalarType> dtype = current_autocast();
    return dtype ? Owned::text(CT_SYMBOL, ct::dtype_name(*dtype)) : Owned::boolean(false);
}
