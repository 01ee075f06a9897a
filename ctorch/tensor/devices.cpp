// devices.cpp - devices by name, the available ones, the default one, and tensor-to, which moves
// and converts tensors.
//
//     cuda:1  =>  Device, or "device cuda:1 is not available"

#include "dispatch/call.h"

#include <ATen/Context.h>
#include <ATen/DeviceAccelerator.h>

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace {

using ct::Failure;

// LibTorch looks for CUDA once, when it is first asked; libtorch_cuda must be loaded before that.
// Loading it takes long, so only a machine with a GPU does, unless CUDA_VISIBLE_DEVICES hides all.
//
// Some of CUDA's libraries, such as libcufile, export functions of a C++ library of their own.  They
// come before the real one in what libtorch_cuda is linked to, so it would get strings and locales
// from both, and crash, unless the whole process sees the real one first.
bool load_cuda()
{
    bool has_gpu = access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
    const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
    bool is_hidden = visible && (!*visible || std::strcmp(visible, "-1") == 0);
    if (!has_gpu || is_hidden) return false;
    dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL);
    return dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL);
}

const bool cuda_loaded = load_cuda();

at::Device chosen{at::kCPU};

// How many devices of a type are available; cpu and meta have no number.
int64_t count_of(at::DeviceType type)
{
    if (type == at::kCPU || type == at::kMeta) return 1;
    std::optional<at::DeviceType> accelerator = at::getAccelerator(false);
    return accelerator == type ? at::accelerator::deviceCount() : 0;
}

std::optional<at::Device> parsed(const std::string &text)
{
    try {
        return at::Device(text);
    } catch (const c10::Error &) {
        return std::nullopt;
    }
}

// The arguments of tensor-to.
struct Target {
    std::optional<at::Device> device;
    std::optional<at::ScalarType> dtype;
    bool non_blocking = false, copy = false;
    int flags = 0;  // how many of these two were passed without a keyword, in this order
    std::optional<at::MemoryFormat> format;
};

bool is_name(const ct_value &value)
{
    return value.kind == CT_SYMBOL || value.kind == CT_STRING;
}

// The dtype whose misspelling the name may be, or all devices and dtypes.
std::string target_hint(const std::string &name)
{
    std::string dtypes = ct::dtype_hint(name);
    bool is_near = dtypes.starts_with("did you mean");
    return is_near ? dtypes : ct::available_devices() + "; dtypes: " + dtypes;
}

void add_name(Target &target, const std::string &name)
{
    if (ct::is_dtype_name(name)) target.dtype = ct::dtype_from(name);
    else if (parsed(name)) target.device = ct::device_from(name);
    else throw Failure{"expected a dtype or a device, got " + name, target_hint(name)};
}

void add_target(Target &target, const ct_value &value)
{
    if (is_name(value)) return add_name(target, value.text);
    if (value.kind == CT_BOOL && target.flags < 2) {
        (target.flags++ ? target.copy : target.non_blocking) = value.i != 0;
        return;
    }
    if (value.kind != CT_TENSOR)
        throw Failure{"expected a dtype, a device or a tensor, got " + ct::shown(value), ""};
    target.device = value.tensor->value.device();
    target.dtype = value.tensor->value.scalar_type();
}

bool truth_of(const char *name, const ct_value &value)
{
    if (value.kind == CT_BOOL) return value.i != 0;
    throw Failure{"expected a boolean for " + std::string(name) + ", got " + ct::shown(value), ""};
}

at::MemoryFormat format_of(const ct_value &value)
{
    if (auto format = ct::format_named(value)) return *format;
    throw Failure{"expected a memory format for memory-format, got " + ct::shown(value),
                  "contiguous-format, preserve-format, channels-last or channels-last-3d"};
}

