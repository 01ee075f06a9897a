// kernel_choice.cpp - the kernels of this processor.

#include "llm/kernels.h"

const ct::Kernels &ct::kernels()
{
#if defined(__x86_64__)
    static const Kernels &chosen = [&]() -> const Kernels & {
        bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
        if (has_avx512 && __builtin_cpu_supports("avx512bf16")) return AVX512_BF16_KERNELS;
        if (has_avx512) return AVX512_KERNELS;
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return AVX2_KERNELS;
        return BASE_KERNELS;
    }();
    return chosen;
#else
    return BASE_KERNELS;
#endif
}
