// jpeg.cpp - JPEG images, through libjpeg.
//
// libjpeg reports an error by a call that must not return.  So one function, decode(), calls it
// between setjmp and longjmp: it holds nothing that has a destructor, and neither an exception nor
// the jump passes through any other code of ours.  What a file's Exif data say about which side is
// up is applied, as viewers do; a colour profile is not.

#include "errors/interrupts.h"
#include "images/images.h"
#include "images/jpeg_abi.h"

#include <ATen/ops/contiguous_ops.h>
#include <ATen/ops/flip.h>

#include <dlfcn.h>
#include <setjmp.h>

#include <cstdio>
#include <type_traits>

namespace {

using namespace ct;

struct JpegLibrary {
    const char *name;
    int version;
    size_t size;  // of its structure for an image
};

constexpr JpegLibrary JPEG_LIBRARIES[] = {
    {"libjpeg.so.62", 62, 632},  {"libjpeg.so.8", 80, 656},
    {"libjpeg.8.dylib", 80, 656}, {"libjpeg.62.dylib", 62, 632},
};

// libjpeg, loaded by the first use.
struct Jpeg {
    JpegLibrary library;
    jpeg_std_error_type *std_error;
    jpeg_create_type *create;
    jpeg_memory_source_type *memory_source;
    jpeg_read_header_type *read_header;
    jpeg_start_type *start;
    jpeg_read_rows_type *read_rows;
    jpeg_finish_type *finish;
    jpeg_destroy_type *destroy;
};

const Jpeg *load_jpeg()
{
    static Jpeg jpeg;
    for (const JpegLibrary &each : JPEG_LIBRARIES) {
        void *library = dlopen(each.name, RTLD_NOW | RTLD_LOCAL);
        jpeg.library = each;
        if (library && find_function(library, "jpeg_std_error", jpeg.std_error) &&
            find_function(library, "jpeg_CreateDecompress", jpeg.create) &&
            find_function(library, "jpeg_mem_src", jpeg.memory_source) &&
            find_function(library, "jpeg_read_header", jpeg.read_header) &&
            find_function(library, "jpeg_start_decompress", jpeg.start) &&
            find_function(library, "jpeg_read_scanlines", jpeg.read_rows) &&
            find_function(library, "jpeg_finish_decompress", jpeg.finish) &&
            find_function(library, "jpeg_destroy_decompress", jpeg.destroy))
            return &jpeg;
    }
    return nullptr;
}

const Jpeg &libjpeg()
{
    static const Jpeg *const loaded = load_jpeg();
    if (!loaded)
        throw Failure{"JPEG images need libjpeg, which is not installed",
                      "sudo apt-get install libjpeg62-turbo or libjpeg-turbo8; PNG and PPM images "
                      "do not need it"};
    return *loaded;
}

// Decoding.

constexpr int MOST_SCANS = 500;                // of a progressive image; usual ones have about ten
constexpr uint64_t MOST_PIXELS_A_BYTE = 8192;  // blocks of 64 pixels, 16 in a unit, a bit a block

// What decode() works on, and how it ended.
struct Decoding {
    jpeg_decompress image;
    jpeg_errors errors;
    jpeg_progress progress;
    jmp_buf end;
    char message[JPEG_MESSAGE_LENGTH];  // of an error; "" if there was none
    bool is_interrupted;
};

Decoding *decoding_of(jpeg_decompress *image) { return static_cast<Decoding *>(image->client_data); }

[[noreturn]] void stop(jpeg_decompress *image) { longjmp(decoding_of(image)->end, 1); }

void on_error(jpeg_decompress *image)
{
    image->errors->format_message(image, decoding_of(image)->message);
    stop(image);
}

// A warning about damaged data is an error: the pixels would be wrong.  Others are harmless.
void on_message(jpeg_decompress *image, int level)
{
    if (level >= 0) return;
    char *text = decoding_of(image)->message;
    image->errors->format_message(image, text);
    std::string_view warning(text);
    bool is_damage = warning.starts_with("Premature end") ||
                     (warning.starts_with("Corrupt") &&
                      warning.find("extraneous") == std::string_view::npos);
    if (is_damage) stop(image);
    text[0] = 0;
}

bool interrupt_waits_now()
{
    try {
        poll_interrupt();
    } catch (const Raised &) {
        return true;
    }
    return false;
}

void check_progress(jpeg_decompress *image)
{
    Decoding *decoding = decoding_of(image);
    if (image->input_scan_number > MOST_SCANS) {
        std::snprintf(decoding->message, sizeof decoding->message, "more than %d scans", MOST_SCANS);
        stop(image);
    }
    if (interrupt_waits_now()) {
        decoding->is_interrupted = true;
        stop(image);
    }
}

// Runs one step with a decoding that libjpeg may leave by an error: false then.
template <class Step>
bool succeeds(Decoding &decoding, Step step)
{
    static_assert(std::is_trivially_destructible_v<Step>);
    if (setjmp(decoding.end)) return false;
    step();
    return true;
}

void begin(const Jpeg &jpeg, Decoding &decoding, const File &file)
{
    jpeg_decompress *image = &decoding.image;
    image->errors = jpeg.std_error(&decoding.errors);
    decoding.errors.error_exit = on_error;
    decoding.errors.emit_message = on_message;
    image->client_data = &decoding;
    jpeg.create(image, jpeg.library.version, jpeg.library.size);  // clears all but the two
    decoding.progress.monitor = check_progress;
    image->progress = &decoding.progress;
    jpeg.memory_source(image, reinterpret_cast<const unsigned char *>(file.data), file.size);
    jpeg.read_header(image, 1);
}

void read_rows(const Jpeg &jpeg, Decoding &decoding, unsigned char *pixels)
{
    jpeg_decompress *image = &decoding.image;
    jpeg.start(image);
    size_t row_size = size_t(image->output_width) * size_t(image->output_components);
    while (image->output_scanline < image->output_height) {
        unsigned char *row = pixels + image->output_scanline * row_size;
        jpeg.read_rows(image, &row, 1);
    }
    jpeg.finish(image);
}

// An image of libjpeg's, freed at the end of a scope.
struct Reading {
    const Jpeg &jpeg;
    Decoding decoding{};

