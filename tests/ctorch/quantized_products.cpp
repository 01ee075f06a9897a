// quantized_products.cpp - products of quantized matrices, printed, without LibTorch's libraries.
//
//     quantized_products         neon              the kernel that LAMBENT_KERNEL allows
//                                8 1 0 -3.25 ...   bits, rows, whether with minimums, the products
//
// tests/suites/bundle/test_other_compilers.py compiles it with ctorch's kernels for aarch64.
#include "quantize/quantize.h"

#include <ATen/Parallel.h>

#include <cstdio>

// There are no other threads.
int at::get_num_threads() { return 1; }
bool at::in_parallel_region() { return false; }

namespace {

uint32_t state = 1;

uint32_t random_bits()
{
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

float random_float() { return static_cast<float>(random_bits() % 20001) / 10000 - 1; }

std::vector<uint16_t> random_halves(int64_t count)
{
    std::vector<uint16_t> made;
    for (int64_t i = 0; i < count; i++) made.push_back(ct::to_half(random_float()));
    return made;
}

void print_products(int bits, int64_t rows, bool with_minimum)
{
    constexpr int64_t tiles = 2, groups = 3, columns = groups * ct::GROUP - 5;
    ct::QuantizedMatrix w{nullptr, nullptr, nullptr, bits, tiles, groups};
    std::vector<uint8_t> weight;
    for (int64_t i = 0; i < tiles * groups * w.tile_bytes(); i++)
        weight.push_back(static_cast<uint8_t>(random_bits()));
    auto scale = random_halves(tiles * groups * ct::TILE), minimum = random_halves(tiles * groups * ct::TILE);
    w.weight = weight.data();
    w.scale = scale.data();
    w.minimum = with_minimum ? minimum.data() : nullptr;
    std::vector<float> x, y(rows * tiles * ct::TILE);
    for (int64_t i = 0; i < rows * columns; i++) x.push_back(random_float() * 10);
    ct::QuantizedRows quantized;
    ct::quantize_rows(quantized, x.data(), rows, columns, groups, w.offset());
    ct::multiply_tiles(w, quantized, 0, tiles, y.data(), tiles * ct::TILE);
    std::printf("%d %d %d", bits, static_cast<int>(rows), with_minimum);
    for (float number : y) std::printf(" %.9g", number);
    std::printf("\n");
}

}  // namespace

int main()
{
    std::printf("%s\n", ct::kernel_name());
    for (int bits : {8, 4})
        for (int64_t rows : {1, 2, 3, 4, 8, 13})
            for (bool with_minimum : {false, true}) print_products(bits, rows, with_minimum);
}
