// memory.h - the memory of the pretend device.
//
// It is the CPU's memory under other addresses: one bit of them is set that no address of the
// processor has.  So LibTorch's CPU operators can work on it (operators.cpp), without copies, and
// what reads it without being an operator of the device crashes, as it would with a GPU's memory.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>

namespace pretend {

inline constexpr c10::DeviceType TYPE = c10::DeviceType::PrivateUse1;
inline constexpr c10::DispatchKey KEY = c10::DispatchKey::PrivateUse1;

inline bool is_on_device(const at::Tensor &x)
{
    return x.defined() && x.device().type() == TYPE;
}

c10::Allocator *allocator();

// The same bytes as a storage of the device, and back.
c10::Storage to_device(const c10::Storage &cpu);
const c10::Storage &to_cpu(const c10::Storage &device);

// The device's storage again what its CPU storage is, which an operator may have resized.
void follow_cpu(const c10::Storage &device);

// The CPU's generator of a device's.
at::Generator cpu_generator(const at::Generator &generator);

}  // namespace pretend
