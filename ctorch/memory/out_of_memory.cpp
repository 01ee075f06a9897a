// out_of_memory.cpp - messages about a lack of memory: what was requested, and how much is
// available.
//
//     not enough memory for 4000000000000 bytes; the machine has 21.3 GiB left
//  => not enough memory for a tensor of 3.6 TiB (4000000000000 bytes), hint: ...
//
// The first line is the allocator's.  LibTorch itself refuses sizes that overflow 64 bits.

#include "errors/errors.h"
#include "memory/memory.h"

namespace {

using ct::Failure;

Failure refused(const std::string &bytes, const std::string &why)
{
    std::string exact = " (" + bytes + " bytes)";
    return {"not enough memory for a tensor of " + ct::human(std::stod(bytes)) + exact, why};
}

constexpr const char *REFUSED_BYTES[] = {
    "not enough memory for <n> bytes; <l>",
    "not enough memory for <n> bytes",
    "tried to allocate <n> bytes",
};

constexpr ct::MessageRow MEMORY_ROWS[] = {
    {"Tried to allocate <n> <w>", "not enough memory on the device for a tensor of $1 $2"},
    {"Tried to allocate more than <n><w>",
     "not enough memory on the device for a tensor of more than $1$2"},
    {"calculation overflowed with sizes=<s>",
     "not enough memory for a tensor of shape $1: that is more than 8.0 EiB"},
};

}  // namespace

std::optional<ct::Failure> ct::memory_failure(const std::string &text)
{
    Holes holes;
    for (const char *pattern : REFUSED_BYTES)
        if (occurs(pattern, text, holes)) return refused(holes[0], holes.size() > 1 ? holes[1] : "");
    for (const MessageRow &row : MEMORY_ROWS)
        if (occurs(row.theirs, text, holes)) return Failure{filled(row.ours, holes), ""};
    return std::nullopt;
}
