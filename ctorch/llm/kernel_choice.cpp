// kernel_choice.cpp - the kernels of this processor.
//
//     LAMBENT_KERNEL=avx2     lesser kernels than the processor's best: avx512, avx2, neon or portable

#include "llm/kernels.h"
#include "tensor/handle.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

using ct::Processor;

namespace {

Processor best()
{
#if defined(__x86_64__)
    bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("fma");
    if (has_avx512 && __builtin_cpu_supports("avx512bf16")) return Processor::Avx512BFloat16;
    if (has_avx512) return Processor::Avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Processor::Avx2;
#elif defined(__ARM_FEATURE_DOTPROD)  // as on every Apple processor
    return Processor::Neon;
#elif defined(__aarch64__) && defined(__linux__)
    constexpr unsigned long DOT_PRODUCTS = 1ul << 20;  // HWCAP_ASIMDDP
    if (getauxval(AT_HWCAP) & DOT_PRODUCTS) return Processor::Neon;
#endif
    return Processor::Portable;
}

Processor allowed()
{
    const char *text = std::getenv("LAMBENT_KERNEL");
    std::string name = text ? text : "";
    if (name.empty() || name == "avx512bf16") return best();
    if (name == "avx512") return std::min(best(), Processor::Avx512);
    if (name == "avx2") return std::min(best(), Processor::Avx2);
    bool is_portable = name == "neon" && best() != Processor::Neon;
    if (name == "portable" || is_portable) return Processor::Portable;
    if (name == "neon") return Processor::Neon;
    throw ct::Failure{"expected avx512bf16, avx512, avx2, neon or portable in LAMBENT_KERNEL, got \"" +
                          name + "\"",
                      "unset LAMBENT_KERNEL for the best kernels of this processor"};
}

}  // namespace

Processor ct::processor()
{
    static const Processor found = allowed();
    return found;
}

bool ct::has_amx()
{
#if defined(__x86_64__)
    static const bool found = [] {
        constexpr unsigned AMX_BF16 = 1u << 22;  // of edx of leaf 7
        unsigned a, b, c, d;
        return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & AMX_BF16);
    }();
    return found;
#else
    return false;
#endif
}

const ct::Kernels &ct::kernels()
{
#if defined(__x86_64__)
    static const Kernels &chosen = []() -> const Kernels & {
        switch (processor()) {
        case Processor::Avx512BFloat16: return AVX512_BF16_KERNELS;
        case Processor::Avx512: return AVX512_KERNELS;
        case Processor::Avx2: return AVX2_KERNELS;
        case Processor::Neon:
        case Processor::Portable: break;
        }
        return BASE_KERNELS;
    }();
    return chosen;
#else
    return BASE_KERNELS;
#endif
}
