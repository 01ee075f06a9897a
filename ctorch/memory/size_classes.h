// size_classes.h - the sizes of the blocks that the allocator keeps.
//
//     64 80 96 112 128 160 192 224 256 ...: four for each power of two, so that rounding up
//     wastes at most a quarter
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace ct {

constexpr size_t SMALLEST = 64;     // the smallest class
constexpr size_t CLASSES = 4 * 48;

inline size_t class_of(size_t bytes)
{
    size_t units = std::max(bytes, SMALLEST) - 1;
    size_t power = std::bit_width(units) - 1;  // at least 5: units is 63 or more
    size_t quarter = units >> (power - 2) & 3;
    return 4 * (power - 5) + quarter;
}

inline size_t class_bytes(size_t size_class)
{
    size_t power = size_class / 4 + 5, quarter = size_class % 4;
    return (quarter + 5) << (power - 2);
}

}  // namespace ct
