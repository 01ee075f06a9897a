// memory.h - what the files share that keep the account of tensors' memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tensor/handle.h"

namespace ct {

// Bytes that this process could still touch before the machine, or the group of processes that it
// belongs to, has no more.  held: what it has mapped for tensors, touched or not.
size_t available_bytes(size_t held);
// A fraction of the machine's memory, at most `most`.
size_t part_of_memory(size_t part, size_t most);

// "512 bytes", "1.5 GiB".
std::string human(double bytes);

// Whether somebody wants to know where the most memory is in use; note_peak asks where that is.
extern bool watches_peak;
void note_peak();

// A message of LibTorch's, or of the allocator's, about a lack of memory in Lambent's words.
std::optional<Failure> memory_failure(const std::string &text);

}  // namespace ct
