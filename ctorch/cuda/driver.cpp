// driver.cpp - the driver's functions: devices, and launches.

#include "cuda/driver.h"

#include "cuda/compiler.h"
#include "libtorch_versions.h"
#include "tensor/handle.h"

#include <ATen/DeviceAccelerator.h>

#include <dlfcn.h>

#include <map>
#include <mutex>

namespace {

using ct::Failure;

// Of CUdevice_attribute.
constexpr int MULTIPROCESSOR_COUNT = 16, CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76;

// A function of the driver; NULL where none is loaded.
void *symbol_of(const char *name)
{
    static void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);  // never closed
    return library ? dlsym(library, name) : nullptr;
}

// The result of a function of the driver; -1 where there is none.
template <class... Parameters, class... Arguments>
int drive(const char *name, Arguments... arguments)
{
    void *symbol = symbol_of(name);
    return symbol ? reinterpret_cast<int (*)(Parameters...)>(symbol)(arguments...) : -1;
}

using LaunchKernel = int(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                         void *, void **, void **);

LaunchKernel *launcher()
{
    static void *const symbol = symbol_of("cuLaunchKernel");
    return reinterpret_cast<LaunchKernel *>(symbol);
}

std::string reason_of(int error)
{
    const char *text = nullptr;
    drive<int, const char **>("cuGetErrorString", error, &text);
    return text ? text : "error " + std::to_string(error);
}

// A module of compiled kernels, loaded into the context of the current device; NULL if it fails.
void *module_of(const std::string &code)
{
    void *module = nullptr;
    int error = drive<void **, const void *>("cuModuleLoadData", &module,
                                             static_cast<const void *>(code.data()));
    return error == 0 ? module : nullptr;
}

}  // namespace

ct::cuda::Gpu::Gpu(int index)
{
    is_known_ = drive<int *, int>("cuDeviceGet", &device_, index) == 0;
}

std::optional<std::string> ct::cuda::Gpu::name() const
{
    char text[256] = "";
    int size = sizeof text - 1;
    bool told = is_known_ && drive<char *, int, int>("cuDeviceGetName", text, size, device_) == 0;
    return told ? std::optional<std::string>(text) : std::nullopt;
}

std::optional<int> ct::cuda::Gpu::attribute(int which) const
{
    int value = 0;
    bool told = is_known_ &&
                drive<int *, int, int>("cuDeviceGetAttribute", &value, which, device_) == 0;
    return told ? std::optional<int>(value) : std::nullopt;
}

std::optional<int> ct::cuda::Gpu::capability() const
{
    auto major = attribute(CAPABILITY_MAJOR), minor = attribute(CAPABILITY_MINOR);
    return major && minor ? std::optional<int>(*major * 10 + *minor) : std::nullopt;
}

std::optional<int> ct::cuda::Gpu::multiprocessors() const
{
    return attribute(MULTIPROCESSOR_COUNT);
}

#if CT_HAS_STREAM_HANDLES

ct::cuda::Kernel ct::cuda::kernel_of(c10::DeviceIndex device, const std::string &definitions,
                                     const char *name)
{
    static std::mutex lock;
    static std::map<std::pair<int, std::string>, void *> modules;
    static std::map<std::pair<void *, std::string>, Kernel> kernels;
    std::lock_guard<std::mutex> held(lock);
    auto [module, is_new] = modules.try_emplace({device, definitions}, nullptr);
    if (is_new) {
        std::optional<int> capability = Gpu(device).capability();
        std::string code = capability ? compiled(*capability, definitions) : "";
        if (!code.empty()) module->second = module_of(code);
    }
    if (!module->second) return nullptr;
    auto [kernel, is_unknown] = kernels.try_emplace({module->second, name}, nullptr);
    if (is_unknown &&
        drive<void **, void *, const char *>("cuModuleGetFunction", &kernel->second,
                                             module->second, name) != 0)
        kernel->second = nullptr;
    return kernel->second;
}

void ct::cuda::launch_with(Kernel kernel, const Grid &grid, void **arguments)
{
    c10::DeviceIndex device = at::accelerator::getDeviceIndex();
    void *stream = at::accelerator::getCurrentStream(device).native_handle();
    int error = launcher()(kernel, static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), 1,
                           grid.threads, 1, 1, 0, stream, arguments, nullptr);
    if (error) throw Failure{"the GPU refused a kernel: " + reason_of(error), ""};
}

#else

ct::cuda::Kernel ct::cuda::kernel_of(c10::DeviceIndex, const std::string &, const char *)
{
    return nullptr;
}

void ct::cuda::launch_with(Kernel, const Grid &, void **) {}

#endif
