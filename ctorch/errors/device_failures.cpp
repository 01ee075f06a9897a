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
    Holes holes;
    for (const char *pattern : {"at least two devices, <d> and <d>",
                                "is on <d>, different from other tensors on <d>"})
        if (occurs(pattern, text, holes)) return on_two(holes[0], holes[1]);
    return std::nullopt;
}

std::optional<Failure> ct::gpu_failure(const std::string &text)
{
    for (std::string head : {"CUDA error: ", "HIP error: ", "cuDNN error: "}) {
        if (!text.starts_with(head)) continue;
        std::string line = text.substr(head.size(), text.find('\n') - head.size());
        return of_gpu(line.substr(0, line.find(" when calling ")));
    }
    return std::nullopt;
}
