// reader.h - reads the values of a GGUF file forward, within the file.  C++ only.
#pragma once

#include "errors/interrupts.h"
#include "gguf/gguf.h"

namespace ct {

namespace gguf_types {

inline constexpr int DEEPEST = 8;  // arrays in arrays

enum Type : uint32_t {
    UINT8, INT8, UINT16, INT16, UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY, UINT64, INT64, FLOAT64,
    TYPES
};
inline constexpr uint64_t SIZES[TYPES] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

}  // namespace gguf_types

// Reads forward, within the file.
class GgufReader {
public:
    explicit GgufReader(const File &file, uint64_t at = 0) : file_(file), at_(at) {}

    uint64_t at() const { return at_; }
    uint64_t left() const { return file_.size - at_; }

    // Where that many bytes are; what they are for messages.
    const char *take(uint64_t bytes, const char *what)
    {
        polls_.step();
        if (bytes > left())
            fail_at(file_.path, at_, std::string(what) + " takes " + std::to_string(bytes) +
                                         " bytes, the file has " + std::to_string(left()),
                    "the file is damaged or was not copied completely");
        at_ += bytes;
        return file_.data + at_ - bytes;
    }

    template <class Number>
    Number number(const char *what)
    {
        return number_at<Number>(take(sizeof(Number), what));
    }

    std::string_view bytes(const char *what)
    {
        uint64_t length = number<uint64_t>(what);
        return {take(length, what), length};
    }

    // noun: what it is, without an article.
    std::string text(const char *noun)
    {
        uint64_t start = at_;
        std::string_view text = bytes((std::string("a ") + noun).c_str());
        check_text(text, noun, file_.path, start);
        return std::string(text);
    }

    // A count of things that take at least so many bytes each.
    uint64_t count(uint64_t least, const char *what)
    {
        uint64_t start = at_, found = number<uint64_t>(what);
        if (found > left() / least)
            fail_at(file_.path, start, std::to_string(found) + " " + what +
                                           " do not fit the file, which has " +
                                           std::to_string(left()) + " bytes more",
                    "the file is damaged or was not copied completely");
        return found;
    }

    uint32_t type()
    {
        uint64_t start = at_;
        uint32_t found = number<uint32_t>("the type of a value");
        if (found >= gguf_types::TYPES)
            fail_at(file_.path, start, "a value has the unknown type " + std::to_string(found));
        return found;
    }

    void skip(uint32_t type, int depth = 0)
    {
        if (type == gguf_types::STRING) {
            bytes("a string");
        } else if (type == gguf_types::ARRAY) {
            if (depth == gguf_types::DEEPEST)
                fail_at(file_.path, at_, "more than 8 arrays in arrays");
            uint32_t element = this->type();
            if (gguf_types::SIZES[element]) {
                uint64_t elements = count(gguf_types::SIZES[element], "elements of an array");
                take(elements * gguf_types::SIZES[element], "an array");
                return;
            }
            uint64_t elements = count(8, "elements of an array");
            for (uint64_t k = 0; k < elements; k++) skip(element, depth + 1);
        } else {
            take(gguf_types::SIZES[type], "a value");
        }
    }

private:
    const File &file_;
    uint64_t at_;
    Polls polls_;
};

}  // namespace ct
