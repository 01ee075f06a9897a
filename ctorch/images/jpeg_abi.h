// jpeg_abi.h - the few functions and fields of libjpeg that jpeg.cpp uses, declared here because
// libjpeg is loaded when the first JPEG image is, so that neither building nor running needs it
// otherwise.
//
// The interface is that of libjpeg 6b, which libjpeg-turbo keeps as libjpeg.so.62, and that of
// libjpeg 8, which it has as libjpeg.so.8.  The fields up to output_scanline are the same in both;
// the sizes of the whole differ, which the library compares with what its caller says.
#pragma once

#include <cstddef>
#include <cstdint>

struct jpeg_decompress;

struct jpeg_errors {
    void (*error_exit)(jpeg_decompress *image);  // must not return
    void (*emit_message)(jpeg_decompress *image, int level);  // -1 for a warning
    void (*output_message)(jpeg_decompress *image);
    void (*format_message)(jpeg_decompress *image, char *text);  // JPEG_MESSAGE_LENGTH bytes
    void (*reset)(jpeg_decompress *image);
    int code;
    union {
        int numbers[8];
        char text[80];
    } parameters;
    int trace_level;
    long warnings;
    const char *const *messages;
    int last_message;
    const char *const *more_messages;
    int first_more, last_more;
};

struct jpeg_progress {
    void (*monitor)(jpeg_decompress *image);
    long pass_counter, pass_limit;
    int completed_passes, total_passes;
};

struct jpeg_decompress {
    jpeg_errors *errors;
    void *memory;
    jpeg_progress *progress;
    void *client_data;
    int is_decompressor;
    int state;
    void *source;
    unsigned int image_width, image_height;
    int num_components;
    int jpeg_color_space;
    int out_color_space;
    unsigned int scale_num, scale_denom;
    double output_gamma;
    int buffered_image, raw_data_out;
    int dct_method, do_fancy_upsampling, do_block_smoothing;
    int quantize_colors, dither_mode, two_pass_quantize, desired_number_of_colors;
    int enable_1pass_quant, enable_external_quant, enable_2pass_quant;
    unsigned int output_width, output_height;
    int out_color_components, output_components;
    int rec_outbuf_height;
    int actual_number_of_colors;
    void *colormap;
    unsigned int output_scanline;
    int input_scan_number;
    char rest[1024];  // more than any version has
};

constexpr size_t JPEG_MESSAGE_LENGTH = 200;
enum : int { JPEG_GREY = 1, JPEG_RGB = 2, JPEG_YCBCR = 3, JPEG_CMYK = 4, JPEG_YCCK = 5 };

extern "C" {

using jpeg_std_error_type = jpeg_errors *(jpeg_errors *errors);
using jpeg_create_type = void(jpeg_decompress *image, int version, size_t size);
using jpeg_memory_source_type = void(jpeg_decompress *image, const unsigned char *data,
                                     unsigned long size);
using jpeg_read_header_type = int(jpeg_decompress *image, int require_image);
using jpeg_start_type = int(jpeg_decompress *image);
using jpeg_read_rows_type = unsigned int(jpeg_decompress *image, unsigned char **rows,
                                         unsigned int most);
using jpeg_finish_type = int(jpeg_decompress *image);
using jpeg_destroy_type = void(jpeg_decompress *image);

}  // extern "C"
