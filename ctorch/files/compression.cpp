// compression.cpp - inflating, deflating and checksums for the entries of ZIP archives, by zlib.
//
// zlib counts bytes in 32 bits, so longer inputs and outputs are passed in pieces.

#include "errors/interrupts.h"
#include "files/zip.h"
#include "files/zlib_abi.h"

#include <algorithm>
#include <array>
#include <limits>
#include <new>

namespace {

constexpr int RAW = -15;  // window bits of deflated bytes without zlib's own header
constexpr int MEMORY_LEVEL = 8;  // zlib's default
constexpr uint64_t PIECE = std::numeric_limits<unsigned>::max();
constexpr uint64_t PIECE_BETWEEN_POLLS = 1 << 20;
constexpr size_t BUFFER = 1 << 16;

unsigned piece(uint64_t length)
{
    return static_cast<unsigned>(std::min(length, PIECE));
}

const unsigned char *bytes_of(std::string_view text)
{
    return reinterpret_cast<const unsigned char *>(text.data());
}

// Passes the next piece of the input to zlib if it has consumed the previous one.
void feed(z_stream &stream, std::string_view &in)
{
    if (stream.avail_in || in.empty()) return;
    stream.next_in = bytes_of(in);
    stream.avail_in = piece(in.size());
    in.remove_prefix(stream.avail_in);
}

void set_output(z_stream &stream, char *to, uint64_t size)
{
    stream.next_out = reinterpret_cast<unsigned char *>(to);
    stream.avail_out = piece(size);
}

class Inflater {
public:
    explicit Inflater(std::string_view deflated) : in_(deflated)
    {
        if (inflateInit2_(&stream_, RAW, ZLIB_VERSION, sizeof stream_) != Z_OK)
            throw std::bad_alloc();
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater &) = delete;
    Inflater &operator=(const Inflater &) = delete;

    // Inflates at most size more bytes and returns how many.  They are fewer at the end, and where
    // the data is damaged.
    uint64_t read(char *to, uint64_t size)
    {
        uint64_t count = 0;
        int status = Z_OK;
        // It also continues when the output is full: the end may follow without another byte.
        while (status == Z_OK) {
            ct::poll_interrupt();
            feed(stream_, in_);
            set_output(stream_, to + count, std::min(size - count, PIECE_BETWEEN_POLLS));
            unsigned space = stream_.avail_out;
            status = ::inflate(&stream_, Z_NO_FLUSH);
            count += space - stream_.avail_out;
        }
        at_end_ = status == Z_STREAM_END;
        return count;
    }

    // Whether the deflated bytes ended properly.
    bool at_end() const { return at_end_; }

private:
    z_stream stream_{};
    std::string_view in_;
    bool at_end_ = false;
};

}  // namespace

bool ct::inflate(std::string_view deflated, char *to, uint64_t size)
{
    Inflater in(deflated);
    return in.read(to, size) == size && in.at_end();
}

uint64_t ct::inflate_head(std::string_view deflated, char *to, uint64_t size)
{
    return Inflater(deflated).read(to, size);
}

std::string ct::deflate(std::string_view in)
{
    z_stream stream{};
    if (deflateInit2_(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, RAW, MEMORY_LEVEL,
                      Z_DEFAULT_STRATEGY, ZLIB_VERSION, sizeof stream) != Z_OK)
        throw std::bad_alloc();
    std::unique_ptr<z_stream, decltype(&deflateEnd)> end(&stream, deflateEnd);
    std::array<char, BUFFER> buffer;
    std::string out;
    int status = Z_OK;
    while (status == Z_OK) {
        ct::poll_interrupt();
        feed(stream, in);
        set_output(stream, buffer.data(), BUFFER);
        status = ::deflate(&stream, in.empty() ? Z_FINISH : Z_NO_FLUSH);
        out.append(buffer.data(), BUFFER - stream.avail_out);
    }
    TORCH_INTERNAL_ASSERT(status == Z_STREAM_END, "deflate: ", status);
    return out;
}

uint32_t ct::crc32(std::string_view bytes, uint32_t before)
{
    unsigned long check = before;
    while (!bytes.empty()) {
        auto length = static_cast<unsigned>(std::min(bytes.size(), PIECE_BETWEEN_POLLS));
        poll_interrupt();
        check = ::crc32(check, bytes_of(bytes), length);
        bytes.remove_prefix(length);
    }
    return static_cast<uint32_t>(check);
}
