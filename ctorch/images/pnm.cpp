// pnm.cpp - PPM and PGM images, which need no library: a short header, then samples.
//
//     P6 640 480 255 and bytes    colours; P3 with numbers as text
//     P5 640 480 255 and bytes    grey; P2 with numbers as text
//
// Samples whose greatest value is not 255 are scaled; those above 255 have two bytes.

#include "errors/interrupts.h"
#include "images/images.h"

#include <cctype>

namespace {

using namespace ct;

constexpr uint64_t MOST = 65535;      // the greatest sample
constexpr uint64_t LONGEST = 10;      // digits of a number in a header

struct Reader {
    const File &file;
    uint64_t at = 2;  // after P6

    char here() const { return at < file.size ? file.data[at] : '\0'; }

    void skip_space()
    {
        while (at < file.size && (std::isspace(static_cast<unsigned char>(here())) || here() == '#')) {
            if (here() == '#')
                while (at < file.size && here() != '\n') at++;
            else
                at++;
        }
    }

    uint64_t number(const char *what)
    {
        skip_space();
        uint64_t from = at, value = 0;
        while (at < file.size && std::isdigit(static_cast<unsigned char>(here())) &&
               at - from < LONGEST)
            value = value * 10 + static_cast<uint64_t>(file.data[at++] - '0');
        if (at == from) fail_at(file.path, from, std::string("expected ") + what);
        return value;
    }
};

uint8_t scaled(uint64_t sample, uint64_t most)
{
    return static_cast<uint8_t>((std::min(sample, most) * 255 + most / 2) / most);
}

void read_bytes(Reader &reader, uint8_t *out, uint64_t count, uint64_t most)
{
    const File &file = reader.file;
    reader.at++;  // one white space ends the header
    uint64_t width = most > 255 ? 2 : 1;
    if (reader.at > file.size || (file.size - reader.at) / width < count)
        fail_at(file.path, std::min(reader.at, file.size),
                "the image is cut off: its samples take " + std::to_string(count * width) +
                    " bytes, the file has " +
                    std::to_string(file.size - std::min(reader.at, file.size)));
    const auto *in = reinterpret_cast<const unsigned char *>(file.data) + reader.at;
    Polls polls;
    for (uint64_t k = 0; k < count; k++, polls.step())
        out[k] = scaled(width == 2 ? in[2 * k] * uint64_t{256} + in[2 * k + 1] : in[k], most);
}

void read_text(Reader &reader, uint8_t *out, uint64_t count, uint64_t most)
{
    Polls polls;
    for (uint64_t k = 0; k < count; k++, polls.step())
        out[k] = scaled(reader.number("a sample"), most);
}

}  // namespace

namespace ct {

at::Tensor read_pnm(const File &file)
{
    Reader reader{file};
    bool is_text = file.data[1] == '2' || file.data[1] == '3';
    uint64_t channels = file.data[1] == '3' || file.data[1] == '6' ? 3 : 1;
    uint64_t width = reader.number("the width"), height = reader.number("the height");
    uint64_t most = reader.number("the greatest sample");
    if (!most || most > MOST)
        fail_at(file.path, reader.at, "expected a greatest sample from 1 to 65535");
    uint64_t bytes;  // every sample takes one at the least
    if (__builtin_mul_overflow(width, height, &bytes) ||
        __builtin_mul_overflow(bytes, channels, &bytes) || bytes > file.size)
        fail_about(file.path, "the image claims " + std::to_string(width) + " x " +
                                  std::to_string(height) + " pixels, the file has " +
                                  std::to_string(file.size) + " bytes");
    at::Tensor picture = new_picture(file, height, width, channels);
    auto *out = static_cast<uint8_t *>(picture.mutable_data_ptr());
    (is_text ? read_text : read_bytes)(reader, out, bytes, most);
    return picture;
}

std::string pnm_of(const at::Tensor &picture)
{
    std::string text = picture.size(2) == 3 ? "P6\n" : "P5\n";
    text += std::to_string(picture.size(1)) + " " + std::to_string(picture.size(0)) + "\n255\n";
    return text.append(static_cast<const char *>(picture.const_data_ptr()), picture.nbytes());
}

}  // namespace ct
