// png.cpp - PNG images, through libpng.
//
// libpng gets a copy of the file with only the chunks that the pixels depend on.  So a file's
// remarks and colour profiles are neither parsed nor applied: a sample is what the file says, as
// other readers for machine learning have it.  Every chunk's check is verified before, and the size
// of the picture is compared with the bytes that can unpack to it.

#include "errors/interrupts.h"
#include "images/images.h"
#include "images/png_abi.h"
#include "files/zip.h"

#include <dlfcn.h>
#include <stdio.h>

#include <ATen/ops/empty.h>

#include <memory>

namespace {

using namespace ct;

constexpr std::string_view SIGNATURE = "\x89PNG\r\n\x1a\n";
constexpr uint64_t CHUNK_FRAME = 12;       // the length, the name and the check of a chunk
constexpr uint64_t HEADER_LENGTH = 13;     // of IHDR
constexpr uint64_t MOST_UNPACKED = 1032;   // bytes that deflate can make of one
constexpr const char *LIBRARIES[] = {"libpng16.so.16", "libpng16.so", "libpng16.16.dylib"};

// libpng, loaded by the first use.
struct Png {
    png_begin_read_type *begin_read;
    png_begin_read_from_stream_type *begin_read_from_stream;
    png_finish_read_type *finish_read;
    png_write_type *write;
    png_free_type *free;
};

const Png *load_png()
{
    static Png png;
    for (const char *name : LIBRARIES) {
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library && find_function(library, "png_image_begin_read_from_memory", png.begin_read) &&
            find_function(library, "png_image_begin_read_from_stdio", png.begin_read_from_stream) &&
            find_function(library, "png_image_finish_read", png.finish_read) &&
            find_function(library, "png_image_write_to_memory", png.write) &&
            find_function(library, "png_image_free", png.free))
            return &png;
    }
    return nullptr;
}

const Png &libpng()
{
    static const Png *const loaded = load_png();
    if (!loaded)
        throw Failure{"PNG images need libpng, which is not installed",
                      "sudo apt-get install libpng16-16; files that end with .ppm or .pgm need "
                      "nothing"};
    return *loaded;
}

// An image of libpng's, freed at the end of a scope.
struct Image {
    const Png &png;
    png_image data{};

    explicit Image(const Png &png) : png(png) { data.version = PNG_IMAGE_VERSION; }
    ~Image() { png.free(&data); }
    Image(const Image &) = delete;
    Image &operator=(const Image &) = delete;
};

uint64_t channels_of(uint32_t format)
{
    return ((format & PNG_COLOR) ? 3 : 1) + ((format & PNG_ALPHA) ? 1 : 0);
}

uint32_t format_of(int64_t channels)
{
    return (channels > 2 ? PNG_COLOR : 0) | (channels % 2 ? 0 : PNG_ALPHA);
}

// PNG's numbers are big-endian.
uint32_t number_in(std::string_view bytes, uint64_t at)
{
    uint32_t number = 0;
    for (size_t k = 0; k < 4; k++) number = number << 8 | static_cast<unsigned char>(bytes[at + k]);
    return number;
}

struct Chunk {
    std::string_view name, data, whole;
    uint64_t next;  // where the next one begins
};

// The chunk at a byte, whose check is right.
Chunk chunk_at(const File &file, uint64_t from)
{
    if (file.size - from < CHUNK_FRAME)
        fail_at(file.path, from, "the PNG image is cut off: its end is missing");
    std::string_view text = file.text(0, file.size);
    uint64_t length = number_in(text, from);
    std::string_view name = text.substr(from + 4, 4);
    if (length > file.size - from - CHUNK_FRAME)
        fail_at(file.path, from, "the PNG image is cut off: the chunk " + in_quotes(name) +
                                     " has " + std::to_string(length) + " bytes");
    uint64_t end = from + 8 + length;
    if (ct::crc32(text.substr(from + 4, length + 4)) != number_in(text, end))
        fail_at(file.path, from, "the chunk " + in_quotes(name) + " of the PNG image is damaged");
    return {name, text.substr(from + 8, length), text.substr(from, length + CHUNK_FRAME), end + 4};
}

// What the pixels depend on.
bool is_needed(std::string_view name)
{
    return name == "IHDR" || name == "PLTE" || name == "tRNS" || name == "IDAT" || name == "IEND";
}

// A capital first letter: a chunk that a reader has to understand.
bool is_critical(std::string_view name) { return !(name[0] & 0x20); }

struct Reduced {
    std::string text;         // with only the chunks that are needed
    std::string_view header;  // the data of IHDR, in the file
    uint64_t packed = 0;      // bytes of pixels
};

