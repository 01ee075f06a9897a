// out_of_memory.cpp - messages about a lack of memory: what was requested, and how much is
// available.
//
//     not enough memory for 4000000000000 bytes; the machine has 21.3 GiB left
//  => not enough memory for a tensor of 3.6 TiB (4000000000000 bytes), hint: ...
//
// The first line is the allocator's.  LibTorch itself refuses sizes that overflow 64 bits.

#include <regex>

#include "memory/memory.h"

namespace {

using ct::Failure;

Failure refused(const std::string &bytes, const std::string &why)
{
    std::string exact = " (" + bytes + " bytes)";
    return {"not enough memory for a tensor of " + ct::human(std::stod(bytes)) + exact, why};
}

// "[3, 4]" => "(3 4)".
std::string shape_of(const std::string &sizes)
{
    return "(" + std::regex_replace(sizes.substr(1, sizes.size() - 2), std::regex(", "), " ") + ")";
}

}  // namespace

std::optional<ct::Failure> ct::memory_failure(const std::string &text)
{
    static const std::regex ours("not enough memory for (\\d+) bytes(?:; ([^\\n]*))?");
    static const std::regex plain("tried to allocate (\\d+) bytes");
    static const std::regex device("Tried to allocate ((?:more than )?[\\d.]+ ?[KMGTPE]i?B)");
    static const std::regex overflow("calculation overflowed with sizes=(\\[.*?\\])");
    std::smatch match;
    if (std::regex_search(text, match, ours)) return refused(match[1], match[2]);
    if (std::regex_search(text, match, plain)) return refused(match[1], "");
    if (std::regex_search(text, match, device))
        return Failure{"not enough memory on the device for a tensor of " + match[1].str(), ""};
    if (std::regex_search(text, match, overflow))
        return Failure{"not enough memory for a tensor of shape " + shape_of(match[1]) +
                           ": that is more than 8.0 EiB", ""};
    return std::nullopt;
}
