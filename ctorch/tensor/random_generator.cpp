// random_generator.cpp - random number generators that a program holds, and the states of
// LibTorch's own, one for each device.
//
//     (define g (make-generator 7))  (tensor-rand 2 :generator g)

#include "dispatch/call.h"
#include "files/procedures.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/DeviceAccelerator.h>

#include <memory>
#include <mutex>
#include <optional>

namespace {

using ct::Failure;
using ct::Generator;
using ct::Owned;
using ct::ProcedureArguments;

Owned new_generator(at::Generator value)
{
    auto generator = std::make_unique<Generator>();
    generator->value = std::move(value);
    generator->text = "#<generator>";
    return Owned::object(generator.release());
}

Generator *generator_in(const ct_value &value)
{
    return value.kind == CT_OBJECT ? dynamic_cast<Generator *>(value.object) : nullptr;
}

bool is_state(const ct_value &value, const at::Generator &generator)
{
    if (value.kind != CT_TENSOR) return false;
    const at::Tensor &x = value.tensor->value;
    return x.scalar_type() == at::kByte && x.sizes() == generator.get_state().sizes() &&
           x.is_contiguous() && x.is_cpu();
}

bool is_available(const at::Device &device)
{
    if (device.is_cpu()) return true;
    return at::getAccelerator(false) == device.type() &&
           device.index() < at::accelerator::deviceCount();
}

at::Generator default_generator(const at::Device &device)
{
    return at::globalContext().defaultGenerator(device);
}

// A new generator for the operators of a device.
at::Generator generator_on(const at::Device &device)
{
    if (device.is_cpu() || device.is_meta()) return at::detail::createCPUGenerator();
    return at::globalContext().getAcceleratorHooksInterface(device.type())
        .getNewGenerator(device.has_index() ? device.index() : at::accelerator::getDeviceIndex());
}

void check_state(const std::string &device, const at::Tensor &state, const at::Generator &generator)
{
    at::Tensor now = generator.get_state();
    if (state.scalar_type() == at::kByte && state.sizes() == now.sizes() && state.is_cpu()) return;
    throw Failure{"expected the state of the generator of " + device + ", which is " +
                      ct::describe(now) + ", got " + ct::describe(state),
                  "pass what random-state returned"};
}

}  // namespace

bool ct::is_generator(const ct_value &value) { return generator_in(value) != nullptr; }

at::Generator ct::generator_of(const ct_value &value) { return generator_in(value)->value; }

Owned ct::make_generator(const ProcedureArguments &given)
{
    if (given.count > 2)
        throw Failure{"expected at most 1 argument, got " + std::to_string(given.count - 1),
                      "usage: (make-generator [seed])"};
    const ct_value &place = given.values[0];
    at::Device device = place.kind == CT_BOOL ? ct::default_device() : ct::device_from(place.text);
    at::Generator generator = generator_on(device);
    if (given.count == 1) generator.seed();
    else if (given.values[1].kind == CT_INT)
        generator.set_current_seed(static_cast<uint64_t>(given.values[1].i));
    else if (is_state(given.values[1], generator))
        generator.set_state(given.values[1].tensor->value);
    else wrong_kind("an exact integer", given.values[1]);
    return new_generator(std::move(generator));
}

Owned ct::is_generator_value(const ProcedureArguments &given)
{
    return Owned::boolean(is_generator(given.values[0]));
}

Owned ct::generator_state(const ProcedureArguments &given)
{
    Generator *generator = generator_in(given.values[0]);
    if (!generator) wrong_kind("a generator", given.values[0]);
    return Owned::tensor(generator->value.get_state());
}

Owned ct::random_states(const ProcedureArguments &)
{
    Named<at::Tensor> states;
    for (const at::Device &device : ct::devices_in_use()) {
        at::Generator generator = default_generator(device);
        std::lock_guard<std::mutex> lock(generator.mutex());
        states.emplace_back(device.str(), generator.get_state());
    }
    return table_of(std::move(states));
}

// (names-and-states)  States of devices that this machine does not have are left out.
Owned ct::set_random_states(const ProcedureArguments &given)
{
    std::vector<std::pair<at::Generator, at::Tensor>> changes;
    for (const auto &[name, state] : named_tensors(given.values[0])) {
        at::Device device(name);
        if (!is_available(device)) continue;
        changes.emplace_back(default_generator(device), state.contiguous());
        check_state(name, changes.back().second, changes.back().first);
    }
    for (auto &[generator, state] : changes) {
        std::lock_guard<std::mutex> lock(generator.mutex());
        generator.set_state(state);
    }
    return Owned();
}
