// images.cpp - the procedures load-image and save-image: which format a file has, and what Lisp
// gets: a tensor of bytes with the shape [channels, height, width].

#include "images/images.h"
#include "memory/memory.h"

#include <ATen/ops/contiguous_ops.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/permute_ops.h>

#include <algorithm>
#include <cctype>

namespace {

using namespace ct;

constexpr std::string_view READABLE = "PNG, JPEG, PPM and PGM images can be read";

struct Format {
    std::string_view start;
    const char *name;
    at::Tensor (*read)(const File &file);  // nullptr if it cannot be read
};

constexpr Format FORMATS[] = {
    {"\x89PNG\r\n\x1a\n", "PNG", read_png},
    {"P2", "PGM", read_pnm},
    {"P3", "PPM", read_pnm},
    {"P5", "PGM", read_pnm},
    {"P6", "PPM", read_pnm},
    {"\xff\xd8\xff", "JPEG", read_jpeg},
    {"GIF8", "GIF", nullptr},
    {"BM", "BMP", nullptr},
    {"RIFF", "WebP", nullptr},
    {"II*", "TIFF", nullptr},
    {"MM", "TIFF", nullptr},
};

at::Tensor read_picture(const File &file)
{
    for (const Format &format : FORMATS) {
        if (!std::string_view(file.data, file.size).starts_with(format.start)) continue;
        if (format.read) return format.read(file);
        fail_about(file.path, std::string("it is a ") + format.name + " image",
                   "convert it to PNG; " + std::string(READABLE));
    }
    fail_about(file.path, "it is not an image", std::string(READABLE));
}

at::Tensor reordered(const at::Tensor &x, at::IntArrayRef order)
{
    return at::_ops::contiguous::call(at::_ops::permute::call(x, order),
                                      at::MemoryFormat::Contiguous);
}

// ".png" for "a/B.PNG"; "" without a dot.
std::string suffix_of(const std::string &path)
{
    size_t dot = path.rfind('.'), slash = path.rfind('/');
    if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return "";
    std::string suffix = path.substr(dot);
    for (char &c : suffix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return suffix;
}

// Fails unless a format can hold that many channels.
void check_channels(const std::string &suffix, int64_t channels)
{
    bool fits = suffix == ".ppm" ? channels == 3 : suffix == ".pgm" ? channels == 1 : channels % 2;
    if (fits) return;
    throw Failure{"a " + suffix + " file cannot hold " + std::to_string(channels) +
                      (channels == 1 ? " channel" : " channels"),
                  "a .png file holds 1 to 4, a .pgm file 1, a .ppm file 3"};
}

std::string encoded(const std::string &path, const at::Tensor &picture)
{
    std::string suffix = suffix_of(path);
    if (suffix == ".png") return png_of(picture);
    if (suffix != ".ppm" && suffix != ".pgm" && suffix != ".pnm")
        fail_about(path, "an image's file ends with .png, .ppm or .pgm");
    check_channels(suffix, picture.size(2));
    return pnm_of(picture);
}

}  // namespace

namespace ct {

at::Tensor new_picture(const File &file, uint64_t height, uint64_t width, uint64_t channels)
{
    uint64_t bytes;
    std::vector<int64_t> sizes{static_cast<int64_t>(height), static_cast<int64_t>(width),
                               static_cast<int64_t>(channels)};
    if (!height || !width || !byte_count(sizes, at::kByte, &bytes))
        fail_about(file.path, "no image has " + std::to_string(width) + " x " +
                                  std::to_string(height) + " pixels");
    // Several channels are reordered in another tensor.
    check_room(file.path, "its pixels take", bytes * (channels > 1 ? 2 : 1));
    return at::empty(sizes, at::TensorOptions().dtype(at::kByte).device(at::kCPU));
}

Owned load_image(const ProcedureArguments &given)
{
    FilePointer file = open_file(given.text(0));
    return Owned::tensor(reordered(read_picture(*file), {2, 0, 1}));
}

// (path tensor), of bytes [channels, height, width], as stdlib/train/images.lisp has checked.
Owned save_image(const ProcedureArguments &given)
{
    std::string path = given.text(0);
    std::string text = encoded(path, reordered(as_stored(given.tensor(1)), {1, 2, 0}));
    Output out(path);
    out.write(text);
    out.commit();
    return Owned();
}

}  // namespace ct
