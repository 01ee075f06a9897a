// png_abi.h - the few functions of libpng that png.cpp calls, declared here because libpng is
// loaded when the first PNG image is, so that neither building nor running needs it otherwise.
//
// These names, types and meanings, libpng's "simplified API", have been the binary interface of
// libpng16.so.16 since 2013; libpng.org documents them in the manual and in png.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

struct png_image {
    struct png_control *opaque;
    uint32_t version;           // PNG_IMAGE_VERSION
    uint32_t width, height;
    uint32_t format;            // flags, see below
    uint32_t flags;
    uint32_t colormap_entries;
    uint32_t warning_or_error;  // the low two bits: above 1 after an error
    char message[64];
};

constexpr uint32_t PNG_IMAGE_VERSION = 1;
constexpr uint32_t PNG_ALPHA = 1, PNG_COLOR = 2;    // in format; without others, a byte a channel
constexpr uint32_t PNG_16_BITS_ARE_SRGB = 4;        // in flags

extern "C" {

using png_begin_read_type = int(png_image *image, const void *memory, size_t size);
using png_begin_read_from_stream_type = int(png_image *image, FILE *stream);
using png_finish_read_type = int(png_image *image, const void *background, void *buffer,
                                 int32_t row_stride, void *colormap);
using png_write_type = int(png_image *image, void *memory, size_t *size, int convert_to_8_bit,
                           const void *buffer, int32_t row_stride, const void *colormap);
using png_free_type = void(png_image *image);

}  // extern "C"
