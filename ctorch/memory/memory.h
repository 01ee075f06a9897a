// memory.h - what the files share that count and limit tensors' memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tensor/handle.h"

namespace ct {

// The bytes that this process can still touch before the machine, or its control group, runs out of
// memory.  held: the bytes that it has mapped for tensors, touched or not.
size_t available_bytes(size_t held);
// Fails unless the machine has that much memory left: what a file promises is checked before any of
// it is unpacked.  what: "its arrays".
void check_room(const std::string &path, const std::string &what, uint64_t bytes);
// The machine's memory divided by divisor, at most `most`.
size_t fraction_of_memory(size_t divisor, size_t most);

// "512 bytes", "1.5 GiB".
std::string human(double bytes);

// What tensors take, and took, of a device's memory; bytes, but for the number of allocations.
struct DeviceMemory {
    int64_t live, peak, cached, allocations, allocated;
};

DeviceMemory memory_of(at::Device device);  // tensor/device_state.cpp

// Whether the program's location at the peak is to be recorded, which note_peak does.
extern bool watches_peak;
void note_peak();

// A message of LibTorch's or of the allocator's in Lambent's words, if it is about a lack of
// memory.
std::optional<Failure> memory_failure(const std::string &text);

}  // namespace ct
