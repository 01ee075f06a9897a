// device_failures.cpp - messages about devices: tensors on several, and a GPU that failed.
//
//     Expected all tensors to be on the same device, but got mat2 is on cpu, different from other
//     tensors on cuda:0 (when checking argument in method wrapper_CUDA_mm)
//  => the tensors are on cpu and cuda:0, hint: (tensor-to x "cuda:0") moves one
//     CUDA error: device-side assert triggered  Search for `cudaErrorAssert' in https://...
//  => the GPU failed: device-side assert triggered, hint: ...
//
// A GPU works while the program goes on, so its failures are reported by a later call, whose
// arguments say nothing.  Afterwards CUDA refuses everything that this process asks of it.

#include "errors/errors.h"

#include <regex>

namespace {

using ct::Failure;

Failure on_two(const std::string &one, const std::string &other)
{
    std::string message = "the tensors are on " + one + " and " + other;
    if (one == "meta" || other == "meta") return {message, ""};  // nothing moves there or back
    return {message, "(tensor-to x \"" + (one == "cpu" ? other : one) + "\") moves one"};
}

Failure of_gpu(const std::string &what)
{
    bool is_check = what.find("assert") != std::string::npos;
    std::string why = is_check ? "an operation before this one had an invalid argument, such as an "
                                 "index out of range" : "an operation before this one failed";
    return {"the GPU failed: " + what,
            why + "; with the environment variable CUDA_LAUNCH_BLOCKING=1 the error is at its "
            "place; a new process can use the GPU again"};
}

}  // namespace

std::optional<Failure> ct::mixed_devices(const std::string &text)
{
    static const std::regex two("at least two devices, ([\\w:]+) and ([\\w:]+)");
    static const std::regex named("is on ([\\w:]+), different from other tensors on ([\\w:]+)");
    std::smatch match;
    if (std::regex_search(text, match, two) || std::regex_search(text, match, named))
        return on_two(match[1], match[2]);
    return std::nullopt;
}

std::optional<Failure> ct::gpu_failure(const std::string &text)
{
    static const std::regex failed("^(?:CUDA|HIP|cuDNN) error: "
                                   "([^\\n]*?)(?: when calling [^\\n]*)?(?:\\n|$)");
    std::smatch match;
    if (std::regex_search(text, match, failed)) return of_gpu(match[1]);
    return std::nullopt;
}
