// crc32.cpp - the checksum of ZIP archives, eight bytes at a time.

#include "files/zip.h"

#include <array>

namespace {

std::array<std::array<uint32_t, 256>, 8> make_crc_tables()
{
    std::array<std::array<uint32_t, 256>, 8> tables;
    for (uint32_t k = 0; k < 256; k++) {
        uint32_t crc = k;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
        tables[0][k] = crc;
    }
    for (size_t t = 1; t < 8; t++)
        for (size_t k = 0; k < 256; k++)
            tables[t][k] = tables[t - 1][k] >> 8 ^ tables[0][tables[t - 1][k] & 0xFF];
    return tables;
}

}  // namespace

uint32_t ct::crc32(std::string_view bytes, uint32_t before)
{
    static const auto tables = make_crc_tables();
    uint32_t crc = ~before;
    const char *at = bytes.data(), *end = at + bytes.size();
    for (; end - at >= 8; at += 8) {
        uint64_t eight = number_at<uint64_t>(at) ^ crc;
        crc = 0;
        for (size_t k = 0; k < 8; k++) crc ^= tables[7 - k][eight >> (8 * k) & 0xFF];
    }
    for (; at < end; at++)
        crc = crc >> 8 ^ tables[0][(crc ^ static_cast<unsigned char>(*at)) & 0xFF];
    return ~crc;
}
