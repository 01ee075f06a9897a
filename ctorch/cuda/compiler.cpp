// compiler.cpp - compile kernels with NVRTC, and keep what it makes.
//
//     ~/.cache/lambent/cuda/90-13.0-5f3c12ab-1f0e
//
// A file holds a check sum of the machine code, then the code.  One that is damaged, or that cannot
// be written, costs a second at each start and nothing else.

#include "cuda/compiler.h"

#include "files/files.h"
#include "files/zip.h"
#include "tensor/handle.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

namespace {

const char SOURCE[] =
#include "cuda/kernels_source.h"
    ;

// ---- NVRTC --------------------------------------------------------------------------------------

using Source = void *;

class Nvrtc {
public:
    Nvrtc()
    {
        // It is linked with the NVRTC of LibTorch's CUDA, and lies beside LibTorch's other
        // libraries.
        library_ = dlopen("libcaffe2_nvrtc.so", RTLD_LAZY | RTLD_LOCAL);
        call<int *, int *>("nvrtcVersion", &major_, &minor_);
        load_builtins();
    }

    std::string version() const { return std::to_string(major_) + "." + std::to_string(minor_); }

    // "" if it fails.
    std::string compile(int capability, const std::string &definitions) const
    {
        std::vector<std::string> options{"--gpu-architecture=sm_" + std::to_string(capability),
                                         "--std=c++17"};
        std::istringstream words(definitions);
        for (std::string word; words >> word;) options.push_back(word);
        std::vector<const char *> texts;
        for (const std::string &option : options) texts.push_back(option.c_str());
        Source program = nullptr;
        const char *const *none = nullptr;
        std::string code;
        using Names = const char *const *;
        if (call<Source *, const char *, const char *, int, Names, Names>(
                "nvrtcCreateProgram", &program, SOURCE, "kernels.cu", 0, none, none) != 0)
            return code;
        size_t size = 0;
        if (call<Source, int, Names>("nvrtcCompileProgram", program,
                                      static_cast<int>(texts.size()), texts.data()) == 0 &&
            call<Source, size_t *>("nvrtcGetCUBINSize", program, &size) == 0) {
            code.resize(size);
            if (call<Source, char *>("nvrtcGetCUBIN", program, code.data()) != 0) code.clear();
        }
        call<Source *>("nvrtcDestroyProgram", &program);
        return code;
    }

private:
    // -1 where there is no NVRTC.
    template <class... Parameters, class... Arguments>
    int call(const char *name, Arguments... arguments) const
    {
        void *symbol = library_ ? dlsym(library_, name) : nullptr;
        return symbol ? reinterpret_cast<int (*)(Parameters...)>(symbol)(arguments...) : -1;
    }

    // NVRTC looks for its second library by name, and finds it if it is loaded already.
    void load_builtins() const
    {
        Dl_info found;
        void *symbol = library_ ? dlsym(library_, "nvrtcVersion") : nullptr;
        if (!symbol || !dladdr(symbol, &found)) return;
        std::filesystem::path folder = std::filesystem::path(found.dli_fname).parent_path();
        dlopen((folder / ("libnvrtc-builtins.so." + version())).c_str(), RTLD_LAZY | RTLD_LOCAL);
    }

    void *library_;  // never closed
    int major_ = 0, minor_ = 0;
};

// ---- The cache folder ---------------------------------------------------------------------------

std::string variable(const char *name)
{
    const char *text = std::getenv(name);
    return text ? text : "";
}

// As in lang/system/cache_path.py; "" where there is none.
std::filesystem::path cache_folder()
{
    if (std::string chosen = variable("LAMBENT_CACHE"); !chosen.empty()) return chosen;
    std::filesystem::path base = variable("XDG_CACHE_HOME");
    if (!base.is_absolute()) base = std::filesystem::path(variable("HOME")) / ".cache";
    return base.is_absolute() ? base / "lambent" : std::filesystem::path();
}

// Whether no other user can write to a folder: it holds code.
bool is_closed(const std::filesystem::path &folder)
{
    struct stat found;
    return stat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
           (found.st_uid == getuid() || found.st_uid == 0) &&
           !(found.st_mode & (S_IWGRP | S_IWOTH));
}

// The folder of machine code, made now if necessary; "" if it can't be used.
std::filesystem::path code_folder()
{
    std::filesystem::path cache = cache_folder(), folder = cache / "cuda";
    std::error_code failed;
    if (cache.empty()) return cache;
    std::filesystem::create_directories(folder, failed);
    return is_closed(cache) && is_closed(folder) ? folder : std::filesystem::path();
}

std::string hexadecimal(uint32_t x)
{
    std::ostringstream text;
    text << std::hex << x;
    return text.str();
}

// The code in a file; "" if it does not exist or is damaged.
std::string kept(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    uint32_t check = 0;
    if (!file.read(reinterpret_cast<char *>(&check), sizeof check)) return "";
    std::string code{std::istreambuf_iterator<char>(file), {}};
    return ct::crc32(code) == check ? code : "";
}

void keep(const std::filesystem::path &path, const std::string &code)
{
    try {
        ct::Output file(path.string());
        uint32_t check = ct::crc32(code);
        file.write(&check, sizeof check);
        file.write(code);
        file.commit();
    } catch (const ct::Failure &) {  // a full disk: it is compiled again next time
    }
}

}  // namespace

std::string ct::cuda::compiled(int capability, const std::string &definitions)
{
    static const Nvrtc nvrtc;
    static const std::filesystem::path folder = code_folder();
    std::string name = std::to_string(capability) + "-" + nvrtc.version() + "-" +
                       hexadecimal(crc32(SOURCE)) + "-" + hexadecimal(crc32(definitions));
    std::string code = folder.empty() ? "" : kept(folder / name);
    if (!code.empty()) return code;
    code = nvrtc.compile(capability, definitions);
    if (!code.empty() && !folder.empty()) keep(folder / name, code);
    return code;
}
