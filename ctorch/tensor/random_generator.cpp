// random_generator.cpp - random number generators that a program holds.
//
//     (define g (make-generator 7))  (tensor-rand 2 :generator g)

#include "dispatch/call.h"
#include "files/procedures.h"

#include <ATen/CPUGeneratorImpl.h>

#include <memory>

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

}  // namespace

bool ct::is_generator(const ct_value &value) { return generator_in(value) != nullptr; }

at::Generator ct::generator_of(const ct_value &value) { return generator_in(value)->value; }

Owned ct::make_generator(const ProcedureArguments &given)
{
    if (given.count > 1)
        throw Failure{"expected at most 1 argument, got " + std::to_string(given.count),
                      "usage: (make-generator [seed])"};
    at::Generator generator = at::detail::createCPUGenerator();
    if (given.count == 0) generator.seed();
    else if (given.values[0].kind == CT_INT)
        generator.set_current_seed(static_cast<uint64_t>(given.values[0].i));
    else if (is_state(given.values[0], generator))
        generator.set_state(given.values[0].tensor->value);
    else wrong_kind("an exact integer", given.values[0]);
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
