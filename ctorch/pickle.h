// pickle.h - what a Python pickle says, as data: nothing in it is ever called.  C++ only.
#pragma once

#include "files.h"

namespace ct {

// A value in a pickle.  a and b say more by kind; values are numbered in the order they are made.
struct Pickled {
    enum Kind : uint8_t {
        None, Bool, Int, Float,  // number, or real
        Text, Bytes,             // b bytes from byte a of the pickle on
        List, Tuple,             // items[a]
        Dict,                    // items[a]: keys and values in turn
        Global,                  // a, b: the texts of a module and of a name in it
        Call,                    // a: what is called, b: a tuple; what is set in it: items[number]
        Persistent               // a: the identity of something outside of the pickle
    };
    Kind kind;
    uint32_t byte;  // where the operation that made it stands
    uint32_t a, b;
    union {
        int64_t number;
        double real;
    };
};

class Pickle {
public:
    // Reads it whole.  first_byte is where in the file it begins; text must outlive the result.
    Pickle(std::string_view text, const std::string &path, uint64_t first_byte);

    uint32_t root() const { return root_; }
    const Pickled &operator[](uint32_t value) const { return values_[value]; }
    // Of a list, a tuple, a dict, or what is set in the result of a call.
    const std::vector<uint32_t> &items(const Pickled &value) const;
    std::string_view text(const Pickled &value) const;
    // "collections.OrderedDict" of a Global, "" of anything else.
    std::string global_name(const Pickled &value) const;
    size_t size() const { return text_.size(); }

private:
    friend class PickleReader;

    std::string_view text_;
    std::vector<Pickled> values_;
    std::vector<std::vector<uint32_t>> items_;
    uint32_t root_ = 0;
};

}  // namespace ct
