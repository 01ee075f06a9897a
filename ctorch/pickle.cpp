// pickle.cpp - what a pickle holds, once it has been read, and how much that may be.
//
// A byte can make a value, and a few bytes of an archive unpack to many of them; so there are limits
// before anything is unpacked or made.

#include "pickle.h"

#include <algorithm>

namespace ct {

namespace {

constexpr uint64_t LONGEST = uint64_t{1} << 25;  // of any state dict's pickle, by far
constexpr size_t MOST_SHARED = 10;               // values for each byte, where they are shared

}  // namespace

Pickle::Pickle(const Zip &zip, const ZipEntry &entry, Holds holds)
    : path_(zip.file->path), first_byte_(entry.from)
{
    if (entry.size > LONGEST) fail(0, "a pickle of more than 32 MiB");
    bytes_ = zip.unpacked(entry);
    text_ = bytes_.text();
    run(holds);
}

size_t Pickle::limit() const { return std::min(MOST_SHARED * text_.size(), MOST_VALUES); }

void Pickle::fail(uint64_t byte, const std::string &what, const char *hint) const
{
    fail_at(path_, first_byte_ + byte, what, hint);
}

void Pickle::refuse(uint64_t byte, const std::string &what) const
{
    fail(byte, "it holds " + what + ", which only Python can make",
         "in Python, save model.state_dict(), or use safetensors");
}

const std::vector<uint32_t> &Pickle::items(const Pickled &value) const
{
    return items_[value.kind == Pickled::Call ? static_cast<size_t>(value.number) : value.a];
}

std::string_view Pickle::text(const Pickled &value) const { return text_.substr(value.a, value.b); }

std::string Pickle::global_name(const Pickled &value) const
{
    if (value.kind != Pickled::Global) return "";
    return std::string(text(values_[value.a])) + "." + std::string(text(values_[value.b]));
}

}  // namespace ct
