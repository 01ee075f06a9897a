// pickle.h - the contents of a Python pickle as data: nothing in it is ever called.  C++ only.
#pragma once

#include "files/zip.h"

namespace ct {

// A value in a pickle.  What a and b mean depends on the kind; values are numbered in the order of
// their creation.
struct Pickled {
    enum Kind : uint8_t {
        None, Bool, Int, Float,  // number, or real
        Text, Bytes,             // b bytes from byte a of the pickle on
        Long,                    // the same: an integer beyond 64 bits, in two's complement
        List, Tuple,             // items[a]
        Dict,                    // items[a]: each key before its value
        Global,                  // a, b: the texts of a module and of a name in it
        Call,                    // a: the callee, b: a tuple; items[number]: added to the result
        Persistent               // a: the identity of something outside of the pickle
    };
    Kind kind;
    uint32_t byte;  // the position of the operation that created it
    uint32_t a, b;
    union {
        int64_t number;
        double real;
    };
};

class Pickle {
public:
    // What it may hold: the contents of state dicts, or objects of any class.
    enum class Holds { STATE_DICT, OBJECTS };

    static constexpr size_t MOST_VALUES = 4000000;  // more than any state dict has
    static constexpr uint64_t LONGEST = uint64_t{1} << 25;  // far more than any state dict's has

    // Reads a whole entry.
    Pickle(const Zip &zip, const ZipEntry &entry, Holds holds);

    const Pickled &root() const { return values_[root_]; }
    const Pickled &operator[](uint32_t value) const { return values_[value]; }
    const std::vector<Pickled> &values() const { return values_; }
    // The items of a list, a tuple or a dict, or what is added to the result of a call.
    const std::vector<uint32_t> &items(const Pickled &value) const;
    std::string_view text(const Pickled &value) const;
    // "collections.OrderedDict" of a Global, "" of anything else.
    std::string global_name(const Pickled &value) const;

    // An integer in decimal.
    std::string digits(const Pickled &value) const;

    // The most values that may be created from it, and bytes of text: both may be shared.
    size_t limit() const;
    size_t text_limit() const;
    // How many bytes it has: what follows its last operation does not count.
    size_t size() const { return text_.size(); }
    // How many bytes of memory reading it may take, which depends on its bytes in the file.
    size_t memory_limit() const;
    const std::string &path() const { return path_; }
    // A failure at a byte of the pickle.
    [[noreturn]] void fail(uint64_t byte, const std::string &what, const char *hint = "") const;
    [[noreturn]] void fail(const Pickled &at, const std::string &what) const { fail(at.byte, what); }
    // Fails because the pickle holds `what`, a noun, which only Python can create.
    [[noreturn]] void refuse(uint64_t byte, const std::string &what) const;

private:
    friend class PickleReader;
    void run(Holds holds);  // pickle_reader.cpp

    const std::string path_;
    const uint64_t first_byte_, stored_;
    Unpacked bytes_;
    std::string_view text_;
    std::vector<Pickled> values_;
    std::vector<std::vector<uint32_t>> items_;
    uint32_t root_ = 0;
};

}  // namespace ct