Reduced reduced(const File &file)
{
    Reduced made;
    made.text = SIGNATURE;
    for (uint64_t from = SIGNATURE.size();;) {
        Chunk chunk = chunk_at(file, from);
        if (made.header.empty() && (chunk.name != "IHDR" || chunk.data.size() != HEADER_LENGTH))
            fail_at(file.path, from, "the PNG image does not begin with its header");
        if (made.header.empty()) made.header = chunk.data;
        if (chunk.name == "IDAT") made.packed += chunk.data.size();
        if (is_needed(chunk.name)) made.text += chunk.whole;
        else if (is_critical(chunk.name))
            fail_at(file.path, from, "the PNG image has an unknown chunk " + in_quotes(chunk.name));
        if (chunk.name == "IEND") return made;
        from = chunk.next;
    }
}

// Fails if the packed bytes cannot unpack to the pixels that the header announces.
void check_justified(const File &file, const Reduced &image)
{
    uint64_t width = number_in(image.header, 0), height = number_in(image.header, 4);
    uint64_t depth = static_cast<unsigned char>(image.header[8]);
    uint64_t samples = image.header[9] == 2 ? 3 : image.header[9] == 6 ? 4 : 1;  // at the least
    uint64_t row;
    if (__builtin_mul_overflow(width, std::min<uint64_t>(depth, 16) * samples, &row) ||
        __builtin_mul_overflow(row / 8, height, &row) ||
        row / MOST_UNPACKED > image.packed)
        fail_about(file.path, "the PNG image claims " + std::to_string(width) + " x " +
                                  std::to_string(height) + " pixels, its " +
                                  std::to_string(image.packed) + " bytes cannot hold them");
}

// libpng before 1.6.51 writes past the end of such a picture (CVE-2025-65018), and gets it wrong.
void check_is_supported(const File &file, std::string_view header)
{
    if (header[8] == 16 && header[12])
        fail_about(file.path, "it is an interlaced PNG image with 16 bits a sample",
                   "save it without interlacing, or with 8 bits");
}

#ifdef __GLIBC__
// A text as a stream, for libpng, which has no polls of its own: each read of a few kilobytes polls.
// No exception may pass through libpng, so an interrupt is an error of the stream, and kept.
class Stream {
public:
    explicit Stream(std::string_view text) : left_(text)
    {
        cookie_io_functions_t functions{};
        functions.read = read;
        file_ = fopencookie(this, "r", functions);
        if (!file_) throw std::bad_alloc();
    }
    ~Stream() { std::fclose(file_); }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;

    bool begin(const Png &png, png_image *image) { return png.begin_read_from_stream(image, file_); }

    void check_interrupt() const
    {
        if (is_interrupted_) throw Raised();
    }

private:
    static ssize_t read(void *cookie, char *to, size_t size)
    {
        auto *self = static_cast<Stream *>(cookie);
        try {
            poll_interrupt();
        } catch (const Raised &) {
            self->is_interrupted_ = true;
            return -1;
        }
        size = std::min(size, self->left_.size());
        std::memcpy(to, self->left_.data(), size);
        self->left_.remove_prefix(size);
        return static_cast<ssize_t>(size);
    }

    std::string_view left_;
    FILE *file_;
    bool is_interrupted_ = false;
};
#else
class Stream {
public:
    explicit Stream(std::string_view text) : text_(text) {}
    bool begin(const Png &png, png_image *image)
    {
        return png.begin_read(image, text_.data(), text_.size());
    }
    void check_interrupt() const {}

private:
    std::string_view text_;
};
#endif

[[noreturn]] void fail_png(const File &file, const Image &image)
{
    fail_about(file.path, std::string("damaged PNG image: ") + image.data.message);
}

}  // namespace

namespace ct {

at::Tensor read_png(const File &file)
{
    const Png &png = libpng();
    Reduced whole = reduced(file);
    check_justified(file, whole);
    check_is_supported(file, whole.header);
    Stream stream(whole.text);
    Image image(png);
    if (!stream.begin(png, &image.data)) {
        stream.check_interrupt();
        fail_png(file, image);
    }
    image.data.flags |= PNG_16_BITS_ARE_SRGB;
    image.data.format &= PNG_ALPHA | PNG_COLOR;
    uint64_t channels = channels_of(image.data.format);
    at::Tensor picture = new_picture(file, image.data.height, image.data.width, channels);
    auto stride = static_cast<int32_t>(image.data.width * channels);
    bool read = png.finish_read(&image.data, nullptr, picture.mutable_data_ptr(), stride, nullptr);
    stream.check_interrupt();
    if (!read) fail_png(file, image);
    return picture;
}

// libpng's own bound for what packing can add is an eighth.
std::string png_of(const at::Tensor &picture)
{
    const Png &png = libpng();
    Image image(png);
    image.data.height = static_cast<uint32_t>(picture.size(0));
    image.data.width = static_cast<uint32_t>(picture.size(1));
    image.data.format = format_of(picture.size(2));
    size_t size = picture.nbytes() + picture.nbytes() / 4 + 4096;
    std::unique_ptr<char[]> text(new char[size]);
    if (!png.write(&image.data, text.get(), &size, 0, picture.const_data_ptr(), 0, nullptr))
        throw Failure{std::string("libpng: ") + image.data.message, ""};
    return {text.get(), size};
}

}  // namespace ct
