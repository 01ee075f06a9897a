// zip_format.h - the constants of the ZIP format.
#pragma once

#include <cstdint>

namespace ct {

constexpr uint32_t LOCAL = 0x04034B50, CENTRAL = 0x02014B50, END = 0x06054B50;
constexpr uint32_t END_64 = 0x06064B50, LOCATOR_64 = 0x07064B50;
constexpr uint64_t LOCAL_SIZE = 30, CENTRAL_SIZE = 46, END_SIZE = 22, END_64_SIZE = 56,
                   LOCATOR_64_SIZE = 20;
constexpr uint32_t ELSEWHERE_32 = 0xFFFFFFFF;  // the number is in the ZIP64 field
constexpr uint16_t ELSEWHERE_16 = 0xFFFF, FIELD_64 = 0x0001;
constexpr uint16_t PLAIN = 0, DEFLATED = 8;

}  // namespace ct
