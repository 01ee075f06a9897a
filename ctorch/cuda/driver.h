// driver.h - NVIDIA's driver, and kernels that are compiled when they are first needed.  C++ only.
//
//     Kernel norm = kernel_of(device, "-DPROGRAM=0 -DELEMENT=1", "rms_norm");
//     if (norm) launch(norm, {rows, 1, 256}, x, weight, y, count, eps, offset);
//
// The driver and NVRTC, which comes with LibTorch, are used by their C interfaces, which do not
// change; so ctorch needs neither CUDA's headers nor its compiler.  A kernel that can't be had is
// NULL: without a driver, without NVRTC, or for a GPU that this NVRTC does not know.  Compiled code
// is kept in the cache folder.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <string>

namespace ct::cuda {

// What the driver tells of a GPU; nothing where it is not loaded.
class Gpu {
public:
    explicit Gpu(int index);
    std::optional<std::string> name() const;
    // Such as 90.
    std::optional<int> capability() const;
    std::optional<int> multiprocessors() const;

private:
    std::optional<int> attribute(int which) const;

    int device_ = 0;
    bool is_known_;
};

// A kernel on one device; owned by the process, and never freed.
using Kernel = void *;

struct Grid {
    int64_t x, y;
    unsigned threads;
};

// The kernel of that name in kernels_source.h, compiled with the definitions, which begin with -D
// and are separated by spaces.
Kernel kernel_of(c10::DeviceIndex device, const std::string &definitions, const char *name);

// Run a kernel on the current stream of the current device.  Throws a Failure that names it.
void launch_with(Kernel kernel, const Grid &grid, void **arguments);

template <class... Arguments>
void launch(Kernel kernel, const Grid &grid, Arguments... arguments)
{
    void *pointers[] = {&arguments...};
    launch_with(kernel, grid, pointers);
}

}  // namespace ct::cuda