    explicit Reading(const Jpeg &jpeg) : jpeg(jpeg) {}
    ~Reading()
    {
        if (decoding.image.memory) jpeg.destroy(&decoding.image);
    }
    Reading(const Reading &) = delete;
    Reading &operator=(const Reading &) = delete;
};

[[noreturn]] void fail_jpeg(const File &file, const Decoding &decoding)
{
    if (decoding.is_interrupted) throw Raised();
    fail_about(file.path, std::string("damaged JPEG image: ") + decoding.message);
}

// Fails unless the bytes of the file can hold the pixels that its header announces.
void check_claim(const File &file, const jpeg_decompress &image)
{
    uint64_t pixels = uint64_t(image.image_width) * image.image_height;
    if (pixels / MOST_PIXELS_A_BYTE > file.size)
        fail_about(file.path, "the JPEG image claims " + std::to_string(image.image_width) + " x " +
                                  std::to_string(image.image_height) + " pixels, its " +
                                  std::to_string(file.size) + " bytes cannot hold them");
}

// How many channels the picture has, which libjpeg is told.
int choose_channels(const File &file, jpeg_decompress &image)
{
    switch (image.jpeg_color_space) {
    case JPEG_GREY: image.out_color_space = JPEG_GREY; return 1;
    case JPEG_RGB:
    case JPEG_YCBCR: image.out_color_space = JPEG_RGB; return 3;
    default:
        fail_about(file.path, "it is a JPEG image for printing, with " +
                                  std::to_string(image.num_components) + " colours (CMYK)",
                   "convert it to RGB");
    }
}

// Which side is up.

// Numbers of Exif data, in the order of bytes that they begin with.
struct Exif {
    std::string_view bytes;
    bool is_little;

    uint64_t number(uint64_t at, unsigned size) const
    {
        uint64_t number = 0;
        if (at > bytes.size() || bytes.size() - at < size) return 0;
        for (unsigned k = 0; k < size; k++)
            number = number << 8 | static_cast<unsigned char>(
                                       bytes[at + (is_little ? size - 1 - k : k)]);
        return number;
    }
};

constexpr uint64_t ORIENTATION = 0x112;

int orientation_in(std::string_view exif)
{
    Exif data{exif, exif.starts_with("II")};
    if (!data.is_little && !exif.starts_with("MM")) return 1;
    uint64_t directory = data.number(4, 4), count = data.number(directory, 2);
    for (uint64_t k = 0; k < count; k++) {
        uint64_t entry = directory + 2 + 12 * k;
        if (data.number(entry, 2) == ORIENTATION) return int(data.number(entry + 8, 2));
    }
    return 1;
}

// From 1 to 8, as Exif numbers them; 1 if the file does not say.
int orientation_of(const File &file)
{
    std::string_view text = file.text(0, file.size), start("Exif\0\0", 6);
    for (uint64_t at = 2; at + 4 <= text.size() && text[at] == '\xff';) {
        uint64_t length = static_cast<unsigned char>(text[at + 2]) * 256u +
                          static_cast<unsigned char>(text[at + 3]);
        std::string_view segment = text.substr(at + 4, length > 2 ? length - 2 : 0);
        if (text[at + 1] == '\xda') break;
        if (text[at + 1] == '\xe1' && segment.starts_with(start))
            return orientation_in(segment.substr(start.size()));
        at += 2 + length;
    }
    return 1;
}

// The picture [h, w, c] with its upper side up.
at::Tensor upright(at::Tensor picture, int orientation)
{
    if (orientation < 2 || orientation > 8) return picture;
    if (orientation >= 5) picture = picture.transpose(0, 1);
    bool flips_rows = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
    bool flips_columns = orientation == 2 || orientation == 3 || orientation == 6 ||
                         orientation == 7;
    if (flips_rows) picture = at::flip(picture, {0});
    if (flips_columns) picture = at::flip(picture, {1});
    return at::_ops::contiguous::call(picture, at::MemoryFormat::Contiguous);
}

}  // namespace

namespace ct {

at::Tensor read_jpeg(const File &file)
{
    Reading reading(libjpeg());
    Decoding &decoding = reading.decoding;
    if (!succeeds(decoding, [&] { begin(reading.jpeg, decoding, file); }))
        fail_jpeg(file, decoding);
    check_claim(file, decoding.image);
    int channels = choose_channels(file, decoding.image);
    at::Tensor picture = new_picture(file, decoding.image.image_height,
                                     decoding.image.image_width, uint64_t(channels));
    auto *pixels = static_cast<unsigned char *>(picture.mutable_data_ptr());
    if (!succeeds(decoding, [&] { read_rows(reading.jpeg, decoding, pixels); }))
        fail_jpeg(file, decoding);
    return upright(picture, orientation_of(file));
}

}  // namespace ct