void add_named(Target &target, const char *name, const ct_value &value)
{
    auto is = [name](const char *keyword) { return std::strcmp(name, keyword) == 0; };
    if (is("copy")) target.copy = truth_of(name, value);
    else if (is("non-blocking")) target.non_blocking = truth_of(name, value);
    else if (is("dtype") && is_name(value)) target.dtype = ct::dtype_from(value.text);
    else if (is("device") && is_name(value)) target.device = ct::device_from(value.text);
    else if (is("memory-format") && ct::is_absent(value)) target.format.reset();
    else if (is("memory-format")) target.format = format_of(value);
    else if (is("dtype") || is("device"))
        throw Failure{"expected a " + std::string(name) + ", got " + ct::shown(value), ""};
    else throw Failure{"unknown keyword :" + std::string(name), ""};
}

Target target_of(size_t count, const ct_value *values)
{
    Target target;
    for (size_t k = 0; k < count; k++) {
        if (values[k].kind != CT_KEYWORD) {
            add_target(target, values[k]);
            continue;
        }
        if (k + 1 == count || values[k + 1].kind == CT_KEYWORD)
            throw Failure{"keyword :" + std::string(values[k].text) + " has no value", ""};
        add_named(target, values[k].text, values[k + 1]);
        k++;
    }
    return target;
}

}  // namespace

at::Device ct::default_device() { return chosen; }

std::vector<at::Device> ct::devices_in_use()
{
    std::vector<at::Device> devices{at::Device(at::kCPU)};
    std::optional<at::DeviceType> type = at::getAccelerator(false);
    if (!type) return devices;
    const auto &hooks = at::globalContext().getAcceleratorHooksInterface(*type);
    for (int k = 0; k < at::accelerator::deviceCount(); k++)
        if (hooks.hasPrimaryContext(static_cast<at::DeviceIndex>(k)))
            devices.emplace_back(*type, static_cast<at::DeviceIndex>(k));
    return devices;
}

std::vector<std::string> ct::available_device_names()
{
    std::vector<std::string> names{"cpu"};
    std::optional<at::DeviceType> accelerator = at::getAccelerator(false);
    int64_t count = accelerator ? count_of(*accelerator) : 0;
    for (int64_t k = 0; k < count; k++)
        names.push_back(at::Device(*accelerator, static_cast<at::DeviceIndex>(k)).str());
    return names;
}

std::string ct::available_devices()
{
    std::string text = "available devices: ";
    for (const std::string &name : available_device_names()) text += name + ", ";
    return text.substr(0, text.size() - 2) + " and meta";
}

at::Device ct::device_from(const std::string &text)
{
    std::optional<at::Device> device = parsed(text);
    if (!device) throw Failure{"unknown device: " + text, available_devices()};
    if (device->index() >= count_of(device->type()) || count_of(device->type()) == 0)
        throw Failure{"device " + text + " is not available", available_devices()};
    return *device;
}

const char *ct::device_name(at::Device device)
{
    if (device.is_cpu()) return "cpu";
    static std::vector<std::string *> names;  // few, and never freed
    std::string name = device.str();
    for (std::string *kept : names)
        if (*kept == name) return kept->c_str();
    names.push_back(new std::string(name));
    return names.back()->c_str();
}

extern "C" {

int ct_to(ct_tensor *x, size_t count, const ct_value *targets, ct_tensor **result)
{
    return ct::guarded({x}, [&] {
        Target target = target_of(count, targets);
        const at::Tensor &from = x->value;
        at::Tensor moved =
            from.to(target.device.value_or(from.device()), target.dtype.value_or(from.scalar_type()),
                    target.non_blocking, target.copy, target.format);
        bool same = moved.is_same(from);
        *result = same ? ct_clone(x) : ct::handle(std::move(moved));
    });
}

const char *ct_device(ct_tensor *x) { return ct::device_name(x->value.device()); }

const char *ct_default_device(void) { return ct::device_name(chosen); }

int ct_set_default_device(const char *name)
{
    return ct::guarded({}, [&] { chosen = ct::device_from(name); });
}

bool ct_cuda_available(void)
{
    bool available = false;
    return !ct::guarded({}, [&] { available = count_of(at::kCUDA) > 0; }) && available;
}

}  // extern "C"
